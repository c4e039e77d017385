// Joins any number of tensors.
#ifndef AMPC_IR_DIALECT_OPS_CONCATENATE_H
#define AMPC_IR_DIALECT_OPS_CONCATENATE_H

#include "ir/dialect/Dialect.h"

namespace ampc::amp {

/// Operands of one concatenation at most. Its kernel tests them one after the
/// other, so that neither its code nor the time to compile it may grow freely.
inline constexpr size_t kMaxConcatOperands = 64;

/// `parts` joined along `axis`; many by a tree of concatenations.
mlir::Value concatenate(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<mlir::Value> parts, int64_t axis);

} // namespace ampc::amp

#endif // AMPC_IR_DIALECT_OPS_CONCATENATE_H

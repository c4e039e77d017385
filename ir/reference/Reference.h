// The reference evaluator: the value of every pure op of the amp dialect in f64
// arithmetic with one rounding to the op's result type. The oracle of all
// numeric tests, and of constant folding.
#ifndef AMPC_IR_REFERENCE_REFERENCE_H
#define AMPC_IR_REFERENCE_REFERENCE_H

#include "ir/reference/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Operation.h"

namespace ampc::reference {

/// Gives the pure ops of the amp dialect their `ReferenceEvaluable` models,
/// once the dialect is loaded in a context that has this registry.
void registerReferenceModels(mlir::DialectRegistry &registry);

/// Refuses a tensor of `op` that has too many elements to hold, whatever its
/// extents.
mlir::LogicalResult verifyHoldable(mlir::Operation *op,
                                   mlir::RankedTensorType type);

/// The results of `op` for `operands` through its model. An op without one, a
/// result too large to hold and a model's refusal are errors at the op.
mlir::FailureOr<llvm::SmallVector<Tensor>>
evaluateOp(mlir::Operation *op, llvm::ArrayRef<const Tensor *> operands);

} // namespace ampc::reference

#endif // AMPC_IR_REFERENCE_REFERENCE_H

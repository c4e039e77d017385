// Which values of a placed step are gradients of parameters.
#ifndef AMPC_TOOLS_LIBAMPC_GRADIENTVALUES_H
#define AMPC_TOOLS_LIBAMPC_GRADIENTVALUES_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// The name of the tensor that a variable belongs to: `linear.weight` of
/// `ampc.exp_avg/linear.weight`.
llvm::StringRef ownerOf(llvm::StringRef variable);

/// The gradients among the values of `func`, an entry of `module` in stage
/// fused or placed, each with its parameter's name. By then nothing says so but
/// the use: a gradient is what a group reads, element by element, to compute a
/// parameter's new value or its sum of gradients.
llvm::DenseMap<mlir::Value, llvm::StringRef>
gradientsOf(mlir::ModuleOp module, mlir::func::FuncOp func);

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_GRADIENTVALUES_H

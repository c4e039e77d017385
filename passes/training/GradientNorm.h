// The global norm of the gradients, and clipping by it.
#ifndef AMPC_PASSES_TRAINING_GRADIENTNORM_H
#define AMPC_PASSES_TRAINING_GRADIENTNORM_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// The global 2-norm of `gradients` (at least one), an f64 scalar. Elements are
/// widened to f64 before they are squared, so that no f32 gradient overflows.
/// Order (N10): a gradient of rank 2 and more is summed along its last axis in
/// the row order, then the sums of the rows are; the gradients' sums are added
/// in the order given.
mlir::Value gradientNorm(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::ArrayRef<mlir::Value> gradients);

/// min(limit / (norm + 1e-6), 1) as an f32 scalar: what
/// torch.nn.utils.clip_grad_norm_ multiplies every gradient by.
mlir::Value clipCoefficient(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value norm, double limit);

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_GRADIENTNORM_H

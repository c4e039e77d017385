// What nothing reads.
#ifndef AMPC_PASSES_TRAINING_DEADOPS_H
#define AMPC_PASSES_TRAINING_DEADOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ampc {

/// Erases the ops of `func` that have no effect and whose results nothing
/// reads, last op first, so that a dead chain goes in one sweep.
void eraseDeadOps(mlir::func::FuncOp func);

/// Drops the arguments that nothing uses: an entry asks only for the inputs it
/// reaches.
void eraseUnusedArguments(mlir::func::FuncOp func);

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_DEADOPS_H

// The error of one primitive's result from the errors of its operands.
#ifndef AMPC_TEST_NUMERICS_ERRORRULES_H
#define AMPC_TEST_NUMERICS_ERRORRULES_H

#include "test/numerics/RunningError.h"

namespace ampc::test {

/// Sets `results[i].error`, whose values the reference has computed, for
/// primitive `op` or amp.adam. Fails, with an error at the op, for an op it
/// does not know.
mlir::LogicalResult boundErrors(mlir::Operation *op,
                                llvm::ArrayRef<SharedBounded> operands,
                                Roundings roundings,
                                llvm::MutableArrayRef<Bounded> results);

/// The same for amp.adam: the new parameter, exp_avg and exp_avg_sq.
void boundAdam(mlir::Operation *op, llvm::ArrayRef<SharedBounded> operands,
               llvm::MutableArrayRef<Bounded> results);

/// The same for functions and steps of one or two operands; false for an op of
/// another kind. `sure`: exact operands of a correctly rounded op give one
/// value.
bool boundFunction(mlir::Operation *op, llvm::ArrayRef<SharedBounded> operands,
                   bool sure, Bounded &result);

/// The same for ops that move elements or choose them by index; fails for an op
/// of another kind.
mlir::LogicalResult boundMovement(mlir::Operation *op,
                                  llvm::ArrayRef<SharedBounded> operands,
                                  bool sure, Bounded &result);

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_ERRORRULES_H

// The two halves of an evaluation: what one batch contributes, and the formula
// that is applied once at the end.
#ifndef AMPC_PASSES_TRAINING_EVALFORMULA_H
#define AMPC_PASSES_TRAINING_EVALFORMULA_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// Moves the formulas over the reductions of `step`'s results (losses and
/// metrics) into the empty function `finish`: `step` then gives the sums and
/// counts of its reductions over data (amp.io partial), and `finish` takes
/// their totals and gives the losses and metrics.
void splitEvaluation(mlir::func::FuncOp step, mlir::func::FuncOp finish);

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_EVALFORMULA_H

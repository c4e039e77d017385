// Formulas over reductions of data, taken apart: what one batch contributes,
// and what is applied once to the totals of several.
#ifndef AMPC_PASSES_TRAINING_DATAFORMULA_H
#define AMPC_PASSES_TRAINING_DATAFORMULA_H

#include "ir/dialect/Dialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace ampc {

/// What of a function depends on the batch: its arguments, draws, and what is
/// computed from them.
llvm::DenseSet<mlir::Value> dataValues(mlir::func::FuncOp func);

/// Whether `op` is a plain sum of all its terms.
bool isSum(amp::MeanReduction op);

/// The sum or mean of all its terms that gives `value`, or null.
amp::MeanReduction reductionOf(mlir::Value value);

/// Rebuilds scalars of `step` at the end of its data: sums and counts of its
/// reductions give way to their totals, scalar arithmetic on them and what
/// depends on no data is copied.
class DataFormula {
public:
  /// The total over all batches of `partial`, a scalar that stands in the step;
  /// built where the formulas are.
  using Total = llvm::function_ref<mlir::Value(mlir::Value partial)>;

  /// Builds sums and counts at the end of `step`, formulas at `end`.
  DataFormula(mlir::func::FuncOp step, mlir::OpBuilder &end, Total total);

  /// What `value` of the step is at the end of the data.
  mlir::Value valueOf(mlir::Value value);
  /// The first part of `value` that is no formula over sums and means of all
  /// their terms: it counts as its mean over the batches. Null where there is
  /// none.
  mlir::Value inexactPart(mlir::Value value) const;

private:
  bool isFormula(mlir::Value value) const;
  mlir::Value leaf(mlir::Value value);

  llvm::DenseSet<mlir::Value> data;
  mlir::OpBuilder stepBuilder;
  mlir::OpBuilder &end;
  Total total;
  llvm::DenseMap<mlir::Value, mlir::Value> values; // of the step -> at the end
};

/// Moves the formulas over the reductions of `step`'s results (losses and
/// metrics) into the empty function `finish`: `step` then gives the sums and
/// counts of its reductions over data (amp.io partial), and `finish` takes
/// their totals and gives the losses and metrics.
void splitEvaluation(mlir::func::FuncOp step, mlir::func::FuncOp finish);

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_DATAFORMULA_H

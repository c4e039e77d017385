// A micro-batch's share of the losses of a window (N14).
#ifndef AMPC_PASSES_TRAINING_LOSSSHARES_H
#define AMPC_PASSES_TRAINING_LOSSSHARES_H

#include "passes/training/DataFormula.h"

namespace ampc {

/// Builds the shares of one micro-batch, at its end: a loss is a sum of terms
/// k * S, k * S / D or k (docs/language.md), whose shares add up to the
/// window's loss.
class LossShares {
public:
  /// `isFirst` says whether `micro` is at a window's first micro-batch;
  /// `total` gives the window's total of a scalar of the micro-batch.
  LossShares(mlir::func::FuncOp micro, mlir::Value isFirst,
             DataFormula::Total total);

  /// The share of loss `name`; a loss of another form is an error at the term
  /// that makes it one.
  mlir::FailureOr<mlir::Value> of(llvm::StringRef name, mlir::Value loss);

private:
  /// What an operand of a loss's formula is.
  enum class Part {
    share,  ///< of the loss itself
    factor, ///< depends on no data: stands as it is
    divisor ///< of data: the window's takes its place
  };
  mlir::FailureOr<llvm::SmallVector<Part, 2>> partsOf(mlir::Value value);
  mlir::LogicalResult checkDivisor(mlir::Value value);
  mlir::FailureOr<mlir::Value> shareOf(mlir::Value value);
  mlir::FailureOr<mlir::Value> buildShare(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> leaf(mlir::Value value);
  mlir::LogicalResult refuse(mlir::Value term);

  mlir::func::FuncOp micro;
  llvm::DenseSet<mlir::Value> data;
  llvm::DenseSet<mlir::Value> varying; // of parameters, or drawn
  mlir::OpBuilder builder;
  mlir::Value isFirst;
  DataFormula::Total total;
  DataFormula divisors;
  llvm::DenseMap<mlir::Value, mlir::Value> shares;
  llvm::StringRef loss; // the one being built
};

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_LOSSSHARES_H

// Which elements of an entry's input a value shows.
#ifndef AMPC_PASSES_TRAINING_INPUTVIEW_H
#define AMPC_PASSES_TRAINING_INPUTVIEW_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// Where the elements of a value stand in an input: element i is the input's
/// element `offset + sum(i * strides)`.
struct InputView {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> extents, strides;
};

/// The view of a whole tensor.
InputView wholeOf(mlir::RankedTensorType type);

/// Joins neighbouring axes that walk the input as one would, and drops those
/// that repeat or have one element: the elements stay the same.
InputView joined(const InputView &view);

/// The value that `value` shows elements of, unchanged, through casts to wider
/// integers and ops that only move elements; `chain` gets these, from `value`
/// back.
mlir::Value shownBy(mlir::Value value,
                    llvm::SmallVectorImpl<mlir::Operation *> &chain);

/// The elements of the start of `chain` that its first op shows. Failure for a
/// slice in an order that no strides give.
llvm::FailureOr<InputView> viewThrough(llvm::ArrayRef<mlir::Operation *> chain,
                                       mlir::RankedTensorType start);

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_INPUTVIEW_H

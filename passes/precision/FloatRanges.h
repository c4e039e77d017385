// What the ops alone say of how far values can reach, to explain the risk of a
// narrow format. No pass decides by it.
#ifndef AMPC_PASSES_PRECISION_FLOATRANGES_H
#define AMPC_PASSES_PRECISION_FLOATRANGES_H

#include "ir/dialect/Dialect.h"

#include "llvm/ADT/DenseMap.h"
#include <limits>

namespace ampc {

/// Bounds of every element of a value, NaN aside; infinite where none is known.
struct FloatRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool isBounded() const { return magnitude() < HUGE_VAL; }
  /// The largest magnitude.
  double magnitude() const { return std::max(-low, high); }
};

/// Bounds of the values of one entry, from its constants and the ops that are
/// bounded by themselves (sigmoid, softmax, tanh, clip, ...), by interval
/// arithmetic. Inputs and variables have none. Linear in the entry's ops.
class FloatRanges {
public:
  explicit FloatRanges(mlir::func::FuncOp func);

  FloatRange of(mlir::Value value) const { return ranges.lookup(value); }

private:
  FloatRange visit(mlir::Operation *op) const;

  llvm::DenseMap<mlir::Value, FloatRange> ranges;
};

} // namespace ampc

#endif // AMPC_PASSES_PRECISION_FLOATRANGES_H

// Carries ranges through an entry, first op first; see IntegerRanges.h.
#include "passes/training/IntegerRanges.h"

#include <limits>

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// All that elements of `type` may be; of floats nothing is known.
static IntegerRange rangeOfType(RankedTensorType type) {
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (!integer)
    return {std::numeric_limits<int64_t>::min(),
            std::numeric_limits<int64_t>::max()};
  if (integer.getWidth() == 1)
    return {0, 1};
  return {llvm::minIntN(integer.getWidth()), llvm::maxIntN(integer.getWidth())};
}

IntegerRanges::IntegerRanges(func::FuncOp func) {
  for (Operation &op : func.front()) {
    auto bounded = dyn_cast<BoundedInteger>(op);
    if (!bounded ||
        !isa<IntegerType>(tensorType(op.getResult(0)).getElementType()))
      continue;
    auto operands =
        llvm::map_to_vector(op.getOperands(), [&](Value v) { return of(v); });
    std::optional<IntegerRange> range = bounded.resultRange(operands);
    IntegerRange whole = rangeOfType(tensorType(op.getResult(0)));
    // What leaves the type has wrapped, to anywhere.
    if (range && range->low >= whole.low && range->high <= whole.high)
      known[op.getResult(0)] = *range;
  }
}

IntegerRange IntegerRanges::of(Value value) const {
  auto found = known.find(value);
  return found == known.end() ? rangeOfType(tensorType(value)) : found->second;
}

} // namespace ampc

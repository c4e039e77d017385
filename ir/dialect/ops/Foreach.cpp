// Bodies that run slice by slice: verification.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

int64_t ForeachOp::slicesOf(unsigned number) {
  int64_t slice = tensorType(getBody().getArgument(number)).getNumElements();
  return slice ? tensorType(getInputs()[number]).getNumElements() / slice : 1;
}

/// The most iterations, slices of an operand and iterations a slice.
static constexpr int64_t kMost = int64_t(1) << 48;

/// Whether `whole` is `count` slices of type `slice`; no product wraps.
static bool isSlices(Type whole, Type slice, int64_t count) {
  auto outside = cast<RankedTensorType>(whole),
       inside = cast<RankedTensorType>(slice);
  if (outside.getElementType() != inside.getElementType())
    return false;
  int64_t all = outside.getNumElements(), one = inside.getNumElements();
  return one == 0 ? all == 0 : all % one == 0 && all / one == count;
}

LogicalResult ForeachOp::verifyRegions() {
  Block &block = getBody().front();
  auto yield = cast<YieldOp>(block.getTerminator());
  int64_t count = getCount();
  // foreach_c3
  if (count < 1 || count > kMost)
    return emitOpError() << "count must be from 1 to 2^48, got " << count;
  // foreach_c1
  if (block.getNumArguments() != getInputs().size() ||
      getDivisors().size() != getInputs().size())
    return emitOpError() << "has " << getInputs().size() << " operands, "
                         << getDivisors().size() << " divisors and "
                         << block.getNumArguments() << " body arguments";
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    if (getDivisors()[i] < 1 || getDivisors()[i] > kMost)
      return emitOpError() << "divisor of operand " << i
                           << " must be from 1 to 2^48, got "
                           << getDivisors()[i];
    Type slice = block.getArgument(i).getType();
    if (!isStorable(slice))
      return emitOpError() << "body argument " << i
                           << " must be a plain tensor below 2^48 elements, "
                              "got "
                           << slice;
    if (slicesOf(i) < 1 || !isSlices(input.getType(), slice, slicesOf(i)))
      return emitOpError() << "operand " << i << ", " << input.getType()
                           << ", is no whole number of slices of " << slice;
  }
  // foreach_c2
  if (yield.getValues().size() != getOutputs().size())
    return emitOpError() << "has " << getOutputs().size()
                         << " results but its body yields "
                         << yield.getValues().size();
  for (auto [i, output] : llvm::enumerate(getOutputs())) {
    Type slice = yield.getValues()[i].getType();
    if (!isSlices(output.getType(), slice, count))
      return emitOpError() << "result " << i << " must have " << count
                           << " slices of " << slice << ", got "
                           << output.getType();
  }
  // foreach_c4
  for (Operation &op : block)
    if (!isMemoryEffectFree(&op)) {
      InFlightDiagnostic diagnostic =
          emitOpError() << "has an op with side effects in its body";
      diagnostic.attachNote(op.getLoc())
          << "found '" << op.getName() << "' here";
      return diagnostic;
    }
  return success();
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Foreach.cpp.inc"

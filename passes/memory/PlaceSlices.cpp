// Places the body of a loop over slices; see PlaceSlices.h.
#include "passes/memory/PlaceSlices.h"

#include "passes/memory/BestFit.h"
#include "passes/memory/InPlace.h"
#include "passes/memory/LiveRanges.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// Copies what the body yields but does not make, or yields twice: a slice of a
/// result holds one value alone.
static void copyForeignYields(ForeachOp loop) {
  Operation *yield = loop.getBody().front().getTerminator();
  OpBuilder builder(yield);
  llvm::DenseSet<Value> yielded;
  for (OpOperand &operand : yield->getOpOperands()) {
    Value root = storageRoot(operand.get());
    if (!producesBytes(root.getDefiningOp()) || !yielded.insert(root).second)
      operand.set(buildCopy(builder, loop.getLoc(), operand.get()));
  }
}

/// The values of a body that stand in scratch memory, and where.
struct ScratchPlan {
  SmallVector<Value> values;
  Placement placement;
};

/// `isElsewhere(value)`: a storage root that stands in no scratch memory.
static ScratchPlan planScratch(Block &body,
                               function_ref<bool(Value)> isElsewhere) {
  LiveRanges ranges(body);
  ScratchPlan plan;
  SmallVector<BufferRange> buffers;
  for (Operation &op : body)
    if (producesBytes(&op))
      for (Value result : op.getResults())
        if (storageRoot(result) == result && !isElsewhere(result)) {
          plan.values.push_back(result);
          buffers.push_back({storageBytes(tensorType(result)),
                             ranges.start(result), ranges.end(result)});
        }
  plan.placement = placeBestFit(buffers, PlacementEffort::thorough);
  return plan;
}

int64_t scratchBytes(ForeachOp loop) {
  Block &body = loop.getBody().front();
  llvm::DenseSet<Value> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.insert(storageRoot(value));
  return planScratch(body, [&](Value root) { return yielded.contains(root); })
      .placement.bytes;
}

void placeSlices(ForeachOp loop,
                 function_ref<int64_t(ElementsAttr)> constantOffset) {
  copyForeignYields(loop);
  MLIRContext *context = loop.getContext();
  Block &body = loop.getBody().front();
  llvm::DenseMap<Value, PlaceAttr> places; // by storage root
  auto put = [&](Value value, Space space, int64_t index) {
    places[value] = PlaceAttr::get(context, space, index, {});
  };
  for (BlockArgument argument : body.getArguments())
    put(argument, Space::slice, argument.getArgNumber());
  for (auto constant : body.getOps<ConstantOp>())
    put(constant, Space::constant, constantOffset(constant.getValue()));
  for (OpOperand &operand : body.getTerminator()->getOpOperands())
    put(storageRoot(operand.get()), Space::slice,
        body.getNumArguments() + operand.getOperandNumber());
  ScratchPlan plan =
      planScratch(body, [&](Value root) { return places.contains(root); });
  for (auto [value, offset] :
       llvm::zip_equal(plan.values, plan.placement.offsets))
    put(value, Space::scratch, offset);
  loop->setAttr(kScratchBytesAttr,
                Builder(context).getI64IntegerAttr(plan.placement.bytes));
  for (Operation &op : body.without_terminator()) {
    SmallVector<Attribute> attributes;
    for (Value result : op.getResults())
      attributes.push_back(places.lookup(storageRoot(result)));
    op.setAttr(kPlaceAttr, ArrayAttr::get(context, attributes));
  }
}

} // namespace ampc

// Gives every value its bytes: variables in place, outputs directly, the rest
// in one arena an entry.
#include "passes/memory/BestFit.h"
#include "passes/memory/InPlace.h"
#include "passes/memory/LiveRanges.h"
#include "passes/memory/MemoryNeeds.h"
#include "passes/memory/Passes.h"
#include "passes/memory/PlaceSlices.h"
#include "passes/memory/RecomputeBlock.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_PLACEBUFFERS
#include "passes/memory/Passes.h.inc"

namespace {

/// Offsets in the plan's constant section, shared by all entries; equal
/// constants share bytes.
class ConstantSection {
public:
  int64_t offsetOf(ElementsAttr value) {
    auto [found, isNew] = offsets.try_emplace(value, bytes);
    if (isNew)
      bytes +=
          alignBytes(storageBytes(cast<RankedTensorType>(value.getType())));
    return found->second;
  }

private:
  llvm::DenseMap<Attribute, int64_t> offsets;
  int64_t bytes = 0;
};

/// Places one entry.
class EntryPlacer {
public:
  /// `limit`: bytes that the arena may have, where there is a budget.
  EntryPlacer(func::FuncOp func, ConstantSection &constants,
              std::optional<int64_t> limit)
      : func(func), context(func.getContext()), constants(constants),
        limit(limit) {}

  void run() {
    copyOutlivingReads(func);
    LiveRanges ranges(func.front());
    for (BlockArgument argument : func.getArguments())
      places[argument] =
          PlaceAttr::get(context, Space::input, argument.getArgNumber(), {});
    for (Operation &op : func.front()) {
      if (auto read = dyn_cast<ReadOp>(op))
        places[read.getResult()] = variablePlace(read.getVariable());
      else if (auto constant = dyn_cast<ConstantOp>(op))
        places[constant.getResult()] =
            PlaceAttr::get(context, Space::constant,
                           constants.offsetOf(constant.getValue()), {});
    }
    placeUpdates(ranges);
    placeOutputs();
    placeArena(ranges);
    attach();
  }

private:
  PlaceAttr variablePlace(StringRef name) {
    return PlaceAttr::get(context, Space::variable, 0,
                          FlatSymbolRefAttr::get(context, name));
  }

  void placeUpdates(const LiveRanges &ranges) {
    for (auto write : func.front().getOps<WriteOp>()) {
      Value root = storageRoot(write.getInput());
      InPlaceDecision decision = decideInPlace(write, ranges);
      if (decision.allowed && !places.count(root)) {
        places[root] = variablePlace(write.getVariable());
        continue;
      }
      auto remark = remark::missed(
          write.getLoc(),
          remark::RemarkOpts::name("update").category("memory").function(
              func.getName()));
      remark << remark::add("'{0}' is copied, not updated in place",
                            write.getVariable())
             << remark::reason("{0}", decision.allowed
                                          ? "its value stands elsewhere already"
                                          : decision.reason);
    }
  }

  void placeOutputs() {
    for (OpOperand &operand : func.front().getTerminator()->getOpOperands()) {
      Value root = storageRoot(operand.get());
      if (producesBytes(root.getDefiningOp()) && !places.count(root))
        places[root] = PlaceAttr::get(context, Space::output,
                                      operand.getOperandNumber(), {});
    }
  }

  void placeArena(const LiveRanges &ranges) {
    RecomputeBlock block(
        func, ranges,
        [&](Value value) {
          return producesBytes(value.getDefiningOp()) &&
                 storageRoot(value) == value && !places.count(value);
        },
        clobberPositions(func, ranges), limit || hasCheckpoints());
    RecomputePlan plan(block.problem());
    block.recomputeCheckpoints(plan);
    Placement placement = fit(plan, block.problem().bytes);
    for (auto [item, offset] :
         llvm::zip_equal(block.apply(plan), placement.offsets)) {
      places[item.value] = PlaceAttr::get(context, Space::arena, offset, {});
      if (item.value.getDefiningOp()->hasAttr(kRecomputeAttr))
        reportRecomputed(item.value);
    }
    func->setAttr(kArenaBytesAttr,
                  Builder(context).getI64IntegerAttr(placement.bytes));
    remark::analysis(
        func.getLoc(),
        remark::RemarkOpts::name("arena").category("memory").function(
            func.getName()))
        << remark::add("arena {0} bytes, lower bound {1} bytes, {2} buffers; "
                       "recomputation adds {3:F1} % of the step",
                       placement.bytes, placement.lowerBound,
                       placement.offsets.size(),
                       100 * plan.addedTime() / std::max(plan.baseTime(), 1.0));
  }

  bool hasCheckpoints() {
    return func
        .walk([](Operation *op) {
          return op->hasAttr(kCheckpointAttr) ? WalkResult::interrupt()
                                              : WalkResult::advance();
        })
        .wasInterrupted();
  }

  static Placement place(const RecomputePlan &plan, ArrayRef<int64_t> bytes,
                         PlacementEffort effort = PlacementEffort::quick) {
    SmallVector<BufferRange> buffers;
    for (const Residence &residence : plan.residences())
      buffers.push_back(
          {bytes[residence.value], residence.first, residence.last});
    return placeBestFit(buffers, effort);
  }

  /// Takes decisions of `plan` until the arena is within the limit. Where it
  /// cannot be, `plan` is the one of the smallest arena.
  Placement fit(RecomputePlan &plan, ArrayRef<int64_t> bytes) {
    // Every number of decisions has one placement, whatever the limit.
    Placement placement = place(plan, bytes, PlacementEffort::thorough);
    if (!limit || placement.bytes <= *limit)
      return placement;
    RecomputePlan whole = plan;
    // The decisions after which the most bytes at once are the fewest.
    unsigned decisions = 0, fewest = 0;
    int64_t leastPeak = plan.peak();
    while (plan.improve()) {
      ++decisions;
      if (plan.peak() < leastPeak) {
        leastPeak = plan.peak();
        fewest = decisions;
      }
      if (plan.peak() > *limit)
        continue; // placed it is no smaller
      placement = place(plan, bytes);
      if (placement.bytes <= *limit)
        return placement;
    }
    // None is small enough: the smallest, as far as the peak tells.
    Placement kept = place(whole, bytes, PlacementEffort::thorough);
    plan = whole;
    for (unsigned i = 0; i < fewest; ++i)
      plan.improve();
    placement = place(plan, bytes);
    if (placement.bytes >= kept.bytes) {
      plan = std::move(whole);
      placement = std::move(kept);
    }
    remark::missed(
        func.getLoc(),
        remark::RemarkOpts::name("budget").category("memory").function(
            func.getName()))
        << remark::add("the budget leaves {0} bytes for the arena, the "
                       "smallest is {1}",
                       *limit, placement.bytes);
    return placement;
  }

  void reportRecomputed(Value value) {
    Operation *op = value.getDefiningOp();
    remark::passed(op->getLoc(), remark::RemarkOpts::name("recompute")
                                     .category("memory")
                                     .function(func.getName()))
        << remark::add("{0}, {1} bytes, is computed again, not kept: {2} us",
                       value.getType(), storageBytes(tensorType(value)),
                       op->getAttrOfType<IntegerAttr>(kRecomputeAttr).getInt() /
                           1000);
  }

  void attach() {
    for (BlockArgument argument : func.getArguments())
      func.setArgAttr(argument.getArgNumber(), kPlaceAttr,
                      places.lookup(argument));
    for (Operation &op : func.front()) {
      if (auto loop = dyn_cast<ForeachOp>(op))
        placeSlices(loop, [&](ElementsAttr value) {
          return constants.offsetOf(value);
        });
      if (op.getNumResults() == 0)
        continue;
      SmallVector<Attribute> attributes;
      for (Value result : op.getResults())
        attributes.push_back(places.lookup(storageRoot(result)));
      op.setAttr(kPlaceAttr, ArrayAttr::get(context, attributes));
    }
  }

  func::FuncOp func;
  MLIRContext *context;
  ConstantSection &constants;
  std::optional<int64_t> limit;
  llvm::DenseMap<Value, PlaceAttr> places; // by storage root
};

class PlaceBuffersPass : public impl::PlaceBuffersBase<PlaceBuffersPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, Stage::fused, getArgument())))
      return signalPassFailure();
    ConstantSection constants;
    std::optional<int64_t> limit;
    if (memoryBudget > 0)
      limit = memoryBudget - variableBytes(module) - batchBytes(module);
    for (auto func : module.getOps<func::FuncOp>()) {
      if (!func.getBody().hasOneBlock()) {
        func.emitOpError() << "must have a body of one block";
        return signalPassFailure();
      }
      EntryPlacer(func, constants, limit).run();
    }
    module->setAttr(kStageAttr, StageAttr::get(&getContext(), Stage::placed));
  }
};

} // namespace
} // namespace ampc

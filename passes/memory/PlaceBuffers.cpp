// Gives every value its bytes: variables in place, outputs directly, the rest
// in one arena an entry.
#include "passes/memory/BestFit.h"
#include "passes/memory/InPlace.h"
#include "passes/memory/LiveRanges.h"
#include "passes/memory/Passes.h"

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

/// Whether `op` computes its results into bytes of their own.
bool producesBytes(Operation *op) {
  return isa_and_nonnull<GroupOp, MatmulOp>(op);
}

/// Places one entry.
class EntryPlacer {
public:
  EntryPlacer(func::FuncOp func, ConstantSection &constants)
      : func(func), context(func.getContext()), constants(constants) {}

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
    SmallVector<Value> values;
    SmallVector<BufferRange> buffers;
    for (Operation &op : func.front())
      for (Value result : op.getResults())
        if (producesBytes(&op) && !places.count(result)) {
          values.push_back(result);
          buffers.push_back({storageBytes(tensorType(result)),
                             ranges.start(result), ranges.end(result)});
        }
    Placement placement = placeBestFit(buffers);
    for (auto [value, offset] : llvm::zip(values, placement.offsets))
      places[value] = PlaceAttr::get(context, Space::arena, offset, {});
    func->setAttr(kArenaBytesAttr,
                  Builder(context).getI64IntegerAttr(placement.bytes));
    remark::analysis(
        func.getLoc(),
        remark::RemarkOpts::name("arena").category("memory").function(
            func.getName()))
        << remark::add("arena {0} bytes, lower bound {1} bytes, {2} buffers",
                       placement.bytes, placement.lowerBound, buffers.size());
  }

  void attach() {
    for (BlockArgument argument : func.getArguments())
      func.setArgAttr(argument.getArgNumber(), kPlaceAttr,
                      places.lookup(argument));
    for (Operation &op : func.front()) {
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
  llvm::DenseMap<Value, PlaceAttr> places; // by storage root
};

class PlaceBuffersPass : public impl::PlaceBuffersBase<PlaceBuffersPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, Stage::fused, getArgument())))
      return signalPassFailure();
    ConstantSection constants;
    for (auto func : module.getOps<func::FuncOp>()) {
      if (!func.getBody().hasOneBlock()) {
        func.emitOpError() << "must have a body of one block";
        return signalPassFailure();
      }
      EntryPlacer(func, constants).run();
    }
    module->setAttr(kStageAttr, StageAttr::get(&getContext(), Stage::placed));
  }
};

} // namespace
} // namespace ampc

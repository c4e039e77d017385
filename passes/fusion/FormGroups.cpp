// Gathers primitives into groups, one kernel each. GroupPlan decides; this file
// rewrites the block and reports.
#include "passes/fusion/GroupPlan.h"
#include "passes/fusion/Passes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {
#define GEN_PASS_DEF_FORMGROUPS
#include "passes/fusion/Passes.h.inc"

namespace {

/// Builds the `amp.group` of one planned group.
class GroupBuilder {
public:
  GroupBuilder(OpBuilder &builder, const PlannedGroup &planned,
               ArrayRef<Operation *> ops, const GroupPlan &plan)
      : builder(builder), planned(planned), ops(ops), plan(plan),
        inside(ops.begin(), ops.end()) {}

  /// Builds the group where `builder` stands; `outside` maps each value that
  /// leaves it to its result.
  GroupOp build(IRMapping &outside) {
    collectInputs();
    SmallVector<Value> results = leavingValues();
    SmallVector<Type> types =
        llvm::map_to_vector(results, [](Value v) { return v.getType(); });
    SmallVector<Value> operands = llvm::map_to_vector(
        inputs, [&](Value v) { return outside.lookupOrDefault(v); });
    auto group = GroupOp::create(builder, groupLoc(), types, planned.kind,
                                 ArrayRef(planned.space), operands);
    Block *body = builder.createBlock(&group.getBody());
    for (Value input : inputs)
      mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
    for (Operation *op : ops)
      cloneInto(op);
    SmallVector<Value> yielded = llvm::map_to_vector(
        results, [&](Value v) { return mapping.lookup(v); });
    YieldOp::create(builder, groupLoc(), yielded);
    builder.setInsertionPointAfter(group);
    for (auto [value, result] : llvm::zip(results, group.getResults()))
      outside.map(value, result);
    return group;
  }

private:
  Location groupLoc() const {
    llvm::SetVector<Location> locs;
    for (Operation *op : ops)
      locs.insert(op->getLoc());
    return locs.size() == 1
               ? locs.front()
               : FusedLoc::get(builder.getContext(), locs.getArrayRef());
  }

  void collectInputs() {
    for (Operation *op : ops)
      collectOperands(op);
  }

  void collectOperands(Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && plan.isFree(producer))
        collectOperands(producer);
      else if (!producer || !inside.contains(producer))
        inputs.insert(operand);
    }
  }

  /// Values that an op outside the group, or the block's end, uses.
  SmallVector<Value> leavingValues() {
    SmallVector<Value> leaving;
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (leaves(result))
          leaving.push_back(result);
    return leaving;
  }

  bool leaves(Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      if (plan.isFree(user))
        return llvm::any_of(user->getResults(),
                            [&](Value v) { return leaves(v); });
      return !inside.contains(user);
    });
  }

  void cloneInto(Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && plan.isFree(producer) && !mapping.contains(operand))
        cloneInto(producer);
    }
    builder.clone(*op, mapping);
  }

  OpBuilder &builder;
  const PlannedGroup &planned;
  ArrayRef<Operation *> ops;
  const GroupPlan &plan;
  llvm::DenseSet<Operation *> inside;
  llvm::SetVector<Value> inputs;
  IRMapping mapping;
};

/// The op's name in reports: its mnemonic, and the path of its call where it
/// has one.
std::string describe(Operation *op) {
  std::string text = op->getName().stripDialect().str();
  op->getLoc()->walk([&](Location inner) {
    auto name = dyn_cast<NameLoc>(inner);
    if (name)
      text += " (" + name.getName().str() + ")";
    return name ? WalkResult::interrupt() : WalkResult::advance();
  });
  return text;
}

class FormGroupsPass : public impl::FormGroupsBase<FormGroupsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, Stage::step, getArgument())))
      return signalPassFailure();
    for (auto func : module.getOps<func::FuncOp>())
      if (func.getBody().hasOneBlock()) {
        for (auto loop : func.front().getOps<ForeachOp>())
          formGroups(func.getName(), loop.getBody().front(),
                     /*products=*/true);
        formGroups(func.getName(), func.front(), products);
      }
    module->setAttr(kStageAttr, StageAttr::get(&getContext(), Stage::fused));
  }

  void formGroups(StringRef entry, Block &block, bool products) {
    GroupPlan plan(block, fuse, products);
    if (getContext().getRemarkEngine())
      report(entry, plan);
    SmallVector<Operation *> old;
    for (Operation &op : block.without_terminator())
      old.push_back(&op);
    Operation *end = block.getTerminator();
    OpBuilder builder(end);
    IRMapping outside;
    for (ArrayRef<Operation *> ops : plan.schedule()) {
      builder.setInsertionPoint(end);
      if (std::optional<unsigned> group = plan.groupOf(ops.front()))
        GroupBuilder(builder, plan.groups()[*group], ops, plan).build(outside);
      else
        builder.clone(*ops.front(), outside);
    }
    for (OpOperand &operand : end->getOpOperands())
      operand.set(outside.lookupOrDefault(operand.get()));
    for (Operation *op : llvm::reverse(old))
      op->erase();
  }

  /// What was fused, and what was not and why.
  static void report(StringRef entry, GroupPlan &plan) {
    auto fusion =
        remark::RemarkOpts::name("group").category("fusion").function(entry);
    for (const PlannedGroup &group : plan.groups()) {
      if (group.ops.size() < 2)
        continue;
      std::string members;
      for (Operation *op : group.ops)
        members += (members.empty() ? "" : ", ") + describe(op);
      remark::passed(group.ops.front()->getLoc(), fusion)
          << remark::add("one {0} kernel of {1} ops: {2}",
                         stringifyGroupKind(group.kind), group.ops.size(),
                         members)
          << remark::metric("bytes_saved", group.savedBytes)
          << remark::metric("ns_saved", int64_t(group.gain));
    }
    for (const FusionRefusal &refusal : plan.refusals()) {
      remark::missed(refusal.consumer->getLoc(), fusion)
          << remark::add("{0} is not fused with {1}",
                         describe(refusal.consumer), describe(refusal.producer))
          << remark::reason("{0}", refusal.reason);
    }
  }
};

} // namespace
} // namespace ampc

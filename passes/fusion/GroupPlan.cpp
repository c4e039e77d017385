// Builds the graph that merges start from; see GroupPlan.h. The merges are in
// MergeGroups.cpp.
#include "passes/fusion/GroupPlan.h"

#include "passes/memory/LiveRanges.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// What is assumed of a target that the module does not describe.
static constexpr double kBandwidth = 10, kLaunch = 2000;

static TargetAttr targetOf(Block &block) {
  auto module = block.getParentOp()->getParentOfType<ModuleOp>();
  return module ? module->getAttrOfType<TargetAttr>(kTargetAttr) : TargetAttr();
}

GroupPlan::GroupPlan(Block &block, bool fuse, bool products)
    : fuses(fuse), freeOps(block, targetOf(block), fuse, products) {
  TargetAttr target = targetOf(block);
  bandwidth = target ? target.getBandwidth().getValueAsDouble() : kBandwidth;
  launch = target ? target.getLaunchNs().getValueAsDouble() : kLaunch;
  addNodes(block);
  addEdges(block);
  if (!fuse)
    return;
  addVariableOrder(block);
  graph.spreadLabels();
  addLiveBytes(block);
  mergeAll();
  for (PlannedGroup &group : plans)
    llvm::sort(group.ops, [&](Operation *a, Operation *b) {
      return nodeOf.lookup(a) < nodeOf.lookup(b);
    });
}

void GroupPlan::addNodes(Block &block) {
  plans.resize(1);
  inputs.resize(1);
  outside.resize(1);
  for (Operation &op : block.without_terminator()) {
    if (isFree(&op))
      continue;
    nodeOf[&op] = graph.addNode();
    plans.emplace_back();
    inputs.emplace_back();
    outside.push_back(nullptr);
    if (freeOps.isGroupable(&op)) {
      static_cast<LoopNest &>(plans.back()) = nestOfOne(&op);
      plans.back().ops = {&op};
    } else {
      outside.back() = &op;
    }
  }
}

void GroupPlan::addEdges(Block &block) {
  for (Operation &op : block) {
    if (isFree(&op))
      continue;
    auto found = nodeOf.find(&op);
    unsigned node = found == nodeOf.end() ? 0 : found->second; // 0: the end
    bool isGroupOp = node && isGroup(node);
    for (OpOperand &operand : op.getOpOperands())
      freeOps.forEachRoot(operand.get(), [&](Value root, bool computed) {
        std::optional<unsigned> producer = definer(root);
        if (isGroupOp) {
          Use use{&operand, computed};
          auto [entry, isNew] = inputs[node].values.try_emplace(root);
          if (isNew)
            entry->second = {producer.value_or(0),
                             storageBytes(tensorType(root)),
                             false,
                             {}};
          entry->second.isDirect |= isDirect(root, use);
          entry->second.uses.push_back(use);
          auto &nodes = readers[root];
          if (nodes.empty() || nodes.back() != node)
            nodes.push_back(node);
        } else {
          stored.insert(root);
        }
        if (producer && node)
          graph.addEdge(*producer, node);
      });
  }
}

void GroupPlan::addVariableOrder(Block &block) {
  llvm::StringMap<unsigned> lastWrite;
  llvm::StringMap<SmallVector<ReadOp>> reads;
  for (Operation &op : block.without_terminator()) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto found = lastWrite.find(read.getVariable());
      if (found != lastWrite.end())
        graph.addEdge(found->second, nodeOf.lookup(read));
      reads[read.getVariable()].push_back(read);
      continue;
    }
    auto write = dyn_cast<WriteOp>(op);
    if (!write)
      continue;
    unsigned node = nodeOf.lookup(write);
    auto [found, isNew] = lastWrite.try_emplace(write.getVariable(), node);
    if (!isNew)
      graph.addEdge(found->second, node);
    found->second = node;
    // The update may take the variable's own bytes: it stays behind what reads
    // the old value, as far as it is written so.
    std::optional<unsigned> update = definer(storageRoot(write.getInput()));
    for (ReadOp read : reads[write.getVariable()]) {
      graph.addEdge(nodeOf.lookup(read), node);
      if (!update || *update < nodeOf.lookup(read))
        continue;
      if (isGroup(*update))
        inputs[*update].updated.push_back(read);
      for (unsigned reader : readers.lookup(read.getResult()))
        if (reader < *update)
          graph.addEdge(reader, *update);
    }
  }
}

void GroupPlan::addLiveBytes(Block &block) {
  llvm::DenseSet<Value> written, returned;
  for (Operation &op : block) {
    if (auto write = dyn_cast<WriteOp>(op))
      written.insert(storageRoot(write.getInput()));
    if (&op == block.getTerminator())
      for (Value operand : op.getOperands())
        returned.insert(storageRoot(operand));
  }
  for (Operation &op : block.without_terminator()) {
    auto found = nodeOf.find(&op);
    if (found == nodeOf.end() || isView(&op))
      continue;
    unsigned node = found->second;
    for (Value result : op.getResults()) {
      bool inArena = !isa<ReadOp, ConstantOp>(op) || isGroup(node);
      int64_t bytes =
          inArena && storageRoot(result) == result && !written.contains(result)
              ? arenaBytes(tensorType(result))
              : 0;
      live.define(result, node, bytes, returned.contains(result));
    }
    for (Value operand : op.getOperands())
      freeOps.forEachRoot(operand, [&](Value root, bool) {
        live.read(storageRoot(root), node);
      });
  }
}

std::optional<unsigned> GroupPlan::definer(Value value) const {
  auto found = nodeOf.find(value.getDefiningOp());
  if (!value.getDefiningOp() || found == nodeOf.end())
    return std::nullopt;
  return graph.find(found->second);
}

std::optional<unsigned> GroupPlan::groupOf(Operation *op) const {
  auto found = nodeOf.find(op);
  if (found == nodeOf.end() || outside[found->second])
    return std::nullopt;
  return graph.find(found->second);
}

std::vector<SmallVector<Operation *>> GroupPlan::schedule() const {
  std::vector<SmallVector<Operation *>> all;
  for (unsigned node : graph.order()) {
    if (outside[node])
      all.push_back({outside[node]});
    else
      all.push_back(plans[node].ops);
  }
  return all;
}

std::vector<FusionRefusal> GroupPlan::refusals() {
  std::vector<FusionRefusal> all;
  llvm::DenseSet<std::pair<Operation *, Operation *>> seen;
  if (!fuses)
    return all;
  auto add = [&](Operation *producer, Operation *consumer) {
    std::optional<unsigned> from = groupOf(producer), to = groupOf(consumer);
    if (!from || !to || from == to || !seen.insert({producer, consumer}).second)
      return;
    StringRef reason;
    if (joined(*from, *to, reason) &&
        moveOf(*from, *to, /*exact=*/true, reason))
      reason = "it gains nothing";
    all.push_back({producer, consumer, reason});
  };
  for (unsigned node : graph.order())
    for (auto &[root, input] : inputs[node].values)
      if (Operation *producer = root.getDefiningOp())
        for (const Use &use : input.uses)
          add(producer, use.operand->getOwner());
  return all;
}

} // namespace ampc

// Decides which primitives of a block share a kernel; see GroupPlan.h.
//
// Levels make the decision linear: a group's level is above that of everything
// it reads, so groups of one level never depend on each other and may be
// merged, and an op may join a group when all its other operands come from
// lower levels.
#include "passes/fusion/GroupPlan.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// Whether `op` may stand in a group at all.
static bool isGroupable(Operation *op) {
  if (isa<Decomposable>(op))
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return constant.getValue().isSplat() ||
           constant.getValue().getNumElements() == 0;
  auto fusible = dyn_cast<Fusible>(op);
  if (!fusible)
    return false;
  FusionKind kind = fusible.fusionKind();
  return kind == FusionKind::map || kind == FusionKind::row_reduce ||
         kind == FusionKind::column_reduce;
}

static ArrayRef<int64_t> resultShape(Operation *op) {
  return tensorType(op->getResult(0)).getShape();
}

/// The loop nest `op` needs when it stands alone.
static LoopNest nestOfOne(Operation *op) {
  LoopNest group;
  group.space.assign(resultShape(op).begin(), resultShape(op).end());
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    ArrayRef<int64_t> input = tensorType(reduce.getInput()).getShape();
    group.space.assign(input.begin(), input.end());
    group.reducedAxes.assign(reduce.getAxes().begin(), reduce.getAxes().end());
    group.kind = reduce.getOrder() == AccumulationOrder::row
                     ? GroupKind::row
                     : GroupKind::column;
  }
  return group;
}

/// Merges the loop nest of `other` into `group`; the reason when they differ.
static StringRef mergeNests(LoopNest &group, const LoopNest &other) {
  if (group.space != other.space)
    return "iteration spaces differ";
  if (other.kind == GroupKind::map)
    return {};
  if (group.kind == GroupKind::map) {
    group.kind = other.kind;
    group.reducedAxes = other.reducedAxes;
    return {};
  }
  if (group.kind != other.kind || group.reducedAxes != other.reducedAxes)
    return "reductions differ in axes or order";
  return {};
}

GroupPlan::GroupPlan(Block &block, bool fuse) {
  classify(block);
  for (Operation &op : block)
    place(&op, fuse);
  if (fuse)
    sink();
}

void GroupPlan::classify(Block &block) {
  for (Operation &op : block) {
    if (!isa<ConstantOp, BroadcastOp>(op) || !isGroupable(&op))
      continue;
    // A user outside groups (a contraction, a view, a write, the return) needs
    // the bytes.
    if (llvm::all_of(op.getUsers(), isGroupable))
      freeOps.insert(&op);
  }
}

std::optional<unsigned> GroupPlan::groupOf(Operation *op) const {
  auto found = memberships.find(op);
  if (found == memberships.end())
    return std::nullopt;
  return find(found->second);
}

unsigned GroupPlan::find(unsigned group) const {
  while (parent[group] != group)
    group = parent[group] = parent[parent[group]];
  return group;
}

Value GroupPlan::rootOf(Value value) const {
  while (Operation *op = value.getDefiningOp()) {
    if (!isFree(op) || op->getNumOperands() == 0)
      break;
    value = op->getOperand(0);
  }
  return value;
}

unsigned GroupPlan::levelOf(Value value) const {
  Operation *op = rootOf(value).getDefiningOp();
  if (!op)
    return 0;
  if (std::optional<unsigned> group = groupOf(op))
    return plans[*group].level;
  return outsideLevels.lookup(op);
}

void GroupPlan::place(Operation *op, bool fuse) {
  if (isFree(op))
    return;
  unsigned top = 0;
  for (Value operand : op->getOperands())
    top = std::max(top, levelOf(operand));
  if (!isGroupable(op)) {
    // Constants, and reads of what the block has not written, stand before
    // everything; a read of what it has written stands behind the write.
    unsigned level = op->getNumOperands() == 0 ? 0 : top + 1;
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto written = writtenLevels.find(read.getVariable());
      if (written != writtenLevels.end())
        level = written->second + 1;
    } else if (auto write = dyn_cast<WriteOp>(op)) {
      unsigned &last = writtenLevels[write.getVariable()];
      level = last = std::max(level, last + 1);
    }
    outsideLevels[op] = level;
    return;
  }
  if (!fuse)
    return open(op, top + 1);

  // The groups of the highest level among the operands, and what keeps the op
  // out of them.
  SmallVector<unsigned> members;
  StringRef reason;
  SmallVector<Operation *> producers;
  for (Value operand : op->getOperands()) {
    Value root = rootOf(operand);
    Operation *producer = root.getDefiningOp();
    std::optional<unsigned> group = producer ? groupOf(producer) : std::nullopt;
    if (levelOf(operand) < top || !producer) {
      if (group)
        refused.push_back({producer, op, "another operand is computed later"});
      continue;
    }
    if (!group) {
      if (top > 0)
        reason = "another operand comes from a contraction or a view";
      continue;
    }
    producers.push_back(producer);
    if (root != operand)
      reason = "the value is broadcast after it is complete";
    if (!llvm::is_contained(members, *group))
      members.push_back(*group);
  }
  if (reason.empty() && !members.empty())
    reason = conflict(op, members);
  if (members.empty() || !reason.empty()) {
    for (Operation *producer : producers)
      refused.push_back({producer, op, reason});
    return open(op, top + 1);
  }
  join(op, members);
}

StringRef GroupPlan::conflict(Operation *op, ArrayRef<unsigned> members) const {
  LoopNest merged = plans[members.front()];
  size_t ops = 1;
  for (unsigned member : members)
    ops += plans[member].ops.size();
  if (ops > kMaxGroupOps)
    return "the kernel would hold too many ops";
  for (unsigned member : members.drop_front())
    if (StringRef reason = mergeNests(merged, plans[member]); !reason.empty())
      return reason;
  LoopNest alone = nestOfOne(op);
  bool afterReduction =
      merged.kind != GroupKind::map && alone.kind == GroupKind::map &&
      ArrayRef(alone.space) ==
          ArrayRef(withoutAxes(merged.space, merged.reducedAxes));
  if (afterReduction)
    return {};
  return mergeNests(merged, alone);
}

void GroupPlan::open(Operation *op, unsigned level) {
  PlannedGroup group{nestOfOne(op), level, {op}};
  memberships[op] = plans.size();
  parent.push_back(plans.size());
  plans.push_back(std::move(group));
}

void GroupPlan::absorb(unsigned into, unsigned member) {
  plans[into].ops.append(plans[member].ops);
  plans[member].ops.clear();
  parent[member] = into;
}

void GroupPlan::join(Operation *op, ArrayRef<unsigned> members) {
  unsigned into = members.front();
  for (unsigned member : members.drop_front()) {
    // The longer list absorbs the shorter, so that merging stays near linear.
    if (plans[member].ops.size() > plans[into].ops.size())
      std::swap(into, member);
    (void)mergeNests(plans[into], plans[member]);
    absorb(into, member);
  }
  LoopNest alone = nestOfOne(op);
  if (alone.kind != GroupKind::map)
    (void)mergeNests(plans[into], alone);
  plans[into].ops.push_back(op);
  memberships[op] = into;
}

//===----------------------------------------------------------------------===//
// Sinking into the only consumer
//===----------------------------------------------------------------------===//

void GroupPlan::sink() {
  // Consumers first: they were opened later, except where an earlier group
  // took a later op in, which only costs a chance to merge.
  for (unsigned group = plans.size(); group-- > 0;) {
    if (find(group) != group)
      continue;
    bool direct = true;
    std::optional<unsigned> consumer = onlyConsumer(group, direct);
    if (!consumer)
      continue;
    // Nothing else reads the group, so no path leads around the consumer and
    // merging keeps the groups acyclic at the consumer's level.
    if (plans[*consumer].ops.size() + plans[group].ops.size() > kMaxGroupOps)
      continue;
    LoopNest merged = plans[*consumer];
    bool afterReduction =
        direct && merged.kind != GroupKind::map &&
        plans[group].kind == GroupKind::map &&
        ArrayRef(plans[group].space) ==
            ArrayRef(withoutAxes(merged.space, merged.reducedAxes));
    if (!afterReduction) {
      // A reduction must be complete before what reads it is computed over the
      // space.
      if (plans[group].kind != GroupKind::map ||
          !mergeNests(merged, plans[group]).empty())
        continue;
    }
    absorb(*consumer, group);
  }
}

std::optional<unsigned> GroupPlan::onlyConsumer(unsigned group,
                                                bool &direct) const {
  std::optional<unsigned> only;
  for (Operation *op : plans[group].ops)
    for (Value result : op->getResults())
      if (!collectConsumers(result, /*isDirect=*/true, group, only, direct))
        return std::nullopt;
  return only;
}

bool GroupPlan::collectConsumers(Value value, bool isDirect, unsigned group,
                                 std::optional<unsigned> &only,
                                 bool &direct) const {
  for (Operation *user : value.getUsers()) {
    if (isFree(user)) {
      if (!collectConsumers(user->getResult(0), false, group, only, direct))
        return false;
      continue;
    }
    std::optional<unsigned> consumer = groupOf(user);
    if (!consumer)
      return false;
    if (*consumer == group)
      continue;
    if (only && *only != *consumer)
      return false;
    only = consumer;
    direct &= isDirect;
  }
  return true;
}

} // namespace ampc

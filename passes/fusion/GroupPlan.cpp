// Decides which primitives of a block share a kernel; see GroupPlan.h.
//
// Levels make the decision linear: a group's level is above that of everything
// it reads, so groups of one level never depend on each other and may be
// merged, and an op may join a group when all its other operands come from
// lower levels.
#include "passes/fusion/GroupPlan.h"

#include "passes/fusion/GeneratedProducts.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

static FusionKind kindOf(Operation *op) {
  auto fusible = dyn_cast<Fusible>(op);
  return fusible ? fusible.fusionKind() : FusionKind::opaque;
}

bool GroupPlan::isGroupable(Operation *op) const {
  if (auto product = dyn_cast<MatmulOp>(op))
    return isGenerated(product, target);
  if (isa<Decomposable>(op))
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return constant.getValue().isSplat() ||
           constant.getValue().getNumElements() == 0;
  switch (kindOf(op)) {
  case FusionKind::map:
  case FusionKind::row_reduce:
  case FusionKind::column_reduce:
  case FusionKind::gather:
  case FusionKind::scatter:
    return true;
  default:
    return false;
  }
}

/// Whether `op` is an exact cast to a wider float: every kernel widens what it
/// reads for itself, so that memory holds the narrow value.
static bool isWidening(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  if (!cast)
    return false;
  Type from = tensorType(cast.getInput()).getElementType(),
       to = tensorType(cast.getResult()).getElementType();
  return isa<FloatType>(from) && isa<FloatType>(to) &&
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

bool GroupPlan::isProductView(Operation *op) const {
  auto view = dyn_cast<ReshapeOp>(op);
  auto product = view ? view.getInput().getDefiningOp<MatmulOp>() : MatmulOp();
  if (!product || !isGroupable(product))
    return false;
  ArrayRef<int64_t> shape = tensorType(view.getResult()).getShape();
  return !shape.empty() &&
         shape.back() == tensorType(product.getResult()).getShape().back();
}

/// Whether the user reads the operand at other elements than its loop is at, so
/// that the value must stand in memory before.
static bool isReadElsewhere(OpOperand &use) {
  auto fusible = dyn_cast<Fusible>(use.getOwner());
  return fusible && fusible.readsElsewhere(use.getOperandNumber());
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
  if (kindOf(op) == FusionKind::scatter) {
    group.kind = GroupKind::scatter;
    ArrayRef<int64_t> updates = tensorType(op->getOperand(1)).getShape();
    group.space.assign(updates.begin(), updates.end());
  }
  if (kindOf(op) == FusionKind::contraction) {
    group.kind = GroupKind::contraction;
    group.isBareProduct = true;
  }
  group.movesElements = kindOf(op) == FusionKind::gather;
  return group;
}

/// A row that is walked again stays with one thread: rows are to be many, or
/// short.
static constexpr int64_t kManyRows = 16, kShortRow = 16384;

/// The broadcasts that make `operand` of `root`, the last one first. Only free
/// ops stand between them.
static SmallVector<BroadcastOp> broadcastsOf(Value operand, Value root) {
  SmallVector<BroadcastOp> chain;
  for (Value value = operand; value != root;) {
    Operation *op = value.getDefiningOp();
    if (auto broadcast = dyn_cast<BroadcastOp>(op))
      chain.push_back(broadcast);
    value = op->getOperand(0);
  }
  return chain;
}

/// Whether `chain`, the broadcasts that make `operand` of `root`, brings what
/// the reductions of `nest` leave back over the space, each axis in its place,
/// for the row to be walked again.
static bool comesBack(Value operand, Value root, ArrayRef<BroadcastOp> chain,
                      const LoopNest &nest) {
  if (nest.kind != GroupKind::row ||
      tensorType(operand).getShape() != ArrayRef(nest.space))
    return false;
  SmallVector<int64_t> kept;
  for (int64_t axis = 0, rank = nest.space.size(); axis < rank; ++axis)
    if (!llvm::is_contained(nest.reducedAxes, axis))
      kept.push_back(axis);
  ArrayRef<int64_t> shape = tensorType(root).getShape();
  int64_t rows = elementCount(shape);
  if (shape.size() != kept.size() ||
      (rows < kManyRows && elementCount(nest.space) > rows * kShortRow))
    return false;
  for (size_t i = 0; i < kept.size(); ++i) {
    int64_t axis = i;
    for (BroadcastOp broadcast : llvm::reverse(chain))
      axis = broadcast.getAxes()[axis];
    if (shape[i] != nest.space[kept[i]] || (shape[i] != 1 && axis != kept[i]))
      return false;
  }
  return true;
}

/// Whether a loop over `nest` has `root`'s elements when it needs those of
/// `operand`, which free ops make of it.
static bool isAtHand(Value operand, Value root, const LoopNest &nest) {
  SmallVector<BroadcastOp> chain = broadcastsOf(operand, root);
  return chain.empty() || comesBack(operand, root, chain, nest);
}

/// Whether `map` is a loop nest over what the reductions of `nest` leave.
static bool isAfterReduction(const LoopNest &nest, const LoopNest &map) {
  return (nest.kind == GroupKind::row || nest.kind == GroupKind::column) &&
         map.kind == GroupKind::map &&
         ArrayRef(map.space) ==
             ArrayRef(withoutAxes(nest.space, nest.reducedAxes));
}

/// Merges the loop nests of a product and of elementwise ops over its result
/// into `group`.
static StringRef mergeWithProduct(LoopNest &group, const LoopNest &other) {
  if (group.kind == other.kind)
    return "each product has a kernel of its own";
  bool joinsProduct = group.kind == GroupKind::contraction;
  const LoopNest &product = joinsProduct ? group : other;
  const LoopNest &map = joinsProduct ? other : group;
  if (map.kind != GroupKind::map || map.movesElements)
    return "the kernel of a product holds elementwise ops alone";
  bool keepsLast = !map.space.empty() && !product.space.empty() &&
                   map.space.back() == product.space.back() &&
                   elementCount(map.space) == elementCount(product.space);
  if (product.space != map.space && !(product.isBareProduct && keepsLast))
    return "iteration spaces differ";
  group.space = SmallVector<int64_t>(map.space);
  group.kind = GroupKind::contraction;
  group.isBareProduct = false;
  return {};
}

/// Merges the loop nest of `other` into `group`; the reason when they differ.
static StringRef mergeNests(LoopNest &group, const LoopNest &other) {
  if (group.kind == GroupKind::scatter || other.kind == GroupKind::scatter)
    return "a scatter has a kernel of its own";
  if (group.kind == GroupKind::contraction ||
      other.kind == GroupKind::contraction)
    return mergeWithProduct(group, other);
  if (group.space != other.space)
    return "iteration spaces differ";
  group.movesElements |= other.movesElements;
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

GroupPlan::GroupPlan(Block &block, bool fuse, bool products) {
  auto module = block.getParentOp()->getParentOfType<ModuleOp>();
  if (products && module)
    target = module->getAttrOfType<TargetAttr>(kTargetAttr);
  classify(block, fuse);
  for (Operation &op : block)
    place(&op, fuse);
  if (!fuse)
    return;
  sink();
  release();
}

void GroupPlan::classify(Block &block, bool fuse) {
  for (Operation &op : block) {
    bool isView = fuse && isProductView(&op);
    if (!isa<ConstantOp, BroadcastOp, IotaOp>(op) && !isWidening(&op) &&
        !isView)
      continue;
    if (!isView && !isGroupable(&op))
      continue;
    // A user outside groups (a contraction, a view, a write, the return) needs
    // the bytes; so does one that reads it at other elements.
    bool isFree = llvm::all_of(op.getUses(), [this](OpOperand &use) {
      return isGroupable(use.getOwner()) && !isReadElsewhere(use);
    });
    if (isFree)
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
  for (OpOperand &use : op->getOpOperands()) {
    Value operand = use.get(), root = rootOf(operand);
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
    if (isReadElsewhere(use))
      reason = "it is read at other elements than it is computed";
    else if (!isAtHand(operand, root, plans[*group]))
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
  if (isAfterReduction(merged, alone))
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
  if (!isAfterReduction(plans[into], alone))
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
    bool fits = true;
    std::optional<unsigned> consumer = onlyConsumer(group, fits);
    if (!consumer)
      continue;
    // Nothing else reads the group, so no path leads around the consumer and
    // merging keeps the groups acyclic at the consumer's level.
    if (plans[*consumer].ops.size() + plans[group].ops.size() > kMaxGroupOps)
      continue;
    LoopNest merged = plans[*consumer];
    if (!fits || !isAfterReduction(merged, plans[group])) {
      // A reduction must be complete before what reads it is computed over the
      // space.
      if (plans[group].kind != GroupKind::map ||
          !mergeNests(merged, plans[group]).empty())
        continue;
      static_cast<LoopNest &>(plans[*consumer]) = merged;
    }
    absorb(*consumer, group);
  }
}

//===----------------------------------------------------------------------===//
// Releasing into the only consumer
//===----------------------------------------------------------------------===//

void GroupPlan::release() {
  for (unsigned group = 0; group < plans.size(); ++group) {
    if (plans[group].kind != GroupKind::contraction)
      continue;
    SmallVector<Operation *> ops = plans[group].ops;
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
    for (Operation *op : ops) { // users first
      constexpr unsigned kNone = ~0u;
      std::optional<unsigned> only;
      bool fits = true;
      if (isa<MatmulOp>(op) ||
          !collectConsumers(op->getResult(0), op->getResult(0), kNone, only,
                            fits) ||
          !only || *only == group || !fits)
        continue;
      // What the op reads of the group is stored anyway: one value less is.
      bool stored = llvm::all_of(op->getOperands(), [&](Value operand) {
        Value root = rootOf(operand);
        Operation *producer = root.getDefiningOp();
        return !producer || groupOf(producer) != group ||
               isUsedOutside(root, group, op);
      });
      LoopNest merged = plans[*only];
      if (!stored || plans[*only].ops.size() == kMaxGroupOps ||
          !mergeNests(merged, nestOfOne(op)).empty())
        continue;
      static_cast<LoopNest &>(plans[*only]) = merged;
      plans[*only].ops.push_back(op);
      memberships[op] = *only;
      llvm::erase(plans[group].ops, op);
    }
  }
}

bool GroupPlan::isUsedOutside(Value value, unsigned group,
                              Operation *except) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isFree(user))
      return isUsedOutside(user->getResult(0), group, except);
    return user != except && groupOf(user) != group;
  });
}

std::optional<unsigned> GroupPlan::onlyConsumer(unsigned group,
                                                bool &fits) const {
  std::optional<unsigned> only;
  for (Operation *op : plans[group].ops)
    for (Value result : op->getResults())
      if (!collectConsumers(result, /*root=*/result, group, only, fits))
        return std::nullopt;
  return only;
}

bool GroupPlan::collectConsumers(Value value, Value root, unsigned group,
                                 std::optional<unsigned> &only,
                                 bool &fits) const {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isReadElsewhere(use))
      return false;
    if (isFree(user)) {
      if (!collectConsumers(user->getResult(0), root, group, only, fits))
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
    fits &= isAtHand(value, root, plans[*consumer]);
  }
  return true;
}

} // namespace ampc

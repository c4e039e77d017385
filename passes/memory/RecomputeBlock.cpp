// Between a block and a recompute plan; see RecomputeBlock.h.
#include "passes/memory/RecomputeBlock.h"

#include "passes/memory/OpTimes.h"
#include "passes/memory/PruneGroup.h"
#include "passes/memory/PruneLoop.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// Whether `op` may be computed again, or without some of its results.
static bool isRepeatable(Operation *op, function_ref<bool(Value)> isInArena) {
  if (!llvm::all_of(op->getResults(), isInArena))
    return false; // a result that stands elsewhere stays there
  // What others go on from is soon no more what it makes.
  for (Value result : op->getResults())
    for (Operation *user : result.getUsers())
      for (Value next : user->getResults())
        if (continuedValue(next) == result)
          return false;
  if (auto group = dyn_cast<GroupOp>(op))
    return isPrunable(group);
  return isa<MatmulOp, ForeachOp>(op);
}

RecomputeBlock::RecomputeBlock(func::FuncOp func, const LiveRanges &ranges,
                               function_ref<bool(Value)> isInArena,
                               const llvm::StringMap<unsigned> &clobbers,
                               bool mayRepeat)
    : func(func),
      target(func->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(
          kTargetAttr)) {
  for (Operation &op : func.front()) {
    ops.push_back(&op);
    ScheduledOp scheduled;
    if (!isView(&op)) {
      if (mayRepeat) {
        scheduled.time = predictedTime(&op, target);
        scheduled.repeatable = isRepeatable(&op, isInArena);
      }
      llvm::SmallSetVector<Value, 8> roots;
      for (Value operand : op.getOperands())
        roots.insert(storageRoot(operand));
      for (Value root : roots) {
        if (auto number = numbers.find(root); number != numbers.end())
          scheduled.operands.push_back(number->second);
        else if (auto read = root.getDefiningOp<ReadOp>())
          if (auto clobber = clobbers.find(read.getVariable());
              clobber != clobbers.end())
            scheduled.latest = std::min(scheduled.latest, clobber->second);
      }
      for (Value result : op.getResults())
        if (isInArena(result)) {
          numbers[result] = values.size();
          scheduled.results.push_back(values.size());
          values.push_back(result);
          made.bytes.push_back(alignBytes(storageBytes(tensorType(result))));
        }
    }
    made.ops.push_back(std::move(scheduled));
  }
}

llvm::DenseSet<Operation *> RecomputeBlock::forwardOps() {
  llvm::DenseSet<Operation *> forward;
  SmallVector<Operation *> open;
  auto reach = [&](Value value) {
    if (Operation *op = value.getDefiningOp(); op && forward.insert(op).second)
      open.push_back(op);
  };
  for (OpOperand &operand : func.front().getTerminator()->getOpOperands()) {
    auto io =
        func.getResultAttrOfType<IoAttr>(operand.getOperandNumber(), kIoAttr);
    if (io &&
        llvm::is_contained({Io::loss, Io::metric, Io::output, Io::partial},
                           io.getValue()))
      reach(operand.get());
  }
  while (!open.empty())
    for (Value operand : open.pop_back_val()->getOperands())
      reach(operand);
  return forward;
}

llvm::DenseMap<Operation *, Attribute> RecomputeBlock::checkpoints() const {
  llvm::DenseMap<Operation *, Attribute> found;
  for (Operation *op : llvm::reverse(ops)) {
    auto group = dyn_cast<GroupOp>(op);
    if (!group) {
      if (Attribute own = op->getAttr(kCheckpointAttr))
        found[op] = own;
      continue;
    }
    // A group of ops of two blocks stands in neither; what passes added to the
    // model's ops stands where they do, a cast where its reader does.
    llvm::SmallSetVector<Attribute, 2> marks;
    bool onlyCasts = true;
    for (Operation &inner : group.getBody().front().without_terminator()) {
      onlyCasts &= isa<CastOp>(inner);
      if (Attribute own = inner.getAttr(kCheckpointAttr))
        marks.insert(own);
    }
    if (marks.empty() && onlyCasts)
      for (Operation *user : op->getUsers())
        if (Attribute its = found.lookup(user))
          marks.insert(its);
    if (marks.size() == 1)
      found[op] = marks.front();
  }
  return found;
}

void RecomputeBlock::recomputeCheckpoints(RecomputePlan &plan) {
  llvm::DenseMap<Operation *, Attribute> inside = checkpoints();
  if (inside.empty())
    return;
  llvm::DenseSet<Operation *> forward = forwardOps();
  // Of each value: the last op of the forward that reads it, or makes it;
  // whether the backward reads it; whether the rest of the model does.
  std::vector<unsigned> lastForward(values.size());
  llvm::BitVector inBackward(values.size()), leaving(values.size());
  for (auto [position, op] : llvm::enumerate(ops)) {
    for (unsigned value : made.ops[position].results)
      lastForward[value] = position;
    for (unsigned value : made.ops[position].operands) {
      if (!forward.contains(op)) {
        inBackward.set(value);
        continue;
      }
      lastForward[value] = position;
      if (inside.lookup(op) != inside.lookup(values[value].getDefiningOp()))
        leaving.set(value);
    }
  }
  // Readers before what they read: a reader that is computed again moves the
  // moment at which its operands are needed.
  for (unsigned value = values.size(); value-- > 0;) {
    Operation *maker = values[value].getDefiningOp();
    if (inBackward.test(value) && !leaving.test(value) &&
        forward.contains(maker) && inside.lookup(maker))
      plan.recomputeAfter(value, lastForward[value]);
  }
}

Value RecomputeBlock::current(OpBuilder &builder, Value value) {
  Value root = storageRoot(value);
  Value instance = instances.lookup(root);
  if (!instance)
    return value;
  if (value == root)
    return instance;
  if (Value view = views.lookup({value, instance}))
    return view;
  Operation *op = value.getDefiningOp();
  Value input = current(builder, op->getOperand(0));
  Operation *clone = builder.clone(*op);
  clone->setOperand(0, input);
  views[{value, instance}] = clone->getResult(0);
  return clone->getResult(0);
}

void RecomputeBlock::redirect(OpBuilder &builder, Operation *op) {
  operands[op] = llvm::to_vector(op->getOperands());
  for (OpOperand &operand : op->getOpOperands())
    operand.set(current(builder, operand.get()));
}

Operation *RecomputeBlock::build(OpBuilder &builder, Operation *op,
                                 ArrayRef<unsigned> kept) {
  SmallVector<Value> inputs;
  for (Value operand : operands.lookup(op))
    inputs.push_back(current(builder, operand));
  if (auto group = dyn_cast<GroupOp>(op))
    return pruneGroup(builder, group, inputs, kept);
  if (auto loop = dyn_cast<ForeachOp>(op))
    return pruneLoop(builder, loop, inputs, kept);
  Operation *clone = builder.clone(*op);
  clone->setOperands(inputs);
  return clone;
}

void RecomputeBlock::enter(Operation *op, ArrayRef<Residence> made,
                           SmallVectorImpl<ArenaValue> &into) {
  for (auto [residence, value] : llvm::zip_equal(made, op->getResults())) {
    if (Value root = values[residence.value]; value != root)
      instances[root] = value;
    into.push_back({value, residence});
  }
}

SmallVector<ArenaValue> RecomputeBlock::apply(const RecomputePlan &plan) {
  SmallVector<ArenaValue> result;
  std::vector<Residence> residences = plan.residences();
  size_t next = 0;
  SmallVector<Residence> begun; // by one op, at one position
  SmallVector<unsigned> kept;   // the numbers of its results
  auto takeNext = [&](Moment moment, Operation *maker) {
    begun.clear();
    kept.clear();
    for (; next < residences.size(); ++next) {
      Value value = values[residences[next].value];
      if (residences[next].first != moment || value.getDefiningOp() != maker)
        return;
      begun.push_back(residences[next]);
      kept.push_back(cast<OpResult>(value).getResultNumber());
    }
  };
  SmallVector<Operation *> left;
  // Ops that have run: the first run of one that was moved is no repetition.
  llvm::DenseSet<Operation *> ran;
  for (unsigned position = 0; position < ops.size(); ++position) {
    Operation *op = ops[position];
    OpBuilder builder(op);
    while (next < residences.size() && residences[next].isRecomputed() &&
           opAt(residences[next].first) == position) {
      takeNext(residences[next].first,
               values[residences[next].value].getDefiningOp());
      Operation *maker = values[begun.front().value].getDefiningOp();
      Operation *again = build(builder, maker, kept);
      if (!ran.insert(maker).second)
        again->setAttr(kRecomputeAttr, builder.getI64IntegerAttr(int64_t(
                                           predictedTime(again, target))));
      enter(again, begun, result);
    }
    takeNext(momentOf(position), op);
    if (!begun.empty())
      ran.insert(op);
    if (isView(op)) {
      left.push_back(op); // looks at what its root was; readers get another
    } else if (kept.size() == made.ops[position].results.size()) {
      redirect(builder, op);
      for (const Residence &residence : begun)
        result.push_back({values[residence.value], residence});
    } else {
      operands[op] = llvm::to_vector(op->getOperands());
      if (!kept.empty())
        enter(build(builder, op, kept), begun, result);
      left.push_back(op);
    }
  }
  for (Operation *op : llvm::reverse(left))
    if (op->use_empty())
      op->erase();
  return result;
}

} // namespace ampc

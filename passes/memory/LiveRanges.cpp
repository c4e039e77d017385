// When each value's bytes are needed; see LiveRanges.h.
#include "passes/memory/LiveRanges.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

bool isView(Operation *op) {
  auto fusible = dyn_cast_or_null<Fusible>(op);
  return fusible && fusible.fusionKind() == FusionKind::view;
}

bool producesBytes(Operation *op) {
  return isa_and_nonnull<GroupOp, MatmulOp, ForeachOp>(op);
}

Value viewedValue(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// What the sums of `op`, a product or the group of one, begin from.
static Value initOf(Operation *op) {
  if (auto product = dyn_cast_or_null<MatmulOp>(op))
    return product.getInit();
  auto group = dyn_cast_or_null<GroupOp>(op);
  if (!group || group.getKind() != GroupKind::contraction ||
      group.getNumResults() != 1)
    return {};
  Block &body = group.getBody().front();
  auto argument = dyn_cast_or_null<BlockArgument>(
      (*body.getOps<MatmulOp>().begin()).getInit());
  return argument && argument.hasOneUse()
             ? group.getInputs()[argument.getArgNumber()]
             : Value();
}

Value continuedValue(Value value) {
  Value init = initOf(value.getDefiningOp());
  if (!init || !init.hasOneUse() || init.getType() != value.getType())
    return {};
  return isa_and_nonnull<MatmulOp, GroupOp>(init.getDefiningOp()) ? init
                                                                  : Value();
}

Value storageRoot(Value value) {
  while (true) {
    value = viewedValue(value);
    Value before = continuedValue(value);
    if (!before)
      return value;
    value = before;
  }
}

LiveRanges::LiveRanges(Block &block) {
  unsigned position = 0;
  for (Operation &op : block) {
    positions[&op] = position++;
    if (auto read = dyn_cast<ReadOp>(op))
      reads[read.getVariable()].push_back(read);
    if (isView(&op))
      continue; // reads no bytes itself
    for (Value operand : op.getOperands())
      lastUsers[storageRoot(operand)] = &op;
  }
}

ArrayRef<ReadOp> LiveRanges::readsOf(StringRef name) const {
  auto found = reads.find(name);
  return found == reads.end() ? ArrayRef<ReadOp>()
                              : ArrayRef<ReadOp>(found->second);
}

unsigned LiveRanges::start(Value root) const {
  Operation *op = root.getDefiningOp();
  return op ? position(op) : 0;
}

unsigned LiveRanges::end(Value root) const {
  Operation *user = lastUser(root);
  return user ? position(user) : start(root);
}

} // namespace ampc

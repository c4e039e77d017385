// When each value's bytes are needed; see LiveRanges.h.
#include "passes/memory/LiveRanges.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

bool isView(Operation *op) {
  auto fusible = dyn_cast_or_null<Fusible>(op);
  return fusible && fusible.fusionKind() == FusionKind::view;
}

Value storageRoot(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
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

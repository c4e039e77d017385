// Keeps some results of a group; see PruneGroup.h.
#include "passes/memory/PruneGroup.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

/// The kind of what is left of `group` in `body`: loops without a reduction or
/// a product are a map.
static GroupKind kindOf(GroupOp group, Block &body) {
  if (group.getKind() == GroupKind::scatter ||
      !body.getOps<ReduceOp>().empty() || !body.getOps<MatmulOp>().empty())
    return group.getKind();
  return GroupKind::map;
}

void eraseUnused(Block &body, function_ref<void(unsigned)> erased) {
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
  for (unsigned i = body.getNumArguments(); i-- > 0;)
    if (body.getArgument(i).use_empty()) {
      body.eraseArgument(i);
      erased(i);
    }
}

bool isPrunable(GroupOp group) {
  int64_t whole = 1;
  for (int64_t extent : group.getSpace())
    whole *= extent;
  llvm::DenseSet<Value> reduced; // what follows a reduction
  for (Operation &op : group.getBody().front().without_terminator())
    if (isa<ReduceOp>(op) || llvm::any_of(op.getOperands(), [&](Value operand) {
          return reduced.contains(operand);
        }))
      reduced.insert_range(op.getResults());
  Operation *yield = group.getBody().front().getTerminator();
  return llvm::all_of(yield->getOperands(), [&](Value value) {
    return tensorType(value).getNumElements() == whole ||
           reduced.contains(value) || group.getKind() == GroupKind::scatter;
  });
}

GroupOp pruneGroup(OpBuilder &builder, GroupOp group, ValueRange inputs,
                   ArrayRef<unsigned> kept) {
  Region region;
  IRMapping mapping;
  group.getBody().cloneInto(&region, mapping);
  Block &body = region.front();
  auto yield = cast<YieldOp>(body.getTerminator());
  SmallVector<Value> values, operands(inputs);
  SmallVector<Type> types;
  for (unsigned number : kept) {
    values.push_back(yield.getValues()[number]);
    types.push_back(group.getResult(number).getType());
  }
  yield.getValuesMutable().assign(values);
  if (kept.size() < group.getNumResults())
    eraseUnused(body,
                [&](unsigned i) { operands.erase(operands.begin() + i); });
  auto pruned =
      GroupOp::create(builder, group.getLoc(), types, kindOf(group, body),
                      group.getSpace(), operands);
  pruned->setDiscardableAttrs(group->getDiscardableAttrDictionary());
  pruned.getBody().takeBody(region);
  return pruned;
}

} // namespace ampc

// Which variable updates may overwrite the variable's bytes; see InPlace.h.
#include "passes/memory/InPlace.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

bool readsPointwise(GroupOp group, unsigned operand) {
  BlockArgument argument = group.getBody().getArgument(operand);
  ArrayRef<int64_t> shape = tensorType(argument).getShape();
  for (Operation *user : argument.getUsers()) {
    if (isa<YieldOp>(user))
      continue;
    auto fusible = dyn_cast<Fusible>(user);
    bool elementwise = fusible && fusible.fusionKind() == FusionKind::map &&
                       !isa<BroadcastOp>(user) &&
                       tensorType(user->getResult(0)).getShape() == shape;
    if (!elementwise)
      return false;
  }
  // In a row or column group the space may be walked more than once; what
  // follows the reduction is not.
  bool walkedOnce = group.getKind() == GroupKind::map ||
                    group.getKind() == GroupKind::contraction;
  return walkedOnce == (shape == group.getSpace());
}

InPlaceDecision decideInPlace(WriteOp write, const LiveRanges &ranges) {
  Value root = storageRoot(write.getInput());
  Operation *producer = root.getDefiningOp();
  if (root != viewedValue(write.getInput()))
    return {false, "its sums are made in several parts"};
  if (!isa_and_nonnull<GroupOp, MatmulOp>(producer))
    return {false, "its value is not computed here"};
  for (ReadOp read : ranges.readsOf(write.getVariable())) {
    unsigned end = ranges.end(read);
    if (end < ranges.position(producer))
      continue;
    if (end > ranges.position(producer)) {
      std::string text;
      llvm::raw_string_ostream(text) << "the old value is read later by "
                                     << ranges.lastUser(read)->getName();
      return {false, text};
    }
    auto group = dyn_cast<GroupOp>(producer);
    if (!group)
      return {false, "its producer reads the old value at other elements"};
    for (OpOperand &operand : group->getOpOperands())
      if (storageRoot(operand.get()) == read.getResult() &&
          (operand.get().getType() != root.getType() ||
           !readsPointwise(group, operand.getOperandNumber())))
        return {false, "its producer reads the old value at other elements"};
  }
  return {true, ""};
}

/// Position after which the old bytes of `write`'s variable are gone.
static unsigned clobberPosition(WriteOp write, const LiveRanges &ranges) {
  if (decideInPlace(write, ranges).allowed)
    return ranges.position(storageRoot(write.getInput()).getDefiningOp());
  return ranges.position(write);
}

Value buildCopy(OpBuilder &builder, Location loc, Value value) {
  RankedTensorType type = tensorType(value);
  auto group = GroupOp::create(builder, loc, TypeRange(type), GroupKind::map,
                               type.getShape(), ValueRange(value));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&group.getBody());
  YieldOp::create(builder, loc, ValueRange(body->addArgument(type, loc)));
  return group.getResult(0);
}

llvm::StringMap<unsigned> clobberPositions(func::FuncOp func,
                                           const LiveRanges &ranges) {
  llvm::StringMap<unsigned> clobbers;
  for (auto write : func.front().getOps<WriteOp>())
    clobbers[write.getVariable()] = clobberPosition(write, ranges);
  return clobbers;
}

void copyOutlivingReads(func::FuncOp func) {
  LiveRanges ranges(func.front());
  llvm::StringMap<unsigned> clobbers = clobberPositions(func, ranges);
  SmallVector<ReadOp> outliving;
  for (auto read : func.front().getOps<ReadOp>()) {
    auto clobber = clobbers.find(read.getVariable());
    if (clobber != clobbers.end() && ranges.end(read) > clobber->second)
      outliving.push_back(read);
  }
  OpBuilder builder(func.getContext());
  for (ReadOp read : outliving) {
    builder.setInsertionPointAfter(read);
    Value copy = buildCopy(builder, read.getLoc(), read);
    read.getResult().replaceAllUsesExcept(copy, copy.getDefiningOp());
  }
}

} // namespace ampc

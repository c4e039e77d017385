// Trees of concatenations.
#include "ir/dialect/ops/Concatenate.h"

using namespace mlir;

namespace ampc::amp {

Value concatenate(OpBuilder &builder, Location loc, ArrayRef<Value> parts,
                  int64_t axis) {
  SmallVector<Value> level(parts);
  while (level.size() > 1) {
    SmallVector<Value> next;
    for (ArrayRef<Value> rest = level; !rest.empty();) {
      ArrayRef<Value> group = rest.take_front(kMaxConcatOperands);
      rest = rest.drop_front(group.size());
      next.push_back(group.size() == 1
                         ? group.front()
                         : ConcatOp::create(builder, loc, group, axis));
    }
    level = std::move(next);
  }
  return level.front();
}

} // namespace ampc::amp

// Keeps some results of a loop over slices; see PruneLoop.h.
#include "passes/memory/PruneLoop.h"

#include "passes/memory/PruneGroup.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

ForeachOp pruneLoop(OpBuilder &builder, ForeachOp loop, ValueRange inputs,
                    ArrayRef<unsigned> kept) {
  Region region;
  IRMapping mapping;
  loop.getBody().cloneInto(&region, mapping);
  Block &body = region.front();
  auto yield = cast<YieldOp>(body.getTerminator());
  SmallVector<Value> values, operands(inputs);
  SmallVector<int64_t> divisors(loop.getDivisors());
  SmallVector<Type> types;
  for (unsigned number : kept) {
    values.push_back(yield.getValues()[number]);
    types.push_back(loop.getResult(number).getType());
  }
  yield.getValuesMutable().assign(values);
  if (kept.size() < loop.getNumResults())
    eraseUnused(body, [&](unsigned i) {
      operands.erase(operands.begin() + i);
      divisors.erase(divisors.begin() + i);
    });
  auto pruned =
      ForeachOp::create(builder, loop.getLoc(), types, loop.getCountAttr(),
                        operands, builder.getDenseI64ArrayAttr(divisors));
  pruned->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  pruned.getBody().takeBody(region);
  return pruned;
}

} // namespace ampc

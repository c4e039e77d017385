// What the interface defaults share; see Interfaces.h.
#include "ir/dialect/Interfaces.h"

#include "ir/dialect/Dialect.h"
#include "ir/dialect/TypeFacts.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

#include "ir/dialect/Interfaces.cpp.inc"

namespace ampc::amp {

IntegerRange hullOf(ArrayRef<IntegerRange> ranges) {
  IntegerRange hull = ranges.front();
  for (IntegerRange range : ranges)
    hull = {std::min(hull.low, range.low), std::max(hull.high, range.high)};
  return hull;
}

double trafficBytes(Operation *op) {
  double bytes = 0;
  for (Value value : op->getOperands())
    bytes += storageBytes(tensorType(value));
  for (Value value : op->getResults())
    bytes += storageBytes(tensorType(value));
  return bytes;
}

OpCost mapCost(Operation *op, double flopsPerElement, double transcendentals) {
  int64_t elements = 0;
  for (Value value : op->getOperands())
    elements = std::max(elements, tensorType(value).getNumElements());
  for (Value value : op->getResults())
    elements = std::max(elements, tensorType(value).getNumElements());
  return {flopsPerElement * elements, trafficBytes(op),
          transcendentals * elements};
}

OpCost movementCost(Operation *op, ValueRange readWhole) {
  double bytes = 2.0 * storageBytes(tensorType(op->getResult(0)));
  for (Value value : readWhole)
    bytes += storageBytes(tensorType(value));
  return {0, bytes, 0};
}

LogicalResult verifyRandomSite(Operation *op) {
  auto random = cast<RandomSite>(op);
  // random_c1, dropout_c1, attention_c5
  size_t keys = random.getKeyMutable().size();
  if (keys != 0 && keys != 3)
    return op->emitOpError() << "takes no key, or seed, index and micro, got "
                             << keys << " operands";
  // random_c2, dropout_c2, attention_c5
  int64_t site = static_cast<int64_t>(random.getSite());
  if (site < 0 || site >= (int64_t(1) << 30))
    return op->emitOpError() << "site must be in [0, 2^30), got " << site;
  return success();
}

Value quotient(OpBuilder &builder, Location loc, Value sum, Value count) {
  return DivOp::create(builder, loc, sum, count);
}

Value quotientOrZero(OpBuilder &builder, Location loc, Value sum, Value count) {
  Value zero = splat(builder, loc, tensorType(count), 0.0);
  Value none =
      CompareOp::create(builder, loc, ComparePredicate::eq, count, zero);
  // The side that is not taken divides by 1: its derivative is 0, not 0/0.
  Value one = splat(builder, loc, tensorType(count), 1.0);
  Value divisor = SelectOp::create(builder, loc, none, one, count);
  return SelectOp::create(builder, loc, none, zero,
                          quotient(builder, loc, sum, divisor));
}

} // namespace ampc::amp

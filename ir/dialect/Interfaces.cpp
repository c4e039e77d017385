// Costs shared by the interface defaults; see Interfaces.h.
#include "ir/dialect/Interfaces.h"

#include "ir/dialect/TypeFacts.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

#include "ir/dialect/Interfaces.cpp.inc"

namespace ampc::amp {

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

} // namespace ampc::amp

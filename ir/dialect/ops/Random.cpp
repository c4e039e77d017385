// Counter-based random numbers: verification and facts.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

LogicalResult RandomOp::verify() {
  // random_c1
  if (!getKey().empty() && getKey().size() != 3)
    return emitOpError() << "takes no operand, or seed, index and micro, got "
                         << getKey().size() << " operands";
  // random_c2
  int64_t site = static_cast<int64_t>(getSite());
  if (site < 0 || site >= (int64_t(1) << 30))
    return emitOpError() << "site must be in [0, 2^30), got " << site;
  return success(); // random_c3 is the result's type constraint
}

PrecisionClass RandomOp::classify() { return PrecisionClass::never; }

OpCost RandomOp::cost(TargetAttr) {
  // Ten Philox rounds of about ten integer operations make four elements.
  return mapCost(*this, 25, getDistribution() == Distribution::normal ? 2 : 0);
}

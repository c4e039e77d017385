// Counter-based random numbers and dropout: verification, decomposition, facts.
#include "ir/dialect/ops/Formula.h"

#include <cmath>

using namespace mlir;
using namespace ampc::amp;

PrecisionClass RandomOp::classify() { return PrecisionClass::never; }

OpCost RandomOp::cost(TargetAttr) {
  // Ten Philox rounds of about ten integer operations make four elements.
  return mapCost(*this, 25, getDistribution() == Distribution::normal ? 2 : 0);
}

//===----------------------------------------------------------------------===//
// amp.dropout
//===----------------------------------------------------------------------===//

void DropoutOp::build(OpBuilder &builder, OperationState &state, Value input,
                      double p, int64_t site) {
  build(builder, state, input.getType(), input, ValueRange(), APFloat(p),
        RandomMode::train, site);
}

LogicalResult DropoutOp::verify() {
  // dropout_c3; the interface verifies the others
  double p = getP().convertToDouble();
  if (!(p >= 0 && p <= 1))
    return emitOpError() << "p must be from 0 to 1, got " << p;
  return success();
}

bool DropoutOp::drawsIn(RandomMode mode) {
  double p = getP().convertToDouble();
  return mode == RandomMode::train && p > 0 && p < 1;
}

OpCost DropoutOp::cost(TargetAttr) { return mapCost(*this, 27, 0); }

FailureOr<SmallVector<Value>> DropoutOp::decompose(OpBuilder &builder) {
  if (getMode() != RandomMode::train)
    return SmallVector<Value>{getInput()};
  Formula f(builder, getLoc());
  double p = getP().convertToDouble();
  if (p == 0)
    return SmallVector<Value>{getInput()};
  if (p == 1)
    return SmallVector<Value>{f.constant(getResult(), 0.0)};
  if (getKey().empty())
    return emitOpError() << "in mode train needs a key to be decomposed";
  Value u = RandomOp::create(
      builder, getLoc(),
      withElementType(getResult().getType(), builder.getF32Type()),
      Distribution::uniform, getKey(), getMode(), getSite());
  // u is a multiple of 2^-24: u >= p exactly where u is at least the next
  // multiple, which f32 holds.
  Value kept =
      f.compare(ComparePredicate::ge, u, std::ceil(p * 0x1p24) * 0x1p-24);
  Value x = f.widen(getInput());
  Value scaled = f.div(x, f.constant(x, 1.0 - p));
  Value result = f.select(kept, scaled, f.constant(x, 0.0));
  return SmallVector<Value>{
      f.cast(result, tensorType(getResult()).getElementType())};
}

LogicalResult DropoutOp::backward(OpBuilder &builder, ValueRange gradients,
                                  SmallVectorImpl<Value> &out) {
  out.push_back(DropoutOp::create(builder, getLoc(), getInput().getType(),
                                  gradients[0], getKey(), getP(), getMode(),
                                  getSite()));
  out.append(getKey().size(), Value());
  return success();
}
SmallVector<Value> DropoutOp::savedOperands() { return {}; }

#define GET_OP_CLASSES
#include "ir/dialect/ops/Random.cpp.inc"

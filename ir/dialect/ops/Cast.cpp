// Element type conversion: verification, derivative, precision class.
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

LogicalResult CastOp::verify() {
  // cast_c1
  Type element = tensorType(getInput()).getElementType();
  if (element == tensorType(getResult()).getElementType())
    return emitOpError() << "must change the element type, got " << element
                         << " to " << element;
  return success();
}

LogicalResult CastOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  if (isa<FloatType>(tensorType(getInput()).getElementType()))
    out.push_back(CastOp::create(builder, getLoc(), getInput().getType(),
                                 gradients[0], getOrigin()));
  else
    out.push_back(Value());
  return success();
}

PrecisionClass CastOp::classify() {
  return getOrigin() == CastOrigin::user ? PrecisionClass::never
                                         : PrecisionClass::follow;
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Cast.cpp.inc"

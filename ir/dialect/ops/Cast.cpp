// Element type conversion: verification, derivatives, decomposition, precision
// class.
#include "ir/dialect/ops/Formula.h"

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

//===----------------------------------------------------------------------===//
// scaled_cast
//===----------------------------------------------------------------------===//

static bool isNarrowest(Value value) {
  return tensorType(value).getElementTypeBitWidth() == 8;
}

LogicalResult ScaledCastOp::verify() {
  // scaled_cast_c1
  if (isNarrowest(getInput()) == isNarrowest(getResult()))
    return emitOpError()
           << "must convert between an 8-bit and a wider float, got "
           << tensorType(getInput()).getElementType() << " to "
           << tensorType(getResult()).getElementType();
  // scaled_cast_c2
  if (!getScale().isNormal() || getScale().isNegative())
    return emitOpError() << "scale must be a normal number above 0, got "
                         << getScaleAttr();
  return success();
}

/// `value` times or over the scale, in the type of `op`'s wide side.
static Value scaledBy(ScaledCastOp op, OpBuilder &builder, Value value,
                      bool isTimes) {
  Formula f(builder, op.getLoc());
  Value wide = isNarrowest(op.getInput()) ? op.getResult() : op.getInput();
  Type element = computeTypeFor(tensorType(wide).getElementType());
  Value x = f.cast(value, element);
  Value scale = f.constant(x, op.getScale().convertToDouble());
  return isTimes ? f.mul(x, scale) : f.div(x, scale);
}

LogicalResult ScaledCastOp::backward(OpBuilder &builder, ValueRange gradients,
                                     SmallVectorImpl<Value> &out) {
  bool isTimes = isNarrowest(getResult());
  out.push_back(castTo(builder, getLoc(),
                       scaledBy(*this, builder, gradients[0], isTimes),
                       tensorType(getInput()).getElementType()));
  return success();
}

FailureOr<SmallVector<Value>> ScaledCastOp::decompose(OpBuilder &builder) {
  bool isTimes = isNarrowest(getResult());
  return SmallVector<Value>{
      castTo(builder, getLoc(), scaledBy(*this, builder, getInput(), isTimes),
             tensorType(getResult()).getElementType())};
}

PrecisionClass ScaledCastOp::classify() { return PrecisionClass::never; }

#define GET_OP_CLASSES
#include "ir/dialect/ops/Cast.cpp.inc"

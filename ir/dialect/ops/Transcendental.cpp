// Roots, exponentials and kin: costs and derivatives (N15).
#include "ir/dialect/Dialect.h"

using namespace mlir;
using namespace ampc::amp;

OpCost ExpOp::cost(TargetAttr) { return mapCost(*this, 0, 1); }
OpCost SqrtOp::cost(TargetAttr) { return mapCost(*this, 0, 1); }
OpCost LogOp::cost(TargetAttr) { return mapCost(*this, 0, 1); }
OpCost Log1pOp::cost(TargetAttr) { return mapCost(*this, 0, 1); }
OpCost TanhOp::cost(TargetAttr) { return mapCost(*this, 0, 1); }
OpCost ErfOp::cost(TargetAttr) { return mapCost(*this, 0, 1); }
OpCost SinOp::cost(TargetAttr) { return mapCost(*this, 0, 1); }
OpCost CosOp::cost(TargetAttr) { return mapCost(*this, 0, 1); }
OpCost PowOp::cost(TargetAttr) { return mapCost(*this, 0, 2); }

LogicalResult ExpOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Value product = MulOp::create(builder, getLoc(), gradients[0], getResult());
  out.push_back(zeroWhereZero(builder, getLoc(), gradients[0], product));
  return success();
}
SmallVector<Value> ExpOp::savedOperands() { return {getResult()}; }

LogicalResult SqrtOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  // g / (result + result): doubling is exact, and g / 0 is inf at 0.
  Value twice = AddOp::create(builder, getLoc(), getResult(), getResult());
  Value quotient = DivOp::create(builder, getLoc(), gradients[0], twice);
  out.push_back(zeroWhereZero(builder, getLoc(), gradients[0], quotient));
  return success();
}
SmallVector<Value> SqrtOp::savedOperands() { return {getResult()}; }

LogicalResult LogOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Value quotient = DivOp::create(builder, getLoc(), gradients[0], getInput());
  out.push_back(zeroWhereZero(builder, getLoc(), gradients[0], quotient));
  return success();
}
SmallVector<Value> LogOp::savedOperands() { return {getInput()}; }

LogicalResult Log1pOp::backward(OpBuilder &builder, ValueRange gradients,
                                SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value x = toComputeType(builder, loc, getInput());
  Value g = toComputeType(builder, loc, gradients[0]);
  Value shifted =
      AddOp::create(builder, loc, x, splat(builder, loc, tensorType(x), 1.0));
  Value quotient = castTo(builder, loc, DivOp::create(builder, loc, g, shifted),
                          tensorType(getInput()).getElementType());
  out.push_back(zeroWhereZero(builder, loc, gradients[0], quotient));
  return success();
}
SmallVector<Value> Log1pOp::savedOperands() { return {getInput()}; }

LogicalResult TanhOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value y = toComputeType(builder, loc, getResult());
  Value square = MulOp::create(builder, loc, y, y);
  Value slope = SubOp::create(builder, loc,
                              splat(builder, loc, tensorType(y), 1.0), square);
  out.push_back(timesSlope(builder, loc, gradients[0], slope));
  return success();
}
SmallVector<Value> TanhOp::savedOperands() { return {getResult()}; }

LogicalResult ErfOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value x = toComputeType(builder, loc, getInput());
  Value square = MulOp::create(builder, loc, x, x);
  Value bell = ExpOp::create(builder, loc, NegOp::create(builder, loc, square));
  Value scale =
      splat(builder, loc, tensorType(x), 2.0 * llvm::numbers::inv_sqrtpi);
  Value slope = MulOp::create(builder, loc, scale, bell);
  out.push_back(timesSlope(builder, loc, gradients[0], slope));
  return success();
}
SmallVector<Value> ErfOp::savedOperands() { return {getInput()}; }

LogicalResult SinOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Value x = toComputeType(builder, getLoc(), getInput());
  Value slope = CosOp::create(builder, getLoc(), x);
  out.push_back(timesSlope(builder, getLoc(), gradients[0], slope));
  return success();
}
SmallVector<Value> SinOp::savedOperands() { return {getInput()}; }

LogicalResult CosOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Value x = toComputeType(builder, getLoc(), getInput());
  Value slope =
      NegOp::create(builder, getLoc(), SinOp::create(builder, getLoc(), x));
  out.push_back(timesSlope(builder, getLoc(), gradients[0], slope));
  return success();
}
SmallVector<Value> CosOp::savedOperands() { return {getInput()}; }

LogicalResult PowOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Location loc = getLoc();
  Value x = toComputeType(builder, loc, getLhs());
  Value p = toComputeType(builder, loc, getRhs());
  Value y = toComputeType(builder, loc, getResult());
  Value zero = splat(builder, loc, tensorType(x), 0.0);
  // The base: p * x^(p - 1), and 0 where p is 0, whatever x^-1 is.
  Value less =
      SubOp::create(builder, loc, p, splat(builder, loc, tensorType(x), 1.0));
  Value power = PowOp::create(builder, loc, x, less);
  Value ofBase =
      zeroWhereZero(builder, loc, p, MulOp::create(builder, loc, p, power));
  // The exponent: x^p * ln x, and 0 at x = 0 where p is not below 0.
  Value growth = MulOp::create(builder, loc, y, LogOp::create(builder, loc, x));
  Value atZero = CompareOp::create(builder, loc, ComparePredicate::eq, x, zero);
  Value notBelow =
      CompareOp::create(builder, loc, ComparePredicate::ge, p, zero);
  Value flat = AndOp::create(builder, loc, atZero, notBelow);
  Value ofExponent = SelectOp::create(builder, loc, flat, zero, growth);
  out.assign({timesSlope(builder, loc, gradients[0], ofBase),
              timesSlope(builder, loc, gradients[0], ofExponent)});
  return success();
}
SmallVector<Value> PowOp::savedOperands() {
  return {getLhs(), getRhs(), getResult()};
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Transcendental.cpp.inc"

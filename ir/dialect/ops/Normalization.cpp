// Softmax and the norms of layers: building, verification, derivatives,
// decomposition.
#include "ir/dialect/ops/Formula.h"

#include <cmath>

using namespace mlir;
using namespace ampc::amp;

//===----------------------------------------------------------------------===//
// amp.softmax, amp.log_softmax
//===----------------------------------------------------------------------===//

OpCost SoftmaxOp::cost(TargetAttr) { return mapCost(*this, 4, 1); }
OpCost LogSoftmaxOp::cost(TargetAttr) { return mapCost(*this, 4, 1); }

static LogicalResult verifyHasAxis(Operation *op) {
  if (tensorType(op->getOperand(0)).getRank() == 0)
    return op->emitOpError() << "needs a last axis, got a scalar";
  return success();
}
LogicalResult SoftmaxOp::verify() {
  return verifyHasAxis(*this); // softmax_c1
}
LogicalResult LogSoftmaxOp::verify() {
  return verifyHasAxis(*this); // log_softmax_c1
}

/// Formulas over rows along the last axis of `type`.
static RowFormula alongLastAxis(OpBuilder &builder, Location loc,
                                RankedTensorType type) {
  return RowFormula(builder, loc, type.getShape(), lastAxes(type.getRank(), 1));
}

FailureOr<SmallVector<Value>> SoftmaxOp::decompose(OpBuilder &builder) {
  RankedTensorType type = tensorType(getResult());
  RowFormula f = alongLastAxis(builder, getLoc(), type);
  if (f.rowLength() == 0)
    return SmallVector<Value>{f.constant(type, 0.0)};
  Value x = f.widen(getInput());
  Value e = f.exp(f.sub(x, f.spread(f.reduce(ReduceKind::max, x))));
  Value y = f.div(e, f.spread(f.reduce(ReduceKind::sum, e)));
  return SmallVector<Value>{f.cast(y, type.getElementType())};
}

LogicalResult SoftmaxOp::backward(OpBuilder &builder, ValueRange gradients,
                                  SmallVectorImpl<Value> &out) {
  RankedTensorType type = tensorType(getResult());
  RowFormula f = alongLastAxis(builder, getLoc(), type);
  Value y = f.widen(getResult()), g = f.widen(gradients[0]);
  Value inner = f.reduce(ReduceKind::sum, f.mul(g, y));
  Value dx = f.mul(y, f.sub(g, f.spread(inner)));
  out.push_back(f.cast(dx, type.getElementType()));
  return success();
}
SmallVector<Value> SoftmaxOp::savedOperands() { return {getResult()}; }

FailureOr<SmallVector<Value>> LogSoftmaxOp::decompose(OpBuilder &builder) {
  RankedTensorType type = tensorType(getResult());
  RowFormula f = alongLastAxis(builder, getLoc(), type);
  if (f.rowLength() == 0)
    return SmallVector<Value>{f.constant(type, 0.0)};
  Value x = f.widen(getInput());
  Value shifted = f.sub(x, f.spread(f.reduce(ReduceKind::max, x)));
  Value logSum = f.log(f.reduce(ReduceKind::sum, f.exp(shifted)));
  Value y = f.sub(shifted, f.spread(logSum));
  return SmallVector<Value>{f.cast(y, type.getElementType())};
}

LogicalResult LogSoftmaxOp::backward(OpBuilder &builder, ValueRange gradients,
                                     SmallVectorImpl<Value> &out) {
  RankedTensorType type = tensorType(getResult());
  RowFormula f = alongLastAxis(builder, getLoc(), type);
  Value y = f.widen(getResult()), g = f.widen(gradients[0]);
  Value sum = f.reduce(ReduceKind::sum, g);
  Value dx = f.sub(g, f.mul(f.exp(y), f.spread(sum)));
  out.push_back(f.cast(dx, type.getElementType()));
  return success();
}
SmallVector<Value> LogSoftmaxOp::savedOperands() { return {getResult()}; }

//===----------------------------------------------------------------------===//
// What layer_norm and rms_norm share
//===----------------------------------------------------------------------===//

/// Number of trailing axes, affine operands and eps of a norm.
static LogicalResult verifyNorm(Operation *op, int64_t axes,
                                ArrayRef<Value> affine, double eps) {
  RankedTensorType input = tensorType(op->getOperand(0));
  // layer_norm_c1, rms_norm_c1
  if (axes < 1 || axes > input.getRank())
    return op->emitOpError() << "axes must be from 1 to the input's rank "
                             << input.getRank() << ", got " << axes;
  ArrayRef<int64_t> row = input.getShape().take_back(axes);
  if (llvm::is_contained(row, 0))
    return op->emitOpError()
           << "needs at least one element a row, got the extents [" << row
           << "]";
  // layer_norm_c2, rms_norm_c2
  Type element = input.getElementType(), wide = computeTypeFor(element);
  for (Value value : affine) {
    if (!value)
      continue;
    RankedTensorType type = tensorType(value);
    if (type.getShape() != row ||
        (type.getElementType() != element && type.getElementType() != wide))
      return op->emitOpError()
             << "weight and bias must have the extents [" << row << "] and "
             << element << " or " << wide << " elements, got " << type;
  }
  // layer_norm_c3, rms_norm_c3
  if (!(eps >= 0x1p-126 && std::isfinite(eps)))
    return op->emitOpError()
           << "eps must be finite and at least 2^-126, got " << eps;
  // layer_norm_c4, rms_norm_c4
  if (op->getResult(0).getType() != input)
    return op->emitOpError() << "result must be " << input << ", got "
                             << op->getResult(0).getType();
  auto leading = RankedTensorType::get(input.getShape().drop_back(axes), wide);
  for (Value statistic : op->getResults().drop_front())
    if (statistic.getType() != leading)
      return op->emitOpError() << "mean and rstd must be " << leading
                               << ", got " << statistic.getType();
  return success();
}

/// The type of mean and rstd.
static RankedTensorType statisticType(Value input, int64_t axes) {
  RankedTensorType type = tensorType(input);
  return RankedTensorType::get(type.getShape().drop_back(axes),
                               computeTypeFor(type.getElementType()));
}

/// 1 / sqrt(square + eps), one element a row.
static Value inverseRoot(RowFormula &f, Value square, double eps) {
  Value root = f.sqrt(f.add(square, f.constant(square, eps)));
  return f.div(f.constant(root, 1.0), root);
}

/// The normalised values times `weight` plus `bias`, which may be null.
static Value affine(RowFormula &f, Value normalised, Value weight, Value bias) {
  Type wide = tensorType(normalised).getElementType();
  if (weight)
    normalised = f.mul(normalised, f.repeat(f.cast(weight, wide)));
  if (bias)
    normalised = f.add(normalised, f.repeat(f.cast(bias, wide)));
  return normalised;
}

/// The gradient of a norm's input, from that of its result: `normalised` is
/// what the weight multiplies, `subtractsMean` tells layer_norm from rms_norm.
static Value normGradient(RowFormula &f, Value g, Value normalised, Value rstd,
                          Value weight, bool subtractsMean) {
  Value h = affine(f, g, weight, Value());
  Value inner = f.reduce(ReduceKind::mean, f.mul(h, normalised));
  Value own = h;
  if (subtractsMean)
    own = f.sub(h, f.spread(f.reduce(ReduceKind::mean, h)));
  Value dx = f.sub(own, f.mul(normalised, f.spread(inner)));
  return f.mul(dx, f.spread(rstd));
}

/// The gradient of a weight or bias whose share an element is `terms`.
static Value affineGradient(RowFormula &f, Value terms, Value parameter) {
  return f.cast(f.sumOfRows(terms), tensorType(parameter).getElementType());
}

//===----------------------------------------------------------------------===//
// amp.layer_norm
//===----------------------------------------------------------------------===//

void LayerNormOp::build(OpBuilder &builder, OperationState &state, Value input,
                        Value weight, Value bias, int64_t axes, double eps) {
  RankedTensorType statistic = statisticType(input, axes);
  build(builder, state, input.getType(), statistic, statistic, input, weight,
        bias, axes, APFloat(eps));
}

LogicalResult LayerNormOp::verify() {
  return verifyNorm(*this, static_cast<int64_t>(getAxes()),
                    {getWeight(), getBias()}, getEps().convertToDouble());
}

OpCost LayerNormOp::cost(TargetAttr) { return mapCost(*this, 8, 0); }

FailureOr<SmallVector<Value>> LayerNormOp::decompose(OpBuilder &builder) {
  RankedTensorType type = tensorType(getInput());
  RowFormula f(builder, getLoc(), type.getShape(),
               lastAxes(type.getRank(), getAxes()));
  Value mean;
  Value c = f.centered(f.widen(getInput()), &mean);
  Value square = f.reduce(ReduceKind::mean, f.mul(c, c));
  Value rstd = inverseRoot(f, square, getEps().convertToDouble());
  Value y = affine(f, f.mul(c, f.spread(rstd)), getWeight(), getBias());
  return SmallVector<Value>{f.cast(y, type.getElementType()), mean, rstd};
}

LogicalResult LayerNormOp::backward(OpBuilder &builder, ValueRange gradients,
                                    SmallVectorImpl<Value> &out) {
  if (failed(refuseGradient(*this, gradients, 1)) ||
      failed(refuseGradient(*this, gradients, 2)))
    return failure();
  RankedTensorType type = tensorType(getInput());
  RowFormula f(builder, getLoc(), type.getShape(),
               lastAxes(type.getRank(), getAxes()));
  Value g = f.widen(gradients[0]);
  // The saved mean is rounded, by as much as the row's deviations where they
  // are small beside it (N8): what is left of the mean goes as well.
  Value c = f.sub(f.widen(getInput()), f.spread(getMean()));
  c = f.sub(c, f.spread(f.reduce(ReduceKind::mean, c)));
  Value n = f.mul(c, f.spread(getRstd()));
  Value dx = normGradient(f, g, n, getRstd(), getWeight(),
                          /*subtractsMean=*/true);
  out.push_back(f.cast(dx, type.getElementType()));
  if (getWeight())
    out.push_back(affineGradient(f, f.mul(g, n), getWeight()));
  if (getBias())
    out.push_back(affineGradient(f, g, getBias()));
  return success();
}

SmallVector<Value> LayerNormOp::savedOperands() {
  SmallVector<Value> saved{getInput(), getMean(), getRstd()};
  if (getWeight())
    saved.push_back(getWeight());
  return saved;
}

//===----------------------------------------------------------------------===//
// amp.rms_norm
//===----------------------------------------------------------------------===//

void RmsNormOp::build(OpBuilder &builder, OperationState &state, Value input,
                      Value weight, int64_t axes, double eps) {
  build(builder, state, input.getType(), statisticType(input, axes), input,
        weight, axes, APFloat(eps));
}

LogicalResult RmsNormOp::verify() {
  return verifyNorm(*this, static_cast<int64_t>(getAxes()), {getWeight()},
                    getEps().convertToDouble());
}

OpCost RmsNormOp::cost(TargetAttr) { return mapCost(*this, 5, 0); }

FailureOr<SmallVector<Value>> RmsNormOp::decompose(OpBuilder &builder) {
  RankedTensorType type = tensorType(getInput());
  RowFormula f(builder, getLoc(), type.getShape(),
               lastAxes(type.getRank(), getAxes()));
  Value x = f.widen(getInput());
  Value square = f.reduce(ReduceKind::mean, f.mul(x, x));
  Value rstd = inverseRoot(f, square, getEps().convertToDouble());
  Value y = affine(f, f.mul(x, f.spread(rstd)), getWeight(), Value());
  return SmallVector<Value>{f.cast(y, type.getElementType()), rstd};
}

LogicalResult RmsNormOp::backward(OpBuilder &builder, ValueRange gradients,
                                  SmallVectorImpl<Value> &out) {
  if (failed(refuseGradient(*this, gradients, 1)))
    return failure();
  RankedTensorType type = tensorType(getInput());
  RowFormula f(builder, getLoc(), type.getShape(),
               lastAxes(type.getRank(), getAxes()));
  Value g = f.widen(gradients[0]);
  Value n = f.mul(f.widen(getInput()), f.spread(getRstd()));
  Value dx = normGradient(f, g, n, getRstd(), getWeight(),
                          /*subtractsMean=*/false);
  out.push_back(f.cast(dx, type.getElementType()));
  if (getWeight())
    out.push_back(affineGradient(f, f.mul(g, n), getWeight()));
  return success();
}

SmallVector<Value> RmsNormOp::savedOperands() {
  SmallVector<Value> saved{getInput(), getRstd()};
  if (getWeight())
    saved.push_back(getWeight());
  return saved;
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Normalization.cpp.inc"

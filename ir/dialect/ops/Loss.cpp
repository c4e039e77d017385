// Losses of predicted numbers: building, verification, derivatives,
// decomposition.
#include "ir/dialect/ops/Formula.h"

#include <cmath>

using namespace mlir;
using namespace ampc::amp;

//===----------------------------------------------------------------------===//
// What the losses share
//===----------------------------------------------------------------------===//

/// The type of a loss of terms shaped as `x`.
static RankedTensorType lossType(LossReduction reduction, Value x) {
  RankedTensorType type = tensorType(x);
  Type element = computeTypeFor(type.getElementType());
  if (reduction == LossReduction::none)
    return withElementType(type, element);
  return RankedTensorType::get({}, element);
}

/// The result has the loss's element type and shape.
template <typename OpT>
static LogicalResult verifyLoss(OpT op) {
  RankedTensorType result = tensorType(op.getResult());
  RankedTensorType expected = lossType(op.getReduction(), op.getX());
  if (result.getElementType() != expected.getElementType())
    return op.emitOpError() << "result must be " << expected.getElementType()
                            << ", got " << result.getElementType();
  if (result.getShape() != expected.getShape())
    return op.emitOpError() << "result of reduction "
                            << stringifyLossReduction(op.getReduction())
                            << (expected.getRank() == 0 &&
                                        op.getReduction() != LossReduction::none
                                    ? " must be a scalar, got ["
                                    : " must have x's shape, got [")
                            << result.getShape() << "]";
  return success();
}

/// The loss of `terms`.
static SmallVector<Value> joinTerms(Formula &f, LossReduction reduction,
                                    Value terms) {
  switch (reduction) {
  case LossReduction::none:
    return {terms};
  case LossReduction::sum:
    return {f.reduceAll(ReduceKind::sum, terms)};
  case LossReduction::mean:
    return {f.reduceAll(ReduceKind::mean, terms)};
  }
  llvm_unreachable("covered switch");
}

/// The gradient of each term, over x's extents, from that of the loss.
template <typename OpT>
static Value termGradient(Formula &f, OpT op, Value g) {
  if (op.getReduction() == LossReduction::mean)
    g = f.div(g, f.constant(g, static_cast<double>(op.termCount())));
  return f.broadcastScalar(g, tensorType(op.getX()).getShape());
}

/// x - y in the type of the loss, [x's shape].
template <typename OpT>
static Value difference(Formula &f, OpT op) {
  return f.sub(f.widen(op.getX()), f.widen(op.getY()));
}

/// The gradients of x and y from that of their difference.
template <typename OpT>
static void splitDifference(Formula &f, OpT op, Value gradient,
                            SmallVectorImpl<Value> &out) {
  Value dx = f.cast(gradient, tensorType(op.getX()).getElementType());
  out.assign({dx, f.neg(dx)});
}

//===----------------------------------------------------------------------===//
// amp.mse
//===----------------------------------------------------------------------===//

void MseOp::build(OpBuilder &builder, OperationState &state,
                  LossReduction reduction, Value x, Value y) {
  build(builder, state, lossType(reduction, x), reduction, x, y);
}
LogicalResult MseOp::verify() { return verifyLoss(*this); } // mse_c2
OpCost MseOp::cost(TargetAttr) { return mapCost(*this, 3, 0); }

FailureOr<SmallVector<Value>> MseOp::decompose(OpBuilder &builder) {
  Formula f(builder, getLoc());
  Value d = difference(f, *this);
  return joinTerms(f, getReduction(), f.mul(d, d));
}

LogicalResult MseOp::backward(OpBuilder &builder, ValueRange gradients,
                              SmallVectorImpl<Value> &out) {
  Formula f(builder, getLoc());
  Value d = difference(f, *this);
  // The scalar factor first: 2 g / n in the loss's type, then one product an
  // element.
  Value twice = f.add(gradients[0], gradients[0]);
  splitDifference(f, *this, f.mul(termGradient(f, *this, twice), d), out);
  return success();
}
SmallVector<Value> MseOp::savedOperands() { return {getX(), getY()}; }

//===----------------------------------------------------------------------===//
// amp.l1
//===----------------------------------------------------------------------===//

void L1Op::build(OpBuilder &builder, OperationState &state,
                 LossReduction reduction, Value x, Value y) {
  build(builder, state, lossType(reduction, x), reduction, x, y);
}
LogicalResult L1Op::verify() { return verifyLoss(*this); } // l1_c2
OpCost L1Op::cost(TargetAttr) { return mapCost(*this, 3, 0); }

FailureOr<SmallVector<Value>> L1Op::decompose(OpBuilder &builder) {
  Formula f(builder, getLoc());
  return joinTerms(f, getReduction(), f.abs(difference(f, *this)));
}

LogicalResult L1Op::backward(OpBuilder &builder, ValueRange gradients,
                             SmallVectorImpl<Value> &out) {
  Formula f(builder, getLoc());
  Value sign = f.sign(difference(f, *this));
  Value g = termGradient(f, *this, gradients[0]);
  splitDifference(f, *this, f.mul(g, sign), out);
  return success();
}
SmallVector<Value> L1Op::savedOperands() { return {getX(), getY()}; }

//===----------------------------------------------------------------------===//
// amp.huber
//===----------------------------------------------------------------------===//

void HuberOp::build(OpBuilder &builder, OperationState &state,
                    LossReduction reduction, Value x, Value y, double delta) {
  build(builder, state, lossType(reduction, x), reduction, x, y,
        APFloat(delta));
}

LogicalResult HuberOp::verify() {
  if (failed(verifyLoss(*this))) // huber_c2
    return failure();
  // huber_c3
  double delta = getDelta().convertToDouble();
  if (!(delta > 0 && std::isfinite(delta)))
    return emitOpError() << "delta must be finite and above 0, got " << delta;
  return success();
}
OpCost HuberOp::cost(TargetAttr) { return mapCost(*this, 7, 0); }

FailureOr<SmallVector<Value>> HuberOp::decompose(OpBuilder &builder) {
  Formula f(builder, getLoc());
  double delta = getDelta().convertToDouble();
  Value d = difference(f, *this);
  Value size = f.abs(d);
  Value square = f.mul(f.mul(f.constant(d, 0.5), d), d);
  Value line =
      f.mul(f.constant(d, delta), f.sub(size, f.constant(d, 0.5 * delta)));
  Value near = f.compare(ComparePredicate::le, size, delta);
  return joinTerms(f, getReduction(), f.select(near, square, line));
}

LogicalResult HuberOp::backward(OpBuilder &builder, ValueRange gradients,
                                SmallVectorImpl<Value> &out) {
  Formula f(builder, getLoc());
  double delta = getDelta().convertToDouble();
  Value d = difference(f, *this);
  Value near = f.compare(ComparePredicate::le, f.abs(d), delta);
  Value slope = f.select(near, d, f.mul(f.constant(d, delta), f.sign(d)));
  Value g = termGradient(f, *this, gradients[0]);
  splitDifference(f, *this, f.mul(g, slope), out);
  return success();
}
SmallVector<Value> HuberOp::savedOperands() { return {getX(), getY()}; }

//===----------------------------------------------------------------------===//
// amp.bce_with_logits
//===----------------------------------------------------------------------===//

void BceWithLogitsOp::build(OpBuilder &builder, OperationState &state,
                            LossReduction reduction, Value x, Value y,
                            Value weight, Value posWeight) {
  build(builder, state, lossType(reduction, x), reduction, x, y, weight,
        posWeight);
}
LogicalResult BceWithLogitsOp::verify() {
  return verifyLoss(*this); // bce_with_logits_c2
}
OpCost BceWithLogitsOp::cost(TargetAttr) { return mapCost(*this, 10, 2); }

/// log(1 + exp(-x)) = max(-x, 0) + log1p(exp(-|x|)), which never overflows.
static Value softplusOfNegative(Formula &f, Value x) {
  Value large = f.maximum(f.neg(x), f.constant(x, 0.0));
  return f.add(large, f.log1p(f.exp(f.neg(f.abs(x)))));
}

/// 1 - sigmoid(x) by e = exp(-|x|): e / (1 + e) for positive x, 1 / (1 + e)
/// else.
static Value sigmoidOfNegative(Formula &f, Value x) {
  Value e = f.exp(f.neg(f.abs(x))), one = f.constant(x, 1.0);
  Value positive = f.compare(ComparePredicate::gt, x, 0.0);
  return f.div(f.select(positive, e, one), f.add(one, e));
}

/// 1 + (pos_weight - 1) * y, the weight of the positive side; null for 1.
static Value positiveSide(Formula &f, BceWithLogitsOp op, Value y) {
  if (!op.getPosWeight())
    return Value();
  Value one = f.constant(y, 1.0);
  return f.add(one, f.mul(f.sub(f.widen(op.getPosWeight()), one), y));
}

FailureOr<SmallVector<Value>> BceWithLogitsOp::decompose(OpBuilder &builder) {
  Formula f(builder, getLoc());
  Value x = f.widen(getX()), y = f.widen(getY());
  Value negative = softplusOfNegative(f, x);
  if (Value side = positiveSide(f, *this, y))
    negative = f.mul(side, negative);
  Value terms = f.add(f.mul(f.sub(f.constant(y, 1.0), y), x), negative);
  if (getWeight())
    terms = f.mul(f.widen(getWeight()), terms);
  return joinTerms(f, getReduction(), terms);
}

LogicalResult BceWithLogitsOp::backward(OpBuilder &builder,
                                        ValueRange gradients,
                                        SmallVectorImpl<Value> &out) {
  Formula f(builder, getLoc());
  Type element = tensorType(getX()).getElementType();
  Value x = f.widen(getX()), y = f.widen(getY());
  Value g = termGradient(f, *this, gradients[0]);
  if (getWeight())
    g = f.mul(g, f.widen(getWeight()));
  Value one = f.constant(y, 1.0);
  Value negative = sigmoidOfNegative(f, x);
  if (Value side = positiveSide(f, *this, y))
    negative = f.mul(side, negative);
  Value dx = f.mul(g, f.sub(f.sub(one, y), negative));
  Value slope = f.neg(x);
  if (getPosWeight())
    slope = f.add(
        f.mul(f.sub(f.widen(getPosWeight()), one), softplusOfNegative(f, x)),
        slope);
  Value dy = f.mul(g, slope);
  out.assign({f.cast(dx, element), f.cast(dy, element)});
  // The weights have no gradient.
  out.append(getOperands().size() - 2, Value());
  return success();
}

SmallVector<Value> BceWithLogitsOp::savedOperands() {
  return llvm::to_vector(getOperands());
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Loss.cpp.inc"

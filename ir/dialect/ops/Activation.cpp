// Activations: derivatives (N15), decompositions, verification. What is
// narrower than f32 computes in f32 and rounds once.
#include "ir/dialect/ops/Formula.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace ampc::amp;

/// A decomposition's result, rounded to the op's type.
template <typename OpT>
static SmallVector<Value> rounded(OpT op, OpBuilder &builder, Value wide) {
  return {castTo(builder, op.getLoc(), wide,
                 tensorType(op.getResult()).getElementType())};
}

/// `product` of `factor`, or `zero` where the factor is 0: there the other
/// factor may be infinite.
static Value zeroWhere(Formula &f, Value factor, Value product,
                       double zero = 0.0) {
  return f.select(f.compare(ComparePredicate::eq, factor, 0.0),
                  f.constant(factor, zero), product);
}

//===----------------------------------------------------------------------===//
// relu
//===----------------------------------------------------------------------===//

LogicalResult ReluOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  // "Not <= 0" rather than "> 0", so that the gradient of a NaN passes as in
  // PyTorch.
  Value zero = splat(builder, getLoc(), tensorType(getResult()), 0.0);
  Value off = CompareOp::create(builder, getLoc(), ComparePredicate::le,
                                getResult(), zero);
  out.push_back(SelectOp::create(builder, getLoc(), off, zero, gradients[0]));
  return success();
}
SmallVector<Value> ReluOp::savedOperands() { return {getResult()}; }

FailureOr<SmallVector<Value>> ReluOp::decompose(OpBuilder &builder) {
  Value zero = splat(builder, getLoc(), tensorType(getResult()), 0.0);
  return SmallVector<Value>{
      MaximumOp::create(builder, getLoc(), getInput(), zero)};
}

//===----------------------------------------------------------------------===//
// rsqrt
//===----------------------------------------------------------------------===//

OpCost RsqrtOp::cost(TargetAttr) { return mapCost(*this, 1, 1); }

FailureOr<SmallVector<Value>> RsqrtOp::decompose(OpBuilder &builder) {
  Formula f(builder, getLoc());
  Value x = f.widen(getInput());
  Value root = f.sqrt(x);
  return rounded(*this, builder, f.div(f.constant(x, 1.0), root));
}

LogicalResult RsqrtOp::backward(OpBuilder &builder, ValueRange gradients,
                                SmallVectorImpl<Value> &out) {
  Formula f(builder, getLoc());
  Value y = f.widen(getResult());
  Value slope = f.mul(f.mul(f.mul(f.constant(y, -0.5), y), y), y);
  out.push_back(timesSlope(builder, getLoc(), gradients[0], slope));
  return success();
}
SmallVector<Value> RsqrtOp::savedOperands() { return {getResult()}; }

//===----------------------------------------------------------------------===//
// sigmoid and silu
//===----------------------------------------------------------------------===//

/// 1 / (1 + e^-x) without overflow.
static Value sigmoid(Formula &f, Value x) {
  Value one = f.constant(x, 1.0);
  Value e = f.exp(f.neg(f.abs(x)));
  Value right = f.compare(ComparePredicate::ge, x, 0.0);
  return f.div(f.select(right, one, e), f.add(one, e));
}

OpCost SigmoidOp::cost(TargetAttr) { return mapCost(*this, 5, 1); }

FailureOr<SmallVector<Value>> SigmoidOp::decompose(OpBuilder &builder) {
  Formula f(builder, getLoc());
  Value x = f.widen(getInput());
  return rounded(*this, builder, sigmoid(f, x));
}

LogicalResult SigmoidOp::backward(OpBuilder &builder, ValueRange gradients,
                                  SmallVectorImpl<Value> &out) {
  Formula f(builder, getLoc());
  Value y = f.widen(getResult());
  Value slope = f.mul(y, f.sub(f.constant(y, 1.0), y));
  out.push_back(timesSlope(builder, getLoc(), gradients[0], slope));
  return success();
}
SmallVector<Value> SigmoidOp::savedOperands() { return {getResult()}; }

OpCost SiluOp::cost(TargetAttr) { return mapCost(*this, 8, 1); }

FailureOr<SmallVector<Value>> SiluOp::decompose(OpBuilder &builder) {
  Formula f(builder, getLoc());
  Value x = f.widen(getInput());
  Value s = sigmoid(f, x);
  return rounded(*this, builder, zeroWhere(f, s, f.mul(x, s), -0.0));
}

LogicalResult SiluOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  Formula f(builder, getLoc());
  Value x = f.widen(getInput());
  Value s = sigmoid(f, x);
  Value d = f.mul(s, f.sub(f.constant(x, 1.0), s));
  Value slope = f.add(s, zeroWhere(f, d, f.mul(x, d)));
  out.push_back(timesSlope(builder, getLoc(), gradients[0], slope));
  return success();
}
SmallVector<Value> SiluOp::savedOperands() { return {getInput()}; }

//===----------------------------------------------------------------------===//
// gelu
//===----------------------------------------------------------------------===//

static constexpr double kSqrt2OverPi =
    llvm::numbers::sqrt2 * llvm::numbers::inv_sqrtpi;
static constexpr double kGeluCubic = 0.044715;

/// tanh(sqrt(2/pi) * (x + 0.044715 x^3)), and x^2.
static std::pair<Value, Value> geluTanh(Formula &f, Value x) {
  Value square = f.mul(x, x);
  Value factor =
      f.add(f.constant(x, 1.0), f.mul(f.constant(x, kGeluCubic), square));
  Value u = f.mul(f.constant(x, kSqrt2OverPi), f.mul(x, factor));
  return {f.tanh(u), square};
}

/// (1 + erf(x / sqrt(2))) / 2.
static Value normalShare(Formula &f, Value x) {
  Value scaled = f.mul(x, f.constant(x, 1.0 / llvm::numbers::sqrt2));
  Value erf = f.erf(scaled);
  return f.mul(f.constant(x, 0.5), f.add(f.constant(x, 1.0), erf));
}

OpCost GeluOp::cost(TargetAttr) {
  return mapCost(*this, getApproximate() == GeluApproximation::none ? 6 : 10,
                 1);
}

FailureOr<SmallVector<Value>> GeluOp::decompose(OpBuilder &builder) {
  Formula f(builder, getLoc());
  Value x = f.widen(getInput());
  Value p = getApproximate() == GeluApproximation::none
                ? normalShare(f, x)
                : f.mul(f.constant(x, 0.5),
                        f.add(f.constant(x, 1.0), geluTanh(f, x).first));
  return rounded(*this, builder, zeroWhere(f, p, f.mul(x, p), -0.0));
}

LogicalResult GeluOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  Formula f(builder, getLoc());
  Value x = f.widen(getInput());
  Value one = f.constant(x, 1.0), half = f.constant(x, 0.5);
  Value p, d, second;
  if (getApproximate() == GeluApproximation::none) {
    p = normalShare(f, x);
    Value bell = f.exp(f.mul(f.constant(x, -0.5), f.mul(x, x)));
    d = f.mul(f.constant(x, 0.5 * kSqrt2OverPi), bell);
    second = f.mul(x, d);
  } else {
    auto [t, square] = geluTanh(f, x);
    p = f.mul(half, f.add(one, t));
    d = f.sub(one, f.mul(t, t));
    Value slope =
        f.mul(f.constant(x, kSqrt2OverPi),
              f.add(one, f.mul(f.constant(x, 3.0 * kGeluCubic), square)));
    second = f.mul(f.mul(f.mul(half, x), d), slope);
  }
  Value slope = f.add(p, zeroWhere(f, d, second));
  out.push_back(timesSlope(builder, getLoc(), gradients[0], slope));
  return success();
}
SmallVector<Value> GeluOp::savedOperands() { return {getInput()}; }

//===----------------------------------------------------------------------===//
// softplus
//===----------------------------------------------------------------------===//

LogicalResult SoftplusOp::verify() {
  // softplus_c1
  double beta = getBeta().convertToDouble();
  bool isF64 = tensorType(getInput()).getElementType().isF64();
  double held = isF64 ? beta : static_cast<float>(beta);
  if (!std::isfinite(held) || !(held > 0))
    return emitOpError() << "beta must be finite and above 0, got " << beta;
  if (std::isnan(getThreshold().convertToDouble()))
    return emitOpError() << "threshold must not be NaN";
  return success();
}

OpCost SoftplusOp::cost(TargetAttr) { return mapCost(*this, 8, 2); }

FailureOr<SmallVector<Value>> SoftplusOp::decompose(OpBuilder &builder) {
  Formula f(builder, getLoc());
  Value x = f.widen(getInput());
  Value beta = f.constant(x, getBeta().convertToDouble());
  Value z = f.mul(beta, x);
  Value e = f.exp(f.neg(f.abs(z)));
  Value above = f.maximum(z, f.constant(x, 0.0));
  Value bent = f.add(above, f.log1p(e));
  Value straight = f.compare(ComparePredicate::gt, z,
                             f.constant(x, getThreshold().convertToDouble()));
  return rounded(*this, builder, f.select(straight, x, f.div(bent, beta)));
}

LogicalResult SoftplusOp::backward(OpBuilder &builder, ValueRange gradients,
                                   SmallVectorImpl<Value> &out) {
  Formula f(builder, getLoc());
  Value x = f.widen(getInput());
  Value z = f.mul(f.constant(x, getBeta().convertToDouble()), x);
  Value straight = f.compare(ComparePredicate::gt, z,
                             f.constant(x, getThreshold().convertToDouble()));
  Value slope = f.select(straight, f.constant(x, 1.0), sigmoid(f, z));
  out.push_back(timesSlope(builder, getLoc(), gradients[0], slope));
  return success();
}
SmallVector<Value> SoftplusOp::savedOperands() { return {getInput()}; }

//===----------------------------------------------------------------------===//
// clip
//===----------------------------------------------------------------------===//

LogicalResult ClipOp::verify() {
  // clip_c1
  std::optional<double> low, high;
  if (getMin())
    low = getMin()->convertToDouble();
  if (getMax())
    high = getMax()->convertToDouble();
  if (!low && !high)
    return emitOpError() << "needs a bound";
  if ((low && std::isnan(*low)) || (high && std::isnan(*high)))
    return emitOpError() << "bounds must not be NaN";
  // clip_c2
  Type element = tensorType(getInput()).getElementType();
  for (std::optional<double> bound : {low, high})
    if (bound && !holdsNumber(element, *bound))
      return emitOpError() << "bounds must be whole numbers of " << element
                           << ", got " << *bound;
  return success();
}

FailureOr<SmallVector<Value>> ClipOp::decompose(OpBuilder &builder) {
  Formula f(builder, getLoc());
  Value x = f.widen(getInput());
  if (getMin())
    x = f.maximum(x, f.constant(x, getMin()->convertToDouble()));
  if (getMax())
    x = f.minimum(x, f.constant(x, getMax()->convertToDouble()));
  return rounded(*this, builder, x);
}

LogicalResult ClipOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  Formula f(builder, getLoc());
  Value x = f.widen(getInput());
  Value inside;
  auto require = [&](ComparePredicate predicate, double bound) {
    Value kept = f.compare(predicate, x, f.constant(x, bound));
    inside = inside ? f.logicalAnd(inside, kept) : kept;
  };
  if (getMin())
    require(ComparePredicate::ge, getMin()->convertToDouble());
  if (getMax())
    require(ComparePredicate::le, getMax()->convertToDouble());
  Value g = gradients[0];
  out.push_back(SelectOp::create(builder, getLoc(), inside, g,
                                 splat(builder, getLoc(), tensorType(g), 0.0)));
  return success();
}
SmallVector<Value> ClipOp::savedOperands() { return {getInput()}; }

std::optional<IntegerRange>
ClipOp::resultRange(ArrayRef<IntegerRange> operands) {
  IntegerRange range = operands[0];
  // The bounds of integers are whole and of their type (clip_c2).
  if (getMin()) {
    auto low = static_cast<int64_t>(getMin()->convertToDouble());
    range = {std::max(range.low, low), std::max(range.high, low)};
  }
  if (getMax()) {
    auto high = static_cast<int64_t>(getMax()->convertToDouble());
    range = {std::min(range.low, high), std::min(range.high, high)};
  }
  return range;
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Activation.cpp.inc"

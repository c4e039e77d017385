// Activations: derivatives (N15), decompositions, verification. What is
// narrower than f32 computes in f32 and rounds once.
#include "ir/dialect/Dialect.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace ampc::amp;

namespace {

/// Arithmetic on tensors of one float type at one place.
class Arithmetic {
public:
  Arithmetic(OpBuilder &builder, Location loc, RankedTensorType type)
      : builder(builder), loc(loc), type(type) {}

  Value number(double value) { return splat(builder, loc, type, value); }
  Value add(Value a, Value b) { return AddOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return SubOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return MulOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return DivOp::create(builder, loc, a, b); }
  Value neg(Value a) { return NegOp::create(builder, loc, a); }
  Value exp(Value a) { return ExpOp::create(builder, loc, a); }
  Value compare(ComparePredicate predicate, Value a, Value b) {
    return CompareOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return SelectOp::create(builder, loc, condition, a, b);
  }
  /// `product` of `factor`, or `zero` where the factor is 0: there the other
  /// factor may be infinite.
  Value zeroWhere(Value factor, Value product, double zero = 0.0) {
    return select(compare(ComparePredicate::eq, factor, number(0.0)),
                  number(zero), product);
  }

  OpBuilder &builder;
  Location loc;

private:
  RankedTensorType type;
};

} // namespace

/// The input of a unary op in its compute type, with arithmetic on it.
template <typename OpT>
static std::pair<Value, Arithmetic> wideInput(OpT op, OpBuilder &builder) {
  Value x = toComputeType(builder, op.getLoc(), op.getInput());
  return {x, Arithmetic(builder, op.getLoc(), tensorType(x))};
}

/// A decomposition's result, rounded to the op's type.
template <typename OpT>
static SmallVector<Value> rounded(OpT op, OpBuilder &builder, Value wide) {
  return {castTo(builder, op.getLoc(), wide,
                 tensorType(op.getResult()).getElementType())};
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
  auto [x, on] = wideInput(*this, builder);
  Value root = SqrtOp::create(builder, getLoc(), x);
  return rounded(*this, builder, on.div(on.number(1.0), root));
}

LogicalResult RsqrtOp::backward(OpBuilder &builder, ValueRange gradients,
                                SmallVectorImpl<Value> &out) {
  Value y = toComputeType(builder, getLoc(), getResult());
  Arithmetic on(builder, getLoc(), tensorType(y));
  Value slope = on.mul(on.mul(on.mul(on.number(-0.5), y), y), y);
  out.push_back(timesSlope(builder, getLoc(), gradients[0], slope));
  return success();
}
SmallVector<Value> RsqrtOp::savedOperands() { return {getResult()}; }

//===----------------------------------------------------------------------===//
// sigmoid and silu
//===----------------------------------------------------------------------===//

/// 1 / (1 + e^-x) without overflow.
static Value sigmoid(Arithmetic &on, Value x) {
  Value one = on.number(1.0);
  Value e = on.exp(on.neg(AbsOp::create(on.builder, on.loc, x)));
  Value right = on.compare(ComparePredicate::ge, x, on.number(0.0));
  return on.div(on.select(right, one, e), on.add(one, e));
}

OpCost SigmoidOp::cost(TargetAttr) { return mapCost(*this, 5, 1); }

FailureOr<SmallVector<Value>> SigmoidOp::decompose(OpBuilder &builder) {
  auto [x, on] = wideInput(*this, builder);
  return rounded(*this, builder, sigmoid(on, x));
}

LogicalResult SigmoidOp::backward(OpBuilder &builder, ValueRange gradients,
                                  SmallVectorImpl<Value> &out) {
  Value y = toComputeType(builder, getLoc(), getResult());
  Arithmetic on(builder, getLoc(), tensorType(y));
  Value slope = on.mul(y, on.sub(on.number(1.0), y));
  out.push_back(timesSlope(builder, getLoc(), gradients[0], slope));
  return success();
}
SmallVector<Value> SigmoidOp::savedOperands() { return {getResult()}; }

OpCost SiluOp::cost(TargetAttr) { return mapCost(*this, 8, 1); }

FailureOr<SmallVector<Value>> SiluOp::decompose(OpBuilder &builder) {
  auto [x, on] = wideInput(*this, builder);
  Value s = sigmoid(on, x);
  return rounded(*this, builder, on.zeroWhere(s, on.mul(x, s), -0.0));
}

LogicalResult SiluOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  auto [x, on] = wideInput(*this, builder);
  Value s = sigmoid(on, x);
  Value d = on.mul(s, on.sub(on.number(1.0), s));
  Value slope = on.add(s, on.zeroWhere(d, on.mul(x, d)));
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
static std::pair<Value, Value> geluTanh(Arithmetic &on, Value x) {
  Value square = on.mul(x, x);
  Value factor = on.add(on.number(1.0), on.mul(on.number(kGeluCubic), square));
  Value u = on.mul(on.number(kSqrt2OverPi), on.mul(x, factor));
  return {TanhOp::create(on.builder, on.loc, u), square};
}

/// (1 + erf(x / sqrt(2))) / 2.
static Value normalShare(Arithmetic &on, Value x) {
  Value scaled = on.mul(x, on.number(1.0 / llvm::numbers::sqrt2));
  Value erf = ErfOp::create(on.builder, on.loc, scaled);
  return on.mul(on.number(0.5), on.add(on.number(1.0), erf));
}

OpCost GeluOp::cost(TargetAttr) {
  return mapCost(*this, getApproximate() == GeluApproximation::none ? 6 : 10,
                 1);
}

FailureOr<SmallVector<Value>> GeluOp::decompose(OpBuilder &builder) {
  auto [x, on] = wideInput(*this, builder);
  Value p = getApproximate() == GeluApproximation::none
                ? normalShare(on, x)
                : on.mul(on.number(0.5),
                         on.add(on.number(1.0), geluTanh(on, x).first));
  return rounded(*this, builder, on.zeroWhere(p, on.mul(x, p), -0.0));
}

LogicalResult GeluOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  auto [x, on] = wideInput(*this, builder);
  Value one = on.number(1.0), half = on.number(0.5);
  Value p, d, second;
  if (getApproximate() == GeluApproximation::none) {
    p = normalShare(on, x);
    Value bell = on.exp(on.mul(on.number(-0.5), on.mul(x, x)));
    d = on.mul(on.number(0.5 * kSqrt2OverPi), bell);
    second = on.mul(x, d);
  } else {
    auto [t, square] = geluTanh(on, x);
    p = on.mul(half, on.add(one, t));
    d = on.sub(one, on.mul(t, t));
    Value slope =
        on.mul(on.number(kSqrt2OverPi),
               on.add(one, on.mul(on.number(3.0 * kGeluCubic), square)));
    second = on.mul(on.mul(on.mul(half, x), d), slope);
  }
  Value slope = on.add(p, on.zeroWhere(d, second));
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
  auto [x, on] = wideInput(*this, builder);
  Value beta = on.number(getBeta().convertToDouble());
  Value z = on.mul(beta, x);
  Value e = on.exp(on.neg(AbsOp::create(builder, getLoc(), z)));
  Value above = MaximumOp::create(builder, getLoc(), z, on.number(0.0));
  Value bent = on.add(above, Log1pOp::create(builder, getLoc(), e));
  Value straight = on.compare(ComparePredicate::gt, z,
                              on.number(getThreshold().convertToDouble()));
  return rounded(*this, builder, on.select(straight, x, on.div(bent, beta)));
}

LogicalResult SoftplusOp::backward(OpBuilder &builder, ValueRange gradients,
                                   SmallVectorImpl<Value> &out) {
  auto [x, on] = wideInput(*this, builder);
  Value z = on.mul(on.number(getBeta().convertToDouble()), x);
  Value straight = on.compare(ComparePredicate::gt, z,
                              on.number(getThreshold().convertToDouble()));
  Value slope = on.select(straight, on.number(1.0), sigmoid(on, z));
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
  if (low && high && *low > *high)
    return emitOpError() << "min must not be above max, got " << *low << " and "
                         << *high;
  // clip_c2
  Type element = tensorType(getInput()).getElementType();
  for (std::optional<double> bound : {low, high})
    if (bound && !holdsNumber(element, *bound))
      return emitOpError() << "bounds must be whole numbers of " << element
                           << ", got " << *bound;
  return success();
}

FailureOr<SmallVector<Value>> ClipOp::decompose(OpBuilder &builder) {
  auto [x, on] = wideInput(*this, builder);
  if (getMin())
    x = MaximumOp::create(builder, getLoc(), x,
                          on.number(getMin()->convertToDouble()));
  if (getMax())
    x = MinimumOp::create(builder, getLoc(), x,
                          on.number(getMax()->convertToDouble()));
  return rounded(*this, builder, x);
}

LogicalResult ClipOp::backward(OpBuilder &builder, ValueRange gradients,
                               SmallVectorImpl<Value> &out) {
  auto [x, on] = wideInput(*this, builder);
  Value inside;
  auto require = [&](ComparePredicate predicate, double bound) {
    Value kept = on.compare(predicate, x, on.number(bound));
    inside = inside ? AndOp::create(builder, getLoc(), inside, kept).getResult()
                    : kept;
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

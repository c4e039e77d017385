// Optimizer updates: verification, state, decomposition (torch.optim's
// formulas).
#include "ir/dialect/Dialect.h"

#include <cmath>

using namespace mlir;
using namespace ampc::amp;

namespace {

/// Builds f32 arithmetic over one shape, with scalars brought there by
/// broadcasts.
struct Arithmetic {
  OpBuilder &builder;
  Location loc;
  RankedTensorType type;

  Value add(Value a, Value b) { return AddOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return SubOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return MulOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return DivOp::create(builder, loc, a, b); }
  /// `value` of the tensors' shape.
  Value constant(double value) { return splat(builder, loc, type, value); }
  /// `scalar`, repeated to the tensors' shape.
  Value spread(Value scalar) {
    if (scalar.getType() == type)
      return scalar;
    return BroadcastOp::create(builder, loc, type, scalar, ArrayRef<int64_t>{});
  }
  Value scalarF32(Value scalar) {
    return CastOp::create(builder, loc,
                          RankedTensorType::get({}, builder.getF32Type()),
                          scalar, CastOrigin::policy);
  }
  Value scalarF64(Value scalar) {
    return CastOp::create(builder, loc,
                          RankedTensorType::get({}, builder.getF64Type()),
                          scalar, CastOrigin::policy);
  }
  /// update + 1, the number of this update, as i64.
  Value updateNumber(Value update) {
    return AddOp::create(builder, loc, update,
                         splat(builder, loc, tensorType(update), 1));
  }
};

LogicalResult verifyNonNegative(Operation *op, StringRef name,
                                const llvm::APFloat &value) {
  double number = value.convertToDouble();
  if (number >= 0 && std::isfinite(number))
    return success();
  return op->emitOpError() << name << " must be at least 0, got " << number;
}

double numberOr(DictionaryAttr dictionary, StringRef name, double fallback) {
  if (auto number = dictionary.getAs<FloatAttr>(name))
    return number.getValueAsDouble();
  return fallback;
}

} // namespace

//===----------------------------------------------------------------------===//
// amp.sgd
//===----------------------------------------------------------------------===//

SmallVector<StringRef> SgdOp::stateNames(DictionaryAttr hyperparameters) {
  if (numberOr(hyperparameters, "momentum", 0) != 0)
    return {"momentum"};
  return {};
}

LogicalResult SgdOp::verify() {
  // sgd_c1
  Type type = getParameter().getType();
  for (Value value :
       llvm::concat<Value>(SmallVector<Value>{getGradient()}, getState(),
                           SmallVector<Value>(getNewValues())))
    if (value.getType() != type)
      return emitOpError()
             << "parameter, gradient, state and results need one type, got "
             << type << " and " << value.getType();
  // sgd_c2
  size_t states = getMomentum().isZero() ? 0 : 1;
  if (getState().size() != states || getNewValues().size() != states + 1)
    return emitOpError() << "needs " << states
                         << " state tensors for this momentum, got "
                         << getState().size() << " and "
                         << getNewValues().size() << " results";
  // sgd_c3
  if (failed(verifyNonNegative(*this, "momentum", getMomentum())) ||
      failed(verifyNonNegative(*this, "weight_decay", getWeightDecay())))
    return failure();
  if (!getDampening().isFinite())
    return emitOpError() << "dampening must be finite, got "
                         << getDampening().convertToDouble();
  if (getNesterov() && (getMomentum().isZero() || !getDampening().isZero()))
    return emitOpError() << "nesterov needs momentum above 0 and dampening 0";
  return success();
}

PrecisionClass SgdOp::classify() { return PrecisionClass::never; }
OpCost SgdOp::cost(TargetAttr) { return mapCost(*this, 6, 0); }

FailureOr<SmallVector<Value>> SgdOp::decompose(OpBuilder &builder) {
  Arithmetic f{builder, getLoc(), tensorType(getParameter())};
  Value p = getParameter(), d = getGradient();
  if (!getWeightDecay().isZero())
    d = f.add(d, f.mul(f.constant(getWeightDecay().convertToDouble()), p));
  SmallVector<Value> state;
  if (!getMomentum().isZero()) {
    Value momentum = f.constant(getMomentum().convertToDouble());
    Value b =
        f.add(f.mul(momentum, getState()[0]),
              f.mul(f.constant(1.0 - getDampening().convertToDouble()), d));
    Value first =
        CompareOp::create(builder, getLoc(), ComparePredicate::eq, getUpdate(),
                          splat(builder, getLoc(), tensorType(getUpdate()), 0));
    RankedTensorType mask = withElementType(f.type, builder.getI1Type());
    if (first.getType() != mask)
      first = BroadcastOp::create(builder, getLoc(), mask, first,
                                  ArrayRef<int64_t>{});
    b = SelectOp::create(builder, getLoc(), first, d, b);
    state.push_back(b);
    d = getNesterov() ? f.add(d, f.mul(momentum, b)) : b;
  }
  p = f.sub(p, f.mul(f.spread(getLr()), d));
  state.insert(state.begin(), p);
  return state;
}

//===----------------------------------------------------------------------===//
// amp.adam
//===----------------------------------------------------------------------===//

SmallVector<StringRef> AdamOp::stateNames(DictionaryAttr) {
  return {"exp_avg", "exp_avg_sq"};
}

LogicalResult AdamOp::verify() {
  // adam_c2; adam_c1 is a trait
  for (auto [name, beta] :
       {std::pair("beta1", getBeta1()), std::pair("beta2", getBeta2())}) {
    double value = beta.convertToDouble();
    if (!(value >= 0 && value < 1))
      return emitOpError() << name << " must be in [0, 1), got " << value;
  }
  if (failed(verifyNonNegative(*this, "eps", getEps())) ||
      failed(verifyNonNegative(*this, "weight_decay", getWeightDecay())))
    return failure();
  return success();
}

PrecisionClass AdamOp::classify() { return PrecisionClass::never; }
OpCost AdamOp::cost(TargetAttr) { return mapCost(*this, 12, 1); }

/// 1 - beta^t as an f64 scalar, t an f64 scalar: beta^t = exp(t ln beta).
static Value biasCorrection(OpBuilder &builder, Location loc, Value t,
                            double beta) {
  RankedTensorType f64 = tensorType(t);
  Value one = splat(builder, loc, f64, 1.0);
  if (beta == 0) // 0^t = 0; ln 0 would only get there by -inf
    return one;
  Value exponent =
      MulOp::create(builder, loc, t, splat(builder, loc, f64, std::log(beta)));
  return SubOp::create(builder, loc, one,
                       ExpOp::create(builder, loc, exponent));
}

FailureOr<SmallVector<Value>> AdamOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Arithmetic f{builder, loc, tensorType(getParameter())};
  double beta1 = getBeta1().convertToDouble(),
         beta2 = getBeta2().convertToDouble();
  double decay = getWeightDecay().convertToDouble();
  // Scalars, once a step.
  Value t = f.scalarF64(f.updateNumber(getUpdate()));
  Value c1 = biasCorrection(builder, loc, t, beta1);
  Value c2 = biasCorrection(builder, loc, t, beta2);
  Value rate = f.spread(
      f.scalarF32(DivOp::create(builder, loc, f.scalarF64(getLr()), c1)));
  Value root = f.spread(f.scalarF32(SqrtOp::create(builder, loc, c2)));
  // Elements.
  Value p = getParameter(), g = getGradient();
  if (decay != 0 && getDecoupled())
    p = f.sub(p, f.mul(f.mul(f.spread(getLr()), f.constant(decay)), p));
  else if (decay != 0)
    g = f.add(g, f.mul(f.constant(decay), p));
  Value m =
      f.add(getExpAvg(), f.mul(f.sub(g, getExpAvg()), f.constant(1.0 - beta1)));
  Value v = f.add(f.mul(getExpAvgSq(), f.constant(beta2)),
                  f.mul(f.mul(f.constant(1.0 - beta2), g), g));
  Value denominator = f.add(f.div(SqrtOp::create(builder, loc, v), root),
                            f.constant(getEps().convertToDouble()));
  p = f.sub(p, f.mul(rate, f.div(m, denominator)));
  return SmallVector<Value>{p, m, v};
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Optimizer.cpp.inc"

// The gradients of attention: building, verification, decomposition.
#include "ir/dialect/ops/AttentionFormula.h"

using namespace mlir;
using namespace ampc::amp;

void AttentionGradientOp::build(OpBuilder &builder, OperationState &state,
                                AttentionOp forward, Value gradient) {
  SmallVector<Type> types{forward.getQ().getType(), forward.getK().getType(),
                          forward.getV().getType()};
  if (Value mask = forward.getMask())
    if (isa<FloatType>(tensorType(mask).getElementType()))
      types.push_back(mask.getType());
  build(builder, state, types, forward.getQ(), forward.getK(), forward.getV(),
        forward.getOut(), forward.getLogsumexp(), gradient, forward.getMask(),
        forward.getKey(), forward.getCausal(), forward.getScale(),
        forward.getDropout(), forward.getMode(), forward.getSite());
}

AttentionExtents AttentionGradientOp::extents() {
  return attentionExtents(getQ().getType(), getV().getType());
}

LogicalResult AttentionGradientOp::verify() {
  // attention_gradient_c1
  if (failed(verifyAttention(*this, AttentionTypes::of(*this))))
    return failure();
  if (getGradient().getType() != getOut().getType())
    return emitOpError() << "gradient must be " << getOut().getType()
                         << " like out, got " << getGradient().getType();
  // attention_gradient_c2
  SmallVector<Type> types{getQ().getType(), getK().getType(), getV().getType()};
  if (Value mask = getMask())
    if (isa<FloatType>(tensorType(mask).getElementType()))
      types.push_back(mask.getType());
  if (TypeRange(types) != getGradients().getTypes())
    return emitOpError() << "must have the results " << types << ", got "
                         << getGradients().getTypes();
  return success();
}

bool AttentionGradientOp::drawsIn(RandomMode mode) {
  double p = getDropout().convertToDouble();
  return mode == RandomMode::train && p > 0 && p < 1;
}

FusionKind AttentionGradientOp::fusionKind() { return FusionKind::contraction; }
PrecisionClass AttentionGradientOp::classify() { return PrecisionClass::lower; }
bool AttentionGradientOp::keepsWide(unsigned operand) {
  return operand == 4 || operand == 6; // logsumexp, mask
}
Type AttentionGradientOp::accumulationType() {
  return accumulationTypeFor(tensorType(getQ()).getElementType());
}
OpCost AttentionGradientOp::cost(TargetAttr) {
  auto [b, h, kv, n, m, d, e] = extents();
  double scores = static_cast<double>(b) * h * n * m;
  // Five products: scores and t, and the three gradients.
  return {scores * (6.0 * d + 4.0 * e + 6), trafficBytes(*this), scores};
}

FailureOr<SmallVector<Value>>
AttentionGradientOp::decompose(OpBuilder &builder) {
  AttentionFormula f(builder, *this);
  if (f.isEmpty()) {
    SmallVector<Value> zeros;
    for (Type type : getGradients().getTypes())
      zeros.push_back(f.constant(type, 0.0));
    return zeros;
  }
  Type element = tensorType(getQ()).getElementType(), wide = accumulationType();
  Value g = getGradient();
  Value p = f.probabilities(f.scores(), getLogsumexp());
  Value weighted = f.grouped(f.cast(f.dropped(p), element));
  Value dv = f.matmul(weighted, f.grouped(g), true, false, element);
  Value t = f.heads(f.matmul(f.grouped(g), getV(), false, true, wide));
  Value inner = f.Formula::reduce(ReduceKind::sum,
                                  f.mul(f.widen(g), f.widen(getOut())), {3});
  Value ds = f.mul(p, f.sub(f.dropped(t), f.spread(inner)));
  Value scale = f.constant(ds, getScale().convertToDouble());
  Value dScores = f.grouped(f.cast(f.mul(ds, scale), element));
  SmallVector<Value> gradients{
      f.heads(f.matmul(dScores, getK(), false, false, element)),
      f.matmul(dScores, f.grouped(getQ()), true, false, element), dv};
  if (f.hasFloatMask()) {
    RankedTensorType mask = tensorType(getMask());
    SmallVector<int64_t> repeated;
    for (int64_t axis = 0; axis < 4; ++axis)
      if (mask.getDimSize(axis) != tensorType(ds).getDimSize(axis))
        repeated.push_back(axis);
    Value sum = f.Formula::reduce(ReduceKind::sum, ds, repeated);
    gradients.push_back(
        f.cast(f.reshape(sum, mask.getShape()), mask.getElementType()));
  }
  return gradients;
}

// Scaled dot-product attention: building, verification, derivative,
// decomposition.
#include "ir/dialect/ops/AttentionFormula.h"

#include <cmath>

using namespace mlir;
using namespace ampc::amp;

void AttentionOp::build(OpBuilder &builder, OperationState &state, Value q,
                        Value k, Value v, Value mask, bool causal, double scale,
                        double dropout, int64_t site) {
  RankedTensorType type = tensorType(q);
  SmallVector<int64_t> rows(type.getShape().drop_back());
  SmallVector<int64_t> out(rows);
  out.push_back(tensorType(v).getShape().back());
  Type element = type.getElementType();
  build(builder, state, RankedTensorType::get(out, element),
        RankedTensorType::get(rows, computeTypeFor(element)), q, k, v, mask,
        ValueRange(), causal, APFloat(scale), APFloat(dropout),
        RandomMode::train, site);
}

AttentionExtents AttentionOp::extents() {
  return attentionExtents(getQ().getType(), getV().getType());
}

LogicalResult AttentionOp::verify() {
  // attention_c1
  Type element = tensorType(getQ()).getElementType();
  for (auto [name, value] : {std::pair<StringRef, Value>("q", getQ()),
                             {"k", getK()},
                             {"v", getV()},
                             {"out", getOut()}}) {
    RankedTensorType type = tensorType(value);
    if (type.getRank() != 4 || type.getElementType() != element)
      return emitOpError() << name << " must have rank 4 and " << element
                           << " elements, got " << type;
  }
  auto [b, h, kv, n, m, d, e] = extents();
  using Shape = SmallVector<int64_t>;
  for (auto [name, value, expected] :
       {std::tuple<StringRef, Value, Shape>("k", getK(), Shape{b, kv, m, d}),
        {"v", getV(), Shape{b, kv, m, e}},
        {"out", getOut(), Shape{b, h, n, e}}})
    if (tensorType(value).getShape() != ArrayRef(expected))
      return emitOpError() << name << " must have the extents [" << expected
                           << "], got [" << tensorType(value).getShape() << "]";
  // attention_c2
  if (kv == 0 || h % kv != 0)
    return emitOpError() << "query heads must be a multiple of key heads, got "
                         << h << " and " << kv;
  // attention_c3
  if (getMask()) {
    ArrayRef<int64_t> mask = tensorType(getMask()).getShape();
    Shape full{b, h, n, m};
    bool fits = mask.size() == 4;
    for (size_t axis = 0; fits && axis < 4; ++axis)
      fits = mask[axis] == 1 || mask[axis] == full[axis];
    if (!fits)
      return emitOpError() << "mask must have extent 1 or that of [" << full
                           << "] on each axis, got [" << mask << "]";
  }
  // attention_c4
  auto row = RankedTensorType::get({b, h, n}, computeTypeFor(element));
  if (getLogsumexp().getType() != row)
    return emitOpError() << "logsumexp must be " << row << ", got "
                         << getLogsumexp().getType();
  // attention_c5; the interface verifies key and site
  double dropout = getDropout().convertToDouble();
  if (!(dropout >= 0 && dropout <= 1))
    return emitOpError() << "dropout must be from 0 to 1, got " << dropout;
  // attention_c6
  double scale = getScale().convertToDouble();
  if (!std::isfinite(scale))
    return emitOpError() << "scale must be finite, got " << scale;
  return success();
}

bool AttentionOp::drawsIn(RandomMode mode) {
  double p = getDropout().convertToDouble();
  return mode == RandomMode::train && p > 0 && p < 1;
}

FusionKind AttentionOp::fusionKind() { return FusionKind::contraction; }
PrecisionClass AttentionOp::classify() { return PrecisionClass::lower; }
bool AttentionOp::keepsWide(unsigned operand) { return operand == 3; }
Type AttentionOp::accumulationType() {
  return accumulationTypeFor(tensorType(getQ()).getElementType());
}
OpCost AttentionOp::cost(TargetAttr) {
  auto [b, h, kv, n, m, d, e] = extents();
  double scores = static_cast<double>(b) * h * n * m;
  return {scores * (2.0 * (d + e) + 6), trafficBytes(*this), scores};
}

FailureOr<SmallVector<Value>> AttentionOp::decompose(OpBuilder &builder) {
  AttentionFormula f(builder, *this);
  if (f.isEmpty())
    return SmallVector<Value>{
        f.constant(getOut(), 0.0),
        f.constant(getLogsumexp(), -AttentionFormula::kInfinity)};
  Type element = tensorType(getQ()).getElementType();
  Value s = f.scores();
  Value shift = f.finite(f.reduce(ReduceKind::max, s));
  Value e = f.exp(f.sub(s, f.spread(shift)));
  Value sum = f.reduce(ReduceKind::sum, e);
  Value logsumexp = f.add(shift, f.log(sum));
  // A row that sees no key has sum 0: dividing by 1 keeps its zeros (N13).
  Value none = f.compare(ComparePredicate::eq, sum, 0.0);
  Value divisor = f.select(none, f.constant(sum, 1.0), sum);
  Value p = f.dropped(f.div(e, f.spread(divisor)));
  Value out =
      f.matmul(f.grouped(f.cast(p, element)), getV(), false, false, element);
  return SmallVector<Value>{f.heads(out), logsumexp};
}

LogicalResult AttentionOp::backward(OpBuilder &builder, ValueRange gradients,
                                    SmallVectorImpl<Value> &out) {
  if (failed(refuseGradient(*this, gradients, 1)))
    return failure();
  auto gradient =
      AttentionGradientOp::create(builder, getLoc(), *this, gradients[0]);
  out.assign(getNumOperands(), Value());
  llvm::copy(gradient.getGradients(), out.begin());
  return success();
}

SmallVector<Value> AttentionOp::savedOperands() {
  SmallVector<Value> saved{getQ(), getK(), getV(), getOut(), getLogsumexp()};
  if (getMask())
    saved.push_back(getMask());
  return saved;
}

#define GET_OP_CLASSES
#include "ir/dialect/ops/Attention.cpp.inc"

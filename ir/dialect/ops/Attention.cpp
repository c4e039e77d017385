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

LogicalResult ampc::amp::verifyAttention(Operation *op,
                                         const AttentionTypes &types) {
  // attention_c1
  Type element = types.q.getElementType();
  for (auto [name, type] :
       {std::pair<StringRef, RankedTensorType>("q", types.q),
        {"k", types.k},
        {"v", types.v},
        {"out", types.out}})
    if (type.getRank() != 4 || type.getElementType() != element)
      return op->emitOpError() << name << " must have rank 4 and " << element
                               << " elements, got " << type;
  auto [b, h, kv, n, m, d, e] = attentionExtents(types.q, types.v);
  using Shape = SmallVector<int64_t>;
  for (auto [name, type, expected] :
       {std::tuple<StringRef, RankedTensorType, Shape>("k", types.k,
                                                       Shape{b, kv, m, d}),
        {"v", types.v, Shape{b, kv, m, e}},
        {"out", types.out, Shape{b, h, n, e}}})
    if (type.getShape() != ArrayRef(expected))
      return op->emitOpError() << name << " must have the extents [" << expected
                               << "], got [" << type.getShape() << "]";
  // attention_c2
  if (kv == 0 || h % kv != 0)
    return op->emitOpError()
           << "query heads must be a multiple of key heads, got " << h
           << " and " << kv;
  // attention_c3
  if (types.mask) {
    ArrayRef<int64_t> mask = types.mask.getShape();
    Shape full{b, h, n, m};
    bool fits = mask.size() == 4;
    for (size_t axis = 0; fits && axis < 4; ++axis)
      fits = mask[axis] == 1 || mask[axis] == full[axis];
    if (!fits)
      return op->emitOpError() << "mask must have extent 1 or that of [" << full
                               << "] on each axis, got [" << mask << "]";
  }
  // attention_c4
  auto row = RankedTensorType::get({b, h, n}, computeTypeFor(element));
  if (types.logsumexp != row)
    return op->emitOpError()
           << "logsumexp must be " << row << ", got " << types.logsumexp;
  // attention_c5
  if (!(types.dropout >= 0 && types.dropout <= 1))
    return op->emitOpError()
           << "dropout must be from 0 to 1, got " << types.dropout;
  // attention_c6
  if (!std::isfinite(types.scale))
    return op->emitOpError() << "scale must be finite, got " << types.scale;
  return success();
}

LogicalResult AttentionOp::verify() {
  return verifyAttention(*this, AttentionTypes::of(*this));
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

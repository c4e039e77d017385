// Scaled dot-product attention: building, verification, derivative,
// decomposition.
#include "ir/dialect/ops/Formula.h"

#include <cmath>
#include <limits>

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

AttentionOp::Extents AttentionOp::extents() {
  ArrayRef<int64_t> q = tensorType(getQ()).getShape(),
                    v = tensorType(getV()).getShape();
  return {q[0], q[1], v[1], q[2], v[2], q[3], v[3]};
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

namespace {

/// Formulas of attention over the scores [b, h, n, m].
class AttentionFormula : public RowFormula {
public:
  AttentionFormula(OpBuilder &builder, AttentionOp op)
      : RowFormula(builder, op.getLoc(), scoreShape(op), {3}), op(op),
        wide(op.accumulationType()) {}

  /// Whether there are no scores at all.
  bool isEmpty() { return op.extents().m == 0; }

  /// scale * q k^T with the mask applied, -inf where hidden.
  Value scores() {
    auto [b, h, kv, n, m, d, e] = op.extents();
    Value s = heads(matmul(grouped(op.getQ()), op.getK(), false, true, wide));
    s = mul(s, constant(s, op.getScale().convertToDouble()));
    if (Value mask = op.getMask()) {
      Value full = broadcast(mask, tensorType(s).getShape(), {0, 1, 2, 3});
      s = isBoolean(mask) ? select(full, s, hidden(s))
                          : add(s, cast(full, wide));
    }
    if (op.getCausal()) {
      Type index = builder.getI32Type();
      ArrayRef<int64_t> shape = tensorType(s).getShape();
      Value query = broadcast(iota(n, index), shape, {2});
      Value keyIndex = broadcast(iota(m, index), shape, {3});
      s = select(compare(ComparePredicate::le, keyIndex, query), s, hidden(s));
    }
    return s;
  }

  /// `x` with zeros where it is -inf.
  Value finite(Value x) {
    return select(compare(ComparePredicate::eq, x, -kInfinity),
                  constant(x, 0.0), x);
  }
  /// exp(scores - logsumexp): the probabilities, 0 in rows that see no key.
  Value probabilities(Value s, Value logsumexp) {
    return exp(sub(s, spread(finite(logsumexp))));
  }
  /// The op's dropout of `x` [b, h, n, m].
  Value dropped(Value x) {
    if (op.getDropout().isZero())
      return x;
    return make<DropoutOp>(x.getType(), x, op.getKey(), op.getDropout(),
                           op.getMode(), op.getSite());
  }

  /// [b, h, n, x] as [b, kv, (h / kv) * n, x]: the queries of each key head.
  Value grouped(Value value) {
    auto [b, h, kv, n, m, d, e] = op.extents();
    return reshape(value,
                   {b, kv, h / kv * n, tensorType(value).getShape().back()});
  }
  /// The inverse of `grouped`.
  Value heads(Value value) {
    auto [b, h, kv, n, m, d, e] = op.extents();
    return reshape(value, {b, h, n, tensorType(value).getShape().back()});
  }
  /// A product accumulated and left in `element`.
  Value matmul(Value a, Value b, bool transposeA, bool transposeB,
               Type element) {
    auto product = make<MatmulOp>(a, b, transposeA, transposeB);
    Value result = product;
    result.setType(withElementType(result.getType(), element));
    return result;
  }
  bool isBoolean(Value mask) {
    return tensorType(mask).getElementType().isInteger(1);
  }

  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

private:
  static SmallVector<int64_t> scoreShape(AttentionOp op) {
    auto [b, h, kv, n, m, d, e] = op.extents();
    return {b, h, n, m};
  }
  Value hidden(Value s) { return constant(s, -kInfinity); }

  AttentionOp op;
  Type wide;
};

} // namespace

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
  AttentionFormula f(builder, *this);
  out.assign(getNumOperands(), Value());
  if (f.isEmpty()) {
    out[0] = f.constant(getQ(), 0.0);
    out[1] = f.constant(getK(), 0.0);
    out[2] = f.constant(getV(), 0.0);
    if (getMask() && !f.isBoolean(getMask()))
      out[3] = f.constant(getMask(), 0.0);
    return success();
  }
  Type element = tensorType(getQ()).getElementType(), wide = accumulationType();
  Value g = gradients[0];
  Value p = f.probabilities(f.scores(), getLogsumexp());
  Value weighted = f.grouped(f.cast(f.dropped(p), element));
  Value dv = f.matmul(weighted, f.grouped(g), true, false, element);
  Value t = f.heads(f.matmul(f.grouped(g), getV(), false, true, wide));
  Value inner = f.Formula::reduce(ReduceKind::sum,
                                  f.mul(f.widen(g), f.widen(getOut())), {3});
  Value ds = f.mul(p, f.sub(f.dropped(t), f.spread(inner)));
  Value scale = f.constant(ds, getScale().convertToDouble());
  Value dScores = f.grouped(f.cast(f.mul(ds, scale), element));
  out[0] = f.heads(f.matmul(dScores, getK(), false, false, element));
  out[1] = f.matmul(dScores, f.grouped(getQ()), true, false, element);
  out[2] = dv;
  if (getMask() && !f.isBoolean(getMask())) {
    RankedTensorType mask = tensorType(getMask());
    SmallVector<int64_t> repeated;
    for (int64_t axis = 0; axis < 4; ++axis)
      if (mask.getDimSize(axis) != tensorType(ds).getDimSize(axis))
        repeated.push_back(axis);
    Value sum = f.Formula::reduce(ReduceKind::sum, ds, repeated);
    out[3] = f.cast(f.reshape(sum, mask.getShape()), mask.getElementType());
  }
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

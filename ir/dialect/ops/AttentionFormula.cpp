// Scores and probabilities of attention, in primitives.
#include "ir/dialect/ops/AttentionFormula.h"

using namespace mlir;

namespace ampc::amp {

Value AttentionFormula::scores() {
  Value s = heads(matmul(grouped(q), k, false, true, wide));
  s = mul(s, constant(s, scale));
  if (mask) {
    Value full = broadcast(mask, tensorType(s).getShape(), {0, 1, 2, 3});
    s = hasFloatMask() ? add(s, cast(full, wide)) : select(full, s, hidden(s));
  }
  if (causal) {
    Type index = builder.getI32Type();
    ArrayRef<int64_t> shape = tensorType(s).getShape();
    Value query = broadcast(iota(extents.n, index), shape, {2});
    Value keyIndex = broadcast(iota(extents.m, index), shape, {3});
    s = select(compare(ComparePredicate::le, keyIndex, query), s, hidden(s));
  }
  return s;
}

Value AttentionFormula::finite(Value x) {
  return select(compare(ComparePredicate::eq, x, -kInfinity), constant(x, 0.0),
                x);
}

Value AttentionFormula::probabilities(Value s, Value logsumexp) {
  return exp(sub(s, spread(finite(logsumexp))));
}

Value AttentionFormula::dropped(Value x) {
  if (dropout.isZero())
    return x;
  return make<DropoutOp>(x.getType(), x, key, dropout, mode, site);
}

Value AttentionFormula::grouped(Value value) {
  auto [b, h, kv, n, m, d, e] = extents;
  return reshape(value,
                 {b, kv, h / kv * n, tensorType(value).getShape().back()});
}

Value AttentionFormula::heads(Value value) {
  auto [b, h, kv, n, m, d, e] = extents;
  return reshape(value, {b, h, n, tensorType(value).getShape().back()});
}

Value AttentionFormula::matmul(Value a, Value b, bool transposeA,
                               bool transposeB, Type element) {
  auto product = make<MatmulOp>(a, b, transposeA, transposeB);
  Value result = product;
  result.setType(withElementType(result.getType(), element));
  return result;
}

} // namespace ampc::amp

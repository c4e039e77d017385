// The values of attention and of its gradients, by their formulas in f64:
// scores, softmax, dropout and the weighted sum, one rounding of each result.
#include "ir/reference/Models.h"
#include "ir/reference/Random.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace ampc::reference {

namespace {

/// Scores of every query and key, [b, h, n, m].
class Scores {
public:
  /// `in`: the operands of `op`, an attention or its gradient.
  template <typename OpT>
  Scores(OpT op, Operands in)
      : extents(op.extents()), causal(op.getCausal()), q(*in[0]), k(*in[1]),
        mask(op.getMask() ? in[in.size() - op.getKey().size() - 1] : nullptr),
        scale(roundTo(op.getScale().convertToDouble(), op.accumulationType())) {
  }

  /// The scores of one query row.
  std::vector<double> row(int64_t b, int64_t h, int64_t i) const {
    auto [batches, heads, kv, n, m, d, e] = extents;
    const double *query = q.floats().data() + ((b * heads + h) * n + i) * d;
    const double *keys =
        k.floats().data() + (b * kv + h / (heads / kv)) * m * d;
    std::vector<double> scores(static_cast<size_t>(m), 0.0);
    for (int64_t j = 0; j < m; ++j) {
      for (int64_t p = 0; p < d; ++p)
        scores[j] += query[p] * keys[j * d + p];
      scores[j] *= scale;
      if (mask && mask->isFloat())
        scores[j] += mask->floats()[maskIndex({b, h, i, j})];
      bool hidden = (mask && !mask->isFloat() &&
                     !mask->integers()[maskIndex({b, h, i, j})]) ||
                    (causal && j > i);
      if (hidden)
        scores[j] = -std::numeric_limits<double>::infinity();
    }
    return scores;
  }

  /// The position of the mask's element for a score.
  int64_t maskIndex(ArrayRef<int64_t> index) const {
    int64_t position = 0;
    for (size_t axis = 0; axis < 4; ++axis)
      position = position * mask->shape()[axis] +
                 (mask->shape()[axis] == 1 ? 0 : index[axis]);
    return position;
  }

private:
  amp::AttentionExtents extents;
  bool causal;
  const Tensor &q, &k;
  const Tensor *mask;
  double scale;
};

/// The dropout of an attention or of its gradient, of values [b, h, n, m].
template <typename OpT>
LogicalResult drop(OpT op, Operands in, std::vector<double> &values) {
  if (op.drawsIn(op.getMode())) {
    FailureOr<RandomStream> stream =
        streamOf(op, in.take_back(op.getKey().size()));
    if (failed(stream))
      return failure();
    applyDropout(*stream, op.getDropout().convertToDouble(),
                 op.accumulationType(), values);
  } else if (op.getMode() == amp::RandomMode::train &&
             op.getDropout().isExactlyValue(1.0)) {
    llvm::fill(values, 0.0);
  }
  return success();
}

struct AttentionModel : Model<AttentionModel, amp::AttentionOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::AttentionOp>(operation);
    auto [batches, heads, kv, n, m, d, e] = op.extents();
    Scores scores(op, in);
    std::vector<double> weights, logsumexps;
    for (int64_t row = 0; row < batches * heads * n; ++row)
      appendWeights(scores.row(row / n / heads, row / n % heads, row % n),
                    weights, logsumexps);
    if (failed(drop(op, in, weights)))
      return failure();
    const std::vector<double> &v = in[2]->floats();
    std::vector<double> values(static_cast<size_t>(batches * heads * n * e));
    for (int64_t row = 0; row < batches * heads * n; ++row) {
      int64_t b = row / n / heads, head = row / n % heads / (heads / kv);
      for (int64_t j = 0; j < m; ++j)
        for (int64_t c = 0; c < e; ++c)
          values[row * e + c] +=
              weights[row * m + j] * v[((b * kv + head) * m + j) * e + c];
    }
    out.push_back(Tensor::ofFloats(resultType(op, 0), std::move(values)));
    out.push_back(Tensor::ofFloats(resultType(op, 1), std::move(logsumexps)));
    return success();
  }

private:
  /// Softmax of one row; zeros where no key is seen (N13).
  static void appendWeights(const std::vector<double> &scores,
                            std::vector<double> &weights,
                            std::vector<double> &logsumexps) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (double score : scores)
      largest = std::isnan(largest) || score <= largest ? largest : score;
    double shift = std::isinf(largest) && largest < 0 ? 0 : largest;
    for (double score : scores)
      sum += std::exp(score - shift);
    for (double score : scores)
      weights.push_back(sum == 0 ? 0 : std::exp(score - shift) / sum);
    logsumexps.push_back(shift + std::log(sum));
  }
};

struct AttentionGradientModel
    : Model<AttentionGradientModel, amp::AttentionGradientOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &results) const {
    auto op = cast<amp::AttentionGradientOp>(operation);
    auto [batches, heads, kv, n, m, d, e] = op.extents();
    Scores scores(op, in);
    const std::vector<double> &q = in[0]->floats(), &k = in[1]->floats(),
                              &v = in[2]->floats(), &out = in[3]->floats(),
                              &logsumexp = in[4]->floats(),
                              &g = in[5]->floats();
    int64_t rows = batches * heads * n;
    // p, and t = g v^T, each [b, h, n, m].
    std::vector<double> p, t(static_cast<size_t>(rows * m), 0.0);
    for (int64_t row = 0; row < rows; ++row) {
      double l = logsumexp[row], shift = std::isinf(l) && l < 0 ? 0 : l;
      for (double score : scores.row(row / n / heads, row / n % heads, row % n))
        p.push_back(std::exp(score - shift));
      const double *values = v.data() + keyHead(row, op.extents()) * m * e;
      for (int64_t j = 0; j < m; ++j)
        for (int64_t c = 0; c < e; ++c)
          t[row * m + j] += g[row * e + c] * values[j * e + c];
    }
    std::vector<double> weights = p;
    if (failed(drop(op, in, weights)) || failed(drop(op, in, t)))
      return failure();
    double scale =
        roundTo(op.getScale().convertToDouble(), op.accumulationType());
    std::vector<double> dq(q.size(), 0.0), dk(k.size(), 0.0), dv(v.size(), 0.0),
        dMask;
    bool wantsMask = op.getGradients().size() > 3;
    if (wantsMask)
      dMask.assign(in[6]->floats().size(), 0.0);
    for (int64_t row = 0; row < rows; ++row) {
      double inner = 0;
      for (int64_t c = 0; c < e; ++c)
        inner += g[row * e + c] * out[row * e + c];
      int64_t head = keyHead(row, op.extents());
      for (int64_t j = 0; j < m; ++j) {
        double ds = p[row * m + j] * (t[row * m + j] - inner);
        if (wantsMask)
          dMask[scores.maskIndex(
              {row / n / heads, row / n % heads, row % n, j})] += ds;
        for (int64_t c = 0; c < d; ++c) {
          dq[row * d + c] += ds * scale * k[(head * m + j) * d + c];
          dk[(head * m + j) * d + c] += ds * scale * q[row * d + c];
        }
        for (int64_t c = 0; c < e; ++c)
          dv[(head * m + j) * e + c] += weights[row * m + j] * g[row * e + c];
      }
    }
    for (auto *values : {&dq, &dk, &dv, &dMask})
      if (values != &dMask || wantsMask)
        results.push_back(Tensor::ofFloats(resultType(op, results.size()),
                                           std::move(*values)));
    return success();
  }

private:
  /// The key head, of all batches', of row `row` of all heads' queries.
  static int64_t keyHead(int64_t row, const amp::AttentionExtents &x) {
    return row / x.n / x.h * x.kv + row / x.n % x.h / (x.h / x.kv);
  }
};

} // namespace

void attachAttentionModels(MLIRContext &context) {
  amp::AttentionOp::attachInterface<AttentionModel>(context);
  amp::AttentionGradientOp::attachInterface<AttentionGradientModel>(context);
}

} // namespace ampc::reference

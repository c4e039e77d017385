// The value of attention, by its formula in f64: scores, softmax, dropout and
// the weighted sum, one rounding of each result.
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
  Scores(amp::AttentionOp op, Operands in)
      : op(op), q(*in[0]), k(*in[1]), mask(op.getMask() ? in[3] : nullptr),
        scale(roundTo(op.getScale().convertToDouble(), op.accumulationType())) {
  }

  /// The scores of one query row.
  std::vector<double> row(int64_t b, int64_t h, int64_t i) {
    auto [batches, heads, kv, n, m, d, e] = op.extents();
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
                    (op.getCausal() && j > i);
      if (hidden)
        scores[j] = -std::numeric_limits<double>::infinity();
    }
    return scores;
  }

private:
  int64_t maskIndex(ArrayRef<int64_t> index) const {
    int64_t position = 0;
    for (size_t axis = 0; axis < 4; ++axis)
      position = position * mask->shape()[axis] +
                 (mask->shape()[axis] == 1 ? 0 : index[axis]);
    return position;
  }

  amp::AttentionOp op;
  const Tensor &q, &k;
  const Tensor *mask;
  double scale;
};

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
    if (op.drawsIn(op.getMode())) {
      FailureOr<RandomStream> stream =
          streamOf(op, in.take_back(op.getKey().size()));
      if (failed(stream))
        return failure();
      applyDropout(*stream, op.getDropout().convertToDouble(),
                   op.accumulationType(), weights);
    } else if (op.getMode() == amp::RandomMode::train &&
               op.getDropout().isExactlyValue(1.0)) {
      llvm::fill(weights, 0.0);
    }
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

} // namespace

void attachAttentionModels(MLIRContext &context) {
  amp::AttentionOp::attachInterface<AttentionModel>(context);
}

} // namespace ampc::reference

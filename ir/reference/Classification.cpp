// The value of the losses and metrics of labels, by their formulas in f64: one
// rounding of each result.
#include "ir/reference/Models.h"

#include <cmath>
#include <optional>

using namespace mlir;

namespace ampc::reference {

namespace {

/// The rows of an op on scores and labels.
class LabelledRows {
public:
  LabelledRows(const Tensor &scores, const Tensor &labels, const Tensor *weight,
               int64_t ignored)
      : scores(scores), labels(labels), weights(weight), ignored(ignored),
        classes(scores.shape().back()) {}

  int64_t count() const { return labels.size(); }
  int64_t classCount() const { return classes; }
  /// The number of class c in row r.
  double score(int64_t r, int64_t c) const {
    return scores.floats()[r * classes + c];
  }
  bool counts(int64_t r) const { return labels.integers()[r] != ignored; }
  /// The row's label, none where it names no class.
  std::optional<int64_t> label(int64_t r) const {
    int64_t label = labels.integers()[r];
    if (label < 0 || label >= classes)
      return std::nullopt;
    return label;
  }
  double weight(int64_t c) const { return weights ? weights->floats()[c] : 1; }
  /// The weight of the row's label.
  double labelWeight(int64_t r) const {
    std::optional<int64_t> own = label(r);
    return own ? weight(*own) : (weights ? 0 : 1);
  }

  /// The loss of `terms`, one a row: 0 where no weight counts (N11).
  Tensor join(RankedTensorType type, amp::LossReduction reduction,
              std::vector<double> terms) const {
    if (reduction == amp::LossReduction::none)
      return Tensor::ofFloats(type, std::move(terms));
    double sum = 0, count = 0;
    for (int64_t r = 0; r < this->count(); ++r) {
      sum += terms[r];
      count += counts(r) ? labelWeight(r) : 0;
    }
    if (reduction == amp::LossReduction::mean)
      sum = count == 0 ? 0 : sum / count;
    return Tensor::ofFloats(type, {sum});
  }

private:
  const Tensor &scores, &labels;
  const Tensor *weights;
  int64_t ignored, classes;
};

struct CrossEntropyModel : Model<CrossEntropyModel, amp::CrossEntropyOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::CrossEntropyOp>(operation);
    LabelledRows rows(*in[0], *in[1], op.getWeight() ? in[2] : nullptr,
                      static_cast<int64_t>(op.getIgnoreIndex()));
    int64_t classes = rows.classCount();
    // Both shares are constants of the loss's type (N5).
    double smoothing = op.getSmoothing().convertToDouble();
    Type element = op.accumulationType();
    double ownShare = roundTo(1 - smoothing, element);
    double evenShare =
        roundTo(smoothing / static_cast<double>(classes), element);
    std::vector<double> terms, maxima, logSums;
    for (int64_t r = 0; r < rows.count(); ++r) {
      double largest = rows.score(r, 0), sum = 0, others = 0;
      for (int64_t c = 1; c < classes; ++c)
        if (!(rows.score(r, c) <= largest) && !std::isnan(largest))
          largest = rows.score(r, c);
      for (int64_t c = 0; c < classes; ++c)
        sum += std::exp(rows.score(r, c) - largest);
      double logSum = std::log(sum);
      for (int64_t c = 0; c < classes; ++c)
        others += rows.weight(c) * (logSum - (rows.score(r, c) - largest));
      std::optional<int64_t> label = rows.label(r);
      double own = logSum - (label ? rows.score(r, *label) - largest : 0);
      double term = rows.labelWeight(r) * own;
      if (smoothing > 0)
        term = ownShare * term + evenShare * others;
      terms.push_back(rows.counts(r) ? term : 0);
      maxima.push_back(largest);
      logSums.push_back(logSum);
    }
    out.push_back(
        rows.join(resultType(op, 0), op.getReduction(), std::move(terms)));
    out.push_back(Tensor::ofFloats(resultType(op, 1), std::move(maxima)));
    out.push_back(Tensor::ofFloats(resultType(op, 2), std::move(logSums)));
    return success();
  }
};

struct NllModel : Model<NllModel, amp::NllOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::NllOp>(operation);
    LabelledRows rows(*in[0], *in[1], op.getWeight() ? in[2] : nullptr,
                      static_cast<int64_t>(op.getIgnoreIndex()));
    std::vector<double> terms;
    for (int64_t r = 0; r < rows.count(); ++r) {
      std::optional<int64_t> label = rows.label(r);
      double term = label ? -rows.labelWeight(r) * rows.score(r, *label) : 0;
      terms.push_back(rows.counts(r) ? term : 0);
    }
    out.push_back(
        rows.join(resultType(op), op.getReduction(), std::move(terms)));
    return success();
  }
};

struct AccuracyModel : Model<AccuracyModel, amp::AccuracyOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::AccuracyOp>(operation);
    LabelledRows rows(*in[0], *in[1], nullptr,
                      static_cast<int64_t>(op.getIgnoreIndex()));
    std::vector<double> terms;
    for (int64_t r = 0; r < rows.count(); ++r) {
      int64_t label = in[1]->integers()[r], rank = 0;
      double own = rows.label(r) ? rows.score(r, label) : 0;
      for (int64_t c = 0; c < rows.classCount(); ++c) {
        double other = rows.score(r, c);
        bool unordered = std::isnan(other) || std::isnan(own);
        rank += unordered || other > own || (other == own && c < label);
      }
      bool right = rank < static_cast<int64_t>(op.getK());
      terms.push_back(rows.counts(r) && right ? 1 : 0);
    }
    out.push_back(
        rows.join(resultType(op), op.getReduction(), std::move(terms)));
    return success();
  }
};

} // namespace

void attachClassificationModels(MLIRContext &context) {
  amp::CrossEntropyOp::attachInterface<CrossEntropyModel>(context);
  amp::NllOp::attachInterface<NllModel>(context);
  amp::AccuracyOp::attachInterface<AccuracyModel>(context);
}

} // namespace ampc::reference

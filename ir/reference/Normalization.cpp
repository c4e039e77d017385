// The value of softmax and the norms of layers, by their formulas in f64: one
// rounding of each result.
#include "ir/reference/Models.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace ampc::reference {

namespace {

/// Rows along the last axes, `length` elements each.
struct Rows {
  Rows(const Tensor &tensor, int64_t axes)
      : length(amp::elementCount(tensor.shape().take_back(axes))),
        count(amp::elementCount(tensor.shape().drop_back(axes))) {}
  int64_t length, count;
};

/// NaN where there is one, as the maximum of the language.
double largestOf(const double *row, int64_t length) {
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < length; ++i)
    largest = std::isnan(largest) || row[i] <= largest ? largest : row[i];
  return largest;
}

template <typename OpT, bool isLog>
struct SoftmaxModel : Model<SoftmaxModel<OpT, isLog>, OpT> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    std::vector<double> values = in[0]->floats();
    Rows rows(*in[0], 1);
    for (int64_t r = 0; r < rows.count; ++r) {
      double *row = values.data() + r * rows.length;
      double largest = largestOf(row, rows.length), sum = 0;
      for (int64_t i = 0; i < rows.length; ++i)
        sum += std::exp(row[i] - largest);
      for (int64_t i = 0; i < rows.length; ++i)
        row[i] = isLog ? row[i] - largest - std::log(sum)
                       : std::exp(row[i] - largest) / sum;
    }
    out.push_back(Tensor::ofFloats(resultType(op), std::move(values)));
    return success();
  }
};

/// eps as the op adds it: a constant of the type of the statistics (N5).
double epsOf(Operation *op, const APFloat &eps) {
  return roundTo(eps.convertToDouble(), resultType(op, 1).getElementType());
}

struct LayerNormModel : Model<LayerNormModel, amp::LayerNormOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::LayerNormOp>(operation);
    unsigned next = 1;
    const Tensor *weight = op.getWeight() ? in[next++] : nullptr;
    const Tensor *bias = op.getBias() ? in[next++] : nullptr;
    std::vector<double> values = in[0]->floats(), means, rstds;
    Rows rows(*in[0], static_cast<int64_t>(op.getAxes()));
    double eps = epsOf(op, op.getEps());
    double length = static_cast<double>(rows.length);
    for (int64_t r = 0; r < rows.count; ++r) {
      double *row = values.data() + r * rows.length;
      double first = row[0], offset = 0, square = 0;
      for (int64_t i = 0; i < rows.length; ++i)
        offset += (row[i] - first) / length;
      for (int64_t i = 0; i < rows.length; ++i) {
        double deviation = row[i] - first - offset;
        square += deviation * deviation / length;
      }
      double rstd = 1 / std::sqrt(square + eps);
      for (int64_t i = 0; i < rows.length; ++i)
        row[i] = (row[i] - first - offset) * rstd *
                     (weight ? weight->floats()[i] : 1) +
                 (bias ? bias->floats()[i] : 0);
      means.push_back(first + offset);
      rstds.push_back(rstd);
    }
    out.push_back(Tensor::ofFloats(resultType(op, 0), std::move(values)));
    out.push_back(Tensor::ofFloats(resultType(op, 1), std::move(means)));
    out.push_back(Tensor::ofFloats(resultType(op, 2), std::move(rstds)));
    return success();
  }
};

struct RmsNormModel : Model<RmsNormModel, amp::RmsNormOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::RmsNormOp>(operation);
    const Tensor *weight = op.getWeight() ? in[1] : nullptr;
    std::vector<double> values = in[0]->floats(), rstds;
    Rows rows(*in[0], static_cast<int64_t>(op.getAxes()));
    double eps = epsOf(op, op.getEps());
    for (int64_t r = 0; r < rows.count; ++r) {
      double *row = values.data() + r * rows.length;
      double square = 0;
      for (int64_t i = 0; i < rows.length; ++i)
        square += row[i] * row[i] / static_cast<double>(rows.length);
      double rstd = 1 / std::sqrt(square + eps);
      for (int64_t i = 0; i < rows.length; ++i)
        row[i] = row[i] * rstd * (weight ? weight->floats()[i] : 1);
      rstds.push_back(rstd);
    }
    out.push_back(Tensor::ofFloats(resultType(op, 0), std::move(values)));
    out.push_back(Tensor::ofFloats(resultType(op, 1), std::move(rstds)));
    return success();
  }
};

} // namespace

void attachNormalizationModels(MLIRContext &context) {
  amp::SoftmaxOp::attachInterface<SoftmaxModel<amp::SoftmaxOp, false>>(context);
  amp::LogSoftmaxOp::attachInterface<SoftmaxModel<amp::LogSoftmaxOp, true>>(
      context);
  amp::LayerNormOp::attachInterface<LayerNormModel>(context);
  amp::RmsNormOp::attachInterface<RmsNormModel>(context);
}

} // namespace ampc::reference

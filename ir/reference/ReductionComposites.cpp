// The value of argmax, logsumexp and variance, by their formulas in f64.
#include "ir/reference/Indexing.h"
#include "ir/reference/Models.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace ampc::reference {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct ArgmaxModel : Model<ArgmaxModel, amp::ArgmaxOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    const Tensor &input = *in[0];
    int64_t axis = static_cast<int64_t>(cast<amp::ArgmaxOp>(op).getAxis());
    std::vector<int64_t> indices;
    for (const std::vector<int64_t> &row : rowsAlong(input.shape(), {axis})) {
      size_t best = 0;
      for (size_t i = 1; i < row.size(); ++i)
        if (precedes(input, row[i], row[best]))
          best = i;
      indices.push_back(static_cast<int64_t>(best));
    }
    out.push_back(Tensor::ofIntegers(resultType(op), std::move(indices)));
    return success();
  }

private:
  /// Whether element a is larger than the earlier element b; NaN is larger than
  /// every number.
  static bool precedes(const Tensor &input, int64_t a, int64_t b) {
    if (!input.isFloat())
      return input.integers()[a] > input.integers()[b];
    double x = input.floats()[a], y = input.floats()[b];
    return x > y || (std::isnan(x) && !std::isnan(y));
  }
};

struct LogsumexpModel : Model<LogsumexpModel, amp::LogsumexpOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    std::vector<double> values;
    for (const std::vector<int64_t> &row :
         rowsAlong(in[0]->shape(), cast<amp::LogsumexpOp>(op).getAxes())) {
      double largest = -kInfinity, sum = 0;
      for (int64_t i : row)
        largest = std::max(largest, in[0]->floats()[i]);
      double shift = std::isfinite(largest) ? largest : 0;
      for (int64_t i : row)
        sum += std::exp(in[0]->floats()[i] - shift);
      values.push_back(shift + std::log(sum)); // log 0 is -inf
    }
    out.push_back(Tensor::ofFloats(resultType(op), std::move(values)));
    return success();
  }
};

struct VarianceModel : Model<VarianceModel, amp::VarianceOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::VarianceOp>(operation);
    std::vector<double> values;
    for (const std::vector<int64_t> &row :
         rowsAlong(in[0]->shape(), op.getAxes())) {
      double mean = 0, sum = 0, count = static_cast<double>(row.size());
      double first = row.empty() ? 0 : in[0]->floats()[row[0]];
      for (int64_t i : row)
        mean += (in[0]->floats()[i] - first) / count;
      for (int64_t i : row) {
        double deviation = in[0]->floats()[i] - first - mean;
        sum += deviation * deviation;
      }
      double divisor = count - static_cast<double>(op.getCorrection());
      values.push_back(sum / std::max(divisor, 0.0)); // 0/0 is NaN
    }
    out.push_back(Tensor::ofFloats(resultType(op), std::move(values)));
    return success();
  }
};

} // namespace

void attachReductionCompositeModels(MLIRContext &context) {
  amp::ArgmaxOp::attachInterface<ArgmaxModel>(context);
  amp::LogsumexpOp::attachInterface<LogsumexpModel>(context);
  amp::VarianceOp::attachInterface<VarianceModel>(context);
}

} // namespace ampc::reference

// The value of the losses, by their formulas: f64 throughout, one rounding of
// the loss.
#include "ir/reference/Models.h"

using namespace mlir;

namespace ampc::reference {

namespace {

struct MseModel : Model<MseModel, amp::MseOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::MseOp>(operation);
    const std::vector<double> &x = in[0]->floats(), &y = in[1]->floats();
    if (op.getReduction() == amp::LossReduction::none) {
      std::vector<double> squares(x.size());
      for (size_t i = 0; i < x.size(); ++i)
        squares[i] = (x[i] - y[i]) * (x[i] - y[i]);
      out.push_back(Tensor::ofFloats(resultType(op), std::move(squares)));
      return success();
    }
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i)
      sum += (x[i] - y[i]) * (x[i] - y[i]);
    if (op.getReduction() == amp::LossReduction::mean)
      sum /= static_cast<double>(op.termCount()); // no terms: 0/0 is NaN (N18)
    out.push_back(Tensor::ofFloats(resultType(op), {sum}));
    return success();
  }
};

} // namespace

void attachLossModels(MLIRContext &context) {
  amp::MseOp::attachInterface<MseModel>(context);
}

} // namespace ampc::reference

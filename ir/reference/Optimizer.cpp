// The value of the optimizer updates, by their formulas (Optimizer.td) in f64;
// each result is rounded once to f32.
#include "ir/reference/Models.h"

#include <cmath>

using namespace mlir;

namespace ampc::reference {

namespace {

struct SgdModel : Model<SgdModel, amp::SgdOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::SgdOp>(operation);
    double momentum = op.getMomentum().convertToDouble();
    double dampening = op.getDampening().convertToDouble();
    double decay = op.getWeightDecay().convertToDouble();
    // Operands: parameter, gradient, [momentum buffer], update, lr.
    bool hasBuffer = !op.getState().empty();
    bool first = in[in.size() - 2]->integers()[0] == 0;
    double lr = in[in.size() - 1]->floats()[0];

    size_t count = in[0]->floats().size();
    std::vector<double> parameter(count), buffer(hasBuffer ? count : 0);
    for (size_t i = 0; i < count; ++i) {
      double p = in[0]->floats()[i];
      double d = in[1]->floats()[i];
      if (decay != 0)
        d += decay * p;
      if (hasBuffer) {
        double b =
            first ? d : momentum * in[2]->floats()[i] + (1 - dampening) * d;
        buffer[i] = b;
        d = op.getNesterov() ? d + momentum * b : b;
      }
      parameter[i] = p - lr * d;
    }
    out.push_back(Tensor::ofFloats(resultType(op), std::move(parameter)));
    if (hasBuffer)
      out.push_back(Tensor::ofFloats(resultType(op), std::move(buffer)));
    return success();
  }
};

struct AdamModel : Model<AdamModel, amp::AdamOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::AdamOp>(operation);
    double beta1 = op.getBeta1().convertToDouble(),
           beta2 = op.getBeta2().convertToDouble();
    double eps = op.getEps().convertToDouble();
    double decay = op.getWeightDecay().convertToDouble();
    // Operands: parameter, gradient, exp_avg, exp_avg_sq, update, lr.
    double t = static_cast<double>(in[4]->integers()[0]) + 1;
    double lr = in[5]->floats()[0];
    double c1 = 1 - std::pow(beta1, t), c2 = 1 - std::pow(beta2, t);

    size_t count = in[0]->floats().size();
    std::vector<double> parameter(count), mean(count), square(count);
    for (size_t i = 0; i < count; ++i) {
      double p = in[0]->floats()[i], g = in[1]->floats()[i];
      double m = in[2]->floats()[i], v = in[3]->floats()[i];
      if (decay != 0 && op.getDecoupled())
        p -= lr * decay * p;
      else if (decay != 0)
        g += decay * p;
      m += (g - m) * (1 - beta1);
      v = v * beta2 + (1 - beta2) * g * g;
      parameter[i] = p - (lr / c1) * (m / (std::sqrt(v) / std::sqrt(c2) + eps));
      mean[i] = m;
      square[i] = v;
    }
    out.push_back(Tensor::ofFloats(resultType(op), std::move(parameter)));
    out.push_back(Tensor::ofFloats(resultType(op), std::move(mean)));
    out.push_back(Tensor::ofFloats(resultType(op), std::move(square)));
    return success();
  }
};

} // namespace

void attachOptimizerModels(MLIRContext &context) {
  amp::SgdOp::attachInterface<SgdModel>(context);
  amp::AdamOp::attachInterface<AdamModel>(context);
}

} // namespace ampc::reference

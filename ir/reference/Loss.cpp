// The value of the losses, by their formulas: f64 throughout, one rounding of
// the loss.
#include "ir/reference/Models.h"

#include <cmath>

using namespace mlir;

namespace ampc::reference {

namespace {

/// A loss whose terms are `Terms::of(op, operands, i)`, one an element.
template <typename OpT, typename Terms>
struct TermLossModel : Model<TermLossModel<OpT, Terms>, OpT> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<OpT>(operation);
    std::vector<double> terms(in[0]->floats().size());
    for (size_t i = 0; i < terms.size(); ++i)
      terms[i] = Terms::of(op, in, i);
    if (op.getReduction() != amp::LossReduction::none) {
      double sum = 0;
      for (double term : terms)
        sum += term;
      if (op.getReduction() == amp::LossReduction::mean)
        sum /= static_cast<double>(op.termCount()); // no terms: NaN (N18)
      terms = {sum};
    }
    out.push_back(Tensor::ofFloats(resultType(op), std::move(terms)));
    return success();
  }
};

double difference(Operands in, size_t i) {
  return in[0]->floats()[i] - in[1]->floats()[i];
}

struct SquaredError {
  static double of(amp::MseOp, Operands in, size_t i) {
    return difference(in, i) * difference(in, i);
  }
};

struct AbsoluteError {
  static double of(amp::L1Op, Operands in, size_t i) {
    return std::fabs(difference(in, i));
  }
};

struct HuberError {
  static double of(amp::HuberOp op, Operands in, size_t i) {
    // delta is a constant of the loss's type (N5).
    double delta = roundTo(op.getDelta().convertToDouble(),
                           resultType(op).getElementType());
    double size = std::fabs(difference(in, i));
    return size > delta ? delta * (size - 0.5 * delta) : 0.5 * size * size;
  }
};

struct BinaryCrossEntropy {
  static double of(amp::BceWithLogitsOp op, Operands in, size_t i) {
    double x = in[0]->floats()[i], y = in[1]->floats()[i];
    unsigned next = 2;
    double weight = op.getWeight() ? in[next++]->floats()[i] : 1;
    double positive = op.getPosWeight() ? in[next]->floats()[i] : 1;
    double negative = (x < 0 ? -x : 0) + std::log1p(std::exp(-std::fabs(x)));
    return weight * ((1 - y) * x + (1 + (positive - 1) * y) * negative);
  }
};

} // namespace

void attachLossModels(MLIRContext &context) {
  amp::MseOp::attachInterface<TermLossModel<amp::MseOp, SquaredError>>(context);
  amp::L1Op::attachInterface<TermLossModel<amp::L1Op, AbsoluteError>>(context);
  amp::HuberOp::attachInterface<TermLossModel<amp::HuberOp, HuberError>>(
      context);
  amp::BceWithLogitsOp::attachInterface<
      TermLossModel<amp::BceWithLogitsOp, BinaryCrossEntropy>>(context);
}

} // namespace ampc::reference

// The value of the activations, by their formulas in f64 and not by their
// decompositions.
#include "ir/reference/ScalarModels.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace ampc::reference {

namespace {

struct Relu {
  static double of(double x) { return Maximum::of(x, 0.0); }
};
struct Rsqrt {
  static double of(double x) { return 1 / std::sqrt(x); }
};
struct Sigmoid {
  static double of(double x) {
    double e = std::exp(-std::fabs(x));
    return (x >= 0 ? 1 : e) / (1 + e);
  }
};

/// `x` times a share of it in [0, 1]; a share of nothing is -0, also of -inf.
double shareOf(double x, double share) { return share == 0 ? -0.0 : x * share; }

struct Silu {
  static double of(double x) { return shareOf(x, Sigmoid::of(x)); }
};

/// Evaluates `formula` on each element of the one operand.
template <typename Fn>
LogicalResult mapFloats(Operation *op, Operands in, Results &out, Fn formula) {
  Tensor result(resultType(op));
  Rounder round(result.elementType());
  for (size_t i = 0; i < result.floats().size(); ++i)
    result.floats()[i] = round(formula(in[0]->floats()[i]));
  out.push_back(std::move(result));
  return success();
}

struct GeluModel : Model<GeluModel, amp::GeluOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    constexpr double sqrt2 = llvm::numbers::sqrt2;
    if (cast<amp::GeluOp>(op).getApproximate() == amp::GeluApproximation::none)
      return mapFloats(op, in, out, [](double x) {
        // (1 + erf y) / 2 without the cancellation.
        return shareOf(x, 0.5 * std::erfc(-x / sqrt2));
      });
    return mapFloats(op, in, out, [](double x) {
      double u = sqrt2 * llvm::numbers::inv_sqrtpi * x * (1 + 0.044715 * x * x);
      // (1 + tanh u) / 2 is the logistic function of 2 u.
      return shareOf(x, Sigmoid::of(2 * u));
    });
  }
};

struct SoftplusModel : Model<SoftplusModel, amp::SoftplusOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::SoftplusOp>(operation);
    double beta = op.getBeta().convertToDouble();
    double threshold = op.getThreshold().convertToDouble();
    return mapFloats(op, in, out, [=](double x) {
      double z = beta * x;
      if (z > threshold)
        return x;
      double bent = std::log1p(std::exp(-std::fabs(z)));
      return (Maximum::of(z, 0.0) + bent) / beta;
    });
  }
};

struct ClipModel : Model<ClipModel, amp::ClipOp> {
  LogicalResult evaluate(Operation *operation, Operands in,
                         Results &out) const {
    auto op = cast<amp::ClipOp>(operation);
    std::optional<double> min, max;
    if (op.getMin())
      min = op.getMin()->convertToDouble();
    if (op.getMax())
      max = op.getMax()->convertToDouble();
    auto clip = [&](auto x) {
      using T = decltype(x);
      if (min)
        x = Maximum::of(x, static_cast<T>(*min));
      return max ? Minimum::of(x, static_cast<T>(*max)) : x;
    };
    if (in[0]->isFloat())
      return mapFloats(op, in, out, clip);
    Tensor result = *in[0];
    for (int64_t &value : result.integers())
      value = clip(value);
    out.push_back(std::move(result));
    return success();
  }
};

} // namespace

void attachActivationModels(MLIRContext &context) {
  amp::ReluOp::attachInterface<UnaryModel<amp::ReluOp, Relu>>(context);
  amp::RsqrtOp::attachInterface<UnaryModel<amp::RsqrtOp, Rsqrt>>(context);
  amp::SigmoidOp::attachInterface<UnaryModel<amp::SigmoidOp, Sigmoid>>(context);
  amp::SiluOp::attachInterface<UnaryModel<amp::SiluOp, Silu>>(context);
  amp::GeluOp::attachInterface<GeluModel>(context);
  amp::SoftplusOp::attachInterface<SoftplusModel>(context);
  amp::ClipOp::attachInterface<ClipModel>(context);
}

} // namespace ampc::reference

// The value of roots, exponentials and kin: the C library's f64 functions,
// which are within one unit in the last place of f64.
#include "ir/reference/ScalarModels.h"

using namespace mlir;

namespace ampc::reference {

namespace {

struct Exp {
  static double of(double x) { return std::exp(x); }
};
struct Log {
  static double of(double x) { return std::log(x); }
};
struct Log1p {
  static double of(double x) { return std::log1p(x); }
};
struct Sqrt {
  static double of(double x) { return std::sqrt(x); }
};
struct Tanh {
  static double of(double x) { return std::tanh(x); }
};
struct Erf {
  static double of(double x) { return std::erf(x); }
};
struct Sin {
  static double of(double x) { return std::sin(x); }
};
struct Cos {
  static double of(double x) { return std::cos(x); }
};
struct Pow {
  static double of(double a, double b) { return std::pow(a, b); }
};

} // namespace

void attachTranscendentalModels(MLIRContext &context) {
  amp::ExpOp::attachInterface<UnaryModel<amp::ExpOp, Exp>>(context);
  amp::LogOp::attachInterface<UnaryModel<amp::LogOp, Log>>(context);
  amp::Log1pOp::attachInterface<UnaryModel<amp::Log1pOp, Log1p>>(context);
  amp::SqrtOp::attachInterface<UnaryModel<amp::SqrtOp, Sqrt>>(context);
  amp::TanhOp::attachInterface<UnaryModel<amp::TanhOp, Tanh>>(context);
  amp::ErfOp::attachInterface<UnaryModel<amp::ErfOp, Erf>>(context);
  amp::SinOp::attachInterface<UnaryModel<amp::SinOp, Sin>>(context);
  amp::CosOp::attachInterface<UnaryModel<amp::CosOp, Cos>>(context);
  amp::PowOp::attachInterface<BinaryModel<amp::PowOp, Pow>>(context);
}

} // namespace ampc::reference

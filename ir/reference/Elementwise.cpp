// The value of the scalar maps: one formula an element in f64, one rounding to
// the result type. For floats up to 32 bits f64 carries more than twice the
// digits, so the one rounding of the exact sum, product, quotient or root
// equals the op's own.
#include "ir/reference/Models.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace ampc::reference {

namespace {

/// Integer arithmetic wraps: it is done unsigned and wrapped to the element
/// type by the caller.
template <typename Fn>
int64_t wrapping(int64_t a, int64_t b, Fn fn) {
  return static_cast<int64_t>(
      fn(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
}

struct Add {
  static double of(double a, double b) { return a + b; }
  static int64_t of(int64_t a, int64_t b) {
    return wrapping(a, b, std::plus<uint64_t>());
  }
};
struct Sub {
  static double of(double a, double b) { return a - b; }
  static int64_t of(int64_t a, int64_t b) {
    return wrapping(a, b, std::minus<uint64_t>());
  }
};
struct Mul {
  static double of(double a, double b) { return a * b; }
  static int64_t of(int64_t a, int64_t b) {
    return wrapping(a, b, std::multiplies<uint64_t>());
  }
};
struct Div {
  static double of(double a, double b) { return a / b; }
};
struct Maximum {
  static double of(double a, double b) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<double>::quiet_NaN();
    if (a == b) // +0 wins over -0
      return std::signbit(a) ? b : a;
    return a > b ? a : b;
  }
  static int64_t of(int64_t a, int64_t b) { return std::max(a, b); }
};
struct Minimum {
  static double of(double a, double b) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<double>::quiet_NaN();
    if (a == b) // -0 wins over +0
      return std::signbit(a) ? a : b;
    return a < b ? a : b;
  }
  static int64_t of(int64_t a, int64_t b) { return std::min(a, b); }
};

struct Neg {
  static double of(double x) { return -x; }
};
struct Exp {
  static double of(double x) { return std::exp(x); }
};
struct Sqrt {
  static double of(double x) { return std::sqrt(x); }
};
struct Relu {
  static double of(double x) { return Maximum::of(x, 0.0); }
};

template <typename OpT, typename Formula>
struct UnaryModel : Model<UnaryModel<OpT, Formula>, OpT> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    Tensor result(resultType(op));
    Rounder round(result.elementType());
    for (size_t i = 0; i < result.floats().size(); ++i)
      result.floats()[i] = round(Formula::of(in[0]->floats()[i]));
    out.push_back(std::move(result));
    return success();
  }
};

/// A formula for floats, and for integers where the op takes them.
template <typename OpT, typename Formula>
struct BinaryModel : Model<BinaryModel<OpT, Formula>, OpT> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    const Tensor &a = *in[0], &b = *in[1];
    Tensor result(resultType(op));
    Type element = result.elementType();
    if (result.isFloat()) {
      Rounder round(element);
      for (size_t i = 0; i < result.floats().size(); ++i)
        result.floats()[i] = round(Formula::of(a.floats()[i], b.floats()[i]));
    } else if constexpr (!std::is_same_v<Formula, Div>) {
      for (size_t i = 0; i < result.integers().size(); ++i)
        result.integers()[i] =
            wrapTo(Formula::of(a.integers()[i], b.integers()[i]), element);
    }
    out.push_back(std::move(result));
    return success();
  }
};

template <typename T>
bool holds(amp::ComparePredicate predicate, T a, T b) {
  switch (predicate) {
  case amp::ComparePredicate::eq:
    return a == b;
  case amp::ComparePredicate::ne:
    return a != b;
  case amp::ComparePredicate::lt:
    return a < b;
  case amp::ComparePredicate::le:
    return a <= b;
  case amp::ComparePredicate::gt:
    return a > b;
  case amp::ComparePredicate::ge:
    return a >= b;
  }
  llvm_unreachable("covered switch");
}

struct CompareModel : Model<CompareModel, amp::CompareOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    amp::ComparePredicate predicate = cast<amp::CompareOp>(op).getPredicate();
    const Tensor &a = *in[0], &b = *in[1];
    Tensor result(resultType(op));
    for (size_t i = 0; i < result.integers().size(); ++i)
      result.integers()[i] =
          a.isFloat() ? holds(predicate, a.floats()[i], b.floats()[i])
                      : holds(predicate, a.integers()[i], b.integers()[i]);
    out.push_back(std::move(result));
    return success();
  }
};

struct SelectModel : Model<SelectModel, amp::SelectOp> {
  LogicalResult evaluate(Operation *op, Operands in, Results &out) const {
    const std::vector<int64_t> &condition = in[0]->integers();
    Tensor result = *in[2];
    for (size_t i = 0; i < condition.size(); ++i) {
      if (!condition[i])
        continue;
      if (result.isFloat())
        result.floats()[i] = in[1]->floats()[i];
      else
        result.integers()[i] = in[1]->integers()[i];
    }
    out.push_back(std::move(result));
    return success();
  }
};

} // namespace

void attachElementwiseModels(MLIRContext &context) {
  amp::AddOp::attachInterface<BinaryModel<amp::AddOp, Add>>(context);
  amp::SubOp::attachInterface<BinaryModel<amp::SubOp, Sub>>(context);
  amp::MulOp::attachInterface<BinaryModel<amp::MulOp, Mul>>(context);
  amp::DivOp::attachInterface<BinaryModel<amp::DivOp, Div>>(context);
  amp::MaximumOp::attachInterface<BinaryModel<amp::MaximumOp, Maximum>>(
      context);
  amp::MinimumOp::attachInterface<BinaryModel<amp::MinimumOp, Minimum>>(
      context);
  amp::NegOp::attachInterface<UnaryModel<amp::NegOp, Neg>>(context);
  amp::ExpOp::attachInterface<UnaryModel<amp::ExpOp, Exp>>(context);
  amp::SqrtOp::attachInterface<UnaryModel<amp::SqrtOp, Sqrt>>(context);
  amp::ReluOp::attachInterface<UnaryModel<amp::ReluOp, Relu>>(context);
  amp::CompareOp::attachInterface<CompareModel>(context);
  amp::SelectOp::attachInterface<SelectModel>(context);
}

} // namespace ampc::reference

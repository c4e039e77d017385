// The value of the arithmetic: one formula an element.
#include "ir/reference/ScalarModels.h"

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
struct Neg {
  static double of(double x) { return -x; }
};
struct Abs {
  static double of(double x) { return std::fabs(x); }
  static int64_t of(int64_t x) { return x < 0 ? Sub::of(0, x) : x; }
};
struct Sign {
  static double of(double x) {
    return x > 0 ? 1.0 : x < 0 ? -1.0 : x; // zeros and NaN stay
  }
  static int64_t of(int64_t x) { return (x > 0) - (x < 0); }
};
struct Floor {
  static double of(double x) { return std::floor(x); }
};

/// Whether a remainder that truncation leaves must move by one divisor.
template <typename T>
bool isOnTheOtherSide(T remainder, T divisor) {
  return remainder != 0 && (remainder < 0) != (divisor < 0);
}
struct FloorDiv {
  static double of(double a, double b) {
    if (b == 0)
      return a / b;
    double remainder = std::fmod(a, b);
    double quotient = std::nearbyint((a - remainder) / b);
    if (isOnTheOtherSide(remainder, b))
      quotient -= 1;
    return quotient == 0 ? std::copysign(0.0, a / b) : quotient;
  }
  static int64_t of(int64_t a, int64_t b) {
    if (b == 0)
      return 0;
    if (b == -1) // the least integer's quotient is out of range
      return Sub::of(0, a);
    return a / b - isOnTheOtherSide(a % b, b);
  }
};
struct Remainder {
  static double of(double a, double b) {
    double remainder = std::fmod(a, b);
    return isOnTheOtherSide(remainder, b) ? remainder + b : remainder;
  }
  static int64_t of(int64_t a, int64_t b) {
    if (b == 0 || b == -1)
      return 0;
    int64_t remainder = a % b;
    return isOnTheOtherSide(remainder, b) ? remainder + b : remainder;
  }
};

} // namespace

void attachElementwiseModels(MLIRContext &context) {
  amp::AddOp::attachInterface<BinaryModel<amp::AddOp, Add>>(context);
  amp::SubOp::attachInterface<BinaryModel<amp::SubOp, Sub>>(context);
  amp::MulOp::attachInterface<BinaryModel<amp::MulOp, Mul>>(context);
  amp::DivOp::attachInterface<BinaryModel<amp::DivOp, Div>>(context);
  amp::FloorDivOp::attachInterface<BinaryModel<amp::FloorDivOp, FloorDiv>>(
      context);
  amp::RemainderOp::attachInterface<BinaryModel<amp::RemainderOp, Remainder>>(
      context);
  amp::MaximumOp::attachInterface<BinaryModel<amp::MaximumOp, Maximum>>(
      context);
  amp::MinimumOp::attachInterface<BinaryModel<amp::MinimumOp, Minimum>>(
      context);
  amp::NegOp::attachInterface<UnaryModel<amp::NegOp, Neg>>(context);
  amp::AbsOp::attachInterface<UnaryModel<amp::AbsOp, Abs>>(context);
  amp::SignOp::attachInterface<UnaryModel<amp::SignOp, Sign>>(context);
  amp::FloorOp::attachInterface<UnaryModel<amp::FloorOp, Floor>>(context);
}

} // namespace ampc::reference

// What the error rules share: a number with its error, and the two kinds of
// elementwise rule.
#ifndef AMPC_TEST_NUMERICS_INTERVALS_H
#define AMPC_TEST_NUMERICS_INTERVALS_H

#include "test/numerics/Bounds.h"
#include "test/numerics/RunningError.h"

#include <cmath>
#include <limits>

namespace ampc::test {

/// The error of a value that nothing bounds.
inline constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// One element with its error.
struct Number {
  double value, error;
  double high() const { return value + error; }
  double low() const { return value - error; }
  double magnitude() const { return std::fabs(value) + error; }
};

inline Number at(const SharedBounded &operand, int64_t i) {
  return {operand->value.number(i), operand->error[i]};
}

/// The roundings of a conforming value and of the reference, both near `value`.
inline double twoRoundings(double value, double error, mlir::Type element) {
  return mlir::isa<mlir::FloatType>(element)
             ? 2 * roundingBound(std::fabs(value) + error, element)
             : 0;
}

/// The larger distance of an interval's ends from `value`.
inline double reach(double value, double low, double high) {
  return std::max(high - value, value - low);
}

/// A correctly rounded op whose propagated error is `propagate(a, b)`.
template <typename Fn>
void roundedMap(llvm::ArrayRef<SharedBounded> in, Bounded &out, bool sure,
                Fn propagate) {
  mlir::Type element = out.value.elementType();
  for (int64_t i = 0; i < out.value.size(); ++i) {
    Number a = at(in[0], i), b = in.size() > 1 ? at(in[1], i) : Number{0, 0};
    if (sure && a.error == 0 && b.error == 0)
      continue;
    double error = propagate(a, b);
    out.error[i] = error + twoRoundings(out.value.number(i), error, element);
  }
}

/// An op that picks or moves values and rounds nothing.
template <typename Fn>
void exactMap(Bounded &out, Fn error) {
  for (int64_t i = 0; i < out.value.size(); ++i)
    out.error[i] = error(i);
}

} // namespace ampc::test

#endif // AMPC_TEST_NUMERICS_INTERVALS_H

// Rules of functions that are specified in units in the last place, of steps
// and of truth values; see ErrorRules.h.
#include "test/numerics/ErrorRules.h"
#include "test/numerics/Intervals.h"

#include "ir/dialect/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace ampc::test {

namespace {

/// A function of one operand within `ulps`, whose propagated error is
/// `propagate(x)`. Exact infinities and NaN have one value.
template <typename Fn>
void functionMap(ArrayRef<SharedBounded> in, Bounded &out, double ulps,
                 Fn propagate) {
  Type element = out.value.elementType();
  for (int64_t i = 0; i < out.value.size(); ++i) {
    double value = out.value.number(i);
    Number x = at(in[0], i);
    if (x.error == 0 && !std::isfinite(value))
      continue;
    double error = x.error == 0 ? 0 : propagate(x);
    out.error[i] = error + ulpBound(std::fabs(value) + error, element, ulps);
  }
}

/// The same for a function that rises over `[least, inf)`.
template <typename Fn>
void risingMap(ArrayRef<SharedBounded> in, Bounded &out, double ulps,
               double least, Fn f) {
  functionMap(in, out, ulps, [&](Number x) {
    if (x.low() < least)
      return kUnknown;
    return reach(f(x.value), f(x.low()), f(x.high()));
  });
}

/// The ends of `f` over a box of which it takes its extremes at the corners.
template <typename Fn>
std::pair<double, double> corners(Number a, Number b, Fn f) {
  double low = kUnknown, high = -kUnknown;
  for (double x : {a.low(), a.high()})
    for (double y : {b.low(), b.high()}) {
      low = std::min(low, f(x, y));
      high = std::max(high, f(x, y));
    }
  return {low, high};
}

bool straddlesZero(Number x) { return x.low() <= 0 && x.high() >= 0; }

double powError(Number a, Number b) {
  auto power = [](double x, double y) { return std::pow(x, y); };
  bool isWhole = b.error == 0 && b.value == std::trunc(b.value);
  if (isWhole && b.value == 0)
    return 0; // 1 everywhere
  if (!isWhole && a.low() < 0)
    return kUnknown; // may be NaN
  if (straddlesZero(a) && b.low() <= 0)
    return kUnknown;
  auto [low, high] = corners(a, b, power);
  if (straddlesZero(a)) { // an even power has its least value inside
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
  }
  return reach(power(a.value, b.value), low, high);
}

/// Quotients that surely round down to numbers of every format.
constexpr double kSureQuotient = 0x1p22;

double quotient(double a, double b) { return a / b; }

void boundFloorDiv(ArrayRef<SharedBounded> in, Bounded &out) {
  Type element = out.value.elementType();
  exactMap(out, [&](int64_t i) {
    Number a = at(in[0], i), b = at(in[1], i);
    double value = out.value.number(i), error = 0;
    if (a.error != 0 || b.error != 0) {
      if (straddlesZero(b))
        return kUnknown;
      auto [low, high] = corners(a, b, quotient);
      error = reach(value, std::floor(low), std::floor(high));
    }
    bool isExact = !isa<FloatType>(element) || !std::isfinite(value) ||
                   std::fabs(value) + error < kSureQuotient;
    return isExact ? error
                   : error + ulpBound(std::fabs(value) + error, element, 2);
  });
}

double remainderError(Number a, Number b) {
  if (straddlesZero(b))
    return kUnknown;
  auto [low, high] = corners(a, b, quotient);
  double times = std::floor(low);
  if (times != std::floor(high)) // either side of a step, in [0, b)
    return b.magnitude();
  return a.error + std::fabs(times) * b.error;
}

double signOf(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

/// A truth value is certain where both operands are, or where one decides
/// alone: a certain `deciding`.
void boundTruth(ArrayRef<SharedBounded> in, Bounded &out,
                std::optional<double> deciding) {
  exactMap(out, [&](int64_t i) {
    double error = 0;
    for (const SharedBounded &operand : in) {
      if (operand->error[i] == 0 && operand->value.number(i) == deciding)
        return 0.0;
      error = std::max(error, operand->error[i]);
    }
    return error;
  });
}

} // namespace

bool boundFunction(Operation *op, ArrayRef<SharedBounded> in, bool sure,
                   Bounded &out) {
  auto steps = [&](auto f) {
    exactMap(out, [&](int64_t i) {
      Number x = at(in[0], i);
      return x.error == 0 ? 0.0 : reach(f(x.value), f(x.low()), f(x.high()));
    });
  };
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](amp::LogOp) {
        risingMap(in, out, 2, 0, [](double x) { return std::log(x); });
        return true;
      })
      .Case([&](amp::Log1pOp) {
        risingMap(in, out, 2, -1, [](double x) { return std::log1p(x); });
        return true;
      })
      .Case([&](amp::TanhOp) {
        risingMap(in, out, 2, -kUnknown, [](double x) { return std::tanh(x); });
        return true;
      })
      .Case([&](amp::ErfOp) {
        risingMap(in, out, 2, -kUnknown, [](double x) { return std::erf(x); });
        return true;
      })
      .Case<amp::SinOp, amp::CosOp>([&](auto) {
        functionMap(in, out, 4,
                    [](Number x) { return std::min(x.error, 2.0); });
        return true;
      })
      .Case([&](amp::PowOp) {
        Type element = out.value.elementType();
        exactMap(out, [&](int64_t i) {
          Number a = at(in[0], i), b = at(in[1], i);
          double value = out.value.number(i);
          bool isExact = a.error == 0 && b.error == 0;
          if (isExact && !std::isfinite(value))
            return 0.0;
          double error = isExact ? 0 : powError(a, b);
          return error + ulpBound(std::fabs(value) + error, element, 4);
        });
        return true;
      })
      .Case([&](amp::SignOp) { return steps(signOf), true; })
      .Case([&](amp::FloorOp) {
        return steps([](double x) { return std::floor(x); }), true;
      })
      .Case([&](amp::FloorDivOp) { return boundFloorDiv(in, out), true; })
      .Case([&](amp::RemainderOp) {
        roundedMap(in, out, sure, remainderError);
        return true;
      })
      .Case([&](amp::AndOp) { return boundTruth(in, out, 0.0), true; })
      .Case([&](amp::OrOp) { return boundTruth(in, out, 1.0), true; })
      .Case<amp::XorOp, amp::NotOp>(
          [&](auto) { return boundTruth(in, out, std::nullopt), true; })
      .Case([&](amp::IotaOp) { return true; })
      .Default([](Operation *) { return false; });
}

} // namespace ampc::test

// fmod as arithmetic, in f64: exact, as C has it.
//
// A step takes from r a multiple of y 2^n, n such that the quotient is between
// 2^49 and 2^51 while r is that large, and 0 after. The quotient's whole part
// is right or one too much, and the product is taken from r exactly by fma, so
// that the sum is exact; below zero, y 2^n is added back. A step takes 49 bits
// at least from the quotient, which is below 2^277 for f32 and 2^2098 for f64.
#include "codegen/kernel/MathBuilder.h"

using namespace mlir;
using namespace ampc;

using Compare = MathBuilder::Compare;

static constexpr int kSteps32 = 6, kSteps64 = 43;

namespace {

/// The remainder of positive finite numbers.
struct Division {
  MathBuilder m;
  Value y;
  Value exponent; ///< of y, i64
  bool isWide;    ///< exponents of f64

  Value integer(int64_t value) { return m.integer(value); }
  Value plus(Value a, int64_t b) {
    return arith::AddIOp::create(m.builder, m.loc, a, integer(b));
  }
  /// The exponent of `value`; of a subnormal only in f64.
  Value exponentOf(Value value) {
    auto field = [&](Value number) {
      return arith::ShRSIOp::create(m.builder, m.loc, m.bits(number),
                                    integer(52));
    };
    if (!isWide)
      return field(value);
    Value isTiny = m.compare(Compare::OLT, value, 0x1p-1022);
    return m.select(isTiny, plus(field(m.mul(value, 0x1p54)), -54),
                    field(value));
  }
  Value powerOfTwo(Value n) {
    return m.fromBits(
        arith::ShLIOp::create(m.builder, m.loc, plus(n, 1023), integer(52)));
  }
  /// y 2^n; beyond f32's exponents in three factors, which stay finite.
  Value scaled(Value n) {
    if (!isWide)
      return m.mul(y, powerOfTwo(n));
    Value third = arith::DivSIOp::create(m.builder, m.loc, n, integer(3));
    Value two = arith::AddIOp::create(m.builder, m.loc, third, third);
    Value rest = arith::SubIOp::create(m.builder, m.loc, n, two);
    Value factor = powerOfTwo(third);
    return m.mul(m.mul(m.mul(y, factor), factor), powerOfTwo(rest));
  }
  Value step(Value r) {
    Value n = plus(
        arith::SubIOp::create(m.builder, m.loc, exponentOf(r), exponent), -50);
    n = arith::MaxSIOp::create(m.builder, m.loc, n, integer(0));
    Value divisor = scaled(n);
    Value quotient = m.floor(m.div(r, divisor));
    r = m.fma(m.negate(quotient), divisor, r);
    return m.select(m.compare(Compare::OLT, r, 0.0), m.add(r, divisor), r);
  }
};

} // namespace

Value ampc::expandFmod(MathBuilder narrow, Value x, Value y) {
  MathBuilder m = narrow.wide();
  bool isF32 = narrow.isF32();
  Value dividend = isF32 ? m.extend(x) : x, divisor = isF32 ? m.extend(y) : y;
  Value inf = m.number(INFINITY);
  Value r = m.absolute(dividend), magnitude = m.absolute(divisor);
  Value isUndefined =
      arith::OrIOp::create(m.builder, m.loc, m.compare(Compare::OEQ, r, inf),
                           m.compare(Compare::OEQ, magnitude, 0.0));
  Value isWhole = m.compare(Compare::OEQ, magnitude, inf);

  Division division{m, magnitude, Value(), !isF32};
  division.exponent = division.exponentOf(magnitude);
  for (int i = 0; i < (isF32 ? kSteps32 : kSteps64); ++i)
    r = division.step(r);

  Value result = m.flipSign(r, m.signBit(dividend));
  result = m.select(isWhole, dividend, result);
  result = m.select(isUndefined, m.number(NAN), result);
  result = m.select(m.isNan(dividend), dividend, result);
  result = m.select(m.isNan(divisor), divisor, result);
  return isF32 ? narrow.round(result) : result;
}

// log, log1p and pow as arithmetic. log1p and pow of f32 extend to f64 and
// round once.
//
// log, f32: x = 2^k m with m in [2/3, 4/3), from the bits; f = m - 1, which is
// exact; log m = f + f^2 (f Q(f) - 1/2) with Q minimax.
//
// log, f64: x = 2^k m with m in [sqrt 1/2, sqrt 2), from the bits; f = m - 1,
// which is exact; s = f / (2 + f), so that log m = 2 atanh s = 2 s + s R(s^2)
// with R interpolated at Chebyshev points. In terms of f that is f - (h - s (h
// + R)) with h = f^2 / 2, where the large terms are exact.
//
// log1p: log u + (x - (u - 1)) / u with u = 1 + x rounded.
//
// pow: e^(y log |x|). An f64 result takes log |x| and its product with y as
// sums of two numbers; then signs and special cases by C99, F.9.4.4.
#include "codegen/kernel/MathBuilder.h"

using namespace mlir;
using namespace ampc;

using Compare = MathBuilder::Compare;

/// R, for |s| <= (sqrt 2 - 1) / (sqrt 2 + 1): to 2^-43 and to 2^-57.
static constexpr double kLogShort[] = {
    0x1.5555555564e96p-1, 0x1.999998cafbf2ap-2, 0x1.249323e4d7fc7p-2,
    0x1.c67ada017cf97p-3, 0x1.8c8c11e54d389p-3};
static constexpr double kLog64[] = {0x1.5555555555558p-1, 0x1.99999999952e2p-2,
                                    0x1.2492492df148dp-2, 0x1.c71c62e5800a1p-3,
                                    0x1.7462b4ab2ef6bp-3, 0x1.39fe606542ddep-3,
                                    0x1.2b584aae78a57p-3};
/// (R(z) - 2/3 z) / z^2, to 2^-62 of the logarithm.
static constexpr double kLogTail[] = {
    0x1.999999999999ep-2, 0x1.249249248e53bp-2, 0x1.c71c71d7e5cbbp-3,
    0x1.745d09f1d2e07p-3, 0x1.3b18b888c578fp-3, 0x1.1018bb6af787ep-3,
    0x1.0877e906b72d3p-3};
/// Q, to 2^-30 of the logarithm.
static constexpr double kLog32[] = {
    0x1.555556p-2,  -0x1.ffff0ep-3, 0x1.99977ep-3,
    -0x1.559908p-3, 0x1.24f48ap-3,  -0x1.f389dcp-4,
    0x1.b87e7cp-4,  -0x1.071168p-3, 0x1.ebcfbap-4};
/// ln 2 in two parts for f32; the first times an exponent is exact.
static constexpr double kLn2High32 = 0x1.62e4p-1, kLn2Low32 = 0x1.7f7d1cp-20;
/// ln 2 in two parts; the first times an exponent is exact.
static constexpr double kLn2High = 0x1.62e42fefap-1,
                        kLn2Low = 0x1.cf79abc9e3b3ap-40;

namespace {

/// x = 2^k (1 + f) for a positive finite x.
struct Parts {
  Value k, f;
};

/// A number as the sum of two, the second below half an ulp of the first.
struct Pair {
  Value high, low;
};

} // namespace

static Parts splitExponent(MathBuilder m, Value x) {
  OpBuilder &builder = m.builder;
  Location loc = m.loc;
  // Subnormals first become normal; f32's are normal in f64 already.
  Value isTiny = m.compare(Compare::OLT, x, 0x1p-1022);
  x = m.select(isTiny, m.mul(x, 0x1p54), x);
  Value bits = m.bits(x);
  Value offset = arith::SubIOp::create(
      builder, loc, bits, m.integer(0x3fe6a09e667f3bcd)); // sqrt(1/2)
  Value exponent = arith::ShRSIOp::create(builder, loc, offset, m.integer(52));
  Value shifted = arith::ShLIOp::create(builder, loc, exponent, m.integer(52));
  Value mantissa =
      m.fromBits(arith::SubIOp::create(builder, loc, bits, shifted));
  // The exponent as a float without a conversion from i64, which few targets
  // have on vectors: into the low bits of 1.5 * 2^52.
  Value magic = m.number(0x1.8p52);
  Value biased =
      m.fromBits(arith::AddIOp::create(builder, loc, exponent, m.bits(magic)));
  Value k = m.sub(biased, magic);
  k = m.select(isTiny, m.sub(k, m.number(54.0)), k);
  return {k, m.sub(mantissa, m.number(1.0))};
}

/// Puts in what log has outside of (0, inf).
static Value logSpecials(MathBuilder m, Value x, Value result) {
  result =
      m.select(m.compare(Compare::OEQ, x, 0.0), m.number(-INFINITY), result);
  result = m.select(m.compare(Compare::OLT, x, 0.0), m.number(NAN), result);
  Value isFinite = m.compare(Compare::OLT, x, INFINITY);
  return m.select(isFinite, result, x); // inf and NaN
}

/// log x for x in (0, inf), where `correction` is added to the small terms.
static Value logFinite(MathBuilder m, Value x, Exactness exactness,
                       Value correction = {}) {
  auto [k, f] = splitExponent(m, x);
  Value s = m.div(f, m.add(f, 2.0));
  Value z = m.mul(s, s);
  Value r =
      m.mul(z, m.polynomial(exactness == Exactness::f32 ? ArrayRef(kLogShort)
                                                        : ArrayRef(kLog64),
                            z));
  Value h = m.mul(m.mul(f, 0.5), f);
  Value low = m.mul(k, kLn2Low);
  if (correction)
    low = m.add(low, correction);
  Value small = m.fma(s, m.add(h, r), low);
  return m.fma(k, kLn2High, m.sub(f, m.sub(h, small)));
}

static Exactness exactnessOf(MathBuilder m) {
  return m.isF32() ? Exactness::f32 : Exactness::f64;
}

/// log x for x in (0, inf) by an f32 builder.
static Value logFinite32(MathBuilder m, Value x) {
  OpBuilder &builder = m.builder;
  Location loc = m.loc;
  // Subnormals first become normal.
  Value isTiny = m.compare(Compare::OLT, x, 0x1p-126);
  Value bits = m.bits(m.select(isTiny, m.mul(x, 0x1p23), x));
  Value offset = arith::SubIOp::create(builder, loc, bits,
                                       m.integer(0x3f2aaaab)); // 2/3
  Value exponent = arith::ShRSIOp::create(builder, loc, offset, m.integer(23));
  Value shifted = arith::ShLIOp::create(builder, loc, exponent, m.integer(23));
  Value f = m.add(
      m.fromBits(arith::SubIOp::create(builder, loc, bits, shifted)), -1.0);
  Value k = arith::SIToFPOp::create(builder, loc, m.type, exponent);
  k = m.select(isTiny, m.add(k, -23.0), k);
  Value small = m.fma(f, m.polynomial(kLog32, f), m.number(-0.5));
  Value log = m.fma(m.mul(f, f), small, f);
  return m.fma(k, kLn2High32, m.fma(k, kLn2Low32, log));
}

Value ampc::expandLog(MathBuilder m, Value x) {
  return logSpecials(
      m, x, m.isF32() ? logFinite32(m, x) : logFinite(m, x, Exactness::f64));
}

Value ampc::expandLog1p(MathBuilder m, Value x) {
  MathBuilder wide = m.wide();
  Value argument = m.isF32() ? wide.extend(x) : x;
  Value u = wide.add(argument, 1.0);
  Value rest = wide.div(wide.sub(argument, wide.sub(u, wide.number(1.0))), u);
  Value result = logSpecials(wide, u, logFinite(wide, u, exactnessOf(m), rest));
  // log1p of +-0 is +-0, and of what 1 + x swallows is x.
  Value isTiny = wide.compare(Compare::OLT, wide.absolute(argument), 0x1p-54);
  result = wide.select(isTiny, argument, result);
  return m.isF32() ? m.round(result) : result;
}

//===----------------------------------------------------------------------===//
// pow
//===----------------------------------------------------------------------===//

/// a + b for |a| >= |b|.
static Pair fastSum(MathBuilder m, Value a, Value b) {
  Value high = m.add(a, b);
  return {high, m.add(m.sub(a, high), b)};
}

static Pair sum(MathBuilder m, Pair a, Pair b) {
  Value high = m.add(a.high, b.high);
  Value part = m.sub(high, a.high);
  Value error = m.add(m.sub(a.high, m.sub(high, part)), m.sub(b.high, part));
  return fastSum(m, high, m.add(error, m.add(a.low, b.low)));
}

static Pair product(MathBuilder m, Pair a, Pair b) {
  Value high = m.mul(a.high, b.high);
  Value error = m.fma(a.high, b.high, m.negate(high));
  error = m.fma(a.high, b.low, m.fma(a.low, b.high, error));
  return fastSum(m, high, error);
}

/// log x for x in (0, inf) to about 2^-62 of itself.
static Pair logPair(MathBuilder m, Value x) {
  auto [k, f] = splitExponent(m, x);
  Value zero = m.number(0.0);
  // s = f / (2 + f), both parts.
  Pair divisor = fastSum(m, m.number(2.0), f);
  Value quotient = m.div(f, divisor.high);
  Value rest = m.fma(m.negate(quotient), divisor.high, f);
  rest = m.fma(m.negate(quotient), divisor.low, rest);
  Pair s = fastSum(m, quotient, m.div(rest, divisor.high));
  // 2 s + 2/3 s^3 in pairs, the rest of the series in one number.
  Pair square = product(m, s, s);
  Pair cube = product(m, square, s);
  Pair third = product(
      m, cube,
      {m.number(0x1.5555555555555p-1), m.number(0x1.5555555555555p-55)});
  Value z = square.high;
  Value tail = m.mul(m.mul(cube.high, z), m.polynomial(kLogTail, z));
  Pair series = sum(m, third, {tail, zero});
  Pair total = sum(m, {m.add(s.high, s.high), m.add(s.low, s.low)}, series);
  Pair exponent = fastSum(m, m.mul(k, kLn2High), m.mul(k, kLn2Low));
  return sum(m, exponent, total);
}

/// |x|^y for a positive finite |x|, in f64.
static Value powerOf(MathBuilder m, Value magnitude, Value y,
                     Exactness exactness) {
  if (exactness == Exactness::f32)
    return exp64(m, m.mul(y, logFinite(m, magnitude, exactness)), exactness);
  // Beyond the clamp the result is 0 or inf; the parts of an infinite product
  // would make NaN.
  Pair log = logPair(m, magnitude);
  Value bounded = m.clamp(y, Compare::OGT, 0x1p70);
  bounded = m.clamp(bounded, Compare::OLT, -0x1p70);
  Value high = m.mul(log.high, bounded);
  Value low = m.fma(log.high, bounded, m.negate(high));
  low = m.fma(log.low, bounded, low);
  Value isLarge = m.compare(Compare::OGT, m.absolute(high), 1000.0);
  low = m.select(isLarge, m.number(0.0), low);
  return exp64(m, high, exactness, low);
}

Value ampc::expandPow(MathBuilder narrow, Value base, Value exponent) {
  MathBuilder m = narrow.wide();
  Exactness exactness = exactnessOf(narrow);
  Value x = narrow.isF32() ? m.extend(base) : base;
  Value y = narrow.isF32() ? m.extend(exponent) : exponent;
  Value zero = m.number(0.0), one = m.number(1.0), inf = m.number(INFINITY);
  Value magnitude = m.absolute(x);
  Value result = powerOf(m, magnitude, y, exactness);

  // The logarithm of 0 and inf: |x|^y is 0 where the two point apart.
  Value yNegative = m.compare(Compare::OLT, y, zero);
  Value isZero = m.compare(Compare::OEQ, x, zero);
  Value isInf = m.compare(Compare::OEQ, magnitude, inf);
  result = m.select(isZero, m.select(yNegative, inf, zero), result);
  result = m.select(isInf, m.select(yNegative, zero, inf), result);

  // Negative x: the sign of an odd y, NaN unless y is an integer. From 2^53 on
  // every number is an even integer.
  Value isInteger = m.compare(Compare::OEQ, m.floor(y), y);
  Value half = m.mul(y, 0.5);
  Value isEven = m.compare(Compare::OEQ, m.floor(half), half);
  Value xNegative = m.compare(Compare::OLT, x, zero);
  Value sign = m.select(isEven, zero, m.number(-0.0));
  sign = m.select(isInteger, sign, zero);
  Value signs =
      arith::AndIOp::create(m.builder, m.loc, m.bits(sign), m.signBit(x));
  result = m.flipSign(result, signs);
  Value isFiniteBase = m.compare(Compare::OLT, magnitude, inf);
  Value undefined = m.both(xNegative, isFiniteBase);
  Value nan = m.select(isInteger, result, m.number(NAN));
  result = m.select(undefined, nan, result);

  // x NaN, y NaN or infinite.
  Value yInf = m.compare(Compare::OEQ, m.absolute(y), inf);
  Value grows = m.compare(Compare::OGT, magnitude, one);
  Value shrinks = m.compare(Compare::OLT, magnitude, one);
  Value atInf = m.select(grows, m.select(yNegative, zero, inf), one);
  atInf = m.select(shrinks, m.select(yNegative, inf, zero), atInf);
  result = m.select(yInf, atInf, result);
  result = m.select(m.isNan(x), x, result);
  result = m.select(m.isNan(y), y, result);
  // 1^y and x^0 are 1 even for NaN.
  result = m.select(m.compare(Compare::OEQ, x, one), one, result);
  result = m.select(m.compare(Compare::OEQ, y, zero), one, result);
  return narrow.isF32() ? narrow.round(result) : result;
}

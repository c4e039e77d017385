// exp and tanh as arithmetic.
//
// exp: n = round(x / ln 2) by adding and subtracting 1.5 * 2^23 (f32) or 1.5 *
// 2^52 (f64), in whose low bits n then stands; r = x - n ln 2 with ln 2 in two
// parts, the first with so few bits that n times it is exact; e^r = 1 + (r +
// r^2 q(r)) with q interpolated at Chebyshev points of
// [-ln 2 / 2, ln 2 / 2]; times 2^n as two factors, so that subnormal results
// are rounded once more and not flushed, and overflow gives inf.
//
// tanh: |x| < 0.6: x + x^3 p(x^2), p interpolated at Chebyshev points (f64) or
// minimax (f32); from there on 1 - 2 / (e^(2|x|) + 1), which loses no digit
// that matters.
#include "codegen/kernel/MathBuilder.h"

using namespace mlir;
using namespace ampc;

using Compare = MathBuilder::Compare;

namespace {

/// The numbers of one format.
struct ExpConstants {
  double low, high; ///< below: 0; above: inf (the argument is clamped to them)
  double magic;     ///< 1.5 * 2^(mantissa bits) + twice the exponent's bias
  double ln2High, ln2Low; ///< ln 2 = ln2High + ln2Low
  ArrayRef<double> q;     ///< coefficients of q, ascending
  unsigned mantissaBits;
};

constexpr double kQ32[] = {0x1p-1, 0x1.5554dep-3, 0x1.55551ap-5, 0x1.120b64p-7,
                           0x1.6d10fep-10};
/// In f64 arithmetic, to 2^-32.
constexpr double kQShort[] = {0x1.0000000b8f62bp-1,  0x1.5555555a78232p-3,
                              0x1.5554e9114ecf9p-5,  0x1.1110e0f726534p-7,
                              0x1.6d431504c53d3p-10, 0x1.a124e3f154d32p-13};
constexpr double kQ64[] = {0x1.0000000000001p-1,  0x1.5555555555556p-3,
                           0x1.5555555553d67p-5,  0x1.11111111109b4p-7,
                           0x1.6c16c1788a49bp-10, 0x1.a01a01a7c327ap-13,
                           0x1.a019b9133a48ap-16, 0x1.71de0db21e27fp-19,
                           0x1.28917e2c43a66p-22, 0x1.af38a0d2d9620p-26};
const ExpConstants kExp32 = {-104.0,
                             89.0,
                             0x1.8p23 + 2 * 127,
                             0x1.63p-1,
                             -0x1.bd0106p-13,
                             kQ32,
                             /*mantissaBits=*/23};
const ExpConstants kExp64 = {-746.0,
                             710.0,
                             0x1.8p52 + 2 * 1023,
                             0x1.62e42fefap-1,
                             0x1.cf79abc9e3b3ap-40,
                             kQ64,
                             /*mantissaBits=*/52};

/// p of tanh: to 2^-54 and to 2^-28 of the result.
constexpr double kTanh64[] = {
    -0x1.5555555555554p-2,  0x1.1111111110ca7p-3,  -0x1.ba1ba1b9a09d7p-5,
    0x1.664f4858deaccp-6,   -0x1.226e2e08421ccp-7, 0x1.d6d24f72aa874p-9,
    -0x1.7d8a96e9fe13bp-10, 0x1.344f4ae815c3fp-11, -0x1.e710d3f9482d6p-13,
    0x1.5608d4996ede8p-14,  -0x1.33a05b8be40c9p-16};
constexpr double kTanh32[] = {-0x1.55553ep-2, 0x1.1109b0p-3, -0x1.b898fep-5,
                              0x1.54b92ep-6, -0x1.8259c6p-8};

} // namespace

static Value expWith(MathBuilder m, Value x, Value tail, const ExpConstants &c,
                     ArrayRef<double> q) {
  OpBuilder &builder = m.builder;
  Location loc = m.loc;
  x = m.clamp(x, Compare::OGT, c.high);
  x = m.clamp(x, Compare::OLT, c.low);
  Value shifted = m.fma(x, 0x1.71547652b82fep0, m.number(c.magic));
  Value n = m.sub(shifted, m.number(c.magic));
  Value r = m.fma(n, -c.ln2High, x);
  if (tail)
    r = m.add(r, tail);
  r = m.fma(n, -c.ln2Low, r);
  Value p = m.add(m.fma(m.polynomial(q, r), m.mul(r, r), r), 1.0);
  // The low bits of `shifted` hold n and twice the bias, half of which makes
  // each factor's exponent; the shift to their place drops the high bits.
  Value whole = m.bits(shifted);
  Value half = arith::ShRUIOp::create(builder, loc, whole, m.integer(1));
  Value rest = arith::SubIOp::create(builder, loc, whole, half);
  auto factor = [&](Value exponent) {
    return m.fromBits(arith::ShLIOp::create(builder, loc, exponent,
                                            m.integer(c.mantissaBits)));
  };
  return m.mul(m.mul(p, factor(half)), factor(rest));
}

Value ampc::expandExp(MathBuilder m, Value x) {
  const ExpConstants &c = m.isF32() ? kExp32 : kExp64;
  return expWith(m, x, Value(), c, c.q);
}

Value ampc::exp64(MathBuilder m, Value x, Exactness exactness, Value tail) {
  return expWith(m, x, tail, kExp64,
                 exactness == Exactness::f32 ? ArrayRef(kQShort)
                                             : ArrayRef(kQ64));
}

Value ampc::expandTanh(MathBuilder m, Value x) {
  ArrayRef<double> p = m.isF32() ? ArrayRef(kTanh32) : ArrayRef(kTanh64);
  // Of |x|, so that -0 gets its sign back with all the others.
  Value magnitude = m.absolute(x);
  Value square = m.mul(magnitude, magnitude);
  Value small =
      m.fma(m.mul(magnitude, square), m.polynomial(p, square), magnitude);
  Value e = expandExp(m, m.add(magnitude, magnitude));
  Value large = m.sub(m.number(1.0), m.div(m.number(2.0), m.add(e, 1.0)));
  Value isSmall = m.compare(Compare::OLT, magnitude, 0.6);
  return m.flipSign(m.select(isSmall, small, large), m.signBit(x));
}

// sin and cos as arithmetic, in f64.
//
// x in units of pi/2 is the sum of the products of x with the digits of 2/pi in
// base 2^29 (f32) or 2^26 (f64, x in two halves), each product exact. Of a
// product only its remainder modulo 4 matters, and after each the nearest
// integer is taken out of the sum: an argument close to a multiple of pi/2
// loses its leading digits before those that count are added. f64 keeps what
// the sum rounds off in a second number.
//
// The digits that matter are those whose product with x is neither a multiple
// of 4 nor far below the result's last bit: the first eight for f32; the first
// 26, or for f64 from 2^520 on the 26 after the first 17.
//
// On [-pi/4, pi/4], with u = r^2: sin r = r + r u S(u), cos r = 1 - u/2 + u^2
// C(u), S and C interpolated at Chebyshev points.
#include "codegen/kernel/MathBuilder.h"

using namespace mlir;
using namespace ampc;

using Compare = MathBuilder::Compare;

static constexpr double kDigits29[] = {
    0x1.45f306dp-1,   0x1.9391054p-30, 0x1.4fe13abp-59,  0x1.d1f534dp-88,
    0x1.b81b6c5p-117, 0x1.5993c4p-148, 0x1.c820ff2p-175, 0x1.163abdep-204};
/// Digit j is worth 2^(-26 (j + 1)).
static constexpr uint32_t kDigits26[] = {
    0x28be60d, 0x2e4e441, 0x14a7f09, 0x357d1f5, 0x0d37703, 0x1b62959, 0x24f10e4,
    0x041fe51, 0x18eaf7a, 0x3bc561b, 0x1c91b8e, 0x2424dd2, 0x3801924, 0x2eea09d,
    0x064873f, 0x21deb1c, 0x2c4a69c, 0x3ee8823, 0x17d4bae, 0x34484e9, 0x271c09a,
    0x345f7e4, 0x04e6475, 0x2398353, 0x0e7d272, 0x045f8bb, 0x37e4a0e, 0x31ff897,
    0x3ff7816, 0x180fef2, 0x3c462d6, 0x20a6d1f, 0x1b4d9fb, 0x0f27cb0, 0x26dd3d1,
    0x23f669e, 0x17fa8b5, 0x3527bac, 0x1faf97c, 0x17b3d07, 0x0e7de29, 0x1292ea6,
    0x2fed7ec};
static constexpr int kDigitsUsed = 26, kDigitsSkipped = 17;

/// S and C to 2^-35 and to 2^-55.
static constexpr double kSinShort[] = {
    -0x1.555555545df18p-3, 0x1.11110deef0ae3p-7, -0x1.a013a740c35cep-13,
    0x1.6dbded5452c9bp-19};
static constexpr double kCosShort[] = {
    0x1.5555555502c6dp-5, -0x1.6c16bf54be1f5p-10, 0x1.a015c4462d9e2p-16,
    -0x1.25243c2f39550p-22};
static constexpr double kSin64[] = {
    -0x1.5555555555555p-3, 0x1.1111111110bb2p-7,   -0x1.a01a019e83816p-13,
    0x1.71de379654304p-19, -0x1.ae600aca92c64p-26, 0x1.5e0b05bff20f2p-33};
static constexpr double kCos64[] = {
    0x1.5555555555555p-5,   -0x1.6c16c16c16967p-10, 0x1.a01a019f4e9b4p-16,
    -0x1.27e4fa17bf139p-22, 0x1.1eeb68cd22f56p-29,  -0x1.907d8f29fe831p-37};

namespace {

/// x in units of pi/2: the nearest integer modulo 4, and what is left, with
/// what that lacks (null: nothing).
struct Turn {
  Value quadrant, rest, error;
};

} // namespace

/// Adds `product`, less a multiple of 4, to `turn`.
static void advance(MathBuilder m, Turn &turn, Value product) {
  Value fours = m.nearest(m.mul(product, 0.25));
  Value reduced = m.fma(fours, -4.0, product);
  Value sum = m.add(turn.rest, reduced);
  if (turn.error) {
    Value part = m.sub(sum, turn.rest);
    Value lost =
        m.add(m.sub(turn.rest, m.sub(sum, part)), m.sub(reduced, part));
    turn.error = m.add(turn.error, lost);
  }
  Value whole = m.nearest(sum);
  turn.rest = m.sub(sum, whole);
  turn.quadrant = m.add(turn.quadrant, whole);
}

static Turn turnOf32(MathBuilder m, Value x) {
  Turn turn{m.number(0.0), m.number(0.0), Value()};
  for (double digit : kDigits29)
    advance(m, turn, m.mul(x, digit));
  return turn;
}

static Turn turnOf64(MathBuilder m, Value x) {
  Turn turn{m.number(0.0), m.number(0.0), m.number(0.0)};
  // Scaled, so that neither digits nor products leave the normal range.
  Value isHuge = m.compare(Compare::OGE, m.absolute(x), 0x1p520);
  x = m.select(isHuge, m.mul(x, std::ldexp(1.0, -26 * kDigitsSkipped)), x);
  // The upper 26 bits of x and the rest.
  Value mask = m.integer(~((int64_t(1) << 27) - 1));
  Value high =
      m.fromBits(arith::AndIOp::create(m.builder, m.loc, m.bits(x), mask));
  Value low = m.sub(x, high);
  for (int i = 0; i < kDigitsUsed; ++i) {
    auto digit = [&](int number) {
      return m.number(std::ldexp(double(kDigits26[number]), -26 * (i + 1)));
    };
    Value chosen = m.select(isHuge, digit(i + kDigitsSkipped), digit(i));
    advance(m, turn, m.mul(high, chosen));
    advance(m, turn, m.mul(low, chosen));
  }
  return turn;
}

/// rest * pi/2.
static Value angleOf(MathBuilder m, const Turn &turn) {
  constexpr double kHigh = 0x1.921fb54442d18p+0, kLow = 0x1.1a62633145c07p-54;
  Value angle = m.mul(turn.rest, kHigh);
  if (!turn.error)
    return angle;
  Value lost = m.fma(turn.rest, kHigh, m.negate(angle));
  lost = m.fma(turn.rest, kLow, lost);
  return m.add(angle, m.fma(turn.error, kHigh, lost));
}

/// sin(x + shift pi/2).
static Value sine(MathBuilder narrow, Value x, double shift) {
  MathBuilder m = narrow.wide();
  bool isShort = narrow.isF32();
  Value argument = isShort ? m.extend(x) : x;
  Turn turn = isShort ? turnOf32(m, argument) : turnOf64(m, argument);
  Value r = angleOf(m, turn);
  Value u = m.mul(r, r);
  Value s = m.polynomial(isShort ? ArrayRef(kSinShort) : ArrayRef(kSin64), u);
  Value c = m.polynomial(isShort ? ArrayRef(kCosShort) : ArrayRef(kCos64), u);
  Value sin = m.fma(m.mul(r, u), s, r);
  Value cos = m.fma(m.mul(u, u), c, m.fma(u, -0.5, m.number(1.0)));

  // The quadrant in [-2, 2]: odd ones exchange sine and cosine, and the sine of
  // a half turn more is the negative.
  Value position = m.add(turn.quadrant, shift);
  Value turns = m.nearest(m.mul(position, 0.25));
  position = m.fma(turns, -4.0, position);
  Value magnitude = m.absolute(position);
  Value isOdd = m.compare(Compare::OEQ, magnitude, 1.0);
  Value result = m.select(isOdd, cos, sin);
  Value negative = m.compare(Compare::OEQ, magnitude, 2.0);
  Value isMinusOne = m.compare(Compare::OEQ, position, -1.0);
  result = m.select(negative, m.negate(result), result);
  result = m.select(isMinusOne, m.negate(result), result);
  if (shift == 0.0) // sin of +-0 is +-0
    result = m.select(m.compare(Compare::OEQ, argument, 0.0), argument, result);
  return isShort ? narrow.round(result) : result;
}

Value ampc::expandSin(MathBuilder m, Value x) { return sine(m, x, 0.0); }

Value ampc::expandCos(MathBuilder m, Value x) { return sine(m, x, 1.0); }

// erf as arithmetic.
//
// f32: |x| < 1: x + x R(x^2). From there on P(|x| - kMiddle), one polynomial
// for all that is left, for erf is 1 from 3.8325 on. Both are minimax,
// evaluated whatever x is, and one is selected; no division, no exponential.
//
// f64: x E(x^2) on |x| < 1, E interpolated at Chebyshev points; from there on
// 1 - e^(-x^2) C(t) with t = (|x| - 2.5) / (|x| + 2.5) and C(t) = e^(x^2)
// erfc |x| interpolated at Chebyshev points of the t of [1, 6].
#include "codegen/kernel/MathBuilder.h"

using namespace mlir;
using namespace ampc;

using Compare = MathBuilder::Compare;

/// R, to 2^-29 of the result.
static constexpr double kErfNear[] = {
    0x1.06eba8p-3, -0x1.81273ep-2,  0x1.ce2cf8p-4, -0x1.b7f910p-6,
    0x1.5405bep-8, -0x1.a3f71ep-11, 0x1.496a12p-14};
/// P, to 2^-25, where erf is 0.84 or more.
static constexpr double kErfFar[] = {
    0x1.ffc606p-1,  0x1.349d2ep-9,   -0x1.7f747ap-8, 0x1.23dbf8p-7,
    -0x1.2a45d8p-7, 0x1.a17a28p-8,   -0x1.794972p-9, 0x1.170fe8p-11,
    0x1.564312p-12, -0x1.2e6c74p-12, 0x1.e742b8p-15, 0x1.7e421cp-16,
    -0x1.31b78ep-17};
/// erf at kMiddle is all but exactly an f32; from kErfOne on P rounds to 1.
static constexpr double kMiddle = 2.484375, kErfOne = 3.84375;
/// To 2^-54 on [0, 1].
static constexpr double kErf64[] = {
    0x1.20dd750429b6dp+0,   -0x1.812746b0379c1p-2,  0x1.ce2f21a040f66p-4,
    -0x1.b82ce31203772p-6,  0x1.565bccfa44156p-8,   -0x1.c02db0665e53dp-11,
    0x1.f9a2be4f731a1p-14,  -0x1.f4ca838adb73bp-17, 0x1.b981d78881a5dp-20,
    -0x1.5c131500d3f88p-23, 0x1.d76af6ca49787p-27,  -0x1.ac9585a44fe29p-31};
/// C(t), to 2^-52.
static constexpr double kErfc64[] = {
    0x1.afbb3f3b7343ap-3,   -0x1.7ca88dec217a4p-2,  0x1.01c11a735ce12p-2,
    -0x1.001154371704cp-3,  0x1.470ba1f66220cp-5,   -0x1.05bb2fe3d797cp-8,
    -0x1.5a57167cd25c8p-9,  0x1.cb3b600ad87b6p-11,  0x1.def25794251e9p-13,
    -0x1.0e460ac2287b2p-13, -0x1.1ea84db776574p-15, 0x1.38381b1459556p-16,
    0x1.f64be7b5a367bp-18,  -0x1.32951befcce73p-19, -0x1.a36ff5774dd16p-20,
    0x1.5d5e7634f4ca6p-24};

static Value erf32(MathBuilder m, Value x) {
  Value small = m.fma(x, m.polynomial(kErfNear, m.mul(x, x)), x);
  Value magnitude = m.absolute(x);
  Value bounded = m.clamp(magnitude, Compare::OGT, kErfOne);
  Value large =
      m.polynomial(kErfFar, m.sub(bounded, m.number(kMiddle))); // exact
  large = m.flipSign(large, m.signBit(x));
  return m.select(m.compare(Compare::OLT, magnitude, 1.0), small, large);
}

static Value erf64(MathBuilder m, Value x) {
  Value small = m.mul(x, m.polynomial(kErf64, m.mul(x, x)));
  Value magnitude = m.clamp(m.absolute(x), Compare::OGT, 6.0);
  Value t = m.div(m.add(magnitude, -2.5), m.add(magnitude, 2.5));
  Value e = exp64(m, m.negate(m.mul(magnitude, magnitude)), Exactness::f64);
  Value large = m.sub(m.number(1.0), m.mul(e, m.polynomial(kErfc64, t)));
  large = m.flipSign(large, m.signBit(x));
  Value isSmall = m.compare(Compare::OLT, m.absolute(x), 1.0);
  return m.select(isSmall, small, large);
}

Value ampc::expandErf(MathBuilder m, Value x) {
  return m.isF32() ? erf32(m, x) : erf64(m, x);
}

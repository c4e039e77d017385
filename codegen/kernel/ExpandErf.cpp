// erf as arithmetic, in f64.
//
// f32: x E(x^2) with E interpolated at Chebyshev points of [0, 16]; from 4 on
// the result is 1. f64: the same on |x| < 1; from there on
// 1 - e^(-x^2) C(t) with t = (|x| - 2.5) / (|x| + 2.5) and C(t) = e^(x^2)
// erfc |x| interpolated at Chebyshev points of the t of [1, 6].
#include "codegen/kernel/MathBuilder.h"

using namespace mlir;
using namespace ampc;

using Compare = MathBuilder::Compare;

/// To 2^-33 on [0, 16].
static constexpr double kErfShort[] = {
    0x1.20dd750402639p+0,   -0x1.8127469175038p-2,  0x1.ce2f1d9b3e24ap-4,
    -0x1.b82cad6c02256p-6,  0x1.565a503f73c83p-8,   -0x1.c020b8cfa1022p-11,
    0x1.f95734c5a3d64p-14,  -0x1.f39701d6815c2p-17, 0x1.b61fb1d4acc9ap-20,
    -0x1.56a57e40a982ap-23, 0x1.dcdd174dde29ap-27,  -0x1.2429ee0fde53fp-30,
    0x1.359bdbedbb84ep-34,  -0x1.150d3e95541d5p-38, 0x1.96c56b7197c92p-43,
    -0x1.d91476d8bca5dp-48, 0x1.a05c1711788cep-53,  -0x1.033468eebb0f6p-58,
    0x1.9549c2c8ac54ap-65,  -0x1.2a5b1cc3bdea6p-72};
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

Value ampc::expandErf(MathBuilder m, Value x) {
  if (m.isF32()) {
    MathBuilder wide = m.wide();
    Value argument = wide.extend(x);
    Value bounded = wide.clamp(argument, Compare::OGT, 4.0);
    bounded = wide.clamp(bounded, Compare::OLT, -4.0);
    Value e = wide.polynomial(kErfShort, wide.mul(bounded, bounded));
    return m.round(wide.mul(bounded, e));
  }
  Value small = m.mul(x, m.polynomial(kErf64, m.mul(x, x)));
  Value magnitude = m.clamp(m.absolute(x), Compare::OGT, 6.0);
  Value t = m.div(m.add(magnitude, -2.5), m.add(magnitude, 2.5));
  Value e = exp64(m, m.negate(m.mul(magnitude, magnitude)), Exactness::f64);
  Value large = m.sub(m.number(1.0), m.mul(e, m.polynomial(kErfc64, t)));
  large = m.flipSign(large, m.signBit(x));
  Value isSmall = m.compare(Compare::OLT, m.absolute(x), 1.0);
  return m.select(isSmall, small, large);
}

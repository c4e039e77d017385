// The prelude of generated CUDA text. Inline PTX stands only here. The
// conversions are the integer sequences of the CPU target (ExpandNarrowFloats),
// so that both targets give the same bits.
#include "codegen/cuda/Prelude.h"

static constexpr llvm::StringLiteral kPrelude = R"cuda(
// Compile with --fmad=false and without fast math: every rounding below is meant.
#define AMPC_DEVICE static __device__ __forceinline__

struct alignas(2) ampc_bf16 { unsigned short bits; };
struct alignas(2) ampc_f16 { unsigned short bits; };
struct ampc_f8e4m3 { unsigned char bits; };
struct ampc_f8e5m2 { unsigned char bits; };

// The same bytes under another type.
template <class To, class From>
AMPC_DEVICE To ampc_bitcast(From from) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}
AMPC_DEVICE float ampc_f32(unsigned bits) { return ampc_bitcast<float>(bits); }
AMPC_DEVICE double ampc_f64(unsigned long long bits) { return ampc_bitcast<double>(bits); }

// Points of a kernel: the threads of the grid take them in turn.
AMPC_DEVICE long long ampc_first() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }
AMPC_DEVICE long long ampc_stride() { return (long long)gridDim.x * blockDim.x; }

// Integers wrap.
template <class T> struct ampc_unsigned_of;
template <> struct ampc_unsigned_of<signed char> { typedef unsigned char type; };
template <> struct ampc_unsigned_of<int> { typedef unsigned type; };
template <> struct ampc_unsigned_of<long long> { typedef unsigned long long type; };
template <class T>
AMPC_DEVICE typename ampc_unsigned_of<T>::type ampc_u(T a) {
  return (typename ampc_unsigned_of<T>::type)a;
}
template <class T> AMPC_DEVICE T ampc_add(T a, T b) { return (T)(ampc_u(a) + ampc_u(b)); }
template <class T> AMPC_DEVICE T ampc_sub(T a, T b) { return (T)(ampc_u(a) - ampc_u(b)); }
// The factor 1u keeps products of small types out of signed int.
template <class T> AMPC_DEVICE T ampc_mul(T a, T b) { return (T)(1u * ampc_u(a) * ampc_u(b)); }
template <class T> AMPC_DEVICE T ampc_shl(T a, T by) { return (T)(ampc_u(a) << by); }
template <class T> AMPC_DEVICE T ampc_shr(T a, T by) { return (T)(ampc_u(a) >> by); }
template <class T> AMPC_DEVICE T ampc_max(T a, T b) { return a > b ? a : b; }
template <class T> AMPC_DEVICE T ampc_min(T a, T b) { return a < b ? a : b; }

// Floats: IEEE 754 division, root and fused multiply-add; NaN propagates, +0 is above -0.
AMPC_DEVICE float ampc_sqrt(float a) { return __fsqrt_rn(a); }
AMPC_DEVICE double ampc_sqrt(double a) { return __dsqrt_rn(a); }
AMPC_DEVICE float ampc_abs(float a) { return fabsf(a); }
AMPC_DEVICE double ampc_abs(double a) { return fabs(a); }
AMPC_DEVICE float ampc_floor(float a) { return floorf(a); }
AMPC_DEVICE double ampc_floor(double a) { return floor(a); }
AMPC_DEVICE float ampc_nearest(float a) { return rintf(a); }
AMPC_DEVICE double ampc_nearest(double a) { return rint(a); }
AMPC_DEVICE float ampc_fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
AMPC_DEVICE double ampc_fma(double a, double b, double c) { return __fma_rn(a, b, c); }
template <class T> AMPC_DEVICE bool ampc_unordered(T a, T b) { return a != a || b != b; }
AMPC_DEVICE float ampc_maximum(float a, float b) {
  if (ampc_unordered(a, b)) return a + b;
  if (a == b) return ampc_f32(ampc_bitcast<unsigned>(a) & ampc_bitcast<unsigned>(b));
  return a > b ? a : b;
}
AMPC_DEVICE float ampc_minimum(float a, float b) {
  if (ampc_unordered(a, b)) return a + b;
  if (a == b) return ampc_f32(ampc_bitcast<unsigned>(a) | ampc_bitcast<unsigned>(b));
  return a < b ? a : b;
}
AMPC_DEVICE double ampc_maximum(double a, double b) {
  typedef unsigned long long u64;
  if (ampc_unordered(a, b)) return a + b;
  if (a == b) return ampc_f64(ampc_bitcast<u64>(a) & ampc_bitcast<u64>(b));
  return a > b ? a : b;
}
AMPC_DEVICE double ampc_minimum(double a, double b) {
  typedef unsigned long long u64;
  if (ampc_unordered(a, b)) return a + b;
  if (a == b) return ampc_f64(ampc_bitcast<u64>(a) | ampc_bitcast<u64>(b));
  return a < b ? a : b;
}

// Narrow floats: round to nearest even, subnormals kept, NaN stays NaN.
AMPC_DEVICE float ampc_to_f32(ampc_bf16 a) { return ampc_f32((unsigned)a.bits << 16); }
AMPC_DEVICE float ampc_to_f32(ampc_f16 a) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a.bits));
  return r;
}
AMPC_DEVICE float ampc_to_f32(ampc_f8e4m3 a) {
  unsigned sign = (a.bits & 0x80u) << 24, magnitude = a.bits & 0x7fu;
  float scaled = ampc_f32(magnitude << 20) * ampc_f32(0x7b800000u);
  return ampc_f32((magnitude == 0x7f ? 0x7fc00000u : ampc_bitcast<unsigned>(scaled)) | sign);
}
AMPC_DEVICE float ampc_to_f32(ampc_f8e5m2 a) {
  unsigned sign = (a.bits & 0x80u) << 24, magnitude = a.bits & 0x7fu;
  float scaled = ampc_f32(magnitude << 21) * ampc_f32(0x77800000u);
  unsigned special = 0x7f800000u | (magnitude & 3) << 21;
  return ampc_f32((magnitude > 0x7b ? special : ampc_bitcast<unsigned>(scaled)) | sign);
}
AMPC_DEVICE ampc_bf16 ampc_to_bf16(float a) {
  unsigned bits = ampc_bitcast<unsigned>(a);
  unsigned rounded = (bits + (bits >> 16 & 1) + 0x7fff) >> 16;
  bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return {(unsigned short)(nan ? bits >> 16 | 0x40 : rounded)};
}
AMPC_DEVICE ampc_f16 ampc_to_f16(float a) {
  ampc_f16 r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(a));
  return r;
}
// An 8-bit float of `mantissa` bits: normal results round at the last bit kept; adding 2^23 units of
// the least subnormal leaves the count of a subnormal result in the low bits.
template <int mantissa, int bias, unsigned infinity, unsigned nan>
AMPC_DEVICE unsigned char ampc_to_f8(float a) {
  unsigned bits = ampc_bitcast<unsigned>(a), magnitude = bits & 0x7fffffffu;
  unsigned drop = 23 - mantissa, least = (unsigned)(128 - bias) << 23;
  unsigned rounded = magnitude + (magnitude >> drop & 1) + ((1u << (drop - 1)) - 1);
  unsigned normal = (rounded >> drop) - ((127u - bias) << mantissa);
  unsigned magic = (unsigned)(151 - bias - mantissa) << 23;
  unsigned small = ampc_bitcast<unsigned>(ampc_f32(magnitude) + ampc_f32(magic)) - magic;
  unsigned result = magnitude >= least ? normal : small;
  if (result >= infinity) result = infinity;
  if (magnitude > 0x7f800000u) result = nan;
  return (unsigned char)(result | (bits >> 24 & 0x80u));
}
AMPC_DEVICE ampc_f8e4m3 ampc_to_f8e4m3(float a) { return {ampc_to_f8<3, 7, 0x7f, 0x7f>(a)}; }
AMPC_DEVICE ampc_f8e5m2 ampc_to_f8e5m2(float a) { return {ampc_to_f8<2, 15, 0x7c, 0x7e>(a)}; }
// On the way from f64 to a narrow float: an f32 whose last bit tells that it is not exact.
AMPC_DEVICE float ampc_round_to_odd(double a) {
  float nearest = (float)a;
  double back = (double)nearest;
  if (!(back < a || back > a)) return nearest;
  unsigned bits = ampc_bitcast<unsigned>(nearest);
  if (fabs(back) > fabs(a)) bits -= 1;
  return ampc_f32(bits | 1);
}
)cuda";

llvm::StringRef ampc::cudaPrelude() { return kPrelude.drop_front(1); }

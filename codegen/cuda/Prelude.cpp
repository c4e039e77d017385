// The prelude of generated CUDA text. Inline PTX stands only here. The
// conversions are the integer sequences of the CPU target (ExpandNarrowFloats),
// so that both targets give the same bits.
#include "codegen/cuda/Prelude.h"

static constexpr llvm::StringLiteral kPrelude = R"cuda(
// Compile with --fmad=false and without fast math: every rounding below is meant.
#define AMPC_DEVICE [[maybe_unused]] static __device__ __forceinline__

// Memory of a block.
#ifndef AMPC_SHARED
#define AMPC_SHARED(type, name, count) __shared__ alignas(16) type name[count]
#endif
#ifndef AMPC_DYNAMIC_SHARED
#define AMPC_DYNAMIC_SHARED(type, name) \
  extern __shared__ alignas(16) unsigned char ampc_dynamic[]; \
  type *const name = (type *)ampc_dynamic
#endif

// Bodies of a loop laid out in a row.
#ifdef __CUDA_ARCH__
#define AMPC_PRAGMA(text) _Pragma(#text)
#define AMPC_UNROLL(count) AMPC_PRAGMA(unroll count)
#else
#define AMPC_UNROLL(count)
#endif

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

// Points of a kernel: the threads, the warps or the blocks of the grid take them in turn.
AMPC_DEVICE long long ampc_first() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }
AMPC_DEVICE long long ampc_stride() { return (long long)gridDim.x * blockDim.x; }
AMPC_DEVICE long long ampc_first_warp() { return ampc_first() / 32; }
AMPC_DEVICE long long ampc_warp_stride() { return ampc_stride() / 32; }
AMPC_DEVICE long long ampc_first_block() { return blockIdx.x; }
AMPC_DEVICE long long ampc_block_stride() { return gridDim.x; }
AMPC_DEVICE int ampc_thread() { return (int)threadIdx.x; }
AMPC_DEVICE int ampc_warp() { return (int)threadIdx.x / 32; }
AMPC_DEVICE int ampc_lane() { return (int)threadIdx.x % 32; }

// All lanes of a warp: the value of lane + by (of the lane itself beyond the last), of one lane, and
// who holds a condition.
template <class T> AMPC_DEVICE T ampc_shuffle_down(T a, int by) {
  return __shfl_down_sync(0xffffffffu, a, by);
}
AMPC_DEVICE signed char ampc_shuffle_down(signed char a, int by) {
  return (signed char)ampc_shuffle_down((int)a, by);
}
template <class T> AMPC_DEVICE T ampc_shuffle(T a, int lane) {
  return __shfl_sync(0xffffffffu, a, lane);
}
AMPC_DEVICE signed char ampc_shuffle(signed char a, int lane) {
  return (signed char)ampc_shuffle((int)a, lane);
}
AMPC_DEVICE int ampc_ballot(bool a) { return (int)__ballot_sync(0xffffffffu, a); }

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
// Of an integer that is not 0.
template <class T> AMPC_DEVICE T ampc_trailing_zeros(T a) {
  T count = 0;
  while (!(a >> count & 1)) ++count;
  return count;
}

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
#ifdef __CUDA_ARCH__
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a.bits));
  return r;
#else
  return ampc_host_f16_to_f32(a.bits);
#endif
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
#ifdef __CUDA_ARCH__
  ampc_f16 r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.bits) : "f"(a));
  return r;
#else
  return {ampc_host_f32_to_f16(a)};
#endif
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

// A few elements that lie side by side: up to 16 bytes are one access.
template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) ampc_vec { T e[N]; };
template <class T> struct ampc_same { typedef T type; };
#define AMPC_EACH AMPC_UNROLL(N) for (int i = 0; i < N; ++i)

template <int N, class T> AMPC_DEVICE ampc_vec<T, N> ampc_splat(T a) {
  ampc_vec<T, N> r;
  AMPC_EACH r.e[i] = a;
  return r;
}
template <int I, class T, int N>
AMPC_DEVICE ampc_vec<T, N> ampc_insert(ampc_vec<T, N> a, typename ampc_same<T>::type b) {
  a.e[I] = b;
  return a;
}
// At a multiple of N elements, and anywhere.
template <int N, class T> AMPC_DEVICE ampc_vec<T, N> ampc_load(const T *from) {
  return *(const ampc_vec<T, N> *)from;
}
template <int N, class T> AMPC_DEVICE ampc_vec<T, N> ampc_load_each(const T *from) {
  ampc_vec<T, N> r;
  AMPC_EACH r.e[i] = from[i];
  return r;
}
template <class T, int N> AMPC_DEVICE void ampc_store(T *to, ampc_vec<T, N> a) {
  *(ampc_vec<T, N> *)to = a;
}
template <class T, int N> AMPC_DEVICE void ampc_store_each(T *to, ampc_vec<T, N> a) {
  AMPC_EACH to[i] = a.e[i];
}
// Elements at `at`; zero bits where `mask` does not hold.
template <class T, class I, int N>
AMPC_DEVICE ampc_vec<T, N> ampc_gather(const T *from, ampc_vec<I, N> at) {
  ampc_vec<T, N> r;
  AMPC_EACH r.e[i] = from[at.e[i]];
  return r;
}
template <class T, class I, int N>
AMPC_DEVICE ampc_vec<T, N> ampc_gather(const T *from, ampc_vec<I, N> at, ampc_vec<bool, N> mask) {
  ampc_vec<T, N> r;
  AMPC_EACH r.e[i] = mask.e[i] ? from[at.e[i]] : T();
  return r;
}

#define AMPC_INFIX(Result, op) \
  template <class T, int N> \
  AMPC_DEVICE ampc_vec<Result, N> operator op(ampc_vec<T, N> a, ampc_vec<T, N> b) { \
    ampc_vec<Result, N> r; \
    AMPC_EACH r.e[i] = (Result)(a.e[i] op b.e[i]); \
    return r; \
  } \
  template <class T, int N> \
  AMPC_DEVICE ampc_vec<Result, N> operator op(ampc_vec<T, N> a, typename ampc_same<T>::type b) { \
    return a op ampc_splat<N>(b); \
  } \
  template <class T, int N> \
  AMPC_DEVICE ampc_vec<Result, N> operator op(typename ampc_same<T>::type a, ampc_vec<T, N> b) { \
    return ampc_splat<N>(a) op b; \
  }
AMPC_INFIX(T, +) AMPC_INFIX(T, -) AMPC_INFIX(T, *) AMPC_INFIX(T, /) AMPC_INFIX(T, %)
AMPC_INFIX(T, &) AMPC_INFIX(T, |) AMPC_INFIX(T, ^) AMPC_INFIX(T, >>)
AMPC_INFIX(bool, ==) AMPC_INFIX(bool, !=) AMPC_INFIX(bool, <) AMPC_INFIX(bool, <=)
AMPC_INFIX(bool, >) AMPC_INFIX(bool, >=)
template <class T, int N> AMPC_DEVICE ampc_vec<T, N> operator-(ampc_vec<T, N> a) {
  AMPC_EACH a.e[i] = -a.e[i];
  return a;
}

// A function of each element.
#define AMPC_LANES1(name) \
  template <class T, int N> AMPC_DEVICE auto name(ampc_vec<T, N> a) { \
    ampc_vec<decltype(name(a.e[0])), N> r; \
    AMPC_EACH r.e[i] = name(a.e[i]); \
    return r; \
  }
#define AMPC_LANES2(name) \
  template <class T, int N> AMPC_DEVICE auto name(ampc_vec<T, N> a, ampc_vec<T, N> b) { \
    ampc_vec<decltype(name(a.e[0], b.e[0])), N> r; \
    AMPC_EACH r.e[i] = name(a.e[i], b.e[i]); \
    return r; \
  } \
  template <class T, int N> \
  AMPC_DEVICE auto name(ampc_vec<T, N> a, typename ampc_same<T>::type b) { \
    return name(a, ampc_splat<N>(b)); \
  } \
  template <class T, int N> \
  AMPC_DEVICE auto name(typename ampc_same<T>::type a, ampc_vec<T, N> b) { \
    return name(ampc_splat<N>(a), b); \
  }
AMPC_LANES1(ampc_u) AMPC_LANES1(ampc_sqrt) AMPC_LANES1(ampc_abs) AMPC_LANES1(ampc_floor)
AMPC_LANES1(ampc_nearest) AMPC_LANES1(ampc_to_f32) AMPC_LANES1(ampc_to_bf16)
AMPC_LANES1(ampc_to_f16) AMPC_LANES1(ampc_to_f8e4m3) AMPC_LANES1(ampc_to_f8e5m2)
AMPC_LANES1(ampc_round_to_odd)
AMPC_LANES2(ampc_add) AMPC_LANES2(ampc_sub) AMPC_LANES2(ampc_mul) AMPC_LANES2(ampc_shl)
AMPC_LANES2(ampc_shr) AMPC_LANES2(ampc_max) AMPC_LANES2(ampc_min) AMPC_LANES2(ampc_unordered)
AMPC_LANES2(ampc_maximum) AMPC_LANES2(ampc_minimum)
template <class T, int N>
AMPC_DEVICE ampc_vec<T, N> ampc_fma(ampc_vec<T, N> a, ampc_vec<T, N> b, ampc_vec<T, N> c) {
  AMPC_EACH a.e[i] = ampc_fma(a.e[i], b.e[i], c.e[i]);
  return a;
}
template <class T, int N>
AMPC_DEVICE ampc_vec<T, N> ampc_fma(ampc_vec<T, N> a, ampc_vec<T, N> b,
                                    typename ampc_same<T>::type c) {
  return ampc_fma(a, b, ampc_splat<N>(c));
}
template <class T, int N>
AMPC_DEVICE ampc_vec<T, N> ampc_fma(ampc_vec<T, N> a, typename ampc_same<T>::type b,
                                    ampc_vec<T, N> c) {
  return ampc_fma(a, ampc_splat<N>(b), c);
}
template <class T, int N>
AMPC_DEVICE ampc_vec<T, N> ampc_fma(ampc_vec<T, N> a, typename ampc_same<T>::type b,
                                    typename ampc_same<T>::type c) {
  return ampc_fma(a, ampc_splat<N>(b), ampc_splat<N>(c));
}
template <class To, class From, int N>
AMPC_DEVICE ampc_vec<To, N> ampc_cast(ampc_vec<From, N> a) {
  ampc_vec<To, N> r;
  AMPC_EACH r.e[i] = (To)a.e[i];
  return r;
}
template <class To, class From, int N>
AMPC_DEVICE ampc_vec<To, N> ampc_bitcast(ampc_vec<From, N> a) {
  ampc_vec<To, N> r;
  AMPC_EACH r.e[i] = ampc_bitcast<To>(a.e[i]);
  return r;
}
template <class T, int N>
AMPC_DEVICE ampc_vec<T, N> ampc_select(ampc_vec<bool, N> c, ampc_vec<T, N> a, ampc_vec<T, N> b) {
  AMPC_EACH a.e[i] = c.e[i] ? a.e[i] : b.e[i];
  return a;
}
template <class T, int N>
AMPC_DEVICE ampc_vec<T, N> ampc_select(ampc_vec<bool, N> c, ampc_vec<T, N> a,
                                       typename ampc_same<T>::type b) {
  return ampc_select(c, a, ampc_splat<N>(b));
}
template <class T, int N>
AMPC_DEVICE ampc_vec<T, N> ampc_select(ampc_vec<bool, N> c, typename ampc_same<T>::type a,
                                       ampc_vec<T, N> b) {
  return ampc_select(c, ampc_splat<N>(a), b);
}
template <class T, int N>
AMPC_DEVICE ampc_vec<T, N> ampc_select(ampc_vec<bool, N> c, T a, T b) {
  return ampc_select(c, ampc_splat<N>(a), ampc_splat<N>(b));
}
template <class T, int N> AMPC_DEVICE ampc_vec<T, N> ampc_shuffle_down(ampc_vec<T, N> a, int by) {
  AMPC_EACH a.e[i] = ampc_shuffle_down(a.e[i], by);
  return a;
}
)cuda";

llvm::StringRef ampc::cudaPrelude() { return kPrelude.drop_front(1); }

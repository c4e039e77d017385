// One loop for each format and direction, compiled for three levels. The f16
// conversions of AVX2 and AVX-512 are written with intrinsics: no compiler
// makes them of integer arithmetic.
#include "runtime/device/cpu/NarrowFloats.h"
#include "runtime/core/Float16.h"

#include <immintrin.h>

#define AMPC_AVX2 __attribute__((target("avx2,f16c")))
#define AMPC_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

namespace ampc::rt {

namespace {

/// The loops that a compiler vectorises; inlined into one function a level.
[[gnu::always_inline]] inline void
widenBf16Loop(const uint16_t *from, float *__restrict to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = bf16ToFloat(from[i]);
}

[[gnu::always_inline]] inline void
roundBf16Loop(const float *from, uint16_t *__restrict to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = floatToBf16(from[i]);
}

void widenBf16Any(const uint16_t *from, float *to, int64_t count) {
  widenBf16Loop(from, to, count);
}
AMPC_AVX2 void widenBf16Avx2(const uint16_t *from, float *to, int64_t count) {
  widenBf16Loop(from, to, count);
}
AMPC_AVX512 void widenBf16Avx512(const uint16_t *from, float *to,
                                 int64_t count) {
  widenBf16Loop(from, to, count);
}

void roundBf16Any(const float *from, uint16_t *to, int64_t count) {
  roundBf16Loop(from, to, count);
}
AMPC_AVX2 void roundBf16Avx2(const float *from, uint16_t *to, int64_t count) {
  roundBf16Loop(from, to, count);
}
AMPC_AVX512 void roundBf16Avx512(const float *from, uint16_t *to,
                                 int64_t count) {
  roundBf16Loop(from, to, count);
}

void widenF16Any(const uint16_t *from, float *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = f16ToFloat(from[i]);
}
void roundF16Any(const float *from, uint16_t *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = floatToF16(from[i]);
}

AMPC_AVX2 void widenF16Avx2(const uint16_t *from, float *to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(
                                 reinterpret_cast<const __m128i *>(from + i))));
  widenF16Any(from + i, to + i, count - i);
}
AMPC_AVX2 void roundF16Avx2(const float *from, uint16_t *to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(
        reinterpret_cast<__m128i *>(to + i),
        _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  roundF16Any(from + i, to + i, count - i);
}

/// The lanes of the last, incomplete vector.
AMPC_AVX512 inline __mmask16 lanes(int64_t count) {
  return __mmask16((1u << count) - 1);
}

AMPC_AVX512 void widenF16Avx512(const uint16_t *from, float *to,
                                int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16)
    _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256(
                                 reinterpret_cast<const __m256i *>(from + i))));
  if (__mmask16 rest = lanes(count - i))
    _mm512_mask_storeu_ps(
        to + i, rest,
        _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(rest, from + i)));
}
AMPC_AVX512 void roundF16Avx512(const float *from, uint16_t *to,
                                int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16)
    _mm256_storeu_si256(
        reinterpret_cast<__m256i *>(to + i),
        _mm512_cvtps_ph(_mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  if (__mmask16 rest = lanes(count - i))
    _mm256_mask_storeu_epi16(
        to + i, rest,
        _mm512_cvtps_ph(_mm512_maskz_loadu_ps(rest, from + i),
                        _MM_FROUND_TO_NEAREST_INT));
}

} // namespace

NarrowFloats NarrowFloats::choose(const CpuFeatures &features) {
  NarrowFloats result{widenBf16Any, widenF16Any, roundBf16Any, roundF16Any};
  if (features.level() >= CpuLevel::Avx512)
    return {widenBf16Avx512, widenF16Avx512, roundBf16Avx512, roundF16Avx512};
  if (features.level() == CpuLevel::Avx2) {
    result.widenBf16 = widenBf16Avx2;
    result.roundBf16 = roundBf16Avx2;
    if (features.has("f16c")) {
      result.widenF16 = widenF16Avx2;
      result.roundF16 = roundF16Avx2;
    }
  }
  return result;
}

} // namespace ampc::rt

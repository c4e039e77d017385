// Conversions between runs of f32 and the 16-bit formats, in the widest
// instructions of a processor: round to nearest, ties to even; NaN stays NaN;
// no subnormal is flushed (docs/numerics.md, N1). Every choice gives the same
// bits, payloads of NaN aside.
#pragma once

#include "runtime/core/CpuFeatures.h"
#include "runtime/plan/Types.h"

namespace ampc::rt {

struct NarrowFloats {
  using Widen = void (*)(const uint16_t *from, float *to, int64_t count);
  using Round = void (*)(const float *from, uint16_t *to, int64_t count);

  /// What `features` allows.
  static NarrowFloats choose(const CpuFeatures &features);

  Widen widenOf(DType type) const {
    return type == DType::BF16 ? widenBf16 : widenF16;
  }
  Round roundOf(DType type) const {
    return type == DType::BF16 ? roundBf16 : roundF16;
  }

  Widen widenBf16, widenF16;
  Round roundBf16, roundF16;
};

} // namespace ampc::rt

// How a variable starts: docs/numerics.md N17, mode 3 (initialisers), index 0.
// A function of seed and site only, so that every executor of a model starts
// from the same bits.
#pragma once

#include "runtime/core/Status.h"
#include "runtime/plan/Export.h"

#include <cstddef>
#include <cstdint>

namespace ampc::rt {

/// The kinds; the numbers are those of `fb::InitKind`.
enum class InitKind : uint8_t {
  Zeros = 0,
  Ones,
  Constant,
  Uniform,
  Normal,
  Data
};

/// Fills `count` elements at `to` with `kind`: `a`, `b` are [value] (Constant),
/// [low, high) (Uniform: low + (high - low) * u in f64), [mean, std] (Normal:
/// mean + std * n in f64), each rounded once to `type`. Data is not made here
/// (Code Usage).
[[nodiscard]] AMPC_API Expected<void> initialise(InitKind kind, double a,
                                                 double b, uint32_t site,
                                                 uint64_t seed, DType type,
                                                 uint64_t count, std::byte *to);

} // namespace ampc::rt

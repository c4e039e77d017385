// How a variable starts: docs/numerics.md N17, mode 3 (initialisers), index 0.
// A function of seed and site only, so that every executor of a model starts
// from the same bits.
#pragma once

#include "runtime/core/Status.h"
#include "runtime/plan/Export.h"

#include <array>
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
  Data,
  TruncNormal,
  PaddedNormal
};

/// Fills `count` elements at `to` with `kind`, each computed in f64 and rounded
/// once to `type`. `arguments` are [value] (Constant), [low, high) (Uniform:
/// low + (high - low) * u), [mean, std] (Normal: mean + std * n), [mean, std,
/// low, high] (TruncNormal: normal numbers of that interval), [mean, std,
/// first, end] (PaddedNormal: as Normal, 0 for elements [first, end)). Data is
/// not made here (Code Usage).
[[nodiscard]] AMPC_API Expected<void>
initialise(InitKind kind, std::array<double, 4> arguments, uint32_t site,
           uint64_t seed, DType type, uint64_t count, std::byte *to);

} // namespace ampc::rt

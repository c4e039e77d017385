// Initialisers.
#include "runtime/core/Initialise.h"
#include "runtime/core/Philox.h"
#include "runtime/core/Tensor.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace ampc::rt {

/// Stores one number as `type`; integer types take it truncated (0, 1 and
/// counters only).
static Expected<void> store(double value, DType type, std::byte *to,
                            uint64_t count) {
  if (info(type).isFloat)
    return convert(DType::F64, reinterpret_cast<const std::byte *>(&value),
                   type, to, count);
  auto whole = int64_t(value);
  return convert(DType::I64, reinterpret_cast<const std::byte *>(&whole), type,
                 to, count);
}

/// The normal distribution's function.
static double normalFunction(double x) {
  return std::erfc(-x * std::numbers::sqrt2 / 2) / 2;
}

/// Its inverse: Abramowitz and Stegun 26.2.23, within 5e-4, then twice Newton.
static double normalQuantile(double p) {
  double tail = std::min(p, 1 - p);
  if (tail <= 0)
    return p < 0.5 ? -HUGE_VAL : HUGE_VAL;
  double t = std::sqrt(-2 * std::log(tail));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                     (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int step = 0; step < 2; ++step)
    x += (normalFunction(-x) - tail) * std::sqrt(2 * std::numbers::pi) *
         std::exp(x * x / 2);
  return p < 0.5 ? -x : x;
}

/// The four drawn numbers of a counter.
static std::array<double, 4> drawnFrom(const PhiloxWords &words, InitKind kind,
                                       const std::array<double, 4> &arguments) {
  auto [a, b, c, d] = arguments;
  std::array<double, 4> values;
  if (kind == InitKind::Normal || kind == InitKind::PaddedNormal) {
    values = normalsOf(words);
    for (double &value : values)
      value = a + b * value;
    return values;
  }
  double low = a, high = b;
  if (kind == InitKind::TruncNormal) {
    low = normalFunction((c - a) / b);
    high = normalFunction((d - a) / b);
  }
  for (int i = 0; i < 4; ++i) {
    values[i] = low + (high - low) * double(uniformOf(words[i]));
    if (kind == InitKind::TruncNormal)
      values[i] = std::clamp(a + b * normalQuantile(values[i]), c, d);
  }
  return values;
}

Expected<void> initialise(InitKind kind, std::array<double, 4> arguments,
                          uint32_t site, uint64_t seed, DType type,
                          uint64_t count, std::byte *to) {
  size_t size = sizeOf(type);
  if (kind == InitKind::Zeros || kind == InitKind::Ones ||
      kind == InitKind::Constant) {
    double value = kind == InitKind::Zeros  ? 0
                   : kind == InitKind::Ones ? 1
                                            : arguments[0];
    for (uint64_t i = 0; i < count; ++i)
      AMPC_TRY(store(value, type, to + i * size, 1));
    return {};
  }
  if (kind == InitKind::Data || kind > InitKind::PaddedNormal)
    return fail(Code::Usage, "initialiser",
                fmt::format("kind {} is not made from numbers", int(kind)));
  for (uint64_t e = 0; e < count; e += 4) {
    PhiloxWords words =
        philox(randomCounter(e / 4, RandomMode::Initialiser, site, 0), seed);
    std::array<double, 4> values = drawnFrom(words, kind, arguments);
    if (kind == InitKind::PaddedNormal)
      for (uint64_t i = 0; i < 4; ++i)
        if (double(e + i) >= arguments[2] && double(e + i) < arguments[3])
          values[i] = 0;
    AMPC_TRY(convert(DType::F64,
                     reinterpret_cast<const std::byte *>(values.data()), type,
                     to + e * size, std::min<uint64_t>(4, count - e)));
  }
  return {};
}

} // namespace ampc::rt

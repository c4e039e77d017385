// Initialisers.
#include "runtime/core/Initialise.h"
#include "runtime/core/Philox.h"
#include "runtime/core/Tensor.h"
#include "runtime/core/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numbers>

namespace ampc::rt {

/// Fills with one number as `type`; integer types take it truncated (0, 1 and
/// counters only).
static Expected<void> fillWith(double value, DType type, std::byte *to,
                               uint64_t count) {
  if (count == 0)
    return {};
  size_t size = sizeOf(type), bytes = count * size;
  if (info(type).isFloat) {
    AMPC_TRY(convert(DType::F64, reinterpret_cast<const std::byte *>(&value),
                     type, to, 1));
  } else {
    auto whole = int64_t(value);
    AMPC_TRY(convert(DType::I64, reinterpret_cast<const std::byte *>(&whole),
                     type, to, 1));
  }
  // What stands there already, once more.
  for (size_t done = size; done < bytes; done *= 2)
    std::memcpy(to + done, to, std::min(done, bytes - done));
  return {};
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

/// Elements that a thread draws at a time.
static constexpr uint64_t kPiece = 4096;

namespace {

/// Drawn elements. Each is a function of its place alone, so that any thread
/// may draw it.
struct Draws {
  InitKind kind;
  std::array<double, 4> arguments;
  uint32_t site;
  uint64_t seed;
  DType type;
  uint64_t count;
  std::byte *to;
  std::atomic<bool> failed{false};

  void run(int64_t begin, int64_t end) {
    std::array<double, kPiece> values;
    for (auto piece = uint64_t(begin); piece < uint64_t(end); ++piece) {
      uint64_t first = piece * kPiece;
      uint64_t here = std::min(kPiece, count - first);
      for (uint64_t i = 0; i < here; i += 4)
        std::ranges::copy(four(first + i), values.begin() + ptrdiff_t(i));
      if (!convert(DType::F64,
                   reinterpret_cast<const std::byte *>(values.data()), type,
                   to + first * sizeOf(type), here))
        failed = true;
    }
  }

  /// The elements from `e` on.
  std::array<double, 4> four(uint64_t e) const {
    PhiloxWords words =
        philox(randomCounter(e / 4, RandomMode::Initialiser, site, 0), seed);
    std::array<double, 4> values = drawnFrom(words, kind, arguments);
    if (kind == InitKind::PaddedNormal)
      for (uint64_t i = 0; i < 4; ++i)
        if (double(e + i) >= arguments[2] && double(e + i) < arguments[3])
          values[i] = 0;
    return values;
  }
};

} // namespace

Expected<void> initialise(InitKind kind, std::array<double, 4> arguments,
                          uint32_t site, uint64_t seed, DType type,
                          uint64_t count, std::byte *to) {
  if (kind == InitKind::Zeros || kind == InitKind::Ones ||
      kind == InitKind::Constant) {
    double value = kind == InitKind::Zeros  ? 0
                   : kind == InitKind::Ones ? 1
                                            : arguments[0];
    return fillWith(value, type, to, count);
  }
  if (kind == InitKind::Data || kind > InitKind::PaddedNormal)
    return fail(Code::Usage, "initialiser",
                fmt::format("kind {} is not made from numbers", int(kind)));
  Draws draws{kind, arguments, site, seed, type, count, to};
  auto pieces = int64_t((count + kPiece - 1) / kPiece);
  if (pieces < 2) {
    draws.run(0, pieces);
  } else {
    auto lease = ThreadPool::instance().lease();
    lease.run(
        pieces, 1, ThreadPool::instance().size(),
        [](void *draws, int, int64_t begin, int64_t end) {
          static_cast<Draws *>(draws)->run(begin, end);
        },
        &draws);
  }
  if (draws.failed)
    return fail(Code::Usage, "initialiser",
                fmt::format("numbers cannot be stored as {}", info(type).name));
  return {};
}

} // namespace ampc::rt

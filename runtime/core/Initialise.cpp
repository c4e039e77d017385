// Initialisers.
#include "runtime/core/Initialise.h"
#include "runtime/core/Philox.h"
#include "runtime/core/Tensor.h"

#include <algorithm>
#include <fmt/format.h>

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

Expected<void> initialise(InitKind kind, double a, double b, uint32_t site,
                          uint64_t seed, DType type, uint64_t count,
                          std::byte *to) {
  size_t size = sizeOf(type);
  if (kind == InitKind::Zeros || kind == InitKind::Ones ||
      kind == InitKind::Constant) {
    double value = kind == InitKind::Zeros ? 0 : kind == InitKind::Ones ? 1 : a;
    for (uint64_t i = 0; i < count; ++i)
      AMPC_TRY(store(value, type, to + i * size, 1));
    return {};
  }
  if (kind != InitKind::Uniform && kind != InitKind::Normal)
    return fail(Code::Usage, "initialiser",
                fmt::format("kind {} is not made from numbers", int(kind)));
  for (uint64_t e = 0; e < count; e += 4) {
    PhiloxWords words =
        philox(randomCounter(e / 4, RandomMode::Initialiser, site, 0), seed);
    std::array<double, 4> values;
    if (kind == InitKind::Normal) {
      values = normalsOf(words);
      for (double &value : values)
        value = a + b * value;
    } else {
      for (int i = 0; i < 4; ++i)
        values[i] = a + (b - a) * double(uniformOf(words[i]));
    }
    AMPC_TRY(convert(DType::F64,
                     reinterpret_cast<const std::byte *>(values.data()), type,
                     to + e * size, std::min<uint64_t>(4, count - e)));
  }
  return {};
}

} // namespace ampc::rt

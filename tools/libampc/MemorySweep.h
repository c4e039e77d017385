// How the memory of a model grows with one of its settings.
#pragma once

#include "tools/libampc/MemoryPlan.h"

#include <optional>

namespace ampc {

/// The plan at one value of the setting.
struct SweptValue {
  std::string value;
  uint64_t peak_bytes = 0;
  MemoryBytes categories;
};

/// Tensors of one source line that grow alike, over the values.
struct SweptLine {
  std::string source; ///< `file:line`
  std::string name;   ///< of the one that grows most
  /// Of what is at the peak of the last value; each of the same tensors where
  /// it is not at the peak, too.
  std::vector<uint64_t> bytes;
  double share = 0; ///< of the growth of the peak from first to last value
  /// Bytes grow as VALUE ^ power; none where the values are no numbers above
  /// 0, or nothing of the line is there at the first of them.
  std::optional<double> power;
};

/// A sweep.
struct MemorySweep {
  std::string key;
  std::vector<SweptValue> values; ///< in the order given
  std::vector<SweptLine> lines;   ///< those that grow, most growth first
};

/// Plans the memory of `model` with `--set KEY=VALUE` for each value. A value
/// that the model refuses is an error, as is IR, which has nothing left to set.
[[nodiscard]] AMPC_API rt::Expected<MemorySweep>
sweep_memory(const Model &model, const CompileOptions &options,
             const std::string &key, const std::vector<std::string> &values,
             int threads = 0);

/// A table, and a sentence on what grows most.
AMPC_API std::string to_text(const MemorySweep &sweep);

/// One JSON object.
AMPC_API std::string to_json(const MemorySweep &sweep);

} // namespace ampc

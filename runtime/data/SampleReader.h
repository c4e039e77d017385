// One name of a data line: its samples by number.
#pragma once

#include "runtime/data/Batch.h"

#include <memory>

namespace ampc::rt {

/// Reads samples of one name, converted to the port's element type.
class SampleReader {
public:
  virtual ~SampleReader() = default;
  /// Number of samples; nothing for made-up data, which has no end.
  virtual std::optional<uint64_t> count() const = 0;
  /// Writes samples [first, first + n) to `to`, one after the other.
  [[nodiscard]] virtual Expected<void> read(uint64_t first, uint64_t n,
                                            std::byte *to) = 0;
};

/// Where a name gets its samples from, taken apart: `npy:FILE` is {"npy",
/// "FILE"}.
struct DataSpec {
  std::string kind;
  std::string rest;
};

/// Takes `text` apart. A kind that is not of the language: Code BadInput.
[[nodiscard]] AMPC_API Expected<DataSpec>
parseDataSpec(const std::string &text);

/// Opens `spec` for `port` (shape [batch, sample...]), the `position`-th name
/// of its line. Relative paths start at `directory`.
[[nodiscard]] Expected<std::unique_ptr<SampleReader>>
openSamples(const DataSpec &spec, const Port &port, uint32_t position,
            const std::string &directory);

} // namespace ampc::rt

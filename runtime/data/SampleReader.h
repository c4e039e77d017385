// One name of a data line: its samples by number.
#pragma once

#include "runtime/data/Elements.h"

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

/// Where a name gets its samples from, taken apart: `npz:FILE#KEY` is {"npz",
/// "FILE", "KEY"}.
struct AMPC_API DataSpec {
  std::string kind;
  std::string rest; ///< the file, or the seed of made-up data
  std::string key;  ///< what follows the last `#` where the kind has one

  /// Whether it names a file.
  bool isFile() const;
};

/// Takes `text` apart. A kind that is not of the language, or a part that is
/// missing: Code BadInput.
[[nodiscard]] AMPC_API Expected<DataSpec>
parseDataSpec(const std::string &text);

/// Which part of a file's samples is read; `held_out` is the share of its end.
enum class DataPart : uint8_t { All, Train, Held };

/// What there is to know about a name besides where it reads from.
struct SampleContext {
  uint32_t position = 0; ///< of the name in its line
  uint32_t names = 1;    ///< of the line
  std::string directory; ///< relative paths start here; may be empty
  double held_out = 0;
  DataPart part = DataPart::All;
  std::string where = {}; ///< the line, for errors; may be empty
};

/// Opens `spec` for `port` (shape [batch, sample...]).
[[nodiscard]] Expected<std::unique_ptr<SampleReader>>
openSamples(const DataSpec &spec, const Port &port,
            const SampleOptions &options, const SampleContext &context);

/// Of `count` things those that `context` says to read: [first, first + n).
struct SampleRange {
  uint64_t first = 0, n = 0;
};
SampleRange rangeOf(uint64_t count, const SampleContext &context);
/// Which part of a file `context` reads, as messages end: "" for all of it.
std::string partText(const SampleContext &context);

} // namespace ampc::rt

// The element types that data files hold, more than tensors have, and their
// conversion to what an input takes.
#pragma once

#include "runtime/data/Batch.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ampc::rt {

/// Element type of a data file.
enum class Element : uint8_t {
  U8,
  U16,
  U32,
  I8,
  I16,
  I32,
  I64,
  Bool,
  F16,
  F32,
  F64,
  BF16
};

/// One row of the table of data files' element types.
struct ElementInfo {
  std::string_view name; ///< for messages: `u8`
  uint8_t bytes;
  bool isFloat;
};

/// The table row of `element`.
AMPC_API const ElementInfo &info(Element element);

/// The data file's name of a tensor's element type; 8-bit floats have none.
std::optional<Element> elementOf(DType type);

/// `u8[28, 28]`, for messages.
std::string elementText(Element element, std::span<const int64_t> shape);

/// How the numbers of a line become those of a float input: a value v is
/// (v * scale - mean) / std in f64, rounded once.
struct SampleOptions {
  double scale = 1;
  std::vector<double> mean, std; ///< none, one number, or one a channel
  /// text, tokens: values of a sample; 0: as many as the input takes.
  uint64_t window = 0;
  uint64_t stride = 0; ///< between the starts of two windows; 0: the window
};

/// Converts samples of one name. The channel of an element is its place along
/// the sample's first axis.
class Converter {
public:
  /// For samples of `port` (shape [batch, sample...]). Floats for an integer
  /// input, options of an integer input, and a number of channels that the
  /// input has not: Code BadInput, in words that name the input.
  [[nodiscard]] static Expected<Converter> create(Element from, bool bigEndian,
                                                  const Port &port,
                                                  const SampleOptions &options);

  /// Elements of one sample.
  uint64_t elements() const { return count; }
  /// Bytes of one sample in the file.
  uint64_t sampleBytes() const { return count * info(from).bytes; }
  /// Converts `n` samples, one after the other. A value outside of the input's
  /// type: Code BadInput.
  [[nodiscard]] Expected<void> convert(const std::byte *source, uint64_t n,
                                       std::byte *to) const;
  /// The options' formula for element `element` of a sample.
  double apply(double value, uint64_t element) const;

private:
  Element from = Element::F32;
  bool bigEndian = false, plain = true;
  DType type = DType::F32;
  uint64_t count = 1;      ///< elements of a sample
  uint64_t perChannel = 1; ///< elements of a channel
  double scale = 1;
  std::vector<double> mean, std;
};

} // namespace ampc::rt

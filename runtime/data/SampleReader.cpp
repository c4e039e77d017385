// The kinds of sources. Made-up sample i of the name at position p of its line
// is a pure function of (seed, p, i): Philox with the key seed xor kDataKey and
// the counter (low 32 bits of e/4; p << 16 | bits 32-47 of e/4; low word of i;
// high word of i), e the element of the sample. The key keeps data apart from a
// model's own draws with the same seed.
#include "runtime/data/SampleReader.h"
#include "runtime/core/Philox.h"
#include "runtime/data/ArrayReader.h"
#include "runtime/data/Csv.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace ampc::rt {

namespace {

constexpr uint64_t kDataKey = 0x64617461'00000000u; // "data" in the high word

PhiloxWords dataCounter(uint64_t quad, uint32_t position, uint64_t sample) {
  return {uint32_t(quad), position << 16 | uint32_t(quad >> 32 & 0xffff),
          uint32_t(sample), uint32_t(sample >> 32)};
}

/// `normal:SEED` and `uniform:SEED`.
class MadeUpReader final : public SampleReader {
public:
  MadeUpReader(bool normal, uint64_t seed, uint32_t position, DType type,
               Converter options)
      : normal(normal), key(seed ^ kDataKey), position(position), type(type),
        elements(options.elements()), options(std::move(options)) {}

  std::optional<uint64_t> count() const override { return std::nullopt; }

  Expected<void> read(uint64_t first, uint64_t n, std::byte *to) override {
    size_t size = sizeOf(type);
    for (uint64_t sample = first; sample < first + n; ++sample)
      for (uint64_t e = 0; e < elements; e += 4) {
        uint64_t quad = e / 4, take = std::min<uint64_t>(4, elements - e);
        PhiloxWords words = philox(dataCounter(quad, position, sample), key);
        std::array<double, 4> values;
        if (normal)
          values = normalsOf(words);
        else
          for (int i = 0; i < 4; ++i)
            values[i] = uniformOf(words[i]);
        for (uint64_t i = 0; i < take; ++i)
          values[i] = options.apply(values[i], e + i);
        AMPC_TRY(convert(DType::F64,
                         reinterpret_cast<const std::byte *>(values.data()),
                         type, to, take));
        to += take * size;
      }
    return {};
  }

private:
  bool normal;
  uint64_t key;
  uint32_t position;
  DType type;
  uint64_t elements;
  Converter options;
};

/// `randint:SEED#LOW,HIGH`: low + floor(w * (high - low) / 2^32), w a word of
/// the counter's.
class IntegerReader final : public SampleReader {
public:
  IntegerReader(int64_t low, uint64_t span, uint64_t seed, uint32_t position,
                Converter converter)
      : low(low), span(span), key(seed ^ kDataKey), position(position),
        elements(converter.elements()), converter(std::move(converter)) {}

  std::optional<uint64_t> count() const override { return std::nullopt; }

  Expected<void> read(uint64_t first, uint64_t n, std::byte *to) override {
    sampleBuffer.resize(n * elements);
    for (uint64_t i = 0; i < n * elements; ++i) {
      uint64_t e = i % elements;
      PhiloxWords words =
          philox(dataCounter(e / 4, position, first + i / elements), key);
      sampleBuffer[i] = low + int64_t(words[e % 4] * span >> 32);
    }
    return converter.convert(
        reinterpret_cast<const std::byte *>(sampleBuffer.data()), n, to);
  }

private:
  int64_t low;
  uint64_t span; ///< at most 2^32
  uint64_t key;
  uint32_t position;
  uint64_t elements;
  Converter converter;
  std::vector<int64_t> sampleBuffer;
};

/// How a kind of source is spelt.
struct KindRow {
  std::string_view kind;
  std::string_view form; ///< for messages
  bool file;
  bool many; ///< one line may give several names
  enum Key : uint8_t { None, Optional, Required } key;
};
constexpr KindRow kKinds[] = {
    {"idx", "idx:FILE", true, false, KindRow::None},
    {"npy", "npy:FILE", true, false, KindRow::None},
    {"npz", "npz:FILE#KEY", true, false, KindRow::Required},
    {"csv", "csv:FILE#COLUMNS", true, false, KindRow::Optional},
    {"text", "text:FILE", true, true, KindRow::None},
    {"tokens", "tokens:FILE", true, true, KindRow::None},
    {"safetensors", "safetensors:FILE#KEY", true, false, KindRow::Required},
    {"normal", "normal:SEED", false, true, KindRow::None},
    {"uniform", "uniform:SEED", false, true, KindRow::None},
    {"randint", "randint:SEED#LOW,HIGH", false, true, KindRow::Required}};

const KindRow *rowOf(std::string_view kind) {
  for (const KindRow &row : kKinds)
    if (row.kind == kind)
      return &row;
  return nullptr;
}

template <class T>
bool parseNumber(std::string_view text, T &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() &&
         end == text.data() + text.size();
}

Expected<std::unique_ptr<SampleReader>> openMadeUp(const DataSpec &spec,
                                                   const Port &port,
                                                   const SampleOptions &options,
                                                   uint32_t position) {
  const KindRow &row = *rowOf(spec.kind);
  std::string text = spec.kind + ":" + spec.rest;
  uint64_t seed = 0;
  if (!parseNumber(spec.rest, seed))
    return fail(
        Code::BadInput, text,
        fmt::format("expected {} with a seed from 0 to 2^64-1", row.form));
  bool whole = spec.kind == "randint";
  if (!whole && !info(port.dtype).isFloat)
    return fail(Code::BadInput, text,
                fmt::format("'{}' is of {}; {} data is for float inputs",
                            port.name, name_of(port.dtype), spec.kind));
  auto converter = Converter::create(whole ? Element::I64 : Element::F64, false,
                                     port, options);
  if (!converter)
    return fail(Code::BadInput, text, converter.error().message);
  if (whole) {
    int64_t low = 0, high = 0;
    std::string_view key = spec.key;
    size_t comma = key.find(',');
    if (comma == std::string_view::npos ||
        !parseNumber(key.substr(0, comma), low) ||
        !parseNumber(key.substr(comma + 1), high) || high <= low ||
        uint64_t(high) - uint64_t(low) > uint64_t(1) << 32)
      return fail(Code::BadInput, text + "#" + spec.key,
                  fmt::format("expected {} with LOW below HIGH by at most 2^32",
                              row.form));
    return std::make_unique<IntegerReader>(low, uint64_t(high) - uint64_t(low),
                                           seed, position,
                                           std::move(*converter));
  }
  return std::make_unique<MadeUpReader>(spec.kind == "normal", seed, position,
                                        port.dtype, std::move(*converter));
}

} // namespace

bool DataSpec::isFile() const {
  const KindRow *row = rowOf(kind);
  return row && row->file;
}

Expected<DataSpec> parseDataSpec(const std::string &text) {
  size_t colon = text.find(':');
  DataSpec spec{text.substr(0, colon),
                colon == std::string::npos ? "" : text.substr(colon + 1), ""};
  const KindRow *row = rowOf(spec.kind);
  if (!row) {
    std::string forms;
    for (const KindRow &known : kKinds)
      forms += fmt::format("{}{}", forms.empty() ? "" : ", ", known.form);
    return fail(Code::BadInput, text,
                fmt::format("unknown data source '{}'; expected one of {}",
                            spec.kind, forms));
  }
  if (row->key != KindRow::None) {
    size_t hash = spec.rest.rfind('#');
    if (hash != std::string::npos) {
      spec.key = spec.rest.substr(hash + 1);
      spec.rest.resize(hash);
    }
    if (spec.key.empty() &&
        (row->key == KindRow::Required || hash != std::string::npos))
      return fail(Code::BadInput, text, fmt::format("expected {}", row->form));
  }
  if (spec.rest.empty())
    return fail(Code::BadInput, text,
                fmt::format("expected {}, the {} is empty", row->form,
                            row->file ? "file's name" : "seed"));
  return spec;
}

std::string partText(const SampleContext &context) {
  if (context.part == DataPart::All || context.held_out == 0)
    return "";
  return fmt::format(" {} the share {} for validation",
                     context.part == DataPart::Held ? "in" : "outside",
                     context.held_out);
}

SampleRange rangeOf(uint64_t count, const SampleContext &context) {
  auto held = uint64_t(double(count) * context.held_out);
  if (context.part == DataPart::Train)
    return {0, count - held};
  if (context.part == DataPart::Held)
    return {count - held, held};
  return {0, count};
}

Expected<std::unique_ptr<SampleReader>>
openSamples(const DataSpec &spec, const Port &port,
            const SampleOptions &options, const SampleContext &context) {
  const KindRow &row = *rowOf(spec.kind);
  if (context.names > 1 && !row.many)
    return fail(Code::BadInput, spec.kind + ":" + spec.rest,
                fmt::format("{} file holds one array; give each name its own "
                            "line",
                            spec.kind == "idx" || spec.kind == "npy" ||
                                    spec.kind == "npz"
                                ? "an " + spec.kind
                                : "a " + spec.kind));
  if (!row.file)
    return openMadeUp(spec, port, options, context.position);
  bool relative = spec.rest[0] != '/' && !context.directory.empty();
  std::string path = relative ? context.directory + "/" + spec.rest : spec.rest;
  if (relative && ::access(path.c_str(), F_OK) != 0)
    return fail(Code::BadInput, context.where.empty() ? path : context.where,
                fmt::format("cannot open the file '{}': {}; '{}' is relative "
                            "to the folder of the model or plan",
                            path, std::strerror(errno), spec.rest));
  if (spec.kind == "csv")
    return openCsv(spec, path, port, options, context);
  if (spec.kind == "text" || spec.kind == "tokens")
    return openWindows(spec, path, port, options, context);
  return openArray(spec, path, port, options, context);
}

} // namespace ampc::rt

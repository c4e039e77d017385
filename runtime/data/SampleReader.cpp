// The kinds of sources. Made-up sample i of the name at position p of its line
// is a pure function of (seed, p, i): Philox with the key seed xor kDataKey and
// the counter (low 32 bits of e/4; p << 16 | bits 32-47 of e/4; low word of i;
// high word of i), e the element of the sample. The key keeps data apart from a
// model's own draws with the same seed.
#include "runtime/data/SampleReader.h"
#include "runtime/core/Philox.h"
#include "runtime/data/Npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace ampc::rt {

namespace {

constexpr uint64_t kDataKey = 0x64617461'00000000u; // "data" in the high word

uint64_t sampleElements(const Port &port) {
  return *countOf(
      std::span(port.shape).subspan(1)); // the port's shape has been checked
}

/// `normal:SEED` and `uniform:SEED`.
class MadeUpReader final : public SampleReader {
public:
  MadeUpReader(bool normal, uint64_t seed, uint32_t position, const Port &port)
      : normal(normal), key(seed ^ kDataKey), position(position),
        type(port.dtype), elements(sampleElements(port)) {}

  std::optional<uint64_t> count() const override { return std::nullopt; }

  Expected<void> read(uint64_t first, uint64_t n, std::byte *to) override {
    size_t size = sizeOf(type);
    for (uint64_t sample = first; sample < first + n; ++sample)
      for (uint64_t e = 0; e < elements; e += 4) {
        uint64_t quad = e / 4, take = std::min<uint64_t>(4, elements - e);
        PhiloxWords words = philox(
            {uint32_t(quad), position << 16 | uint32_t(quad >> 32 & 0xffff),
             uint32_t(sample), uint32_t(sample >> 32)},
            key);
        std::array<double, 4> values;
        if (normal)
          values = normalsOf(words);
        else
          for (int i = 0; i < 4; ++i)
            values[i] = uniformOf(words[i]);
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
};

/// `npy:FILE`: axis 0 is the sample axis.
class NpyReader final : public SampleReader {
public:
  NpyReader(NpyFile file, std::string path, const Port &port)
      : file(std::move(file)), path(std::move(path)), type(port.dtype),
        elements(sampleElements(port)) {}

  std::optional<uint64_t> count() const override {
    return uint64_t(file.shape()[0]);
  }

  Expected<void> read(uint64_t first, uint64_t n, std::byte *to) override {
    size_t bytes = elements * sizeOf(file.dtype());
    auto done = convert(file.dtype(), file.bytes().data() + first * bytes, type,
                        to, n * elements);
    if (!done)
      return fail(
          Code::BadInput, path,
          fmt::format("samples from {}: {}", first, done.error().message));
    return {};
  }

private:
  NpyFile file;
  std::string path;
  DType type;
  uint64_t elements;
};

Expected<std::unique_ptr<SampleReader>> openNpy(const std::string &path,
                                                const Port &port) {
  AMPC_ASSIGN(NpyFile file, NpyFile::open(path));
  std::span<const int64_t> wanted = std::span(port.shape).subspan(1);
  if (file.shape().empty())
    return fail(Code::BadInput, path,
                "the file holds a scalar, expected samples along axis 0");
  std::span<const int64_t> found = file.shape().subspan(1);
  bool narrows = info(file.dtype()).isFloat && !info(port.dtype).isFloat;
  if (!std::equal(wanted.begin(), wanted.end(), found.begin(), found.end()) ||
      narrows)
    return fail(Code::BadInput, path,
                fmt::format("'{}' expects {}, the file holds {}", port.name,
                            typeText(port.dtype, wanted),
                            typeText(file.dtype(), found)));
  return std::make_unique<NpyReader>(std::move(file), path, port);
}

} // namespace

Expected<DataSpec> parseDataSpec(const std::string &text) {
  size_t colon = text.find(':');
  DataSpec spec{text.substr(0, colon),
                colon == std::string::npos ? "" : text.substr(colon + 1)};
  static constexpr std::string_view kinds[] = {
      "idx", "npz", "csv", "text", "tokens", "safetensors", "randint"};
  if (spec.kind == "npy" || spec.kind == "normal" || spec.kind == "uniform")
    return spec;
  for (std::string_view kind : kinds)
    if (spec.kind == kind)
      return fail(Code::BadInput, text,
                  fmt::format("data from '{}:' is not available yet", kind));
  return fail(Code::BadInput, text,
              fmt::format("unknown data source '{}'; expected normal:SEED, "
                          "uniform:SEED or npy:FILE",
                          spec.kind));
}

Expected<std::unique_ptr<SampleReader>>
openSamples(const DataSpec &spec, const Port &port, uint32_t position,
            const std::string &directory) {
  if (spec.kind == "npy") {
    if (spec.rest.empty())
      return fail(Code::BadInput, "npy:", "expected npy:FILE");
    bool relative = spec.rest[0] != '/' && !directory.empty();
    return openNpy(relative ? directory + "/" + spec.rest : spec.rest, port);
  }
  std::string text = spec.kind + ":" + spec.rest;
  uint64_t seed = 0;
  auto [end, error] = std::from_chars(
      spec.rest.data(), spec.rest.data() + spec.rest.size(), seed);
  if (spec.rest.empty() || error != std::errc() ||
      end != spec.rest.data() + spec.rest.size())
    return fail(Code::BadInput, text,
                fmt::format("expected {}:SEED with a seed from 0 to 2^64-1",
                            spec.kind));
  if (!info(port.dtype).isFloat || sizeOf(port.dtype) == 1)
    return fail(Code::BadInput, text,
                fmt::format("'{}' is of {}; {} data is for float inputs",
                            port.name, name_of(port.dtype), spec.kind));
  return std::make_unique<MadeUpReader>(spec.kind == "normal", seed, position,
                                        port);
}

} // namespace ampc::rt

// Sources whose file is one array.
#include "runtime/data/ArrayReader.h"
#include "runtime/data/InputFile.h"
#include "runtime/data/Npy.h"
#include "runtime/data/Safetensors.h"

#include <algorithm>
#include <fmt/format.h>

namespace ampc::rt {

namespace {

/// An array of a file with what keeps its bytes.
struct FileArray {
  FileBytes file;
  std::optional<Safetensors> tensors;
  Element element = Element::F32;
  bool bigEndian = false;
  std::vector<int64_t> shape;
  std::span<const std::byte> bytes;
};

/// MNIST's format: two zero bytes, the element type, the rank, big-endian
/// extents, big-endian elements.
Expected<FileArray> readIdx(const std::string &path) {
  auto bad = [&](std::string text) {
    return fail(Code::BadInput, path, std::move(text));
  };
  FileArray array;
  AMPC_ASSIGN(array.file, openInput(path));
  std::span<const std::byte> all = array.file.bytes();
  auto byte = [&](size_t i) { return std::to_integer<uint32_t>(all[i]); };
  if (all.size() < 4 || byte(0) || byte(1))
    return bad(
        fmt::format("not an idx file: expected it to begin with two zero "
                    "bytes, a type and a rank (the file has {} bytes)",
                    all.size()));
  struct Row {
    uint32_t code;
    Element element;
  };
  constexpr Row rows[] = {{0x08, Element::U8},  {0x09, Element::I8},
                          {0x0b, Element::I16}, {0x0c, Element::I32},
                          {0x0d, Element::F32}, {0x0e, Element::F64}};
  auto row = std::find_if(std::begin(rows), std::end(rows),
                          [&](const Row &row) { return row.code == byte(2); });
  if (row == std::end(rows))
    return bad(fmt::format(
        "element type {:#04x}, expected 0x08 0x09 0x0b 0x0c 0x0d or 0x0e",
        byte(2)));
  size_t rank = byte(3), start = 4 + 4 * rank;
  if (all.size() < start)
    return bad(fmt::format("truncated: {} extents need {} bytes, the file has "
                           "{}",
                           rank, start, all.size()));
  for (size_t axis = 0; axis < rank; ++axis) {
    uint32_t extent = 0;
    for (size_t i = 0; i < 4; ++i)
      extent = extent << 8 | byte(4 + 4 * axis + i);
    array.shape.push_back(extent);
  }
  array.element = row->element;
  array.bigEndian = true;
  array.bytes = all.subspan(start);
  std::optional<uint64_t> count = countOf(array.shape);
  std::string text = elementText(array.element, array.shape);
  if (!count)
    return bad(fmt::format("the extents of {} are too large", text));
  uint64_t expected = *count * info(array.element).bytes;
  if (expected != array.bytes.size())
    return bad(
        fmt::format("{}: {} has {} bytes, the file holds {} after its header",
                    array.bytes.size() < expected ? "truncated" : "too long",
                    text, expected, array.bytes.size()));
  return array;
}

Expected<FileArray> readArray(const DataSpec &spec, const std::string &path) {
  if (spec.kind == "idx")
    return readIdx(path);
  FileArray array;
  if (spec.kind == "safetensors") {
    AMPC_ASSIGN(array.tensors, Safetensors::open(path));
    const Safetensors::Entry *entry = array.tensors->find(spec.key);
    if (!entry) {
      constexpr size_t kShown = 8;
      std::string names;
      std::span<const Safetensors::Entry> tensors = array.tensors->tensors();
      for (size_t i = 0; i < tensors.size() && i < kShown; ++i)
        names += (i ? ", " : "") + tensors[i].name;
      return fail(Code::BadInput, path,
                  fmt::format("no tensor '{}' in the file; it has {}{}",
                              spec.key, names.empty() ? "none" : names,
                              tensors.size() > kShown ? ", ..." : ""));
    }
    array.element = *elementOf(entry->dtype); // the format names no other
    array.shape = entry->shape;
    array.bytes = entry->bytes;
    return array;
  }
  AMPC_ASSIGN(array.file, spec.kind == "npz" ? openZipMember(path, spec.key)
                                             : openInput(path));
  std::string where = spec.kind == "npz" ? path + "#" + spec.key : path;
  AMPC_ASSIGN(NpyArray found, parseNpy(array.file.bytes(), where));
  array.element = found.element;
  array.shape = std::move(found.shape);
  array.bytes = found.bytes;
  return array;
}

/// Adds the place to an error that has none.
tl::unexpected<Error> at(const std::string &where, Error error) {
  if (error.where.empty())
    error.where = where;
  return tl::unexpected(std::move(error));
}

class ArrayReader final : public SampleReader {
public:
  ArrayReader(FileArray array, Converter converter, std::string where,
              SampleRange range)
      : array(std::move(array)), converter(std::move(converter)),
        where(std::move(where)), range(range) {}

  std::optional<uint64_t> count() const override { return range.n; }

  Expected<void> read(uint64_t first, uint64_t n, std::byte *to) override {
    uint64_t from = range.first + first;
    auto done = converter.convert(
        array.bytes.data() + from * converter.sampleBytes(), n, to);
    if (!done)
      return fail(
          Code::BadInput, where,
          fmt::format("samples from {}: {}", from, done.error().message));
    return {};
  }

private:
  FileArray array;
  Converter converter;
  std::string where;
  SampleRange range;
};

/// Windows of one row of integers.
class WindowReader final : public SampleReader {
public:
  WindowReader(FileBytes file, Converter converter, std::string where,
               uint64_t start, uint64_t stride, uint64_t count, size_t bytes)
      : file(std::move(file)), converter(std::move(converter)),
        where(std::move(where)), start(start), stride(stride), windows(count),
        bytes(bytes) {}

  std::optional<uint64_t> count() const override { return windows; }

  Expected<void> read(uint64_t first, uint64_t n, std::byte *to) override {
    for (uint64_t i = first; i < first + n; ++i, to += bytes) {
      uint64_t from = start + i * stride;
      auto done = converter.convert(
          file.bytes().data() +
              from * (converter.sampleBytes() / converter.elements()),
          1, to);
      if (!done)
        return fail(
            Code::BadInput, where,
            fmt::format("the window at {}: {}", from, done.error().message));
    }
    return {};
  }

private:
  FileBytes file;
  Converter converter;
  std::string where;
  uint64_t start, stride, windows;
  size_t bytes; ///< of a converted sample
};

} // namespace

Expected<std::unique_ptr<SampleReader>>
openArray(const DataSpec &spec, const std::string &path, const Port &port,
          const SampleOptions &options, const SampleContext &context) {
  std::string where = spec.key.empty() ? path : path + "#" + spec.key;
  AMPC_ASSIGN(FileArray array, readArray(spec, path));
  if (array.shape.empty())
    return fail(Code::BadInput, where,
                "the file holds a scalar, expected samples along axis 0");
  std::span<const int64_t> wanted = std::span(port.shape).subspan(1);
  std::span<const int64_t> found = std::span(array.shape).subspan(1);
  bool narrows = info(array.element).isFloat && !info(port.dtype).isFloat;
  if (!std::equal(wanted.begin(), wanted.end(), found.begin(), found.end()) ||
      narrows)
    return fail(Code::BadInput, where,
                fmt::format("'{}' expects {}, the file holds {}", port.name,
                            typeText(port.dtype, wanted),
                            elementText(array.element, found)));
  auto converter =
      Converter::create(array.element, array.bigEndian, port, options);
  if (!converter)
    return at(where, std::move(converter).error());
  SampleRange range = rangeOf(uint64_t(array.shape[0]), context);
  return std::make_unique<ArrayReader>(std::move(array), std::move(*converter),
                                       where, range);
}

Expected<std::unique_ptr<SampleReader>>
openWindows(const DataSpec &spec, const std::string &path, const Port &port,
            const SampleOptions &options, const SampleContext &context) {
  auto bad = [&](std::string text) {
    return fail(Code::BadInput, path, std::move(text));
  };
  bool isText = spec.kind == "text";
  Element element = isText ? Element::U8 : Element::U16;
  const char *unit = isText ? "bytes" : "tokens";
  auto converter = Converter::create(element, false, port, options);
  if (!converter)
    return at(path, std::move(converter).error());
  uint64_t wanted = converter->elements();
  uint64_t window = options.window ? options.window : wanted;
  if (window != wanted || window == 0)
    return bad(fmt::format("window is {}, a sample of '{}' takes {} {}", window,
                           port.name, wanted, unit));
  if (context.names > 2)
    return bad(fmt::format("{} gives one name its windows and a second one the "
                           "same moved by one; the line has {} names",
                           spec.kind, context.names));
  AMPC_ASSIGN(FileBytes file, openInput(path));
  size_t size = info(element).bytes;
  if (file.bytes().size() % size)
    return bad(fmt::format("{} bytes are no whole number of 16-bit tokens",
                           file.bytes().size()));
  SampleRange part = rangeOf(file.bytes().size() / size, context);
  uint64_t stride = options.stride ? options.stride : window;
  uint64_t needed = window + (context.names == 2 ? 1 : 0);
  if (needed < window || part.n < needed)
    return bad(fmt::format("a window takes {} {}, there are {}{}", needed, unit,
                           part.n, partText(context)));
  uint64_t count = (part.n - needed) / stride + 1;
  return std::make_unique<WindowReader>(std::move(file), std::move(*converter),
                                        path, part.first + context.position,
                                        stride, count,
                                        wanted * sizeOf(port.dtype));
}

} // namespace ampc::rt

// Element types of data files and their conversion.
#include "runtime/data/Elements.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace ampc::rt {

namespace {

constexpr ElementInfo kElements[] = {
    {"u8", 1, false},  {"u16", 2, false}, {"u32", 4, false}, {"i8", 1, false},
    {"i16", 2, false}, {"i32", 4, false}, {"i64", 8, false}, {"bool", 1, false},
    {"f16", 2, true},  {"f32", 4, true},  {"f64", 8, true},  {"bf16", 2, true}};

/// The tensor element type with the same bits, if there is one.
std::optional<DType> dtypeOf(Element element) {
  return dtypeByName(info(element).name);
}

template <class T>
T load(const std::byte *from, bool swap) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (swap)
    std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

/// Loads `n` integers, each exactly.
void loadIntegers(Element from, bool swap, const std::byte *source, uint64_t n,
                  int64_t *to) {
  auto each = [&]<class T>(T) {
    for (uint64_t i = 0; i < n; ++i)
      to[i] = int64_t(load<T>(source + i * sizeof(T), swap));
  };
  switch (from) {
  case Element::U8:
    return each(uint8_t());
  case Element::Bool:
    for (uint64_t i = 0; i < n; ++i)
      to[i] = source[i] != std::byte(0);
    return;
  case Element::U16:
    return each(uint16_t());
  case Element::U32:
    return each(uint32_t());
  case Element::I8:
    return each(int8_t());
  case Element::I16:
    return each(int16_t());
  case Element::I32:
    return each(int32_t());
  default:
    return each(int64_t());
  }
}

/// Elements converted at a time.
constexpr uint64_t kChunk = 512;

} // namespace

const ElementInfo &info(Element element) {
  return kElements[static_cast<size_t>(element)];
}

std::optional<Element> elementOf(DType type) {
  for (size_t i = 0; i < std::size(kElements); ++i)
    if (kElements[i].name == name_of(type))
      return static_cast<Element>(i);
  return std::nullopt;
}

std::string elementText(Element element, std::span<const int64_t> shape) {
  return fmt::format("{}[{}]", info(element).name, fmt::join(shape, ", "));
}

Expected<Converter> Converter::create(Element from, bool bigEndian,
                                      const Port &port,
                                      const SampleOptions &options) {
  auto bad = [](std::string text) {
    return fail(Code::BadInput, "", std::move(text));
  };
  std::span<const int64_t> sample = std::span(port.shape).subspan(1);
  Converter result;
  result.from = from;
  result.bigEndian = bigEndian && info(from).bytes > 1;
  result.type = port.dtype;
  result.count = *countOf(sample); // the port's shape has been checked
  bool toFloat = info(port.dtype).isFloat;
  if (!elementOf(port.dtype) || (info(from).isFloat && !toFloat))
    return bad(fmt::format("'{}' expects {}, the file holds {}", port.name,
                           name_of(port.dtype), info(from).name));
  uint64_t channels = sample.empty() ? 1 : uint64_t(sample[0]);
  result.perChannel =
      channels ? std::max<uint64_t>(result.count / channels, 1) : 1;
  result.scale = options.scale;
  result.mean = options.mean;
  result.std = options.std;
  result.plain =
      options.scale == 1 && options.mean.empty() && options.std.empty();
  if (!result.plain && !toFloat)
    return bad(fmt::format("scale, mean and std are for float inputs, '{}' is "
                           "of {}",
                           port.name, name_of(port.dtype)));
  if (!std::isfinite(options.scale))
    return bad(
        fmt::format("scale is {}, expected a finite number", options.scale));
  for (const auto &[name, list] :
       {std::pair("mean", &options.mean), std::pair("std", &options.std)}) {
    if (list->size() > 1 && list->size() != channels)
      return bad(fmt::format("{} has {} numbers, expected 1 or {} (the first "
                             "axis of a sample of '{}')",
                             name, list->size(), channels, port.name));
    for (double value : *list)
      if (!std::isfinite(value) || (list == &options.std && value == 0))
        return bad(fmt::format("{} is {}, expected a finite number{}", name,
                               value, list == &options.std ? " but 0" : ""));
  }
  return result;
}

double Converter::apply(double value, uint64_t element) const {
  auto of = [&](const std::vector<double> &list, double otherwise) {
    return list.empty() ? otherwise
                        : list[list.size() == 1 ? 0 : element / perChannel];
  };
  return (value * scale - of(mean, 0)) / of(std, 1);
}

Expected<void> Converter::convert(const std::byte *source, uint64_t n,
                                  std::byte *to) const {
  uint64_t total = n * count;
  std::optional<DType> same = dtypeOf(from);
  if (plain && !bigEndian && same == type) {
    if (total)
      std::memcpy(to, source, total * sizeOf(type));
    return {};
  }
  size_t step = info(from).bytes, stride = sizeOf(type);
  std::array<int64_t, kChunk> integers;
  std::array<double, kChunk> reals;
  for (uint64_t done = 0; done < total;) {
    uint64_t take = std::min(kChunk, total - done);
    const std::byte *at = source + done * step;
    std::byte *out = to + done * stride;
    if (!info(from).isFloat) {
      loadIntegers(from, bigEndian, at, take, integers.data());
    } else {
      for (uint64_t i = 0; i < take; ++i) {
        std::array<std::byte, 8> bytes;
        std::memcpy(bytes.data(), at + i * step, step);
        if (bigEndian)
          std::reverse(bytes.begin(), bytes.begin() + std::ptrdiff_t(step));
        AMPC_TRY(rt::convert(*same, bytes.data(), DType::F64,
                             reinterpret_cast<std::byte *>(&reals[i]), 1));
      }
    }
    if (!info(type).isFloat) {
      auto put = rt::convert(DType::I64,
                             reinterpret_cast<std::byte *>(integers.data()),
                             type, out, take);
      if (!put) {
        uint64_t bad = 0;
        int64_t low = type == DType::Bool ? 0
                      : type == DType::I8 ? INT8_MIN
                                          : INT32_MIN;
        int64_t high = type == DType::Bool ? 1
                       : type == DType::I8 ? INT8_MAX
                                           : INT32_MAX;
        while (bad + 1 < take && integers[bad] >= low && integers[bad] <= high)
          ++bad;
        return fail(Code::BadInput, "",
                    fmt::format("sample {} of those read holds {}, outside {}",
                                (done + bad) / std::max<uint64_t>(count, 1),
                                integers[bad], name_of(type)));
      }
    } else {
      if (!info(from).isFloat)
        std::transform(integers.begin(),
                       integers.begin() + std::ptrdiff_t(take), reals.begin(),
                       [](int64_t value) { return double(value); });
      for (uint64_t i = 0; !plain && i < take; ++i)
        reals[i] = apply(reals[i], (done + i) % count);
      AMPC_TRY(rt::convert(DType::F64,
                           reinterpret_cast<std::byte *>(reals.data()), type,
                           out, take));
    }
    done += take;
  }
  return {};
}

} // namespace ampc::rt

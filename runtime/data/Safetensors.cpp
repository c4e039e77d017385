// Safetensors reader and writer.
#include "runtime/data/Safetensors.h"
#include "runtime/data/InputFile.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace ampc::rt {

/// Bytes of a run, a multiple of every element's.
static constexpr size_t kRunBytes = size_t(4) << 20;

namespace {

using Json = nlohmann::json;

/// The format's own limit of the header, in bytes.
constexpr uint64_t kMaxHeader = 100'000'000;

struct TypeRow {
  std::string_view name;
  DType type;
};
constexpr TypeRow kTypes[] = {{"F64", DType::F64}, {"F32", DType::F32},
                              {"F16", DType::F16}, {"BF16", DType::BF16},
                              {"I64", DType::I64}, {"I32", DType::I32},
                              {"I8", DType::I8},   {"BOOL", DType::Bool}};

/// Parses without exceptions, refusing a name that occurs twice (JSON would
/// keep the last).
std::optional<Json> parseHeader(std::string_view text, std::string &duplicate) {
  std::set<std::string> names;
  auto callback = [&](int depth, Json::parse_event_t event, Json &value) {
    if (depth == 1 && event == Json::parse_event_t::key &&
        !names.insert(value.get<std::string>()).second)
      duplicate = value.get<std::string>();
    return true;
  };
  Json json = Json::parse(text.begin(), text.end(), callback,
                          /*allow_exceptions=*/false);
  if (json.is_discarded() || !json.is_object())
    return std::nullopt;
  return json;
}

std::optional<uint64_t> asCount(const Json &value) {
  if (!value.is_number_unsigned())
    return std::nullopt;
  uint64_t number = value.get<uint64_t>();
  return number <= kMaxExtent ? std::optional(number) : std::nullopt;
}

/// One entry of the header; on failure what is wrong with it.
tl::expected<Safetensors::Entry, std::string>
readEntry(const std::string &name, const Json &json,
          std::span<const std::byte> data, uint64_t &begin) {
  auto bad = [](std::string text) { return tl::unexpected(std::move(text)); };
  Safetensors::Entry entry;
  entry.name = name;
  if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets"))
    return bad("expected an object with dtype, shape and data_offsets");
  const Json &dtype = json["dtype"], &shape = json["shape"],
             &offsets = json["data_offsets"];
  const TypeRow *row = nullptr;
  if (dtype.is_string())
    for (const TypeRow &candidate : kTypes)
      if (candidate.name == dtype.get_ref<const std::string &>())
        row = &candidate;
  if (!row)
    return bad(fmt::format(
        "element type {}, expected one of F64 F32 F16 BF16 I64 I32 I8 BOOL",
        dtype.dump(-1, ' ', false, Json::error_handler_t::replace)));
  entry.dtype = row->type;
  if (!shape.is_array() || shape.size() > 64)
    return bad("expected shape to be a list of at most 64 extents");
  for (const Json &extent : shape) {
    std::optional<uint64_t> value = asCount(extent);
    if (!value)
      return bad("expected extents from 0 to 2^48");
    entry.shape.push_back(int64_t(*value));
  }
  std::optional<uint64_t> count = countOf(entry.shape);
  if (!count)
    return bad("the extents are too large");
  std::optional<uint64_t> first, last;
  if (offsets.is_array() && offsets.size() == 2) {
    first = asCount(offsets[0]);
    last = asCount(offsets[1]);
  }
  if (!first || !last || *first > *last || *last > data.size())
    return bad(fmt::format(
        "data_offsets {} do not lie in the {} bytes of data",
        offsets.dump(-1, ' ', false, Json::error_handler_t::replace),
        data.size()));
  uint64_t expected = *count * sizeOf(entry.dtype);
  if (*last - *first != expected)
    return bad(fmt::format("{} has {} bytes, data_offsets span {}",
                           typeText(entry.dtype, entry.shape), expected,
                           *last - *first));
  entry.bytes = data.subspan(*first, expected);
  begin = *first;
  return entry;
}

} // namespace

const Safetensors::Entry *Safetensors::find(std::string_view wanted) const {
  auto found = index.find(wanted);
  return found == index.end() ? nullptr : &entries[found->second];
}

Expected<Safetensors> Safetensors::open(const std::string &path) {
  auto bad = [&](std::string text) {
    return fail(Code::BadInput, path, std::move(text));
  };
  Safetensors result;
  result.name = path;
  AMPC_ASSIGN(result.file, openInput(path));
  std::span<const std::byte> all = result.file.bytes();
  if (all.size() < 8)
    return bad(fmt::format(
        "truncated: expected at least 8 bytes, the file has {}", all.size()));
  uint64_t length;
  std::memcpy(&length, all.data(), 8);
  if (length > all.size() - 8 || length > kMaxHeader)
    return bad(fmt::format(
        "not a safetensors file, or truncated: it names a header of {} bytes, "
        "{} follow",
        length, all.size() - 8));
  std::string_view text(reinterpret_cast<const char *>(all.data()) + 8, length);
  std::span<const std::byte> data = all.subspan(8 + length);
  std::string duplicate;
  std::optional<Json> header = parseHeader(text, duplicate);
  if (!header)
    return bad("not a safetensors file: the header is not a JSON object");
  if (!duplicate.empty())
    return bad(fmt::format("tensor '{}' occurs twice", duplicate));

  std::vector<std::pair<uint64_t, Entry>> order;
  for (auto &[name, value] : header->items()) {
    if (name == "__metadata__") {
      if (!value.is_object())
        return bad("__metadata__ is not an object");
      for (auto &[key, item] : value.items()) {
        if (!item.is_string())
          return bad(fmt::format("metadata '{}' is not a string", key));
        result.meta[key] = item.get<std::string>();
      }
      continue;
    }
    uint64_t begin = 0;
    auto entry = readEntry(name, value, data, begin);
    if (!entry)
      return bad(fmt::format("tensor '{}': {}", name, entry.error()));
    order.emplace_back(begin, std::move(*entry));
  }
  std::sort(order.begin(), order.end(), [](auto &a, auto &b) {
    return std::tuple(a.first, a.second.bytes.size(),
                      std::string_view(a.second.name)) <
           std::tuple(b.first, b.second.bytes.size(),
                      std::string_view(b.second.name));
  });
  uint64_t end = 0;
  for (auto &[begin, entry] : order) {
    if (begin != end)
      return bad(fmt::format(
          "tensor '{}' starts at byte {} of the data, expected {} (no overlap, "
          "no gap)",
          entry.name, begin, end));
    end = begin + entry.bytes.size();
    result.index[entry.name] = result.entries.size();
    result.entries.push_back(std::move(entry));
  }
  if (end != data.size())
    return bad(
        fmt::format("the tensors end at byte {} of the data, the file at {}",
                    end, data.size()));
  return result;
}

/// What stands in the header for `tensors` and their metadata.
static Expected<std::string>
headerOf(const std::string &path, std::span<const TensorHead> tensors,
         const std::map<std::string, std::string> &metadata) {
  auto quoted = [](std::string_view value) {
    return Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string header = "{";
  if (!metadata.empty()) {
    header += "\"__metadata__\":{";
    bool first = true;
    for (auto &[key, value] : metadata) {
      header +=
          fmt::format("{}{}:{}", first ? "" : ",", quoted(key), quoted(value));
      first = false;
    }
    header += '}';
  }
  uint64_t offset = 0;
  std::set<std::string_view> names;
  for (const TensorHead &item : tensors) {
    const TypeRow *row = nullptr;
    for (const TypeRow &candidate : kTypes)
      if (candidate.type == item.dtype)
        row = &candidate;
    if (!row)
      return fail(Code::BadInput, path,
                  fmt::format("tensor '{}': safetensors files hold no {} here",
                              item.name, name_of(item.dtype)));
    std::optional<uint64_t> count = countOf(item.shape);
    if (!count || item.name == "__metadata__" ||
        !names.insert(item.name).second)
      return fail(Code::Usage, path,
                  fmt::format("tensor '{}' of {} cannot be written", item.name,
                              typeText(item.dtype, item.shape)));
    uint64_t end = offset + *count * sizeOf(item.dtype);
    header += fmt::format(
        "{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
        header.size() > 1 ? "," : "", quoted(item.name), row->name,
        fmt::join(item.shape, ","), offset, end);
    offset = end;
  }
  header += '}';
  // Blanks after the JSON are allowed; they put the data at a multiple of 64.
  header.append((64 - (header.size() + 8) % 64) % 64, ' ');
  return header;
}

Expected<void> Safetensors::read(
    const Entry &entry,
    const std::function<Expected<void>(size_t, std::span<const std::byte>)>
        &take) const {
  for (size_t at = 0; at < entry.bytes.size(); at += kRunBytes) {
    std::span<const std::byte> run =
        entry.bytes.subspan(at, std::min(kRunBytes, entry.bytes.size() - at));
    AMPC_TRY(take(at, run));
    file.forget(run);
  }
  return {};
}

bool Safetensors::haveSameBytes(const Entry &a, const Entry &b) const {
  bool same = a.bytes.size() == b.bytes.size();
  for (size_t at = 0; same && at < a.bytes.size(); at += kRunBytes) {
    size_t size = std::min(kRunBytes, a.bytes.size() - at);
    same = std::ranges::equal(a.bytes.subspan(at, size),
                              b.bytes.subspan(at, size));
    file.forget(a.bytes.subspan(at, size));
    file.forget(b.bytes.subspan(at, size));
  }
  return same;
}

Expected<void>
write_safetensors(const std::string &path, std::span<const TensorHead> tensors,
                  const TensorSource &source,
                  const std::map<std::string, std::string> &metadata,
                  bool overwrite) {
  AMPC_ASSIGN(std::string header, headerOf(path, tensors, metadata));
  AMPC_ASSIGN(AtomicFile file, AtomicFile::create(path, overwrite));
  uint64_t length = header.size();
  AMPC_TRY(file.write(std::as_bytes(std::span(&length, 1))));
  AMPC_TRY(file.write(std::as_bytes(std::span(header.data(), header.size()))));
  for (size_t i = 0; i < tensors.size(); ++i) {
    uint64_t expected = *countOf(tensors[i].shape) * sizeOf(tensors[i].dtype);
    AMPC_TRY(source(i, [&](std::span<const std::byte> bytes) -> Expected<void> {
      if (bytes.size() != expected)
        return fail(
            Code::Usage, path,
            fmt::format("tensor '{}' of {} with {} bytes cannot be written",
                        tensors[i].name,
                        typeText(tensors[i].dtype, tensors[i].shape),
                        bytes.size()));
      return file.write(bytes);
    }));
  }
  return file.commit();
}

Expected<void>
write_safetensors(const std::string &path, std::span<const NamedView> tensors,
                  const std::map<std::string, std::string> &metadata,
                  bool overwrite) {
  std::vector<TensorHead> heads;
  for (const NamedView &item : tensors)
    heads.push_back({item.name, item.view.dtype, item.view.shape});
  return write_safetensors(
      path, heads,
      [&](size_t i, const auto &take) { return take(tensors[i].view.bytes); },
      metadata, overwrite);
}

} // namespace ampc::rt

// The tuning record. A text file:
//   ampc tuning record 1
//   device NVIDIA H200, sm_90, cuBLASLt 13.0
//   pin 128 HEXADECIMAL DIGITS, BYTES OF SCRATCH MEMORY, THE PRODUCT
//   hash 16 HEXADECIMAL DIGITS, of all before this line
#include "runtime/device/cuda/TuningRecord.h"
#include "runtime/plan/FileIO.h"

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ampc::rt::cuda {

namespace {

constexpr std::string_view kFirstLine = "ampc tuning record 1\n";
constexpr std::string_view kDevice = "device ", kPin = "pin ", kHash = "hash ";
constexpr size_t kDigits = 2 * sizeof(BlasAlgorithm);

std::string hashLine(std::string_view text) {
  return fmt::format("{}{:016x}\n", kHash,
                     XXH3_64bits(text.data(), text.size()));
}

std::string hex(const BlasAlgorithm &algorithm) {
  unsigned char bytes[sizeof algorithm];
  std::memcpy(bytes, &algorithm, sizeof algorithm);
  std::string digits;
  for (unsigned char byte : bytes)
    digits += fmt::format("{:02x}", byte);
  return digits;
}

bool parseNumber(std::string_view text, uint64_t &value, int base) {
  auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && stop == text.data() + text.size();
}

bool parseAlgorithm(std::string_view digits, BlasAlgorithm &algorithm) {
  unsigned char bytes[sizeof algorithm];
  for (size_t i = 0; i < sizeof algorithm; ++i) {
    uint64_t value = 0;
    if (!parseNumber(digits.substr(2 * i, 2), value, 16))
      return false;
    bytes[i] = static_cast<unsigned char>(value);
  }
  std::memcpy(&algorithm, bytes, sizeof algorithm);
  return true;
}

/// Takes the text up to and with the next `end` off the front of `text`.
std::optional<std::string_view> cut(std::string_view &text, char end) {
  size_t at = text.find(end);
  if (at == text.npos)
    return std::nullopt;
  std::string_view part = text.substr(0, at);
  text.remove_prefix(at + 1);
  return part;
}

using Choices = std::map<std::string, std::map<std::string, PinnedAlgorithm>>;

/// Nothing where `text` is not a whole record.
std::optional<Choices> parse(std::string_view text) {
  size_t hash = text.rfind(kHash);
  if (!text.starts_with(kFirstLine) || hash == text.npos ||
      text.substr(hash) != hashLine(text.substr(0, hash)))
    return std::nullopt;
  Choices choices;
  std::map<std::string, PinnedAlgorithm> *device = nullptr;
  text = text.substr(kFirstLine.size(), hash - kFirstLine.size());
  while (std::optional<std::string_view> line = cut(text, '\n')) {
    if (line->starts_with(kDevice)) {
      device = &choices[std::string(line->substr(kDevice.size()))];
      continue;
    }
    if (!device || !line->starts_with(kPin))
      return std::nullopt;
    std::string_view rest = line->substr(kPin.size());
    std::optional<std::string_view> digits = cut(rest, ' ');
    std::optional<std::string_view> bytes = cut(rest, ' ');
    PinnedAlgorithm pinned;
    if (!digits || digits->size() != kDigits || !bytes ||
        !parseAlgorithm(*digits, pinned.algorithm) ||
        !parseNumber(*bytes, pinned.workspaceBytes, 10))
      return std::nullopt;
    (*device)[std::string(rest)] = pinned;
  }
  if (!text.empty())
    return std::nullopt;
  return choices;
}

std::string textOf(const Choices &choices) {
  std::string text(kFirstLine);
  for (const auto &[device, products] : choices) {
    text += fmt::format("{}{}\n", kDevice, device);
    for (const auto &[product, pinned] : products)
      text += fmt::format("{}{} {} {}\n", kPin, hex(pinned.algorithm),
                          pinned.workspaceBytes, product);
  }
  return text + hashLine(text);
}

} // namespace

TuningRecord TuningRecord::open(const std::string &path,
                                const std::string &device, const Note &note) {
  TuningRecord record;
  record.path = path;
  record.device = device;
  auto anew = [&](const std::string &why) {
    if (note)
      note(fmt::format("{}: {}; the algorithms of matrix products are chosen "
                       "anew and kept there",
                       path, why));
  };
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    anew("there is no such tuning record yet");
    return record;
  }
  Expected<FileBytes> file = FileBytes::map(path);
  if (!file) {
    anew(file.error().message);
    return record;
  }
  std::optional<Choices> found =
      parse({reinterpret_cast<const char *>(file->bytes().data()),
             file->bytes().size()});
  if (!found) {
    anew("the file is damaged or no tuning record");
    return record;
  }
  record.choices = std::move(*found);
  if (!record.choices.contains(device))
    anew(fmt::format("the tuning record has nothing of {}", device));
  return record;
}

std::optional<PinnedAlgorithm>
TuningRecord::find(const std::string &product) const {
  auto mine = choices.find(device);
  if (mine == choices.end())
    return std::nullopt;
  auto found = mine->second.find(product);
  return found == mine->second.end() ? std::nullopt
                                     : std::optional(found->second);
}

void TuningRecord::pin(const std::string &product,
                       const PinnedAlgorithm &chosen) {
  choices[device][product] = chosen;
  isChanged = true;
}

void TuningRecord::write(const Note &note) const {
  if (path.empty() || !isChanged)
    return;
  if (refused && note)
    note(fmt::format("{}: {} refuses {} of the algorithms that the tuning "
                     "record has; they are chosen anew and kept there",
                     path, device, refused));
  std::string text = textOf(choices);
  auto written = [&]() -> Expected<void> {
    AMPC_ASSIGN(AtomicFile file, AtomicFile::create(path, /*overwrite=*/true));
    AMPC_TRY(file.write(std::as_bytes(std::span(text.data(), text.size()))));
    return file.commit();
  }();
  if (!written && note)
    note(fmt::format("{}: the tuning record cannot be kept: {}", path,
                     written.error().message));
}

} // namespace ampc::rt::cuda

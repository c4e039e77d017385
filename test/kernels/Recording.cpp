// Recordings of launches, and how their results compare.
#include "test/kernels/Recording.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <zlib.h>

namespace ampc::test {

namespace {

constexpr char kMark[8] = {'a', 'm', 'p', 'c', 'k', 'r', 'n', '1'};
constexpr uint64_t kMostOfAPart = uint64_t(1) << 32; ///< bytes, unpacked

template <class T>
void write(std::ofstream &file, T value) {
  file.write(reinterpret_cast<const char *>(&value), sizeof value);
}

/// Bytes, packed, behind their numbers before and after.
template <class Bytes>
void writeBytes(std::ofstream &file, const Bytes &bytes) {
  uLongf packed = compressBound(bytes.size());
  std::vector<Bytef> room(packed);
  if (compress2(room.data(), &packed,
                reinterpret_cast<const Bytef *>(bytes.data()), bytes.size(),
                Z_BEST_SPEED) != Z_OK)
    file.setstate(std::ios::failbit);
  write(file, uint64_t(bytes.size()));
  write(file, uint64_t(packed));
  file.write(reinterpret_cast<const char *>(room.data()),
             std::streamsize(packed));
}

template <class T>
T read(std::ifstream &file) {
  T value{};
  file.read(reinterpret_cast<char *>(&value), sizeof value);
  return value;
}

template <class Bytes>
Bytes readBytes(std::ifstream &file) {
  Bytes bytes;
  auto size = read<uint64_t>(file), packed = read<uint64_t>(file);
  if (!file || size > kMostOfAPart || packed > kMostOfAPart) {
    file.setstate(std::ios::failbit);
    return bytes;
  }
  std::vector<Bytef> room(packed);
  file.read(reinterpret_cast<char *>(room.data()), std::streamsize(packed));
  bytes.resize(size);
  uLongf found = size;
  if (uncompress(reinterpret_cast<Bytef *>(bytes.data()), &found, room.data(),
                 packed) != Z_OK ||
      found != size)
    file.setstate(std::ios::failbit);
  return bytes;
}

/// Whether the number at `bytes` is NaN.
bool isNaN(const uint8_t *bytes, const std::string &type) {
  auto word = [&](auto like) {
    std::memcpy(&like, bytes, sizeof(like));
    return like;
  };
  if (type == "float")
    return std::isnan(word(float()));
  if (type == "double")
    return std::isnan(word(double()));
  uint16_t magnitude =
      type.starts_with("ampc_") ? word(uint16_t()) & 0x7fff : 0;
  return type == "ampc_bf16" ? magnitude > 0x7f80
                             : type == "ampc_f16" && magnitude > 0x7c00;
}

} // namespace

RecordingWriter::RecordingWriter(const std::string &path)
    : file(path, std::ios::binary) {
  file.write(kMark, sizeof kMark);
}

bool RecordingWriter::add(const RecordedLaunch &launch) {
  uint64_t bytes = 0;
  for (const RecordedArgument &argument : launch.arguments)
    bytes += argument.before.size();
  if (bytes > kMostBytes)
    return file.good();
  auto [text, isNew] = texts.try_emplace(launch.text, texts.size());
  std::string kernel = std::to_string(text->second) + launch.symbol;
  if (counts[kernel]++ >= (bytes > kLargeBytes ? 1 : kMostOfAKernel))
    return file.good();
  // A text stands before the first launch of it, and is numbered from then on.
  write(file, text->second);
  if (isNew)
    writeBytes(file, launch.text);
  writeBytes(file, launch.symbol);
  write(file, launch.blocks);
  write(file, launch.threads);
  write(file, launch.sharedBytes);
  write(file, uint64_t(launch.arguments.size()));
  for (const RecordedArgument &argument : launch.arguments) {
    write(file, argument.address);
    writeBytes(file, argument.before);
    bool changes = argument.after != argument.before;
    write(file, uint8_t(changes));
    if (changes)
      writeBytes(file, argument.after);
  }
  file.flush(); // a test that ends badly leaves what it did
  return file.good();
}

std::vector<RecordedLaunch> readRecording(const std::string &path) {
  std::vector<RecordedLaunch> launches;
  std::ifstream file(path, std::ios::binary);
  char mark[sizeof kMark] = {};
  file.read(mark, sizeof mark);
  if (!file || std::memcmp(mark, kMark, sizeof mark) != 0)
    return launches;
  std::vector<std::string> texts;
  while (file.peek() != std::ifstream::traits_type::eof()) {
    RecordedLaunch launch;
    auto number = read<uint64_t>(file);
    if (file && number == texts.size())
      texts.push_back(readBytes<std::string>(file));
    if (!file || number >= texts.size())
      return {};
    launch.text = texts[number];
    launch.symbol = readBytes<std::string>(file);
    launch.blocks = read<unsigned>(file);
    launch.threads = read<unsigned>(file);
    launch.sharedBytes = read<unsigned>(file);
    auto count = read<uint64_t>(file);
    for (uint64_t i = 0; file && i < count; ++i) {
      RecordedArgument argument;
      argument.address = read<uint64_t>(file);
      argument.before = readBytes<std::vector<uint8_t>>(file);
      argument.after = read<uint8_t>(file)
                           ? readBytes<std::vector<uint8_t>>(file)
                           : argument.before;
      launch.arguments.push_back(std::move(argument));
    }
    if (!file)
      return {};
    launches.push_back(std::move(launch));
  }
  return launches;
}

std::vector<std::string> parameterTypes(const std::string &text,
                                        const std::string &symbol) {
  size_t at = text.find(" " + symbol + "(") + symbol.size() + 2;
  std::string list = text.substr(at, text.find(") {", at) - at);
  std::vector<std::string> types;
  for (size_t from = 0; from < list.size();) {
    size_t end = std::min(list.find(',', from), list.size());
    std::string one = list.substr(from, list.find(" *", from) - from);
    one.erase(0, one.find_first_not_of(' '));
    if (one.starts_with("const "))
      one.erase(0, 6);
    types.push_back(one);
    from = end + 1;
  }
  return types;
}

size_t elementBytes(const std::string &type) {
  return type == "double" || type == "long long"     ? 8
         : type == "float" || type == "int"          ? 4
         : type == "ampc_bf16" || type == "ampc_f16" ? 2
                                                     : 1;
}

int64_t firstDifference(const std::vector<uint8_t> &a,
                        const std::vector<uint8_t> &b,
                        const std::string &type) {
  size_t size = elementBytes(type);
  for (size_t at = 0; at + size <= a.size(); at += size)
    if (std::memcmp(&a[at], &b[at], size) != 0 &&
        !(isNaN(&a[at], type) && isNaN(&b[at], type)))
      return int64_t(at / size);
  return -1;
}

} // namespace ampc::test

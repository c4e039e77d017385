// Compiled kernels on disk.
#include "runtime/device/cuda/KernelCache.h"
#include "runtime/plan/FileIO.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#ifndef AMPC_VERSION
#error "the build defines AMPC_VERSION"
#endif

namespace ampc::rt::cuda {

namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> kMagic = {'A', 'M', 'P', 'C', 'K', 'R', 'N', '1'};
constexpr std::string_view kEnding = ".kernel";

/// The first bytes of a file.
struct Header {
  std::array<char, 8> magic;
  uint64_t bytes;          ///< of the code, which follows
  XXH128_canonical_t hash; ///< of the file's name, then the code
};
static_assert(sizeof(Header) == 32);

XXH128_canonical_t hashOf(std::string_view name,
                          std::span<const std::byte> code) {
  XXH3_state_t *state = XXH3_createState();
  XXH3_128bits_reset(state);
  XXH3_128bits_update(state, name.data(), name.size());
  XXH3_128bits_update(state, code.data(), code.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
  XXH3_freeState(state);
  return canonical;
}

/// Where the user's caches are; empty: nowhere.
std::string defaultFolder() {
  if (const char *own = std::getenv("AMPC_CACHE"); own && *own)
    return own;
  if (const char *caches = std::getenv("XDG_CACHE_HOME"); caches && *caches)
    return std::string(caches) + "/ampc/kernels";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/ampc/kernels";
  return "";
}

/// The code in the bytes of the file `name`, if they are whole.
std::optional<std::span<const std::byte>>
codeIn(std::string_view name, std::span<const std::byte> file) {
  Header header;
  if (file.size() < sizeof header)
    return std::nullopt;
  std::memcpy(&header, file.data(), sizeof header);
  std::span<const std::byte> code = file.subspan(sizeof header);
  XXH128_canonical_t hash = hashOf(name, code);
  if (header.magic != kMagic || header.bytes != code.size() ||
      std::memcmp(&header.hash, &hash, sizeof hash) != 0)
    return std::nullopt;
  return code;
}

/// A file and when it was last used.
struct Aged {
  std::string path;
  uint64_t bytes;
  fs::file_time_type used;
};

/// The kernels' files in `folder`, by name.
std::vector<Aged> filesIn(const std::string &folder) {
  std::vector<Aged> files;
  std::error_code error;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    std::error_code gone; // another process may have removed it
    uint64_t bytes = at->file_size(gone);
    fs::file_time_type used = at->last_write_time(gone);
    if (!gone && at->path().extension() == kEnding)
      files.push_back({at->path().string(), bytes, used});
  }
  std::ranges::sort(files, {}, &Aged::path);
  return files;
}

} // namespace

Expected<KernelCache> KernelCache::open(const std::string &folder,
                                        uint64_t limit) {
  std::string path = folder.empty() ? defaultFolder() : folder;
  if (path.empty())
    return KernelCache("", limit);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    fs::create_directories(fs::path(path).parent_path(), ignored);
    (void)::mkdir(path.c_str(), 0700); // another process may be first
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    return KernelCache("", limit);
  bool isOwn = status.st_uid == ::geteuid();
  bool isShared = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (!isOwn || isShared)
    return fail(
        Code::Environment, path,
        fmt::format("the folder of compiled kernels {}: what stands there runs "
                    "as this user's code; {}",
                    isOwn ? "can be written by other users"
                          : "belongs to another user",
                    isOwn ? "take that right away (chmod go-w), or name "
                            "another in AMPC_CACHE"
                          : "name another in AMPC_CACHE"));
  return KernelCache(path, limit);
}

std::string KernelCache::nameOf(const CacheKey &key) {
  // Each part's length first, so that no two lists of parts look the same.
  std::string text;
  auto add = [&](std::string_view part) {
    text += fmt::format("{}:", part.size());
    text += part;
  };
  add(AMPC_VERSION);
  add(fmt::format("nvrtc {}.{}", key.compiler.major, key.compiler.minor));
  for (const std::string &option : key.options)
    add(option);
  add(key.source);
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits(text.data(), text.size()));
  std::string name;
  for (unsigned char byte : hash.digest)
    name += fmt::format("{:02x}", byte);
  return name + std::string(kEnding);
}

std::optional<KernelCode> KernelCache::find(const std::string &name) const {
  if (path.empty())
    return std::nullopt;
  std::string file = path + "/" + name;
  Expected<FileBytes> bytes = FileBytes::map(file);
  if (!bytes)
    return std::nullopt;
  std::optional<std::span<const std::byte>> code = codeIn(name, bytes->bytes());
  if (!code)
    return std::nullopt;
  // Used just now; a folder that cannot be written need not know.
  (void)::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return KernelCode(code->begin(), code->end());
}

void KernelCache::store(const std::string &name,
                        std::span<const std::byte> code) const {
  if (path.empty())
    return;
  Header header{kMagic, code.size(), hashOf(name, code)};
  Expected<AtomicFile> file =
      AtomicFile::create(path + "/" + name, /*overwrite=*/true);
  bool isStored = file && file->write(std::as_bytes(std::span(&header, 1))) &&
                  file->write(code) && file->commit();
  if (isStored)
    trim();
}

void KernelCache::trim() const {
  std::vector<Aged> files = filesIn(path);
  uint64_t sum = 0;
  for (const Aged &file : files)
    sum += file.bytes;
  std::ranges::sort(files, {}, [](const Aged &file) {
    return std::tie(file.used, file.path);
  });
  for (const Aged &file : files) {
    if (sum <= limit)
      return;
    std::error_code gone;
    fs::remove(file.path, gone);
    sum -= file.bytes;
  }
}

std::vector<KernelCache::Item> KernelCache::items() const {
  std::vector<Item> found;
  for (const Aged &file : filesIn(path)) {
    std::string name = fs::path(file.path).filename().string();
    Expected<FileBytes> bytes = FileBytes::map(file.path);
    found.push_back(
        {name, file.bytes, bytes && codeIn(name, bytes->bytes()).has_value()});
  }
  return found;
}

Expected<void> KernelCache::remove(const std::string &name) const {
  std::error_code error;
  fs::remove(path + "/" + name, error);
  if (error)
    return fail(Code::Environment, path + "/" + name,
                fmt::format("cannot be removed: {}", error.message()));
  return {};
}

} // namespace ampc::rt::cuda

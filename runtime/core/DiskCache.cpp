// Compiled kernels and plans on disk.
#include "runtime/core/DiskCache.h"

#include <algorithm>
#include <array>
#include <chrono>
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

namespace ampc::rt {

namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> kMagic = {'A', 'M', 'P', 'C', 'K', 'R', 'N', '2'};

/// The value of AMPC_CACHE, or of a folder, that means no cache.
constexpr std::string_view kOff = "off";

/// What a crash leaves of a file under construction goes after that long.
constexpr std::chrono::hours kAbandoned{24};

/// The first bytes of a file. As long as an alignment of a plan's sections.
struct Header {
  std::array<char, 8> magic;
  uint64_t bytes;          ///< of the contents, which follow
  XXH128_canonical_t hash; ///< of the file's name, then the contents
  std::array<uint64_t, 4> reserved;
};
static_assert(sizeof(Header) == 64);

XXH128_canonical_t hashOf(std::string_view name,
                          std::span<const std::byte> contents) {
  XXH3_state_t *state = XXH3_createState();
  XXH3_128bits_reset(state);
  XXH3_128bits_update(state, name.data(), name.size());
  XXH3_128bits_update(state, contents.data(), contents.size());
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

/// Whether `file` is the whole of the file `name`.
bool isWhole(std::string_view name, std::span<const std::byte> file) {
  Header header;
  if (file.size() < sizeof header)
    return false;
  std::memcpy(&header, file.data(), sizeof header);
  std::span<const std::byte> contents = file.subspan(sizeof header);
  XXH128_canonical_t hash = hashOf(name, contents);
  return header.magic == kMagic && header.bytes == contents.size() &&
         header.reserved == std::array<uint64_t, 4>{} &&
         std::memcmp(&header.hash, &hash, sizeof hash) == 0;
}

/// A file and when it was last used.
struct Aged {
  std::string path;
  uint64_t bytes;
  fs::file_time_type used;
};

/// Whether a name is that of a cache's file.
bool isOurs(const fs::path &path) {
  return std::ranges::find(kCacheEndings, path.extension().string()) !=
         std::end(kCacheEndings);
}

/// The cache's files in `folder`, by name.
std::vector<Aged> filesIn(const std::string &folder) {
  std::vector<Aged> files;
  std::error_code error;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    std::error_code gone; // another process may have removed it
    uint64_t bytes = at->file_size(gone);
    fs::file_time_type used = at->last_write_time(gone);
    if (!gone && isOurs(at->path()))
      files.push_back({at->path().string(), bytes, used});
  }
  std::ranges::sort(files, {}, &Aged::path);
  return files;
}

} // namespace

Expected<DiskCache> DiskCache::open(const std::string &folder, uint64_t limit) {
  std::string path = folder.empty() ? defaultFolder() : folder;
  if (path.empty() || path == kOff)
    return DiskCache("", limit);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    fs::create_directories(fs::path(path).parent_path(), ignored);
    (void)::mkdir(path.c_str(), 0700); // another process may be first
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    return DiskCache("", limit);
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
  return DiskCache(path, limit);
}

std::string DiskCache::nameOf(std::span<const std::string_view> parts,
                              std::string_view ending) {
  // Each part's length first, so that no two lists of parts look the same.
  std::string text;
  auto add = [&](std::string_view part) {
    text += fmt::format("{}:", part.size());
    text += part;
  };
  add(AMPC_VERSION);
  for (std::string_view part : parts)
    add(part);
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits(text.data(), text.size()));
  std::string name;
  for (unsigned char byte : hash.digest)
    name += fmt::format("{:02x}", byte);
  return name + std::string(ending);
}

std::optional<FileBytes> DiskCache::find(const std::string &name) const {
  if (path.empty())
    return std::nullopt;
  std::string file = path + "/" + name;
  Expected<FileBytes> bytes = FileBytes::map(file);
  if (!bytes || !isWhole(name, bytes->bytes()))
    return std::nullopt;
  // Used just now; a folder that cannot be written need not know.
  (void)::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  bytes->dropFront(sizeof(Header));
  return std::move(*bytes);
}

/// Writes one file; whether it is there now.
static bool storeOne(const std::string &path, const DiskCache::Entry &entry) {
  Header header{
      kMagic, entry.bytes.size(), hashOf(entry.name, entry.bytes), {}};
  Expected<AtomicFile> file =
      AtomicFile::create(path + "/" + entry.name, /*overwrite=*/true);
  // What a lost power supply leaves of it is found to be damaged.
  return file && file->write(std::as_bytes(std::span(&header, 1))) &&
         file->write(entry.bytes) && file->commit(/*flush=*/false);
}

void DiskCache::store(std::span<const Entry> entries) const {
  if (path.empty())
    return;
  bool isStored = false;
  for (const Entry &entry : entries)
    isStored |= storeOne(path, entry);
  if (isStored)
    trim();
}

/// Removes files that were never completed: their makers are gone.
static void removeAbandoned(const std::string &folder) {
  std::error_code error;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    std::string name = at->path().filename().string();
    size_t mark = name.rfind(".tmp-");
    if (mark == name.npos || !isOurs(name.substr(0, mark)))
      continue;
    std::error_code gone;
    fs::file_time_type made = at->last_write_time(gone);
    if (!gone && fs::file_time_type::clock::now() - made > kAbandoned)
      fs::remove(at->path(), gone);
  }
}

void DiskCache::trim() const {
  removeAbandoned(path);
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

std::vector<DiskCache::Item> DiskCache::items() const {
  std::vector<Item> found;
  for (const Aged &file : filesIn(path)) {
    std::string name = fs::path(file.path).filename().string();
    Expected<FileBytes> bytes = FileBytes::map(file.path);
    found.push_back({name, file.bytes, bytes && isWhole(name, bytes->bytes())});
  }
  return found;
}

Expected<void> DiskCache::remove(const std::string &name) const {
  std::error_code error;
  fs::remove(path + "/" + name, error);
  if (error)
    return fail(Code::Environment, path + "/" + name,
                fmt::format("cannot be removed: {}", error.message()));
  return {};
}

} // namespace ampc::rt

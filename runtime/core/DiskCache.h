// What was compiled, on disk, shared by every process of a user: kernels of a
// CUDA device (.kernel), objects of CPU kernels (.object), whole plans (.plan).
// A file is named by a hash of all that its contents depend on; files appear by
// renaming, so that a reader sees a whole one or none; a damaged file is made
// anew. What is here is code that will run: the folder must be the user's
// alone.
#pragma once

#include "runtime/plan/Export.h"
#include "runtime/plan/FileIO.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ampc::rt {

/// Most bytes that the files of a cache take; the longest unused go first.
inline constexpr uint64_t kCacheBytes = uint64_t(1) << 30;

/// The kinds of files, by their endings.
inline constexpr std::string_view kCacheEndings[] = {".kernel", ".object",
                                                     ".plan"};

class AMPC_API DiskCache {
public:
  /// The cache in `folder`, which is made where there is none; empty: the
  /// user's own, `AMPC_CACHE` or `ampc/kernels` in the folder where the system
  /// keeps caches; `off`, there or here: none. One that others could write to:
  /// Code Environment. One that cannot be made or written serves what it has,
  /// or nothing.
  [[nodiscard]] static Expected<DiskCache> open(const std::string &folder = "",
                                                uint64_t limit = kCacheBytes);

  /// Name of the file that depends on `parts`, each of them as a whole, and on
  /// the version of this library. `ending` is one of kCacheEndings.
  static std::string nameOf(std::span<const std::string_view> parts,
                            std::string_view ending);

  /// The contents of the file `name`, mapped, if it is here and whole.
  std::optional<FileBytes> find(const std::string &name) const;

  /// A file to be.
  struct Entry {
    std::string name;
    std::span<const std::byte> bytes;
  };
  /// Keeps files, where that is possible, and removes the longest unused ones
  /// over the limit.
  void store(std::span<const Entry> entries) const;
  void store(const std::string &name, std::span<const std::byte> bytes) const {
    Entry entry{name, bytes};
    store(std::span(&entry, 1));
  }

  /// A file of the cache.
  struct Item {
    std::string name;
    uint64_t bytes = 0;
    bool isWhole = false;
  };
  /// All files, looked at in full.
  std::vector<Item> items() const;
  /// Removes one file. Code Environment.
  [[nodiscard]] Expected<void> remove(const std::string &name) const;

  /// Empty where there is none.
  const std::string &folder() const { return path; }

private:
  DiskCache(std::string path, uint64_t limit)
      : path(std::move(path)), limit(limit) {}
  void trim() const;

  std::string path;
  uint64_t limit;
};

} // namespace ampc::rt

// Compiled kernels on disk, shared by every process of a user. A kernel's file
// is named by a hash of all that its code depends on; files appear by renaming,
// so that a reader sees a whole one or none; a damaged file is compiled anew.
// What is here is code that will run: the folder must be the user's alone.
#pragma once

#include "runtime/device/cuda/Nvrtc.h"
#include "runtime/plan/Export.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ampc::rt::cuda {

/// Most bytes that the files of a cache take; the longest unused go first.
inline constexpr uint64_t kCacheBytes = uint64_t(1) << 30;

/// What a kernel's code depends on besides its source.
struct CacheKey {
  std::string_view source;
  std::span<const std::string> options;
  Version compiler;
};

class AMPC_API KernelCache {
public:
  /// The cache in `folder`, which is made where there is none; empty: the
  /// user's own, `AMPC_CACHE` or `ampc/kernels` in the folder where the system
  /// keeps caches. One that others could write to: Code Environment. One that
  /// cannot be made or written serves what it has, or nothing.
  [[nodiscard]] static Expected<KernelCache>
  open(const std::string &folder = "", uint64_t limit = kCacheBytes);

  /// Name of the file of a kernel.
  static std::string nameOf(const CacheKey &key);

  /// The code of the kernel `name`, if it is here and whole.
  std::optional<KernelCode> find(const std::string &name) const;
  /// Keeps the code of the kernel `name`, where that is possible, and removes
  /// the longest unused files over the limit.
  void store(const std::string &name, std::span<const std::byte> code) const;

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
  KernelCache(std::string path, uint64_t limit)
      : path(std::move(path)), limit(limit) {}
  void trim() const;

  std::string path;
  uint64_t limit;
};

} // namespace ampc::rt::cuda

// The CPU kernels of a plan: a shared object that is loaded from memory. A plan
// is code; its bytes have passed their hash before they come here.
#pragma once

#include "runtime/core/Status.h"
#include "runtime/plan/PlanFile.h"

#include <cstdint>
#include <span>
#include <string>

namespace ampc::rt {

/// A kernel: runs tiles [begin, end); `args[i]` is the address of the launch's
/// i-th place.
using KernelFunction = void (*)(const void *const *args, int64_t begin,
                                int64_t end);

/// The least tiles of a call of `kernel` when `threads` run it: one, more where
/// neighbouring tiles share work.
int64_t leastTiles(const fb::Kernel &kernel, int threads);

/// A loaded shared object; unloads when it goes. Move-only.
class KernelObject {
public:
  /// How the loader gets at the bytes.
  enum class Via {
    Automatic, ///< memory file, then a private file where the system forbids
               ///< executing those
    File,      ///< a private file only
  };

  KernelObject() = default;
  KernelObject(KernelObject &&other) noexcept;
  KernelObject &operator=(KernelObject &&other) noexcept;
  ~KernelObject();

  /// Loads `bytes`; `where` stands in errors.
  [[nodiscard]] static Expected<KernelObject>
  load(std::span<const std::byte> bytes, const std::string &where,
       Via via = Via::Automatic);

  /// The function called `symbol`; missing: Code BadInput.
  [[nodiscard]] Expected<KernelFunction> find(const std::string &symbol) const;

private:
  void release();

  void *handle = nullptr;
  int fd = -1; // the loader knows objects by path, so the number must not be
               // reused before dlclose
  std::string where;
};

} // namespace ampc::rt

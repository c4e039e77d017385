// The kernels of a plan on a device: compiled by NVRTC, or taken from the cache
// of compiled ones, each once, and loaded.
#pragma once

#include "runtime/core/DiskCache.h"
#include "runtime/device/cuda/Context.h"
#include "runtime/device/cuda/Nvrtc.h"
#include "runtime/plan/PlanFile.h"

namespace ampc::rt::cuda {

/// A kernel that can be launched.
struct Kernel {
  Function function = nullptr;
  unsigned threads = 0;     ///< of a block
  unsigned sharedBytes = 0; ///< dynamic, of a block
  unsigned mostBlocks = 1;  ///< of a launch: more only wait for one another
};

/// What `kernel` is compiled from: the plan's prelude and its own text.
std::string sourceOf(const PlanFile &file, const fb::Kernel &kernel);

/// Name in the cache of the kernel that `compiler` makes of `source`.
std::string cacheName(std::string_view source,
                      std::span<const std::string> options, Version compiler);

class Kernels {
public:
  /// Loads the kernels of `file` into `context`. Those that `cache` lacks are
  /// compiled, several at a time. One that does not compile or load: Code
  /// BadInput at the place in the model that it is of.
  [[nodiscard]] static Expected<Kernels>
  load(const Context &context, const PlanFile &file, const DiskCache &cache);

  const Kernel &operator[](size_t index) const { return kernels[index]; }
  /// How many sources were compiled now, rather than found.
  size_t compiled() const { return compiledNow; }

private:
  std::vector<Owned<Module>> modules;
  std::vector<Kernel> kernels;
  size_t compiledNow = 0;
};

} // namespace ampc::rt::cuda

// Compiles kernels for a device while the program runs.
#pragma once

#include "runtime/device/cuda/Libraries.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ampc::rt::cuda {

/// A compiled kernel: what `cuModuleLoadData` takes. PTX ends with a zero byte.
using KernelCode = std::vector<std::byte>;

/// A device's architecture, 75 for compute capability 7.5.
using Arch = int;

class Nvrtc {
public:
  /// For devices of architecture `arch`. One that the library is too new for:
  /// Code Environment.
  [[nodiscard]] static Expected<Nvrtc> create(Library<NvrtcApi> library,
                                              Arch arch);

  /// The options of every compilation. A device newer than the library gets PTX
  /// of the newest architecture that the library knows, which the driver
  /// compiles on.
  const std::vector<std::string> &options() const { return flags; }
  const Library<NvrtcApi> &library() const { return nvrtc; }

  /// Compiles `source`, one kernel with all it needs. May be called by several
  /// threads at once. A source that does not compile: Code BadInput with the
  /// library's log; `name` is what that calls the source.
  [[nodiscard]] Expected<KernelCode> compile(const std::string &source,
                                             const std::string &name) const;

private:
  explicit Nvrtc(Library<NvrtcApi> library) : nvrtc(std::move(library)) {}

  Library<NvrtcApi> nvrtc;
  std::vector<std::string> flags;
  bool makesPtx = false;
};

} // namespace ampc::rt::cuda

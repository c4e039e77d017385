// Turns CUDA text into a shared object with the host's compiler, or takes it
// out of the cache.
#pragma once

#include "test/hostgpu/compiler/Options.h"

namespace ampc::hostgpu {

struct Compiled {
  bool ok = false;
  /// The bytes of the shared object.
  std::string object;
  /// What the compiler said, as NVRTC words and numbers it.
  std::string log;
};

/// `name` is what messages call the text. Kernels with shared memory are
/// instrumented, with AMPC_HOSTGPU_CHECK "full" all, with "off" none.
/// AMPC_HOSTGPU_CACHE names a folder that keeps objects by content;
/// AMPC_HOSTGPU_COMPILER another compiler.
Compiled compileForHost(const std::string &text, const std::string &name,
                        const CompileOptions &options);

/// Another number whenever the same text would become another object: what
/// keeps objects by NVRTC's version compiles anew.
int compilerVersion();

} // namespace ampc::hostgpu

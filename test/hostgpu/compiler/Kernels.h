// Finds the kernels of a CUDA text.
#pragma once

#include <string>
#include <vector>

namespace ampc::hostgpu {

struct KernelName {
  std::string name;
  /// The first argument of __launch_bounds__ as written; "0" without.
  std::string maxThreads = "0";
};

/// The kernels defined with C linkage outside of comments, strings and
/// directives, in order.
std::vector<KernelName> findKernels(const std::string &text);

/// Whether `text` names a macro of shared memory outside of directives.
bool usesSharedMemory(const std::string &text);

} // namespace ampc::hostgpu

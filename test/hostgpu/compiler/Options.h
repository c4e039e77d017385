// The options of NVRTC that the software compiler knows.
#pragma once

#include <string>
#include <vector>

namespace ampc::hostgpu {

/// Compute capabilities kernels are compiled for, as NVRTC 13 lists them.
inline constexpr int kArchs[] = {75, 80,  86,  87,  88,  89,
                                 90, 100, 103, 110, 120, 121};

struct CompileOptions {
  int arch = 75;
  /// compute_XX: there is PTX and no cubin.
  bool isVirtual = false;
  std::string standard = "c++17";
  /// NVRTC contracts multiply-adds unless told not to.
  bool contract = true;
};

/// Reads `arguments`; false with a message in `log` at the first one that is
/// not known or has a value that is not.
bool parseOptions(const std::vector<std::string> &arguments,
                  CompileOptions &options, std::string &log);

} // namespace ampc::hostgpu

// What devices this machine has, and what their names mean.
#pragma once

#include "runtime/api/Export.h"
#include "runtime/core/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ampc::rt {

/// What `auto`, `cpu` or `cuda[:N]` means.
struct DeviceName {
  std::string kind; ///< auto, cpu or cuda
  int number = 0;   ///< of cuda
};

/// Reads the name of a device. Another text: Code Usage.
[[nodiscard]] AMPC_API Expected<DeviceName>
parse_device(const std::string &name);

/// A CUDA device.
struct CudaDevice {
  std::string id;   ///< `cuda:0`
  std::string name; ///< as NVIDIA calls it
  int arch = 0;     ///< 90 for sm_90
  uint64_t memory_bytes = 0;
};

/// A library of NVIDIA's, or why there is none.
struct CudaLibrary {
  std::string name;    ///< driver, nvrtc, cublaslt
  std::string version; ///< `13.0`; empty where it is not found
  std::string path;
  std::string problem; ///< what is missing and what to do; empty if nothing
};

/// The CUDA devices that plans run on, at least one. Otherwise Code
/// Environment: what is missing, and what to do. Starts the driver.
[[nodiscard]] AMPC_API Expected<std::vector<CudaDevice>> cuda_devices();

/// The driver, NVRTC and cuBLASLt as they are found.
AMPC_API std::vector<CudaLibrary> cuda_libraries();

} // namespace ampc::rt

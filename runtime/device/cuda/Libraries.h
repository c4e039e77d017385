// Finds NVIDIA's libraries at run time. Where `AMPC_CUDA_LIBRARIES` names a
// folder they come from there and from nowhere else. Otherwise the driver is
// the loader's; the others are looked for below CUDA_HOME, in the toolkit's
// usual places, in NVIDIA's Python packages, and by the loader, and the first
// that fits the driver is taken. A library stays loaded until the process ends.
#pragma once

#include "runtime/core/Status.h"
#include "runtime/device/cuda/Api.h"

#include <string>

namespace ampc::rt::cuda {

/// The oldest CUDA whose driver and libraries are used.
inline constexpr int kOldestMajor = 12;

/// A library's version as CUDA counts it.
struct Version {
  int major = 0, minor = 0;
  friend auto operator<=>(const Version &, const Version &) = default;
};

/// A library that was found, with its functions.
template <class Api>
struct Library {
  Api api;
  std::string path; ///< where it was loaded from
  Version version;
};

/// The driver, ready for use. None, or too old: Code Environment; the message
/// says where it was looked for and what to install.
[[nodiscard]] Expected<Library<DriverApi>> openDriver();

/// The run-time compiler, no newer than `driver` can load code of. Otherwise as
/// `openDriver`.
[[nodiscard]] Expected<Library<NvrtcApi>> openNvrtc(const Version &driver);

/// The matrix library, no newer than `driver`. Otherwise as `openDriver`.
[[nodiscard]] Expected<Library<BlasApi>> openBlas(const Version &driver);

} // namespace ampc::rt::cuda

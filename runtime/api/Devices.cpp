// Devices of this machine.
#include "runtime/api/Devices.h"
#include "runtime/device/cuda/Context.h"

#include <charconv>
#include <fmt/format.h>

namespace ampc::rt {

Expected<DeviceName> parse_device(const std::string &name) {
  if (name == "auto" || name == "cpu" || name == "cuda")
    return DeviceName{name, 0};
  std::string_view digits = name;
  DeviceName device{"cuda", 0};
  constexpr std::string_view kPrefix = "cuda:";
  if (digits.starts_with(kPrefix)) {
    digits.remove_prefix(kPrefix.size());
    const char *end = digits.data() + digits.size();
    auto [stop, error] = std::from_chars(digits.data(), end, device.number);
    if (error == std::errc() && stop == end && device.number >= 0)
      return device;
  }
  return fail(Code::Usage, "--device",
              fmt::format("expected auto, cpu or cuda[:N], got '{}'", name));
}

namespace {

/// How a library is told of; without one, why.
template <class Api>
CudaLibrary describe(const char *name,
                     const Expected<cuda::Library<Api>> &found) {
  if (!found)
    return {name, "", "", found.error().message};
  return {name,
          fmt::format("{}.{}", found->version.major, found->version.minor),
          found->path, ""};
}

} // namespace

Expected<std::vector<CudaDevice>> cuda_devices() {
  AMPC_ASSIGN(auto driver, cuda::openDriver());
  AMPC_ASSIGN(std::vector<cuda::DeviceFacts> found, cuda::listDevices(driver));
  if (found.empty())
    return fail(Code::Environment, "cuda", "the driver sees no CUDA device");
  AMPC_TRY(cuda::openNvrtc(driver.version));
  AMPC_TRY(cuda::openBlas(driver.version));
  std::vector<CudaDevice> devices;
  for (const cuda::DeviceFacts &facts : found)
    devices.push_back({fmt::format("cuda:{}", facts.number), facts.name,
                       facts.arch, facts.bytes});
  return devices;
}

std::vector<CudaLibrary> cuda_libraries() {
  auto driver = cuda::openDriver();
  // Without a driver any library that could serve one is told.
  cuda::Version limit = driver ? driver->version : cuda::Version{99, 0};
  return {describe("driver", driver), describe("nvrtc", cuda::openNvrtc(limit)),
          describe("cublaslt", cuda::openBlas(limit))};
}

} // namespace ampc::rt

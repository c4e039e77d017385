// The few entry points of the CUDA driver and of NVRTC that running a kernel
// needs, from the folder of AMPC_CUDA_LIBRARIES or the software device's. Where
// AMPC_RECORD_KERNELS names a file, every launch goes there as well
// (Recording.h), for ampc-gpu-kernels to repeat on a GPU.
#ifndef AMPC_TEST_KERNELS_DEVICE_H
#define AMPC_TEST_KERNELS_DEVICE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ampc::test {

/// A compiled kernel.
struct DeviceKernel {
  void *function = nullptr;
  const std::string *text = nullptr; ///< lives as long as the device
  std::string symbol;
};

/// What a kernel is given: it touches nothing but `bytes` from `address`.
struct DeviceArgument {
  uint64_t address = 0;
  size_t bytes = 0;
};

/// The first device. Every call that fails ends the test program with the
/// device's report.
class Device {
public:
  static Device &get();

  /// The kernel `symbol` of `text`, which is compiled once a process.
  DeviceKernel compile(const std::string &text, const std::string &symbol);
  uint64_t allocate(size_t bytes);
  void free(uint64_t address);
  void upload(uint64_t to, std::span<const uint8_t> bytes);
  std::vector<uint8_t> download(uint64_t from, size_t bytes);
  void launch(const DeviceKernel &kernel, unsigned blocks, unsigned threads,
              unsigned sharedBytes,
              const std::vector<DeviceArgument> &arguments);
  /// Waits for what was launched.
  void synchronize(const std::string &what);

private:
  Device();
};

} // namespace ampc::test

#endif // AMPC_TEST_KERNELS_DEVICE_H

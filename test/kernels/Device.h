// The few entry points of the CUDA driver and of NVRTC that running a kernel
// needs, from the folder of AMPC_CUDA_LIBRARIES or the software device's.
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
};

/// The first device. Every call that fails ends the test program with the
/// device's report.
class Device {
public:
  static Device &get();

  /// Compiles `text`; the same text is compiled once a process.
  DeviceKernel compile(const std::string &text, const std::string &symbol);
  uint64_t allocate(size_t bytes);
  void free(uint64_t address);
  void upload(uint64_t to, std::span<const uint8_t> bytes);
  std::vector<uint8_t> download(uint64_t from, size_t bytes);
  void launch(DeviceKernel kernel, unsigned blocks, unsigned threads,
              unsigned sharedBytes, const std::vector<uint64_t> &arguments);
  /// Waits for what was launched.
  void synchronize(const std::string &what);

private:
  Device();
};

} // namespace ampc::test

#endif // AMPC_TEST_KERNELS_DEVICE_H

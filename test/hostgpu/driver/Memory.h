// Device and pinned memory of the software device. Device memory stands in one
// reserved window of the process. What the program sees are addresses outside
// user space (the window's, plus 2^47): touching them from the host faults, and
// arguments of kernels are translated at launch. Each allocation ends at a
// guard page as far as its alignment permits; the slack on both sides is a
// redzone. Addresses are not reused, so use after free faults as well.
#pragma once

#include "test/hostgpu/driver/Abi.h"

#include <map>
#include <optional>
#include <string>

namespace ampc::hostgpu {

struct Allocation {
  std::byte *data = nullptr;
  size_t bytes = 0;
  /// The pages around it.
  std::byte *pages = nullptr;
  size_t pageBytes = 0;
};

class DeviceMemory {
public:
  /// What the driver promises; fewer bytes of slack are not possible with it.
  static constexpr size_t kAlignment = 256;
  /// Distance of the addresses the program sees from those kernels use.
  static constexpr uint64_t kOffset = uint64_t(1) << 47;

  /// Takes `bytes` of the `total` the device has.
  CUresult allocate(size_t bytes, size_t total, uint8_t poison,
                    CUdeviceptr &address);
  /// The report names a write into the redzone, if there was one.
  CUresult free(CUdeviceptr address, std::optional<std::string> &report);
  void freeAll();

  /// The memory behind `bytes` from `address`, or null when they do not stand
  /// in one live allocation.
  std::byte *resolve(CUdeviceptr address, size_t bytes) const;
  /// The allocation that holds or begins around `data`, or null.
  const Allocation *around(const std::byte *data) const;
  /// Says which bytes of the redzones of `allocation` were written, if any.
  std::optional<std::string> damage(const Allocation &allocation) const;
  /// "8 bytes past the end of the 4096 bytes at 0x..." of an address kernels
  /// use.
  std::string describe(const void *data) const;

  bool inWindow(const void *data) const;
  static bool isDeviceAddress(uint64_t address) { return address >> 47; }
  static std::byte *toKernel(uint64_t address) {
    return reinterpret_cast<std::byte *>(address - kOffset);
  }
  static CUdeviceptr toProgram(const void *data) {
    return reinterpret_cast<uint64_t>(data) + kOffset;
  }

  size_t used() const { return usedBytes; }
  std::byte *windowBegin() const { return window; }
  size_t windowBytes() const { return kWindowBytes; }

private:
  static constexpr size_t kWindowBytes = size_t(1) << 42;

  std::byte *reserve(size_t bytes);

  std::byte *window = nullptr;
  /// The next allocation's pages.
  size_t next = 0;
  size_t usedBytes = 0;
  /// By the address of the data.
  std::map<const std::byte *, Allocation> live;
  uint8_t poisonByte = 0xff;
};

/// Page-locked host memory: kernels and copies that run later may use it.
class PinnedMemory {
public:
  CUresult allocate(size_t bytes, uint8_t poison, void *&data);
  CUresult free(void *data);
  void freeAll();
  /// The allocation around `data`, or null: then it is pageable.
  const Allocation *around(const void *data) const;

private:
  std::map<const std::byte *, Allocation> live;
};

} // namespace ampc::hostgpu

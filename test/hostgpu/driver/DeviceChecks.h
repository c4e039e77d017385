// Watches device memory byte by byte, when AMPC_HOSTGPU_CHECK is "full": reads
// of what nobody wrote, and threads of one launch that touch the same byte in
// no order. It takes 32 bytes for each byte touched.
#pragma once

#include "test/hostgpu/driver/Touches.h"

#include <map>

namespace ampc::hostgpu {

class DeviceChecks {
public:
  ~DeviceChecks() { clear(); }

  /// Whether memory allocated from now on is watched.
  bool isOn = false;

  void allocated(const std::byte *data, size_t bytes);
  void freed(const std::byte *data);
  void clear();

  /// What the host, a copy or a library did.
  void written(const std::byte *data, size_t bytes);
  void copied(const std::byte *to, const std::byte *from, size_t bytes);

  /// Judges an access of a kernel; the text says what is wrong with it, or is
  /// empty. Addresses outside all allocations are left to their guard pages.
  std::string access(const void *address, unsigned bytes, bool isWrite,
                     int thread, const Clock &clock);

private:
  struct Shadow {
    Byte *cells = nullptr;
    size_t bytes = 0;
  };
  /// The cell of `data`, with `count` set to how many follow; or null.
  Byte *find(const std::byte *data, size_t &count) const;

  /// By the address of the data.
  std::map<const std::byte *, Shadow> shadows;
};

} // namespace ampc::hostgpu

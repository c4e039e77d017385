// Watches the shared memory of one block: who wrote and who read each byte
// since which barrier. Which order the threads happened to run in does not
// matter.
#pragma once

#include "test/hostgpu/driver/Touches.h"
#include "test/hostgpu/kernel/HostApi.h"

namespace ampc::hostgpu {

class SharedChecks {
public:
  /// Before the first block of a launch.
  void begin(const ampc_host_module &module, void *dynamic,
             size_t dynamicBytes);

  /// Whether `address` is shared memory, or a redzone of it.
  bool covers(const void *address) const;
  /// Judges an access; the text says what is wrong with it, or is empty.
  std::string access(const void *address, unsigned bytes, bool isWrite,
                     int thread, const Clock &clock);

private:
  struct Region {
    const char *begin = nullptr;
    size_t bytes = 0;
    std::vector<Byte> shadow;
    /// Of each byte the number of its array, 0 in a redzone.
    std::vector<uint8_t> arrays;
  };

  std::string place(const Region &where, size_t offset) const;

  const ampc_host_module *module = nullptr;
  Region fixed, dynamic;
};

} // namespace ampc::hostgpu

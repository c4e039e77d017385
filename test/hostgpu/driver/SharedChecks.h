// Watches the shared memory of one block: who wrote and who read each byte
// since which barrier. Two threads that touch a byte, one of them writing, must
// have a barrier between them; a byte that nobody wrote must not be read. Which
// order the threads happened to run in does not matter.
#pragma once

#include "test/hostgpu/kernel/HostApi.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ampc::hostgpu {

class SharedChecks {
public:
  /// Before the first block of a launch.
  void begin(const ampc_host_module &module, void *dynamic,
             size_t dynamicBytes);
  void beginBlock(int threads);
  /// All threads of the block have met.
  void barrier() { ++epoch; }
  /// This thread has met others of its warp.
  void warpBarrier(int thread) { ++warpEpochs[size_t(thread)]; }

  /// Whether `address` is shared memory, or a redzone of it.
  bool covers(const void *address) const;
  /// Judges an access; the text says what is wrong with it, or is empty.
  std::string access(const void *address, unsigned bytes, bool isWrite,
                     int thread);

private:
  struct Touch {
    uint64_t epoch = 0;
    uint32_t warpEpoch = 0;
    int thread = -1;
  };
  /// Of one byte: the last write, and two different readers since.
  struct Byte {
    Touch write, read, otherRead;
  };
  struct Region {
    const char *begin = nullptr;
    size_t bytes = 0;
    std::vector<Byte> shadow;
    /// Of each byte the number of its array, 0 in a redzone.
    std::vector<uint8_t> arrays;
  };

  Region *region(const void *address);
  std::string checkByte(Byte &byte, bool isWrite, int thread);
  bool ordered(const Touch &before, int thread) const;
  std::string place(const Region &where, size_t offset) const;

  const ampc_host_module *module = nullptr;
  Region fixed, dynamic;
  std::vector<uint32_t> warpEpochs;
  /// Counts barriers of all blocks; a touch below `blockEpoch` is of another
  /// block.
  uint64_t epoch = 1, blockEpoch = 1;
};

} // namespace ampc::hostgpu

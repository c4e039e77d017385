// Who touched a byte of memory when, and whether two touches may come in either
// order: the base of the checks of shared and of device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ampc::hostgpu {

/// An access. Epochs count launches, blocks and barriers; 0 is never.
struct Touch {
  uint32_t epoch = 0;
  uint16_t warpEpoch = 0, thread = 0;
};

/// Of one byte.
struct Byte {
  Touch write, read;
  /// A read by another thread of the same block, and one by an earlier block.
  Touch otherRead, blockRead;
};

enum class Space { Shared, Device };

class Clock {
public:
  /// What the host wrote.
  static constexpr Touch kHost = {1, 0, 0};

  void beginLaunch() { launchEpoch = ++epoch; }
  void beginBlock(int threads) {
    blockEpoch = ++epoch;
    warpEpochs.assign(size_t(threads), 0);
  }
  /// All threads of the block have met.
  void barrier() { ++epoch; }
  /// This thread has met others of its warp.
  void warpBarrier(int thread) { ++warpEpochs[size_t(thread)]; }

  /// Notes an access. Two threads that touch a byte, one of them writing, must
  /// have a barrier between them, and no byte is read that nobody wrote. The
  /// text says what is wrong and ends before the name of the place; or it is
  /// empty.
  std::string touch(Byte &byte, bool isWrite, int thread, Space space) const;

private:
  bool inBlock(const Touch &touch) const { return touch.epoch >= blockEpoch; }
  bool ordered(const Touch &before, int thread, Space space) const;

  uint32_t epoch = 1, launchEpoch = 1, blockEpoch = 1;
  std::vector<uint16_t> warpEpochs;
};

} // namespace ampc::hostgpu

// Runs one launch of a kernel: its blocks one after the other, in an order
// drawn by the seed, every fault turned into an error that names the place.
#pragma once

#include "test/hostgpu/driver/Block.h"
#include "test/hostgpu/driver/DeviceChecks.h"
#include "test/hostgpu/driver/Memory.h"
#include "test/hostgpu/driver/Module.h"
#include "test/hostgpu/driver/SharedChecks.h"

namespace ampc::hostgpu {

/// What went wrong on the device; `code` is sticky.
struct Failure {
  CUresult code = CUDA_SUCCESS;
  std::string text;
};

/// A launch as it waits in a stream.
struct Launch {
  std::shared_ptr<Module> module;
  const ampc_host_kernel *kernel = nullptr;
  ampc_host_index grid{1, 1, 1}, block{1, 1, 1};
  size_t dynamicBytes = 0;
  /// The arguments' values, one behind the other as 8-byte words.
  std::vector<uint64_t> arguments;
};

/// Ends the launch that runs on this thread, from inside a kernel.
[[noreturn]] void fail(const std::string &text);

class LaunchRunner {
public:
  LaunchRunner(DeviceMemory &memory, PinnedMemory &pinned,
               DeviceChecks &deviceChecks)
      : memory(memory), pinned(pinned), deviceChecks(deviceChecks),
        block(stacks, clock) {}

  Failure run(const Launch &launch, Random &random, uint8_t poison);

private:
  friend void fail(const std::string &);
  friend struct Callbacks;

  Failure runBlocks(const Launch &launch, Random &random, uint8_t poison);
  Failure checkRedzones(const Launch &launch) const;
  /// The order of the blocks: forward, in reverse or shuffled.
  void orderBlocks(uint64_t count, Random &random);
  bool prepareDynamic(size_t bytes);
  void judge(const void *address, unsigned bytes, bool isWrite);
  std::string where() const;
  int currentThread() const;

  DeviceMemory &memory;
  PinnedMemory &pinned;
  DeviceChecks &deviceChecks;
  FiberStacks stacks;
  Clock clock;
  SharedChecks sharedChecks;
  BlockRunner block;
  const Launch *launched = nullptr;
  bool asFibers = false;
  /// Dynamic shared memory: it ends at a guard page.
  std::byte *dynamicPages = nullptr;
  std::byte *dynamicShared = nullptr;
  const std::byte *callerFrame = nullptr;
  /// Empty for forward and reverse, which `step` tells apart.
  std::vector<uint32_t> order;
  bool reverse = false;
};

} // namespace ampc::hostgpu

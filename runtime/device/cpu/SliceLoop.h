// A loop over slices: launches that run one after the other on one thread, for
// each slice, with scratch memory of the thread between them.
#pragma once

#include "runtime/core/ThreadPool.h"
#include "runtime/device/cpu/KernelObject.h"
#include "runtime/plan/PlanFile.h"

#include <functional>
#include <span>
#include <vector>

namespace ampc::rt {

class SliceLoop {
public:
  /// `kernels`: all of the plan's; `address`: where a place of the entry is,
  /// null for those in a slice or in scratch memory.
  SliceLoop(const fb::Foreach &op, std::span<const KernelFunction> kernels,
            const std::function<std::byte *(const fb::Place &)> &address,
            int threads);

  /// Scratch memory of all threads, in bytes.
  uint64_t workspaceBytes() const { return scratchBytes * uint64_t(threads); }

  /// Runs every iteration; `workspace` has `workspaceBytes()`.
  void run(ThreadPool::Lease &lease, std::byte *workspace);

private:
  struct Slices {
    std::byte *first;
    uint64_t bytes;
    int64_t count, divisor;
  };
  struct Launch {
    KernelFunction kernel;
    int64_t tiles;
    size_t args; ///< where its arguments begin
  };
  /// An argument: `at` bytes into a slice or scratch memory, or an address.
  struct Argument {
    fb::Space space;
    unsigned slices;
    uint64_t at;
  };

  void iterate(int thread, int64_t number);

  int64_t count;
  uint64_t scratchBytes;
  int threads;
  std::vector<Slices> slices;
  std::vector<Launch> launches;
  std::vector<Argument> arguments;
  size_t tableSize = 0;
  /// For each thread the addresses of all arguments, in whole lines.
  std::vector<const void *> tables;
  std::byte *scratch = nullptr; ///< of all threads, while it runs
};

} // namespace ampc::rt

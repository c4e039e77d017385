// Fibers: stacks with guard pages, and the switch from one to another.
#pragma once

#include <cstddef>

namespace ampc::hostgpu {

/// Stores the running stack in `*from` and goes on with `to`.
extern "C" void ampcHostGpuSwitch(void **from, void *to);

/// The stacks of one block's threads, made as they are first asked for.
class FiberStacks {
public:
  static constexpr size_t kStackBytes = 64 * 1024;
  static constexpr int kStacks = 1024;

  ~FiberStacks();

  /// A stack that begins with a call of `entry`, which never returns.
  /// Null when the system has no memory left.
  void *prepare(int index, void (*entry)());
  /// The stack whose guard page holds `address`, or -1.
  int overflowed(const void *address) const;
  bool contains(const void *address) const;

private:
  std::byte *base = nullptr;
};

} // namespace ampc::hostgpu

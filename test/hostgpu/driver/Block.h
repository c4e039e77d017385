// Runs one block of a kernel, one fiber a thread. One warp runs as far ahead of
// the others as it can, and the lanes inside in random order: among the orders
// the hardware may take, this one shows a barrier that is missing after a read.
#pragma once

#include "test/hostgpu/driver/Fiber.h"
#include "test/hostgpu/driver/Settings.h"
#include "test/hostgpu/driver/Touches.h"
#include "test/hostgpu/kernel/HostApi.h"

#include <string>
#include <vector>

namespace ampc::hostgpu {

class BlockRunner {
public:
  /// Barriers are told to `clock`.
  BlockRunner(FiberStacks &stacks, Clock &clock)
      : stacks(stacks), clock(clock) {}

  /// Runs the threads of the block that `state` names. Whatever a thread does
  /// wrong is told to `fail`, which does not return.
  void run(ampc_host_state &state, const ampc_host_kernel &kernel,
           void *const *arguments, Random &random);

  /// The thread that runs, as its linear index in the block.
  int current() const { return running; }

  void barrier(int line);
  unsigned long meet(int operation, unsigned mask, unsigned long value,
                     int argument, int width, int line);

private:
  /// What a thread waits in.
  struct Lane {
    void *stack = nullptr;
    int operation = 0;
    unsigned mask = 0;
    unsigned long value = 0, result = 0;
    int argument = 0, width = 32, line = 0;
  };
  /// Lanes that meet in one operation.
  struct Meeting {
    unsigned mask = 0, arrived = 0;
    int operation = 0, line = 0, firstLane = 0;
  };
  /// Sets of lanes, a bit each.
  struct Warp {
    unsigned exists = 0, runnable = 0, started = 0, exited = 0;
    unsigned atBarrier = 0, meeting = 0;
    /// Of different masks: parts of a warp may meet on their own.
    std::vector<Meeting> meetings;
  };

  static void enter();
  void leave();
  void drawPriorities();
  /// The thread to run next, or -1 when none can.
  int pick();
  void switchTo(int thread);
  void waitForOthers();
  /// Whether all lanes that exist of `mask` are here now.
  bool arrive(Warp &warp, int thread);
  void complete(int warp, unsigned mask);
  int sourceLane(int lane, const Lane &asked) const;
  [[noreturn]] void failStuck();
  /// "thread 5 waits at the barrier of line 12".
  std::string whereabouts(int thread) const;

  FiberStacks &stacks;
  Clock &clock;
  ampc_host_state *state = nullptr;
  const ampc_host_kernel *kernel = nullptr;
  void *const *arguments = nullptr;
  Random *random = nullptr;
  void *mainStack = nullptr;
  int threads = 0, running = 0;
  int waiting = 0, exited = 0, barrierLine = 0;
  std::vector<Lane> lanes;
  std::vector<Warp> warps;
  std::vector<int> priorities;
};

} // namespace ampc::hostgpu

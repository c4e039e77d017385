// Signal handling.
#include "tools/ampc-rt/Interrupt.h"

#include <array>
#include <csignal>

namespace ampc::rt {

static std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "set from a signal handler");

const std::atomic<bool> &watchInterrupts() {
  // On a stack of their own: library products keep data below the stack
  // pointer, where a handler's frame would lie (oneDNN 2.6, f32 with transposed
  // operands).
  static std::array<std::byte, 1 << 17> stack;
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = [](int) {
    interrupted.store(true, std::memory_order_relaxed);
  };
  action.sa_flags = int(SA_RESETHAND | SA_RESTART |
                        SA_ONSTACK); // the second signal has its usual effect
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

void ignoreFileSizeLimit() { std::signal(SIGXFSZ, SIG_IGN); }

} // namespace ampc::rt

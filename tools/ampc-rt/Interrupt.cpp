// Signal handling.
#include "tools/ampc-rt/Interrupt.h"

#include <csignal>

namespace ampc::rt {

static std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "set from a signal handler");

const std::atomic<bool> &watchInterrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    interrupted.store(true, std::memory_order_relaxed);
  };
  action.sa_flags =
      int(SA_RESETHAND | SA_RESTART); // the second signal has its usual effect
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

} // namespace ampc::rt

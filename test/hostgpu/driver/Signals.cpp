#include "test/hostgpu/driver/Signals.h"

#include <cstddef>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>

using namespace ampc::hostgpu;

thread_local sigjmp_buf *ampc::hostgpu::kernelExit = nullptr;
thread_local Fault ampc::hostgpu::kernelFault;

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
constexpr size_t kCount = sizeof(kSignals) / sizeof(kSignals[0]);
constexpr size_t kAltStackBytes = 64 * 1024;

struct sigaction previous[kCount];
thread_local stack_t previousStack;
/// The kernel's own stack may be what overflowed.
thread_local void *altStack = nullptr;

/// Whether the instruction at `at` is the trap of a failed alignment check:
/// `ud1l 22(%eax), %eax`, the number being the check's.
bool isAlignmentTrap(const void *at) {
  static const unsigned char trap[] = {0x67, 0x0f, 0xb9, 0x40, 22};
  return std::memcmp(at, trap, sizeof(trap)) == 0;
}

void handle(int signal, siginfo_t *info, void *context) {
  if (sigjmp_buf *exit = kernelExit) {
    auto *machine = static_cast<ucontext_t *>(context);
    // Bit 1 of a page fault's code tells a write; 13 is a general protection
    // fault.
    bool isProtection = machine->uc_mcontext.gregs[REG_TRAPNO] == 13;
    kernelFault = {
        signal, info->si_addr, (machine->uc_mcontext.gregs[REG_ERR] & 2) != 0,
        isProtection || (signal == SIGILL && isAlignmentTrap(info->si_addr))};
    kernelExit = nullptr;
    siglongjmp(*exit, 1);
  }
  // Not a kernel's: whoever was there before sees it when it happens again.
  for (size_t i = 0; i < kCount; ++i)
    if (kSignals[i] == signal)
      sigaction(signal, &previous[i], nullptr);
}

} // namespace

SignalGuard::SignalGuard() {
  if (!altStack)
    altStack = mmap(nullptr, kAltStackBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack = {};
  stack.ss_sp = altStack;
  stack.ss_size = kAltStackBytes;
  sigaltstack(&stack, &previousStack);
  struct sigaction action = {};
  action.sa_sigaction = handle;
  // The handler is left by a jump: the signal must not stay blocked.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (size_t i = 0; i < kCount; ++i)
    sigaction(kSignals[i], &action, &previous[i]);
}

SignalGuard::~SignalGuard() {
  for (size_t i = 0; i < kCount; ++i)
    sigaction(kSignals[i], &previous[i], nullptr);
  sigaltstack(&previousStack, nullptr);
}

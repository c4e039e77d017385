// Turns the signals of a kernel's faults into a jump out of the kernel. The
// handlers stand while work runs and chain to whoever was there before for
// faults that are not a kernel's.
#pragma once

#include <csetjmp>
#include <csignal>
#include <string>

namespace ampc::hostgpu {

/// What a kernel's fault was.
struct Fault {
  int signal = 0;
  const void *address = nullptr;
  bool isWrite = false;
  /// A check the compiler put before an access, or the processor, found it not
  /// aligned. The processor says the same of addresses outside user space.
  bool isMisaligned = false;
};

class SignalGuard {
public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard &) = delete;
  SignalGuard &operator=(const SignalGuard &) = delete;
};

/// The kernel that runs on this thread jumps here: with 1 after a fault, with 2
/// after `fail`. Null while none runs.
extern thread_local sigjmp_buf *kernelExit;
extern thread_local Fault kernelFault;

} // namespace ampc::hostgpu

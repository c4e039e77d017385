#include "test/hostgpu/driver/Fiber.h"

#include <sys/mman.h>

using namespace ampc::hostgpu;

// The registers a call keeps are pushed, the stack pointers exchanged.
asm(R"(
.text
.p2align 4
.globl ampcHostGpuSwitch
.hidden ampcHostGpuSwitch
.type ampcHostGpuSwitch, @function
ampcHostGpuSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size ampcHostGpuSwitch, .-ampcHostGpuSwitch
)");

namespace {
constexpr size_t kPage = 4096;
constexpr size_t kStride = FiberStacks::kStackBytes + kPage;
} // namespace

FiberStacks::~FiberStacks() {
  if (base)
    munmap(base, kStride * kStacks);
}

void *FiberStacks::prepare(int index, void (*entry)()) {
  if (!base) {
    void *found = mmap(nullptr, kStride * kStacks, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED)
      return nullptr;
    base = static_cast<std::byte *>(found);
    for (int i = 0; i < kStacks; ++i)
      mprotect(base + kStride * size_t(i), kPage, PROT_NONE);
  }
  // Different stacks begin in different cache sets.
  size_t colour = size_t(index) % 16 * 256;
  std::byte *top = base + kStride * size_t(index + 1) - colour;
  // Six registers, the entry, and a word that aligns its frame as a call does.
  auto **words = reinterpret_cast<void **>(top) - 8;
  for (int i = 0; i < 8; ++i)
    words[i] = nullptr;
  words[6] = reinterpret_cast<void *>(entry);
  return words;
}

bool FiberStacks::contains(const void *address) const {
  auto *at = static_cast<const std::byte *>(address);
  return base && at >= base && at < base + kStride * kStacks;
}

int FiberStacks::overflowed(const void *address) const {
  if (!contains(address))
    return -1;
  size_t offset = size_t(static_cast<const std::byte *>(address) - base);
  return offset % kStride < kPage ? int(offset / kStride) : -1;
}

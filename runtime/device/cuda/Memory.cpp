// Memory of a device and pinned memory of the host.
#include "runtime/device/cuda/Memory.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ampc::rt::cuda {

/// What would need less memory of `kind`.
static const char *remedyFor(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Variables:
    return "a smaller model needs less";
  case MemoryKind::Arena:
    return "a smaller batch needs less, and 16-bit precision: --set, "
           "--precision; more micro-batches keep the step: --accumulate";
  case MemoryKind::Workspace:
  case MemoryKind::Batch:
    return "a smaller batch needs less (--set)";
  }
  return "";
}

Expected<DeviceBlock> DeviceBlock::allocate(const Context &context,
                                            Stream stream, Allocator &allocator,
                                            MemoryKind kind, uint64_t bytes) {
  DeviceBlock block;
  if (bytes == 0)
    return block;
  AMPC_ASSIGN(block.charge, allocator.charge(kind, bytes));
  Address address = 0;
  // Padded so that vector loads of a kernel's last element stay inside.
  Result result = context.api().allocate(&address, (bytes + 255) / 256 * 256);
  if (result == kErrorOutOfMemory) {
    size_t available = 0, all = 0;
    (void)context.api().memoryInfo(&available, &all);
    return fail(Code::DoesNotFit, "",
                fmt::format("{}: {} bytes of {} do not fit: {} of its {} bytes "
                            "are free; {}",
                            context.device().text(), bytes, name_of(kind),
                            available, all, remedyFor(kind)));
  }
  AMPC_TRY(context.check(result, "memory cannot be taken"));
  block.memory = {address, context.api().free};
  if (kind == MemoryKind::Arena || kind == MemoryKind::Workspace)
    return block;
  AMPC_TRY(context.check(context.api().fill8(address, 0, bytes, stream),
                         "memory cannot be cleared"));
  return block;
}

Expected<HostBlock> HostBlock::allocate(const Context &context,
                                        uint64_t bytes) {
  HostBlock block;
  if (bytes == 0)
    return block;
  void *memory = nullptr;
  Result result = context.api().allocateHost(&memory, bytes, 0);
  if (result == kErrorOutOfMemory)
    return fail(Code::DoesNotFit, "",
                fmt::format("{} bytes of host memory for inputs and outputs do "
                            "not fit; a smaller batch needs less (--set)",
                            bytes));
  AMPC_TRY(context.check(result, "host memory cannot be taken"));
  block.memory = {memory, context.api().freeHost};
  std::memset(memory, 0, bytes);
  return block;
}

} // namespace ampc::rt::cuda

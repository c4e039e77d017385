// Memory of a device, counted, and memory of the host that the device copies
// from and to by itself.
#pragma once

#include "runtime/core/Allocator.h"
#include "runtime/device/cuda/Context.h"

namespace ampc::rt::cuda {

/// A block on a device. Variables and batches are zeroed by the stream it was
/// made with; arena and workspace are as the device gives them, so that a read
/// of what no kernel wrote shows where memory is watched. Move-only; the
/// context must outlive it.
class DeviceBlock {
public:
  DeviceBlock() = default;
  /// `bytes` bytes of `kind`; none for 0. Over the allocator's limit or more
  /// than the device has left: Code DoesNotFit, with what would need less.
  [[nodiscard]] static Expected<DeviceBlock>
  allocate(const Context &context, Stream stream, Allocator &allocator,
           MemoryKind kind, uint64_t bytes);

  Address address() const { return memory.get(); }
  uint64_t size() const { return charge.size(); }

private:
  Charge charge;
  Owned<Address> memory;
};

/// A block of host memory that stays where it is. Not counted: a budget is the
/// device's. Move-only.
class HostBlock {
public:
  HostBlock() = default;
  [[nodiscard]] static Expected<HostBlock> allocate(const Context &context,
                                                    uint64_t bytes);
  std::byte *data() const { return static_cast<std::byte *>(memory.get()); }

private:
  Owned<void *> memory;
};

} // namespace ampc::rt::cuda

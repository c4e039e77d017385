// Entry points of the driver: device and pinned memory, copies, fills. A copy
// of pinned memory reads or writes it when it runs; pageable memory is copied
// when the call is made, as the driver's staging does.
#include "test/hostgpu/driver/Device.h"
#include "test/hostgpu/driver/Extras.h"

#include <cstring>

using namespace ampc::hostgpu;

namespace {

std::string range(const char *what, uint64_t address, size_t bytes) {
  return std::string(what) + " of " + std::to_string(bytes) + " bytes at " +
         device().memory.describe(DeviceMemory::toKernel(address));
}

/// Device memory named in a call, or the error.
CUresult checkDevice(const char *call, CUdeviceptr address, size_t bytes) {
  Device &only = device();
  if (only.memory.resolve(address, bytes))
    return CUDA_SUCCESS;
  return only.report(CUDA_ERROR_INVALID_VALUE, range(call, address, bytes));
}

/// Host memory named in a call: pinned memory has known bounds. Sets `pinned`.
CUresult checkHost(const char *call, const void *data, size_t bytes,
                   bool &pinned) {
  Device &only = device();
  const Allocation *found = only.pinned.around(data);
  pinned = found != nullptr;
  auto *at = static_cast<const std::byte *>(data);
  if (found && bytes > size_t(found->data + found->bytes - at))
    return only.report(CUDA_ERROR_INVALID_VALUE,
                       std::string(call) + " of " + std::to_string(bytes) +
                           " bytes, " + std::to_string(at - found->data) +
                           " bytes into pinned memory of " +
                           std::to_string(found->bytes) + " bytes");
  if (!data || DeviceMemory::isDeviceAddress(reinterpret_cast<uint64_t>(data)))
    return only.report(CUDA_ERROR_INVALID_VALUE,
                       std::string(call) + ": the host address is none");
  return CUDA_SUCCESS;
}

/// What a queued copy says when its memory has gone.
Failure gone(const char *call, CUdeviceptr address, size_t bytes) {
  return {CUDA_ERROR_ILLEGAL_ADDRESS, range(call, address, bytes)};
}

/// Counts allocations, so that a test can let any one fail.
bool failsByOrder() {
  Context &context = *device().context;
  return ++context.allocations == context.settings.failAllocation;
}

template <class T>
CUresult fill(const char *call, CUdeviceptr address, T value, size_t count,
              CUstream handle) {
  Device &only = device();
  Stream *stream = only.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (address % sizeof(T))
    return only.report(CUDA_ERROR_INVALID_VALUE,
                       std::string(call) + ": the address is not aligned");
  size_t bytes = count * sizeof(T);
  if (!count)
    return CUDA_SUCCESS;
  if (CUresult result = checkDevice(call, address, bytes))
    return result;
  return only.submit(*stream, [=]() -> Failure {
    auto *to = reinterpret_cast<T *>(device().memory.resolve(address, bytes));
    if (!to)
      return gone(call, address, bytes);
    for (size_t i = 0; i < count; ++i)
      to[i] = value;
    device().checks.written(reinterpret_cast<std::byte *>(to), bytes);
    return {};
  });
}

} // namespace

HOSTGPU_EXPORT CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  HOSTGPU_ENTER();
  if (!free || !total)
    return CUDA_ERROR_INVALID_VALUE;
  *total = device().context->settings.memoryBytes;
  *free = *total - device().memory.used();
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  HOSTGPU_ENTER();
  Device &only = device();
  if (!address)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult result = only.refuseDuringCapture("cuMemAlloc"))
    return result;
  if (failsByOrder())
    return CUDA_ERROR_OUT_OF_MEMORY;
  const Settings &settings = only.context->settings;
  CUresult result = only.memory.allocate(bytes, settings.memoryBytes,
                                         settings.poison, *address);
  if (result == CUDA_SUCCESS)
    only.checks.allocated(DeviceMemory::toKernel(*address), bytes);
  return result;
}

HOSTGPU_EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
  HOSTGPU_ENTER();
  Device &only = device();
  if (!address)
    return CUDA_SUCCESS;
  if (CUresult result = only.refuseDuringCapture("cuMemFree"))
    return result;
  // The driver waits for all work before it frees.
  only.context->scheduler.drain(only.context->random);
  if (CUresult result = only.sticky())
    return result;
  std::optional<std::string> damage;
  if (CUresult result = only.memory.free(address, damage))
    return only.report(
        result, "cuMemFree of what is not allocated: " +
                    only.memory.describe(DeviceMemory::toKernel(address)));
  only.checks.freed(DeviceMemory::toKernel(address));
  if (damage)
    return only.report(CUDA_ERROR_ILLEGAL_ADDRESS,
                       "cuMemFree found " + *damage);
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuMemHostAlloc(void **data, size_t bytes,
                                       unsigned flags) {
  HOSTGPU_ENTER();
  Device &only = device();
  constexpr unsigned known = CU_MEMHOSTALLOC_PORTABLE |
                             CU_MEMHOSTALLOC_DEVICEMAP |
                             CU_MEMHOSTALLOC_WRITECOMBINED;
  if (!data || (flags & ~known))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult result = only.refuseDuringCapture("cuMemHostAlloc"))
    return result;
  if (failsByOrder())
    return CUDA_ERROR_OUT_OF_MEMORY;
  return only.pinned.allocate(bytes, only.context->settings.poison, *data);
}

HOSTGPU_EXPORT CUresult cuMemFreeHost(void *data) {
  HOSTGPU_ENTER();
  Device &only = device();
  if (!data)
    return CUDA_SUCCESS;
  if (CUresult result = only.refuseDuringCapture("cuMemFreeHost"))
    return result;
  only.context->scheduler.drain(only.context->random);
  if (CUresult result = only.sticky())
    return result;
  if (CUresult result = only.pinned.free(data))
    return only.report(result, "cuMemFreeHost of what is not allocated");
  return CUDA_SUCCESS;
}

HOSTGPU_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from,
                                             size_t bytes, CUstream handle) {
  HOSTGPU_ENTER();
  static constexpr const char *kCall = "cuMemcpyHtoDAsync";
  Device &only = device();
  Stream *stream = only.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!bytes)
    return CUDA_SUCCESS;
  bool pinned = false;
  if (CUresult result = checkHost(kCall, from, bytes, pinned))
    return result;
  if (CUresult result = checkDevice(kCall, to, bytes))
    return result;
  std::shared_ptr<std::vector<std::byte>> staged;
  if (!pinned && !stream->capture) {
    auto *begin = static_cast<const std::byte *>(from);
    staged = std::make_shared<std::vector<std::byte>>(begin, begin + bytes);
  }
  return only.submit(*stream, [=]() -> Failure {
    std::byte *data = device().memory.resolve(to, bytes);
    if (!data)
      return gone(kCall, to, bytes);
    std::memcpy(data, staged ? staged->data() : from, bytes);
    device().checks.written(data, bytes);
    return {};
  });
}

HOSTGPU_EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from,
                                             size_t bytes, CUstream handle) {
  HOSTGPU_ENTER();
  static constexpr const char *kCall = "cuMemcpyDtoHAsync";
  Device &only = device();
  Stream *stream = only.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!bytes)
    return CUDA_SUCCESS;
  bool pinned = false;
  if (CUresult result = checkHost(kCall, to, bytes, pinned))
    return result;
  if (CUresult result = checkDevice(kCall, from, bytes))
    return result;
  CUresult result = only.submit(*stream, [=]() -> Failure {
    const std::byte *data = device().memory.resolve(from, bytes);
    if (!data)
      return gone(kCall, from, bytes);
    std::memcpy(to, data, bytes);
    return {};
  });
  if (result != CUDA_SUCCESS || pinned || stream->capture)
    return result;
  // Pageable memory is written before the call returns.
  only.context->scheduler.drain(*stream, only.context->random);
  return only.sticky();
}

HOSTGPU_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from,
                                             size_t bytes, CUstream handle) {
  HOSTGPU_ENTER();
  static constexpr const char *kCall = "cuMemcpyDtoDAsync";
  Device &only = device();
  Stream *stream = only.stream(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!bytes)
    return CUDA_SUCCESS;
  for (CUdeviceptr address : {to, from})
    if (CUresult result = checkDevice(kCall, address, bytes))
      return result;
  if (to < from + bytes && from < to + bytes)
    return only.report(CUDA_ERROR_INVALID_VALUE,
                       std::string(kCall) + ": the ranges overlap");
  return only.submit(*stream, [=]() -> Failure {
    std::byte *target = device().memory.resolve(to, bytes);
    const std::byte *source = device().memory.resolve(from, bytes);
    if (!target || !source)
      return gone(kCall, target ? from : to, bytes);
    std::memcpy(target, source, bytes);
    device().checks.copied(target, source, bytes);
    return {};
  });
}

HOSTGPU_EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value,
                                        size_t count, CUstream stream) {
  HOSTGPU_ENTER();
  return fill("cuMemsetD8Async", to, value, count, stream);
}

HOSTGPU_EXPORT CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value,
                                         size_t count, CUstream stream) {
  HOSTGPU_ENTER();
  return fill("cuMemsetD16Async", to, value, count, stream);
}

HOSTGPU_EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value,
                                         size_t count, CUstream stream) {
  HOSTGPU_ENTER();
  return fill("cuMemsetD32Async", to, value, count, stream);
}

HOSTGPU_EXPORT void *ampcHostGpuResolve(unsigned long long address,
                                        size_t bytes, bool isWritten) {
  Entry entry(Entry::Nothing);
  std::byte *found = device().memory.resolve(address, bytes);
  if (found && isWritten)
    device().checks.written(found, bytes);
  return found;
}

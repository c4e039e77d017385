#include "test/hostgpu/driver/Memory.h"

#include <cstdio>
#include <cstring>
#include <sys/mman.h>

using namespace ampc::hostgpu;

namespace {

constexpr size_t kPage = 4096;
/// Unmapped memory between two allocations, and at both ends of the window.
constexpr size_t kGap = size_t(1) << 20, kMargin = size_t(1) << 36;

size_t roundUp(size_t value, size_t to) { return (value + to - 1) / to * to; }

/// Bytes of a redzone: not-a-number in every float type, unlike the poison of
/// memory nobody has written.
std::byte redzone(size_t index) { return std::byte(index % 2 ? 0x7f : 0xff); }

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
  return text;
}

std::string bytesAt(const Allocation &allocation) {
  return "the " + std::to_string(allocation.bytes) + " bytes at " +
         hex(DeviceMemory::toProgram(allocation.data));
}

} // namespace

std::byte *DeviceMemory::reserve(size_t bytes) {
  if (!window) {
    void *found = mmap(nullptr, kWindowBytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED)
      return nullptr;
    window = static_cast<std::byte *>(found);
  }
  // Nothing stands before the first and behind the last, as far as an index of
  // 32 bits reaches.
  size_t end = kWindowBytes - kMargin;
  if (next < kMargin || (live.empty() && next + bytes > end))
    next = kMargin;
  if (next + bytes > end)
    return nullptr;
  std::byte *pages = window + next;
  next += bytes + kGap;
  return pages;
}

CUresult DeviceMemory::allocate(size_t bytes, size_t total, uint8_t poison,
                                CUdeviceptr &address) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  size_t accounted = roundUp(bytes, kAlignment);
  if (accounted < bytes || accounted > total - usedBytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  Allocation made;
  made.bytes = bytes;
  made.pageBytes = roundUp(accounted, kPage);
  made.pages = reserve(made.pageBytes);
  if (!made.pages ||
      mprotect(made.pages, made.pageBytes, PROT_READ | PROT_WRITE) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  made.data = made.pages + made.pageBytes - accounted;
  poisonByte = poison;
  std::memset(made.data, poison, bytes);
  for (std::byte *at = made.pages; at != made.data; ++at)
    *at = redzone(size_t(at - made.pages));
  for (size_t i = bytes; i != accounted; ++i)
    made.data[i] = redzone(i);
  usedBytes += accounted;
  address = toProgram(made.data);
  live.emplace(made.data, made);
  return CUDA_SUCCESS;
}

CUresult DeviceMemory::free(CUdeviceptr address,
                            std::optional<std::string> &report) {
  auto found = live.find(toKernel(address));
  if (found == live.end())
    return CUDA_ERROR_INVALID_VALUE;
  const Allocation &old = found->second;
  report = damage(old);
  usedBytes -= roundUp(old.bytes, kAlignment);
  // Fresh pages without access: the old ones go back to the system.
  mmap(old.pages, old.pageBytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  live.erase(found);
  return CUDA_SUCCESS;
}

void DeviceMemory::freeAll() {
  std::optional<std::string> report;
  while (!live.empty())
    free(toProgram(live.begin()->first), report);
}

const Allocation *DeviceMemory::around(const std::byte *data) const {
  auto after = live.upper_bound(data);
  if (after != live.begin()) {
    const Allocation &before = std::prev(after)->second;
    if (data <= before.data + before.bytes)
      return &before;
  }
  return nullptr;
}

std::byte *DeviceMemory::resolve(CUdeviceptr address, size_t bytes) const {
  if (!isDeviceAddress(address))
    return nullptr;
  std::byte *data = toKernel(address);
  const Allocation *found = around(data);
  if (!found || bytes > size_t(found->data + found->bytes - data))
    return nullptr;
  return data;
}

std::optional<std::string>
DeviceMemory::damage(const Allocation &allocation) const {
  for (const std::byte *at = allocation.pages; at != allocation.data; ++at)
    if (*at != redzone(size_t(at - allocation.pages)))
      return "a write " + std::to_string(allocation.data - at) +
             " bytes before " + bytesAt(allocation);
  const std::byte *end = allocation.pages + allocation.pageBytes;
  for (const std::byte *at = allocation.data + allocation.bytes; at != end;
       ++at)
    if (*at != redzone(size_t(at - allocation.data)))
      return "a write " +
             std::to_string(at - allocation.data - allocation.bytes) +
             " bytes past the end of " + bytesAt(allocation);
  return std::nullopt;
}

bool DeviceMemory::inWindow(const void *data) const {
  auto *at = static_cast<const std::byte *>(data);
  return window && at >= window && at < window + kWindowBytes;
}

std::string DeviceMemory::describe(const void *data) const {
  if (!inWindow(data))
    return "address " + hex(reinterpret_cast<uint64_t>(data)) +
           ", which is no device memory";
  auto *at = static_cast<const std::byte *>(data);
  std::string text = "device address " + hex(toProgram(data));
  auto after = live.upper_bound(at);
  const Allocation *before =
      after == live.begin() ? nullptr : &std::prev(after)->second;
  if (before && at < before->data + before->bytes)
    return text + ", " + std::to_string(at - before->data) + " bytes into " +
           bytesAt(*before);
  size_t past = before ? size_t(at - before->data) - before->bytes : SIZE_MAX;
  size_t ahead = after == live.end() ? SIZE_MAX : size_t(after->first - at);
  if (past == SIZE_MAX && ahead == SIZE_MAX)
    return text + ", where nothing is allocated";
  if (past <= ahead)
    return text + ", " + std::to_string(past) + " bytes past the end of " +
           bytesAt(*before);
  return text + ", " + std::to_string(ahead) + " bytes before " +
         bytesAt(after->second);
}

CUresult PinnedMemory::allocate(size_t bytes, uint8_t poison, void *&data) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  Allocation made;
  made.bytes = bytes;
  made.pageBytes = roundUp(bytes, kPage) + kPage;
  void *pages = mmap(nullptr, made.pageBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  made.pages = static_cast<std::byte *>(pages);
  mprotect(made.pages + made.pageBytes - kPage, kPage, PROT_NONE);
  made.data = made.pages + made.pageBytes - kPage - roundUp(bytes, 64);
  std::memset(made.data, poison, bytes);
  data = made.data;
  live.emplace(made.data, made);
  return CUDA_SUCCESS;
}

CUresult PinnedMemory::free(void *data) {
  auto found = live.find(static_cast<std::byte *>(data));
  if (found == live.end())
    return CUDA_ERROR_INVALID_VALUE;
  munmap(found->second.pages, found->second.pageBytes);
  live.erase(found);
  return CUDA_SUCCESS;
}

void PinnedMemory::freeAll() {
  while (!live.empty())
    free(live.begin()->second.data);
}

const Allocation *PinnedMemory::around(const void *data) const {
  auto *at = static_cast<const std::byte *>(data);
  auto after = live.upper_bound(at);
  if (after == live.begin())
    return nullptr;
  const Allocation &before = std::prev(after)->second;
  return at < before.data + before.bytes ? &before : nullptr;
}

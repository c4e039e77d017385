#include "test/hostgpu/driver/DeviceChecks.h"

#include <algorithm>
#include <sys/mman.h>

using namespace ampc::hostgpu;

void DeviceChecks::allocated(const std::byte *data, size_t bytes) {
  if (!isOn)
    return;
  // Pages that are never touched cost nothing; fresh ones are zero: never.
  void *cells = mmap(nullptr, bytes * sizeof(Byte), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (cells != MAP_FAILED)
    shadows[data] = {static_cast<Byte *>(cells), bytes};
}

void DeviceChecks::freed(const std::byte *data) {
  auto found = shadows.find(data);
  if (found == shadows.end())
    return;
  munmap(found->second.cells, found->second.bytes * sizeof(Byte));
  shadows.erase(found);
}

void DeviceChecks::clear() {
  while (!shadows.empty())
    freed(shadows.begin()->first);
}

Byte *DeviceChecks::find(const std::byte *data, size_t &count) const {
  auto after = shadows.upper_bound(data);
  if (after == shadows.begin())
    return nullptr;
  const auto &[begin, shadow] = *std::prev(after);
  size_t offset = size_t(data - begin);
  if (offset >= shadow.bytes)
    return nullptr;
  count = shadow.bytes - offset;
  return shadow.cells + offset;
}

void DeviceChecks::written(const std::byte *data, size_t bytes) {
  size_t count = 0;
  if (Byte *cells = find(data, count))
    std::fill_n(cells, std::min(bytes, count), Byte{Clock::kHost, {}, {}, {}});
}

void DeviceChecks::copied(const std::byte *to, const std::byte *from,
                          size_t bytes) {
  size_t count = 0;
  Byte *source = find(from, count), *target = find(to, count);
  for (size_t i = 0; source && target && i < bytes; ++i)
    target[i] = {source[i].write.epoch ? Clock::kHost : Touch(), {}, {}, {}};
}

std::string DeviceChecks::access(const void *address, unsigned bytes,
                                 bool isWrite, int thread, const Clock &clock) {
  size_t count = 0;
  Byte *cells = find(static_cast<const std::byte *>(address), count);
  for (size_t i = 0; cells && i < std::min<size_t>(bytes, count); ++i) {
    std::string wrong = clock.touch(cells[i], isWrite, thread, Space::Device);
    if (!wrong.empty())
      return wrong;
  }
  return {};
}

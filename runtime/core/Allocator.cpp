// Counting allocator.
#include "runtime/core/Allocator.h"
#include "runtime/core/Processors.h"
#include "runtime/core/ThreadPool.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <sys/mman.h>

namespace ampc::rt {

/// Bytes of a large page: with small ones, kernels that go down columns miss
/// the TLB at every row.
static constexpr uint64_t kLargePage = uint64_t(1) << 21;
/// Bytes of a small one.
static constexpr uint64_t kPage = 4096;

struct Charge::Counts {
  std::mutex mutex;
  uint64_t limit = 0;
  uint64_t now = 0;
  uint64_t peak = 0;
  std::array<uint64_t, 4> byKind{};
};

const char *name_of(MemoryKind kind) {
  constexpr const char *names[] = {"variables", "arena", "workspace", "batch"};
  return names[static_cast<size_t>(kind)];
}

Charge::Charge(Charge &&other) noexcept
    : bytes(std::exchange(other.bytes, 0)), kind(other.kind),
      counts(std::move(other.counts)) {}

Charge &Charge::operator=(Charge &&other) noexcept {
  if (this != &other) {
    release();
    bytes = std::exchange(other.bytes, 0);
    kind = other.kind;
    counts = std::move(other.counts);
  }
  return *this;
}

Charge::~Charge() { release(); }

void Charge::release() {
  if (!counts)
    return;
  std::lock_guard lock(counts->mutex);
  counts->now -= bytes;
  counts->byKind[static_cast<size_t>(kind)] -= bytes;
  bytes = 0;
}

void Block::Free::operator()(std::byte *address) const {
  if (mapped)
    ::munmap(address, mapped);
  else
    std::free(address);
}

/// Zeroed memory that starts at a multiple of a large page and is backed by
/// such pages as far as it fills them, where the system has them. Null: no
/// memory.
static std::byte *mapLarge(size_t bytes) {
  size_t room = bytes + kLargePage;
  void *given = ::mmap(nullptr, room, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (given == MAP_FAILED)
    return nullptr;
  auto *start = static_cast<std::byte *>(given);
  size_t skipped =
      (kLargePage - reinterpret_cast<uintptr_t>(start) % kLargePage) %
      kLargePage;
  if (skipped)
    ::munmap(start, skipped);
  std::byte *address = start + skipped;
  if (size_t left = room - skipped - bytes)
    ::munmap(address + bytes, left);
  // A wish: small pages serve as well.
  (void)::madvise(address, bytes / kLargePage * kLargePage,
                  large_pages() == "off" ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
  return address;
}

/// Has the pool write to every page, which makes it the process's: the system
/// zeroes it then, by the thread that writes first.
static void touch(std::byte *address, size_t bytes) {
  struct Range {
    std::byte *address;
    size_t bytes;
  } range{address, bytes};
  auto lease = ThreadPool::instance().lease();
  lease.run(
      int64_t((bytes + kLargePage - 1) / kLargePage), 1,
      ThreadPool::instance().size(),
      [](void *context, int, int64_t begin, int64_t end) {
        auto &range = *static_cast<Range *>(context);
        size_t stop = std::min(range.bytes, size_t(end) * kLargePage);
        for (size_t at = size_t(begin) * kLargePage; at < stop; at += kPage)
          *const_cast<volatile std::byte *>(range.address + at) = std::byte(0);
      },
      &range);
}

Allocator::Allocator(uint64_t limit)
    : counts(std::make_shared<Charge::Counts>()) {
  counts->limit = limit;
}

tl::unexpected<Error> Allocator::refusal(MemoryKind kind, uint64_t bytes,
                                         const std::string &why) const {
  return fail(
      Code::DoesNotFit, "",
      fmt::format(
          "{} bytes of {} do not fit: {} (held: variables {}, arena {}, "
          "workspace {}, batch {})",
          bytes, name_of(kind), why, counts->byKind[0], counts->byKind[1],
          counts->byKind[2], counts->byKind[3]));
}

Expected<Charge> Allocator::charge(MemoryKind kind, uint64_t bytes) {
  Charge charge;
  if (bytes == 0)
    return charge;
  std::lock_guard lock(counts->mutex);
  if (bytes > kMaxExtent)
    return refusal(kind, bytes, "a block is at most 2^48 bytes");
  if (counts->limit && bytes > counts->limit - counts->now)
    return refusal(kind, bytes,
                   fmt::format("the limit is {} bytes", counts->limit));
  counts->now += bytes;
  counts->byKind[static_cast<size_t>(kind)] += bytes;
  counts->peak = std::max(counts->peak, counts->now);
  charge.bytes = bytes;
  charge.kind = kind;
  charge.counts = counts;
  return charge;
}

Expected<Block> Allocator::allocate(MemoryKind kind, uint64_t bytes) {
  Block block;
  AMPC_ASSIGN(block.charge, charge(kind, bytes));
  if (bytes == 0)
    return block;
  // Rounded up so that vector loads of a kernel's last element stay inside the
  // block.
  uint64_t rounded = (bytes + 63) / 64 * 64;
  bool isLarge = rounded >= 2 * kLargePage;
  size_t mapped = isLarge ? (rounded + kPage - 1) / kPage * kPage : 0;
  block.address = std::unique_ptr<std::byte, Block::Free>(
      isLarge ? mapLarge(mapped)
              : static_cast<std::byte *>(std::aligned_alloc(64, rounded)),
      Block::Free(mapped));
  if (!block.address) {
    block.charge = {}; // what is held does not count these
    std::lock_guard lock(counts->mutex);
    return refusal(kind, bytes, "the system has no more memory");
  }
  if (isLarge)
    touch(block.address.get(), mapped);
  else
    std::memset(block.address.get(), 0, rounded);
  return block;
}

uint64_t Allocator::current() const {
  std::lock_guard lock(counts->mutex);
  return counts->now;
}

uint64_t Allocator::current(MemoryKind kind) const {
  std::lock_guard lock(counts->mutex);
  return counts->byKind[static_cast<size_t>(kind)];
}

uint64_t Allocator::peak() const {
  std::lock_guard lock(counts->mutex);
  return counts->peak;
}

} // namespace ampc::rt

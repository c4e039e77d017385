// Counting allocator.
#include "runtime/core/Allocator.h"

#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <sys/mman.h>

namespace ampc::rt {

/// Bytes of a large page: with small ones, kernels that go down columns miss
/// the TLB at every row.
static constexpr uint64_t kLargePage = uint64_t(1) << 21;

struct Block::Counts {
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

Block::Block(Block &&other) noexcept
    : address(std::exchange(other.address, nullptr)),
      bytes(std::exchange(other.bytes, 0)), kind(other.kind),
      counts(std::move(other.counts)) {}

Block &Block::operator=(Block &&other) noexcept {
  if (this != &other) {
    release();
    address = std::exchange(other.address, nullptr);
    bytes = std::exchange(other.bytes, 0);
    kind = other.kind;
    counts = std::move(other.counts);
  }
  return *this;
}

Block::~Block() { release(); }

void Block::release() {
  if (!address)
    return;
  std::free(address);
  std::lock_guard lock(counts->mutex);
  counts->now -= bytes;
  counts->byKind[static_cast<size_t>(kind)] -= bytes;
  address = nullptr;
}

Allocator::Allocator(uint64_t limit)
    : counts(std::make_shared<Block::Counts>()) {
  counts->limit = limit;
}

Expected<Block> Allocator::allocate(MemoryKind kind, uint64_t bytes) {
  Block block;
  if (bytes == 0)
    return block;
  std::lock_guard lock(counts->mutex);
  auto refuse = [&](const std::string &why) {
    return fail(
        Code::DoesNotFit, "",
        fmt::format(
            "{} bytes of {} do not fit: {} (held: variables {}, arena {}, "
            "workspace {}, batch {})",
            bytes, name_of(kind), why, counts->byKind[0], counts->byKind[1],
            counts->byKind[2], counts->byKind[3]));
  };
  if (bytes > kMaxExtent)
    return refuse("a block is at most 2^48 bytes");
  if (counts->limit && bytes > counts->limit - counts->now)
    return refuse(fmt::format("the limit is {} bytes", counts->limit));
  // Rounded up so that vector loads of a kernel's last element stay inside the
  // block.
  uint64_t rounded = (bytes + 63) / 64 * 64;
  bool isLarge = rounded >= 2 * kLargePage;
  auto *address = static_cast<std::byte *>(
      std::aligned_alloc(isLarge ? kLargePage : 64, rounded));
  if (!address)
    return refuse("the system has no more memory");
  if (isLarge) // a wish: small pages serve as well
    (void)::madvise(address, rounded / kLargePage * kLargePage, MADV_HUGEPAGE);
  std::memset(address, 0, rounded);
  block.address = address;
  block.bytes = bytes;
  block.kind = kind;
  block.counts = counts;
  counts->now += bytes;
  counts->byKind[static_cast<size_t>(kind)] += bytes;
  counts->peak = std::max(counts->peak, counts->now);
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

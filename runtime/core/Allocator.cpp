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

void Block::Free::operator()(std::byte *address) const { std::free(address); }

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
  block.address.reset(static_cast<std::byte *>(
      std::aligned_alloc(isLarge ? kLargePage : 64, rounded)));
  if (!block.address) {
    block.charge = {}; // what is held does not count these
    std::lock_guard lock(counts->mutex);
    return refusal(kind, bytes, "the system has no more memory");
  }
  if (isLarge) // a wish: small pages serve as well
    (void)::madvise(block.address.get(), rounded / kLargePage * kLargePage,
                    MADV_HUGEPAGE);
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

// Where the runtime's large memory comes from: 64-byte aligned blocks, counted
// by purpose, so that a budget can be held and a peak reported. Small
// bookkeeping objects are not counted.
#pragma once

#include "runtime/core/Status.h"
#include "runtime/plan/Export.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ampc::rt {

/// What a block is for.
enum class MemoryKind : uint8_t { Variables = 0, Arena, Workspace, Batch };

/// Name for reports: `variables`, `arena`, `workspace`, `batch`.
AMPC_API const char *name_of(MemoryKind kind);

class Allocator;

/// Bytes that count as held, wherever they stand; gives them back when it goes.
/// Move-only.
class AMPC_API Charge {
public:
  Charge() = default;
  Charge(Charge &&other) noexcept;
  Charge &operator=(Charge &&other) noexcept;
  ~Charge();

  uint64_t size() const { return bytes; }

private:
  friend class Allocator;
  struct Counts;
  void release();

  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::Variables;
  std::shared_ptr<Counts> counts;
};

/// A counted block of host memory; goes when it does. Move-only.
class AMPC_API Block {
public:
  std::byte *data() const { return address.get(); }
  /// Size in bytes as asked for.
  uint64_t size() const { return charge.size(); }

private:
  friend class Allocator;
  struct Free {
    Free() : mapped(0) {}
    explicit Free(size_t mapped) : mapped(mapped) {}
    size_t mapped; ///< bytes of a mapping of its own; 0: of the heap
    AMPC_API void operator()(std::byte *address) const;
  };

  Charge charge;
  std::unique_ptr<std::byte, Free> address;
};

/// Hands out blocks and charges up to a limit. Thread-safe; they may outlive
/// it.
class AMPC_API Allocator {
public:
  /// `limit` bytes in all; 0: no limit.
  explicit Allocator(uint64_t limit = 0);

  /// A zeroed block of `bytes` bytes (none for 0), all of it the process's from
  /// now on. The thread pool touches large ones, so that each processor's
  /// memory has a part. Over the limit, or refused by the system: Code
  /// DoesNotFit, with the categories' bytes in the message.
  [[nodiscard]] Expected<Block> allocate(MemoryKind kind, uint64_t bytes);

  /// Counts `bytes` bytes that stand elsewhere, on a device. Over the limit:
  /// Code DoesNotFit as above.
  [[nodiscard]] Expected<Charge> charge(MemoryKind kind, uint64_t bytes);

  /// Bytes held now.
  uint64_t current() const;
  /// Bytes held now for `kind`.
  uint64_t current(MemoryKind kind) const;
  /// Most bytes ever held at once.
  uint64_t peak() const;

private:
  tl::unexpected<Error> refusal(MemoryKind kind, uint64_t bytes,
                                const std::string &why) const;

  std::shared_ptr<Charge::Counts> counts;
};

} // namespace ampc::rt

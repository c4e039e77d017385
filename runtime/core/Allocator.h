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

/// A counted block; gives its bytes back when it goes. Move-only.
class AMPC_API Block {
public:
  Block() = default;
  Block(Block &&other) noexcept;
  Block &operator=(Block &&other) noexcept;
  ~Block();

  std::byte *data() const { return address; }
  /// Size in bytes as asked for.
  uint64_t size() const { return bytes; }

private:
  friend class Allocator;
  struct Counts;
  void release();

  std::byte *address = nullptr;
  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::Variables;
  std::shared_ptr<Counts> counts;
};

/// Hands out blocks up to a limit. Thread-safe; blocks may outlive it.
class AMPC_API Allocator {
public:
  /// `limit` bytes in all; 0: no limit.
  explicit Allocator(uint64_t limit = 0);

  /// A zeroed block of `bytes` bytes (none for 0). Over the limit, or refused
  /// by the system: Code DoesNotFit, with the categories' bytes in the message.
  [[nodiscard]] Expected<Block> allocate(MemoryKind kind, uint64_t bytes);

  /// Bytes held now.
  uint64_t current() const;
  /// Bytes held now for `kind`.
  uint64_t current(MemoryKind kind) const;
  /// Most bytes ever held at once.
  uint64_t peak() const;

private:
  std::shared_ptr<Block::Counts> counts;
};

} // namespace ampc::rt

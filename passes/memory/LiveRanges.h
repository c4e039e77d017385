// When each value's bytes are needed, on the schedule of a block (the order of
// its ops).
#ifndef AMPC_PASSES_MEMORY_LIVERANGES_H
#define AMPC_PASSES_MEMORY_LIVERANGES_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// Whether `op` computes nothing: its result is its input's bytes.
bool isView(mlir::Operation *op);

/// Whether `op` computes its results into bytes of their own.
bool producesBytes(mlir::Operation *op);

/// The value that `value` is a view of, or itself.
mlir::Value viewedValue(mlir::Value value);

/// The value in whose bytes `value` is made: the sums from which a product goes
/// on, where nothing else reads them. Null: it has bytes of its own.
mlir::Value continuedValue(mlir::Value value);

/// The value whose bytes `value` looks at or goes on in: views are followed to
/// their source, products that go on to where the first sums stand.
mlir::Value storageRoot(mlir::Value value);

/// Positions of ops and last uses of values in one block. Positions count from
/// 0 in block order; the terminator has the last one.
class LiveRanges {
public:
  explicit LiveRanges(mlir::Block &block);

  /// Position of an op of the block.
  unsigned position(mlir::Operation *op) const { return positions.lookup(op); }

  /// Position where the bytes of `root` are written: its op's, 0 for arguments.
  unsigned start(mlir::Value root) const;

  /// Last position that reads the bytes of `root`, through views too; its start
  /// when nothing does.
  unsigned end(mlir::Value root) const;

  /// The op at the end of the range of `root`; null when nothing reads it.
  mlir::Operation *lastUser(mlir::Value root) const {
    return lastUsers.lookup(root);
  }

  /// Every read of variable `name` in the block.
  llvm::ArrayRef<amp::ReadOp> readsOf(llvm::StringRef name) const;

private:
  llvm::StringMap<llvm::SmallVector<amp::ReadOp>> reads;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  llvm::DenseMap<mlir::Value, mlir::Operation *> lastUsers;
};

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_LIVERANGES_H

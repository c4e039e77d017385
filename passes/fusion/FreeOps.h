// Ops that no kernel stores: each group that reads them computes them again.
#ifndef AMPC_PASSES_FUSION_FREEOPS_H
#define AMPC_PASSES_FUSION_FREEOPS_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// Bytes of a value in the arena, where every buffer begins at a multiple
/// of 64.
inline int64_t arenaBytes(mlir::RankedTensorType type) {
  return llvm::alignTo(amp::storageBytes(type), 64);
}

/// Which ops of a block may stand in groups, and which of those are cloned into
/// every group that reads them.
class FreeOps {
public:
  /// `products`: the target generates products itself. Without `fuse` nothing
  /// is computed again but what costs nothing.
  FreeOps(mlir::Block &block, amp::TargetAttr target, bool fuse, bool products);

  /// Whether `op` may stand in a group at all.
  bool isGroupable(mlir::Operation *op) const;

  /// A splat constant, an iota, a broadcast, a cast to a wider float, other
  /// extents of a product; or cheap arithmetic on these and on a few bytes that
  /// gives many.
  bool isFree(mlir::Operation *op) const { return costs.contains(op); }

  /// Calls `visit` with each value that `operand` is made of by free ops, and
  /// with whether arithmetic is among them.
  void forEachRoot(mlir::Value operand,
                   llvm::function_ref<void(mlir::Value, bool)> visit) const;

private:
  bool isProductView(mlir::Operation *op) const;
  /// Arithmetic that computing the op again takes for an element, or none when
  /// it is not to be computed again.
  std::optional<unsigned> costOfRepeat(mlir::Operation *op) const;

  amp::TargetAttr productTarget; // null: all products are the library's
  llvm::DenseMap<mlir::Operation *, unsigned> costs; // of free ops
};

} // namespace ampc

#endif // AMPC_PASSES_FUSION_FREEOPS_H

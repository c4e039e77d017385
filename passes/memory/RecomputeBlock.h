// A block of stage fused as a problem of what to keep (RecomputePlan), and the
// block that a plan makes of it.
#ifndef AMPC_PASSES_MEMORY_RECOMPUTEBLOCK_H
#define AMPC_PASSES_MEMORY_RECOMPUTEBLOCK_H

#include "passes/memory/LiveRanges.h"
#include "passes/memory/RecomputePlan.h"

namespace ampc {

/// A value that stands in the arena, and when.
struct ArenaValue {
  mlir::Value value;
  Residence residence;
};

class RecomputeBlock {
public:
  /// Looks at `func`, an entry of one block. `isInArena(value)`: whether a
  /// storage root takes bytes of the arena; `clobbers`: the position from which
  /// on the old value of a variable is gone; `mayRepeat`: whether anything can
  /// be computed again, else no op is asked for its time.
  RecomputeBlock(mlir::func::FuncOp func, const LiveRanges &ranges,
                 llvm::function_ref<bool(mlir::Value)> isInArena,
                 const llvm::StringMap<unsigned> &clobbers, bool mayRepeat);

  const RecomputeProblem &problem() const { return made; }

  /// What `checkpoint { }` asks for: the values made inside that only the
  /// backward reads again are not kept for it.
  void recomputeCheckpoints(RecomputePlan &plan);

  /// Carries `plan` out: computes again what it says, before the op that it
  /// says, and erases what is read nowhere any more. The result is in the order
  /// of `plan.residences()`. What computes again carries
  /// `amp.recompute_ns`.
  llvm::SmallVector<ArenaValue> apply(const RecomputePlan &plan);

private:
  /// The ops that the losses, metrics and outputs of the entry are made of.
  llvm::DenseSet<mlir::Operation *> forwardOps();
  /// The value to read in the place of `value`, a view of a root or a root.
  mlir::Value current(mlir::OpBuilder &builder, mlir::Value value);
  /// The `checkpoint { }` that each op was made in, where it was in one.
  llvm::DenseMap<mlir::Operation *, mlir::Attribute> checkpoints() const;
  /// Points the operands of `op` to what stands there now.
  void redirect(mlir::OpBuilder &builder, mlir::Operation *op);
  /// Computes results `kept` of `op` at the builder's insertion point.
  mlir::Operation *build(mlir::OpBuilder &builder, mlir::Operation *op,
                         llvm::ArrayRef<unsigned> kept);

  /// Enters what `op` makes, where it does, among the instances.
  void enter(mlir::Operation *op, llvm::ArrayRef<Residence> made,
             llvm::SmallVectorImpl<ArenaValue> &into);

  mlir::func::FuncOp func;
  amp::TargetAttr target;
  llvm::SmallVector<mlir::Operation *> ops; ///< by position
  llvm::SmallVector<mlir::Value> values;    ///< by number
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  RecomputeProblem made;
  /// Operands of the ops so far as they were, roots and views of roots.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> operands;
  llvm::DenseMap<mlir::Value, mlir::Value> instances; ///< of roots, now
  /// Views by what they look at now.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value> views;
};

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_RECOMPUTEBLOCK_H

// Decides which primitives of a block share a kernel. Reads the IR only;
// FormGroups rewrites.
#ifndef AMPC_PASSES_FUSION_GROUPPLAN_H
#define AMPC_PASSES_FUSION_GROUPPLAN_H

#include "ir/dialect/Dialect.h"
#include "llvm/ADT/MapVector.h"

namespace ampc {

/// The most ops in one group: beyond it a kernel gains nothing and compiles
/// ever slower.
inline constexpr size_t kMaxGroupOps = 256;

/// The loops a group needs.
struct LoopNest {
  amp::GroupKind kind = amp::GroupKind::map;
  llvm::SmallVector<int64_t> space; // extents
  llvm::SmallVector<int64_t>
      reducedAxes; // axes of `space` that row and column groups reduce
  /// A product that nothing has joined: what makes its result of other extents,
  /// the last one kept, may bring its own space.
  bool isBareProduct = false;
  bool movesElements = false; // movements or lookups are among the ops
};

/// One loop nest and the ops in it.
struct PlannedGroup : LoopNest {
  unsigned level = 0; // above the level of everything the group reads
  llvm::SmallVector<mlir::Operation *> ops;
};

/// Why a producer and its consumer stand in different groups.
struct FusionRefusal {
  mlir::Operation *producer;
  mlir::Operation *consumer;
  llvm::StringRef reason;
};

/// The grouping of one block.
class GroupPlan {
public:
  /// Plans `block`; without `fuse` every op becomes a group of its own. With
  /// `products`, the products that the module's target generates are groups.
  GroupPlan(mlir::Block &block, bool fuse, bool products);

  /// Groups in order of creation; merged ones are empty.
  llvm::ArrayRef<PlannedGroup> groups() const { return plans; }
  llvm::ArrayRef<FusionRefusal> refusals() const { return refused; }

  /// The group of `op`, none for ops that stay outside and for free ops.
  std::optional<unsigned> groupOf(mlir::Operation *op) const;

  /// A splat constant, an iota, a broadcast, a cast to a wider float or other
  /// extents of a product: cloned into each group that uses it.
  bool isFree(mlir::Operation *op) const { return freeOps.contains(op); }

private:
  /// Whether `op` may stand in a group at all.
  bool isGroupable(mlir::Operation *op) const;
  /// Whether `op` gives the result of a product that is a group other extents,
  /// the last one kept.
  bool isProductView(mlir::Operation *op) const;
  void classify(mlir::Block &block, bool fuse);
  void place(mlir::Operation *op, bool fuse);
  /// Merges groups into their only consumer, which need not be of the next
  /// level.
  void sink();
  /// Hands ops of products' groups that one other group alone uses on to it,
  /// where that stores a value less.
  void release();
  /// Whether an op outside `group`, other than `except`, uses `value`.
  bool isUsedOutside(mlir::Value value, unsigned group,
                     mlir::Operation *except) const;
  /// The one group that uses values of `group`, none when there are others or
  /// something outside groups does. `fits` tells whether every use is direct or
  /// brings the value back over the space that the consumer reduces.
  std::optional<unsigned> onlyConsumer(unsigned group, bool &fits) const;
  /// Adds the users of `value`, which free ops make of `root`.
  bool collectConsumers(mlir::Value value, mlir::Value root, unsigned group,
                        std::optional<unsigned> &only, bool &fits) const;
  void absorb(unsigned into, unsigned member);
  unsigned find(unsigned group) const;
  /// Level of what computes `value`, seen through free ops.
  unsigned levelOf(mlir::Value value) const;
  /// The value behind `value` when free ops are looked through.
  mlir::Value rootOf(mlir::Value value) const;
  /// Why `op` cannot join all of `members` as one group; empty when it can.
  llvm::StringRef conflict(mlir::Operation *op,
                           llvm::ArrayRef<unsigned> members) const;
  void open(mlir::Operation *op, unsigned level);
  void join(mlir::Operation *op, llvm::ArrayRef<unsigned> members);

  amp::TargetAttr target; // null: no products in groups
  llvm::SmallVector<PlannedGroup> plans;
  mutable llvm::SmallVector<unsigned> parent; // union-find over `plans`
  llvm::DenseMap<mlir::Operation *, unsigned> memberships;
  llvm::DenseMap<mlir::Operation *, unsigned>
      outsideLevels;                       // ops that stay outside
  llvm::StringMap<unsigned> writtenLevels; // of each variable's last write
  llvm::DenseSet<mlir::Operation *> freeOps;
  llvm::SmallVector<FusionRefusal> refused;
};

} // namespace ampc

#endif // AMPC_PASSES_FUSION_GROUPPLAN_H

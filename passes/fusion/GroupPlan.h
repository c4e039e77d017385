// Decides which primitives of a block share a kernel. Reads the IR only;
// FormGroups rewrites.
#ifndef AMPC_PASSES_FUSION_GROUPPLAN_H
#define AMPC_PASSES_FUSION_GROUPPLAN_H

#include "passes/fusion/FreeOps.h"
#include "passes/fusion/GroupGraph.h"
#include "passes/fusion/LiveBytes.h"
#include "passes/fusion/LoopNest.h"
#include "llvm/ADT/MapVector.h"

#include <queue>

namespace ampc {

/// The most ops in one group: beyond it a kernel gains nothing and compiles
/// ever slower.
inline constexpr size_t kMaxGroupOps = 256;

/// One loop nest and the ops in it.
struct PlannedGroup : LoopNest {
  llvm::SmallVector<mlir::Operation *> ops;
  double gain = 0;        // nanoseconds that merging saves, as predicted
  int64_t savedBytes = 0; // bytes that it neither writes nor reads
};

/// Why a producer and its consumer stand in different groups.
struct FusionRefusal {
  mlir::Operation *producer;
  mlir::Operation *consumer;
  llvm::StringRef reason;
};

/// The grouping of one block: every op its own group at first, then merges of
/// two, the one that saves the most time first.
class GroupPlan {
public:
  /// Plans `block`; without `fuse` every op becomes a group of its own. With
  /// `products`, the products that the module's target generates are groups.
  GroupPlan(mlir::Block &block, bool fuse, bool products);

  /// Groups by number; merged ones are empty.
  llvm::ArrayRef<PlannedGroup> groups() const { return plans; }
  /// Every producer and consumer in different groups.
  std::vector<FusionRefusal> refusals();

  /// The group of `op`, none for ops that stay outside and for free ops.
  std::optional<unsigned> groupOf(mlir::Operation *op) const;
  /// Groups and ops outside in the order in which they are to run.
  std::vector<llvm::SmallVector<mlir::Operation *>> schedule() const;

  /// Whether `op` is cloned into each group that uses it.
  bool isFree(mlir::Operation *op) const { return freeOps.isFree(op); }

  /// Steps of the decision so far: merges tried and edges looked at.
  uint64_t work() const { return tries + graph.work(); }

private:
  /// An operand of an op and the value that free ops make it of.
  struct Use {
    mlir::OpOperand *operand;
    bool computed; ///< arithmetic is among these free ops
  };
  /// What a group reads of one value.
  struct Input {
    unsigned definer = 0; ///< the node of old that computes it, 0: none
    int64_t bytes = 0;
    bool isDirect = false; ///< one use is at the element the loop is at
    llvm::SmallVector<Use, 1> uses;
  };
  struct Inputs {
    llvm::MapVector<mlir::Value, Input> values; // by root
    llvm::SmallVector<mlir::Value, 1>
        updated; ///< variables' old values that the group may overwrite
  };
  struct Candidate {
    double gain;
    unsigned a, b;
    bool operator<(const Candidate &other) const {
      return std::tie(gain, other.a, other.b) < std::tie(other.gain, a, b);
    }
  };

  void addNodes(mlir::Block &block);
  void addEdges(mlir::Block &block);
  void addVariableOrder(mlir::Block &block);
  void addLiveBytes(mlir::Block &block);

  /// Merges while something gains: first what can only lower the need for
  /// memory, then what does not raise its peak.
  void mergeAll();
  void run(bool exact);
  void pushAll();
  void push(unsigned a, unsigned b);
  void pushNeighbours(unsigned group);
  void pushSiblings(mlir::Value value);
  /// Merges two groups unless something blocks it, which is given.
  llvm::StringRef tryMerge(unsigned a, unsigned b, bool exact);
  void merge(const GroupGraph::Move &move, const LoopNest &nest);
  /// The nest of two groups as one; none, and `reason`, where there is none.
  std::optional<LoopNest> joined(unsigned a, unsigned b,
                                 llvm::StringRef &reason) const;
  /// How they may become one; none, and `reason`, where they may not.
  std::optional<GroupGraph::Move> moveOf(unsigned a, unsigned b, bool exact,
                                         llvm::StringRef &reason);
  /// Why `uses` of a group's value cannot stand in one group with it, of loops
  /// `nest` (null: there are none).
  llvm::StringRef blockedUse(mlir::Value root, llvm::ArrayRef<Use> uses,
                             const LoopNest *nest) const;
  /// Nanoseconds that merging saves.
  double gainOf(unsigned a, unsigned b, int64_t *saved = nullptr) const;
  /// Whether every reader of `value` is in `a` or `b`.
  bool staysWithin(mlir::Value value, unsigned a, unsigned b) const;
  static bool isDirect(mlir::Value root, const Use &use);
  std::optional<unsigned> definer(mlir::Value value) const;
  /// The node that computes `input` now, 0: none.
  unsigned definer(const Input &input) const {
    return graph.find(input.definer);
  }
  bool isGroup(unsigned node) const { return !plans[node].ops.empty(); }

  bool fuses;
  double bandwidth, launch; // bytes a nanosecond, nanoseconds
  FreeOps freeOps;
  GroupGraph graph;
  LiveBytes live{graph};
  std::vector<PlannedGroup> plans;        // by node
  std::vector<Inputs> inputs;             // by node
  std::vector<mlir::Operation *> outside; // by node: the op that is no group's
  llvm::DenseMap<mlir::Operation *, unsigned> nodeOf;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<unsigned>> readers; // by root
  llvm::DenseSet<mlir::Value> stored; // what something outside groups reads
  std::priority_queue<Candidate> queue;
  uint64_t tries = 0, merges = 0;
};

} // namespace ampc

#endif // AMPC_PASSES_FUSION_GROUPPLAN_H

// What to keep and what to compute again, so that a schedule needs fewer bytes
// at once. An abstract problem of ops, values and bytes: RecomputeBlock makes
// it from a block and carries a plan out.
//
// The schedule stays; what is computed again is so just before an op that needs
// it, in the order of the ops that computed it first. Decisions come one after
// the other, each against the moment that needs the most bytes: of the values
// that are only carried over it, the one that gives the most bytes for the
// predicted time is not kept, and computed again before it is read next. What
// that needs and is not there is computed again too, kept longer if it is
// small, or moved here where a later place computes it again anyway. The
// sequence does not depend on how far it is followed: a smaller budget takes
// more of it.
#ifndef AMPC_PASSES_MEMORY_RECOMPUTEPLAN_H
#define AMPC_PASSES_MEMORY_RECOMPUTEPLAN_H

#include "passes/memory/BestFit.h"
#include "passes/memory/GapQueue.h"
#include "passes/memory/PeakProfile.h"

#include "llvm/ADT/SmallVector.h"
#include <map>
#include <vector>

namespace ampc {

/// One op of a schedule.
struct ScheduledOp {
  double time = 0;                         ///< predicted, in nanoseconds
  llvm::SmallVector<unsigned, 4> operands; ///< values it reads, each once
  llvm::SmallVector<unsigned, 2> results;  ///< values it makes
  bool repeatable = false;                 ///< may be computed again
  unsigned latest = ~0u; ///< the last op before which its operands still hold
};

/// A schedule and the bytes of its values. A value is made by one op, before
/// every op that reads it.
struct RecomputeProblem {
  std::vector<ScheduledOp> ops;
  std::vector<int64_t> bytes; ///< of each value
};

/// The moment of op `op`.
constexpr Moment momentOf(unsigned op) { return Moment(op) << 32 | 0xffffffff; }
/// The moment at which op `maker` is repeated for op `op`: before it.
constexpr Moment repeatOf(unsigned maker, unsigned op) {
  return Moment(op) << 32 | maker;
}
/// The op of a moment, or the one that something is repeated for.
constexpr unsigned opAt(Moment moment) { return unsigned(moment >> 32); }

/// The time, ends included, in which a value stands in one place.
struct Residence {
  unsigned value;
  Moment first, last;
  /// Whether it is computed again there.
  bool isRecomputed() const { return first != momentOf(opAt(first)); }
};

class RecomputePlan {
public:
  explicit RecomputePlan(RecomputeProblem problem);

  /// Takes the next decision, which saves no time: who takes more of them is
  /// never faster. False when the moment of the peak has nothing left that
  /// could be computed again, or the step would take kMostAdded times its time
  /// longer.
  bool improve();

  /// A decision from outside: after op `last` `value` is not kept for the next
  /// to read it but computed again. False, and no change, where that is
  /// impossible.
  bool recomputeAfter(unsigned value, unsigned last);

  /// The most bytes needed at once.
  int64_t peak() const { return profile.peak(); }
  /// Predicted time that the decisions add, in nanoseconds.
  double addedTime() const { return added; }
  /// Predicted time without them.
  double baseTime() const { return base; }

  /// Where every value stands and when, in the order of `first`, then of the
  /// ops that compute them.
  std::vector<Residence> residences() const;

private:
  /// Where a value is made and read; both ascending.
  struct Timeline {
    std::vector<Moment> starts;
    std::vector<Moment> uses; ///< one a reader
    uint64_t version = 0;
  };
  struct Saved {
    unsigned value;
    Timeline timeline;
  };

  /// Calls `use(first, last)` for each residence of `value`.
  void forResidences(unsigned value, auto &&use) const;
  void account(unsigned value, int sign);
  /// Bytes times ops for which `value` stands somewhere.
  double area(unsigned value) const;
  /// Before the first change of a value's timeline in a decision.
  void touch(unsigned value);
  void addUse(unsigned value, Moment moment);
  void removeUse(unsigned value, Moment moment);
  bool isThere(unsigned value, Moment moment) const;
  /// Whether another result of the op that makes `value` is made at `moment`.
  bool hasSibling(unsigned value, Moment moment) const;
  /// Computes `value` again for op `op`, in a decision about `root`.
  bool compute(unsigned value, unsigned op, unsigned root);
  /// Takes back that `value` is computed at `moment`.
  void remove(unsigned value, Moment moment);
  /// Makes `value` readable at `moment`.
  bool supply(unsigned value, Moment moment, unsigned root);
  /// An op none of whose results is read where it stands does not run there,
  /// and what nothing reads is not computed again.
  void retire(unsigned op);
  /// Tries a decision; what it changed stays until `commit` or `rollback`.
  bool attempt(unsigned value, unsigned op);
  void settle();
  void commit();
  void rollback();
  void pushGaps(unsigned value);
  void push(Gap gap);

  RecomputeProblem problem;
  std::vector<unsigned> makers;    ///< the op of each value
  std::vector<Timeline> timelines; ///< of each value
  std::vector<bool> unread;        ///< values that nothing reads at all
  std::vector<bool> retired;       ///< ops that no longer run in their place
  PeakProfile profile;
  GapQueue queue;
  std::vector<Gap> deferred; ///< that did not help when they were tried
  /// The last number of each gap in the queue, by value and use: it has older
  /// copies.
  std::map<std::pair<unsigned, Moment>, uint64_t> newest;
  uint64_t pushed = 0;
  double base = 0, added = 0;
  // Of the decision under way.
  std::vector<Saved> saved;
  std::vector<bool> isTouched;
  std::vector<unsigned> toggled;
  std::vector<unsigned> changed; ///< ops whose results have other readers now
  unsigned closure = 0;
  double addedBefore = 0, areaBefore = 0;
};

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_RECOMPUTEPLAN_H

// The best gap over an op: stretches of a schedule with a score, asked for by
// what they span.
#ifndef AMPC_PASSES_MEMORY_GAPQUEUE_H
#define AMPC_PASSES_MEMORY_GAPQUEUE_H

#include "passes/memory/PeakProfile.h"

#include <optional>
#include <queue>
#include <vector>

namespace ampc {

/// The time after moment `from` and before moment `to`, in which value `value`
/// is kept but not read: at `to` it could be computed again for `use`, the next
/// to read it.
struct Gap {
  unsigned value;
  Moment from, to, use;
  double score;        ///< the larger, the sooner
  uint64_t version;    ///< of the value, see RecomputePlan
  uint64_t number = 0; ///< of the push, see RecomputePlan
};

/// A segment tree of heaps: a gap stands in O(log ops) of them.
class GapQueue {
public:
  explicit GapQueue(unsigned ops);

  /// Adds a gap that spans the ops from `first` to `last`, both included.
  void push(const Gap &gap, unsigned first, unsigned last);

  /// Takes the gap of the highest score over op `op`; of equal ones the one of
  /// the lowest value and use. A gap may be given again over another op: the
  /// caller knows which are past.
  std::optional<Gap> take(unsigned op);

private:
  struct IsWorse {
    bool operator()(const Gap &a, const Gap &b) const;
  };
  using Heap = std::priority_queue<Gap, std::vector<Gap>, IsWorse>;
  struct Span {
    unsigned first, last;
  };
  void push(unsigned node, Span nodes, Span wanted, const Gap &gap);

  unsigned leaves = 1; // a power of two
  std::vector<Heap> heaps;
};

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_GAPQUEUE_H

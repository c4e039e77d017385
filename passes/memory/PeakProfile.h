// Bytes needed over time, under changes of live ranges.
#ifndef AMPC_PASSES_MEMORY_PEAKPROFILE_H
#define AMPC_PASSES_MEMORY_PEAKPROFILE_H

#include <cstdint>
#include <vector>

namespace ampc {

/// A moment of a schedule; only their order counts. Below 2^63.
using Moment = uint64_t;

/// The bytes at every moment: a search tree of changes that knows the largest
/// of its partial sums. Every operation takes O(log changes); moments need not
/// be known before.
class PeakProfile {
public:
  /// Adds `bytes` (below 0 takes away) from `first` to `last`, both included.
  void add(Moment first, Moment last, int64_t bytes);
  /// Lets `bytes` begin at another moment, or end with another one.
  void moveFirst(Moment from, Moment to, int64_t bytes);
  void moveLast(Moment from, Moment to, int64_t bytes);

  /// The most bytes at any moment.
  int64_t peak() const;
  /// The first moment that has them; 0 where nothing was added.
  Moment peakMoment() const;
  /// The bytes at `moment`.
  int64_t at(Moment moment) const;

private:
  /// A change by `delta` when time comes to `key`: 2 m begins moment m, 2 m + 1
  /// ends it.
  struct Node {
    uint64_t key;
    int64_t delta;
    int64_t sum;  ///< of the subtree's changes
    int64_t most; ///< the largest sum of the first of them, at least one
    uint32_t left = 0, right = 0;
  };
  void change(uint64_t key, int64_t delta);
  uint32_t insert(uint32_t node, uint64_t key, int64_t delta);
  void update(uint32_t node);

  std::vector<Node> nodes{Node{0, 0, 0, 0}}; // number 0: no node
  uint32_t root = 0;
};

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_PEAKPROFILE_H

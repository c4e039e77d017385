// Offsets by placing one buffer after the other, in orders that learn from the
// ones before.
#ifndef AMPC_PASSES_MEMORY_ONEBYONE_H
#define AMPC_PASSES_MEMORY_ONEBYONE_H

#include "passes/memory/BestFit.h"

#include <vector>

namespace ampc {

/// Places buffers one after the other, each at the lowest offset that is free
/// for all of its time.
class OneByOne {
public:
  explicit OneByOne(llvm::ArrayRef<BufferRange> buffers);

  /// Places in several orders; from each, those that stand above the lower
  /// bound come earlier in the next round: they found the gaps taken. Keeps
  /// what is better than `best`.
  void improve(int64_t lowerBound, PlacementEffort effort, Placement &best);

private:
  Placement place() const;

  llvm::ArrayRef<BufferRange> buffers;
  std::vector<unsigned> order;
  /// Of each buffer, those that are needed at one moment with it.
  std::vector<std::vector<unsigned>> neighbours;
  size_t pairs = 0;
};

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_ONEBYONE_H

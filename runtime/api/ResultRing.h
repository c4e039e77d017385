// Results on their way from a step to `poll`: everything is there from the
// start, so that a step allocates nothing.
#pragma once

#include "runtime/api/Session.h"

#include <array>

namespace ampc::rt {

class ResultRing {
public:
  /// Makes room for `extras` numbers in each result.
  explicit ResultRing(size_t extras) {
    for (StepResult &slot : slots)
      slot.extras.resize(extras);
  }

  bool full() const { return count == kResultRing; }
  size_t size() const { return count; }

  /// The slot the next result is written to; `push` makes it visible. Not when
  /// full.
  StepResult &back() { return slots[(first + count) % kResultRing]; }
  void push() { ++count; }

  /// A copy of the oldest result, which leaves the ring.
  std::optional<StepResult> pop() {
    if (count == 0)
      return std::nullopt;
    StepResult result = slots[first];
    first = (first + 1) % kResultRing;
    --count;
    return result;
  }

private:
  std::array<StepResult, kResultRing> slots;
  size_t first = 0, count = 0;
};

} // namespace ampc::rt

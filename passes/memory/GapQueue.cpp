// Gaps by op and score; see GapQueue.h.
#include "passes/memory/GapQueue.h"

#include <tuple>

namespace ampc {

bool GapQueue::IsWorse::operator()(const Gap &a, const Gap &b) const {
  return std::tuple(a.score, b.value, b.use) <
         std::tuple(b.score, a.value, a.use);
}

GapQueue::GapQueue(unsigned ops) {
  while (leaves < ops)
    leaves *= 2;
  heaps.resize(size_t(leaves) * 2);
}

void GapQueue::push(const Gap &gap, unsigned first, unsigned last) {
  if (first <= last)
    push(1, {0, leaves - 1}, {first, last}, gap);
}

void GapQueue::push(unsigned node, Span span, Span wanted, const Gap &gap) {
  if (wanted.first <= span.first && span.last <= wanted.last) {
    heaps[node].push(gap);
    return;
  }
  unsigned middle = span.first + (span.last - span.first) / 2;
  if (wanted.first <= middle)
    push(2 * node, {span.first, middle}, wanted, gap);
  if (wanted.last > middle)
    push(2 * node + 1, {middle + 1, span.last}, wanted, gap);
}

std::optional<Gap> GapQueue::take(unsigned op) {
  Heap *best = nullptr;
  for (unsigned node = op + leaves; node >= 1; node /= 2)
    if (!heaps[node].empty() &&
        (!best || IsWorse()(best->top(), heaps[node].top())))
      best = &heaps[node];
  if (!best)
    return std::nullopt;
  Gap gap = best->top();
  best->pop();
  return gap;
}

} // namespace ampc

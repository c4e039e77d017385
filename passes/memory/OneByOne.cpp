// Greedy placement in rounds; see OneByOne.h.
#include "passes/memory/OneByOne.h"

#include <algorithm>
#include <functional>

namespace ampc {

/// The most pairs of neighbours that are looked at in all rounds, by effort.
static size_t mostLooks(PlacementEffort effort) {
  return effort == PlacementEffort::quick ? size_t(1) << 20 : size_t(1) << 24;
}

/// With more pairs than this nothing is tried.
static constexpr size_t kMostPairs = size_t(1) << 22;

/// Rounds without a better placement after which more of an order are not
/// tried.
static constexpr unsigned kPatience = 64;

OneByOne::OneByOne(llvm::ArrayRef<BufferRange> buffers)
    : buffers(buffers), neighbours(buffers.size()) {
  for (unsigned i = 0; i < buffers.size(); ++i)
    if (buffers[i].bytes > 0)
      order.push_back(i);
  std::vector<unsigned> live;
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
    return std::pair(buffers[a].first, a) < std::pair(buffers[b].first, b);
  });
  for (unsigned i : order) {
    std::erase_if(live, [&](unsigned other) {
      return buffers[other].last < buffers[i].first;
    });
    pairs += live.size();
    if (pairs > kMostPairs)
      return;
    for (unsigned other : live) {
      neighbours[i].push_back(other);
      neighbours[other].push_back(i);
    }
    live.push_back(i);
  }
}

Placement OneByOne::place() const {
  Placement placement;
  placement.offsets.assign(buffers.size(), -1);
  std::vector<std::pair<int64_t, int64_t>> taken; // from, to
  for (unsigned i : order) {
    taken.clear();
    for (unsigned other : neighbours[i])
      if (int64_t from = placement.offsets[other]; from >= 0)
        taken.emplace_back(from, from + alignBytes(buffers[other].bytes));
    std::sort(taken.begin(), taken.end());
    int64_t bytes = alignBytes(buffers[i].bytes), offset = 0;
    for (auto [from, to] : taken) {
      if (from >= offset + bytes)
        break;
      offset = std::max(offset, to);
    }
    placement.offsets[i] = offset;
    placement.bytes = std::max(placement.bytes, offset + bytes);
  }
  for (int64_t &offset : placement.offsets)
    offset = std::max<int64_t>(offset, 0);
  return placement;
}

void OneByOne::improve(int64_t lowerBound, PlacementEffort effort,
                       Placement &best) {
  if (pairs == 0 || pairs > kMostPairs)
    return;
  size_t rounds = std::max<size_t>(mostLooks(effort) / pairs, 1);
  auto time = [&](unsigned i) {
    return double(buffers[i].last - buffers[i].first) + 1;
  };
  const std::function<double(unsigned)> keys[] = {
      [&](unsigned i) { return double(buffers[i].bytes); }, time,
      [&](unsigned i) { return double(buffers[i].bytes) * time(i); }};
  std::vector<double> rank(buffers.size());
  for (const auto &key : keys) {
    std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
      return std::pair(key(a), b) > std::pair(key(b), a);
    });
    for (unsigned waited = 0; waited < kPatience && rounds > 0; ++waited) {
      --rounds;
      Placement placement = place();
      if (placement.bytes < best.bytes) {
        best = placement;
        waited = 0;
      }
      if (best.bytes == lowerBound)
        return;
      for (size_t i = 0; i < order.size(); ++i) {
        unsigned buffer = order[i];
        int64_t end =
            placement.offsets[buffer] + alignBytes(buffers[buffer].bytes);
        rank[buffer] = double(i) * (end > lowerBound ? 0.8 : 1);
      }
      std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
        return std::pair(rank[a], a) < std::pair(rank[b], b);
      });
    }
  }
}

} // namespace ampc

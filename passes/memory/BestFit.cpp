// Best-fit placement over time; see BestFit.h.
#include "passes/memory/BestFit.h"
#include "passes/memory/OneByOne.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ampc {

int64_t alignBytes(int64_t bytes) {
  return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

namespace {

/// The free gaps of an arena that grows at its end.
class Gaps {
public:
  /// The smallest gap that holds `bytes`, or the arena's end (joined with a gap
  /// that ends there).
  int64_t take(int64_t bytes) {
    auto fit = bySize.lower_bound({bytes, 0});
    if (fit != bySize.end()) {
      auto [size, offset] = *fit;
      remove(offset, size);
      if (size > bytes)
        insert(offset + bytes, size - bytes);
      return offset;
    }
    int64_t offset = end;
    if (!byOffset.empty()) {
      auto last = std::prev(byOffset.end());
      if (last->first + last->second == end) {
        offset = last->first;
        remove(last->first, last->second);
      }
    }
    end = offset + bytes;
    return offset;
  }

  /// Returns bytes, joining the gaps on both sides.
  void give(int64_t offset, int64_t bytes) {
    auto after = byOffset.lower_bound(offset);
    if (after != byOffset.end() && after->first == offset + bytes) {
      bytes += after->second;
      remove(after->first, after->second);
    }
    auto before = byOffset.lower_bound(offset);
    if (before != byOffset.begin()) {
      --before;
      if (before->first + before->second == offset) {
        offset = before->first;
        bytes += before->second;
        remove(before->first, before->second);
      }
    }
    insert(offset, bytes);
  }

  int64_t size() const { return end; }

private:
  void insert(int64_t offset, int64_t size) {
    byOffset.emplace(offset, size);
    bySize.emplace(size, offset);
  }
  void remove(int64_t offset, int64_t size) {
    byOffset.erase(offset);
    bySize.erase({size, offset});
  }

  std::map<int64_t, int64_t> byOffset;          // offset -> bytes
  std::set<std::pair<int64_t, int64_t>> bySize; // (bytes, offset)
  int64_t end = 0;
};

/// One sweep over ranges given as [first, last] in the direction of time.
Placement sweep(llvm::ArrayRef<BufferRange> buffers) {
  Placement placement;
  placement.offsets.assign(buffers.size(), 0);
  llvm::SmallVector<unsigned> byStart, byEnd;
  for (unsigned i = 0; i < buffers.size(); ++i)
    if (buffers[i].bytes > 0)
      byStart.push_back(i);
  byEnd = byStart;
  // Of the buffers that start together the largest first: it leaves the rest
  // more gaps.
  auto startKey = [&](unsigned i) {
    return std::tuple(buffers[i].first, -buffers[i].bytes, i);
  };
  auto endKey = [&](unsigned i) { return std::tuple(buffers[i].last, i); };
  std::sort(byStart.begin(), byStart.end(),
            [&](unsigned a, unsigned b) { return startKey(a) < startKey(b); });
  std::sort(byEnd.begin(), byEnd.end(),
            [&](unsigned a, unsigned b) { return endKey(a) < endKey(b); });
  Gaps gaps;
  int64_t live = 0;
  size_t next = 0;
  for (unsigned i : byStart) {
    for (; next < byEnd.size() && buffers[byEnd[next]].last < buffers[i].first;
         ++next) {
      int64_t bytes = alignBytes(buffers[byEnd[next]].bytes);
      gaps.give(placement.offsets[byEnd[next]], bytes);
      live -= bytes;
    }
    int64_t bytes = alignBytes(buffers[i].bytes);
    placement.offsets[i] = gaps.take(bytes);
    live += bytes;
    placement.lowerBound = std::max(placement.lowerBound, live);
  }
  placement.bytes = gaps.size();
  return placement;
}

} // namespace

Placement placeBestFit(llvm::ArrayRef<BufferRange> buffers,
                       PlacementEffort effort) {
  Placement best = sweep(buffers);
  int64_t lowerBound = best.lowerBound;
  auto keep = [&](Placement other) {
    if (other.bytes < best.bytes)
      best = std::move(other);
  };
  if (best.bytes > lowerBound) {
    uint64_t end = 0;
    for (const BufferRange &buffer : buffers)
      end = std::max(end, buffer.last);
    llvm::SmallVector<BufferRange> mirrored;
    for (const BufferRange &buffer : buffers)
      mirrored.push_back({buffer.bytes, end - buffer.last, end - buffer.first});
    keep(sweep(mirrored));
  }
  if (best.bytes > lowerBound)
    OneByOne(buffers).improve(lowerBound, effort, best);
  best.lowerBound = lowerBound;
  return best;
}

} // namespace ampc

// Placement of buffers: sound by a check of its own, close to the lower bound
// on instances made to be hard, fast on many buffers.
//
// Instances have the public form of the MiniMalloc benchmarks: a line a buffer,
// `id,lower,upper,size`, needed from time `lower` up to, not including,
// `upper`.
#include "passes/memory/BestFit.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace ampc;

namespace {

std::vector<BufferRange> parse(const std::string &csv) {
  std::vector<BufferRange> buffers;
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "id,lower,upper,size");
  while (std::getline(in, line)) {
    unsigned id = 0;
    unsigned long lower = 0, upper = 0, size = 0;
    EXPECT_EQ(
        std::sscanf(line.c_str(), "%u,%lu,%lu,%lu", &id, &lower, &upper, &size),
        4)
        << line;
    EXPECT_LT(lower, upper) << line;
    buffers.push_back({int64_t(size), lower, upper - 1});
  }
  return buffers;
}

/// A rectangle of `time` by `bytes`, cut into pieces at random: placed back
/// where they were cut they fill it without a gap, so its height is both the
/// lower bound and the optimum.
class Puzzle {
public:
  Puzzle(unsigned seed, unsigned pieces, unsigned time, unsigned units)
      : random(seed) {
    cut(0, time, units, pieces);
    std::shuffle(lines.begin(), lines.end(), random);
    csv = "id,lower,upper,size\n";
    for (size_t i = 0; i < lines.size(); ++i)
      csv += std::to_string(i) + "," + lines[i] + "\n";
  }
  std::string csv;

private:
  void cut(unsigned from, unsigned to, unsigned units, unsigned pieces) {
    bool longEnough = to - from > 1, highEnough = units > 1;
    if (pieces == 1 || (!longEnough && !highEnough)) {
      lines.push_back(std::to_string(from) + "," + std::to_string(to) + "," +
                      std::to_string(units * kBufferAlignment));
      return;
    }
    unsigned first = 1 + random() % (pieces - 1);
    if (longEnough && (!highEnough || random() % 2)) {
      unsigned middle = from + 1 + random() % (to - from - 1);
      cut(from, middle, units, first);
      cut(middle, to, units, pieces - first);
    } else {
      unsigned lower = 1 + random() % (units - 1);
      cut(from, to, lower, first);
      cut(from, to, units - lower, pieces - first);
    }
  }

  std::mt19937 random;
  std::vector<std::string> lines;
};

/// Fails where two buffers share bytes at one time, or one leaves the arena;
/// sweeps time with the live buffers by offset.
void check(const std::vector<BufferRange> &buffers,
           const Placement &placement) {
  struct Event {
    uint64_t time;
    bool begins;
    size_t buffer;
  };
  std::vector<Event> events;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].bytes == 0)
      continue;
    ASSERT_EQ(placement.offsets[i] % kBufferAlignment, 0);
    ASSERT_GE(placement.offsets[i], 0);
    ASSERT_LE(placement.offsets[i] + buffers[i].bytes, placement.bytes);
    events.push_back({buffers[i].first, true, i});
    events.push_back({buffers[i].last + 1, false, i});
  }
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return std::pair(a.time, a.begins) < std::pair(b.time, b.begins);
  });
  std::map<int64_t, int64_t> live; // offset -> end
  for (const Event &event : events) {
    int64_t offset = placement.offsets[event.buffer];
    if (!event.begins) {
      live.erase(offset);
      continue;
    }
    auto [at, isNew] =
        live.emplace(offset, offset + buffers[event.buffer].bytes);
    ASSERT_TRUE(isNew) << "buffer " << event.buffer;
    if (at != live.begin()) {
      ASSERT_LE(std::prev(at)->second, offset) << "buffer " << event.buffer;
    }
    if (std::next(at) != live.end()) {
      ASSERT_GE(std::next(at)->first, at->second) << "buffer " << event.buffer;
    }
  }
}

TEST(BestFit, PuzzlesAreNearlySolved) {
  double worst = 1, sum = 0;
  int count = 0, near = 0;
  for (unsigned pieces : {10, 30, 100, 300, 1000})
    for (unsigned seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(std::to_string(pieces) + " pieces, seed " +
                   std::to_string(seed));
      Puzzle puzzle(seed, pieces, 4 * pieces, 1000);
      std::vector<BufferRange> buffers = parse(puzzle.csv);
      Placement placement = placeBestFit(buffers);
      check(buffers, placement);
      EXPECT_EQ(placement.lowerBound, 1000 * kBufferAlignment);
      double ratio = double(placement.bytes) / double(placement.lowerBound);
      near += ratio <= 1.15;
      worst = std::max(worst, ratio);
      sum += ratio;
      ++count;
    }
  std::printf("arena over lower bound: mean %.3f, worst %.3f, %d of %d within "
              "1.15\n",
              sum / count, worst, near, count);
  EXPECT_LE(sum / count, 1.06);
  EXPECT_GE(near, 40);
}

TEST(BestFit, ManyBuffersStayNearTheBound) {
  // Lifetimes and sizes of a deep step: short temporaries among values that
  // wait for the backward.
  std::mt19937 random(7);
  std::vector<BufferRange> buffers;
  for (unsigned i = 0; i < 50000; ++i) {
    int64_t bytes = int64_t(64) << random() % 12;
    buffers.push_back({bytes, i, i + 1 + random() % 4});
    if (i % 2 == 0)
      buffers.push_back({bytes, i, 100000 - i});
  }
  Placement placement = placeBestFit(buffers);
  check(buffers, placement);
  EXPECT_LE(double(placement.bytes), 1.05 * double(placement.lowerBound));
}

TEST(BestFit, EmptyAndZeroBuffersTakeNothing) {
  EXPECT_EQ(placeBestFit({}).bytes, 0);
  std::vector<BufferRange> none = {{0, 0, 3}, {0, 1, 2}};
  EXPECT_EQ(placeBestFit(none).bytes, 0);
}

} // namespace

// The profile of live bytes and the queue of gaps, each held against a list
// that is searched.
#include "passes/memory/PeakProfile.h"
#include "passes/memory/GapQueue.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <tuple>

using namespace ampc;

TEST(PeakProfile, NothingAdded) {
  PeakProfile profile;
  EXPECT_EQ(profile.peak(), 0);
  EXPECT_EQ(profile.peakMoment(), 0u);
  EXPECT_EQ(profile.at(7), 0);
}

// Both ends of a range count, and the first moment of a peak is told.
TEST(PeakProfile, RangesHoldTheirEnds) {
  PeakProfile profile;
  profile.add(3, 5, 10);
  profile.add(5, 9, 20);
  EXPECT_EQ(profile.at(2), 0);
  EXPECT_EQ(profile.at(3), 10);
  EXPECT_EQ(profile.at(5), 30);
  EXPECT_EQ(profile.at(6), 20);
  EXPECT_EQ(profile.at(9), 20);
  EXPECT_EQ(profile.at(10), 0);
  EXPECT_EQ(profile.peak(), 30);
  EXPECT_EQ(profile.peakMoment(), 5u);
  profile.add(5, 9, -20);
  EXPECT_EQ(profile.peak(), 10);
  EXPECT_EQ(profile.peakMoment(), 3u);
  profile.add(7, 7, 0); // nothing, at a moment that was not known
  EXPECT_EQ(profile.at(7), 0);
}

TEST(PeakProfile, RandomChangesLikeACount) {
  constexpr Moment kEnd = 200;
  struct Range {
    Moment first, last;
    int64_t bytes;
  };
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    std::vector<int64_t> bytes(kEnd);
    std::vector<Range> ranges;
    PeakProfile profile;
    auto add = [&](const Range &range, int64_t sign) {
      profile.add(range.first, range.last, sign * range.bytes);
      for (Moment moment = range.first; moment <= range.last; ++moment)
        bytes[moment] += sign * range.bytes;
    };
    for (unsigned change = 0; change < 300; ++change) {
      if (!ranges.empty() && random() % 3 == 0) {
        Range &range = ranges[random() % ranges.size()];
        Range moved{random() % kEnd, 0, range.bytes};
        moved.last = moved.first + random() % (kEnd - moved.first);
        profile.moveFirst(range.first, moved.first, range.bytes);
        profile.moveLast(range.last, moved.last, range.bytes);
        for (Moment moment = range.first; moment <= range.last; ++moment)
          bytes[moment] -= range.bytes;
        range = moved;
        for (Moment moment = range.first; moment <= range.last; ++moment)
          bytes[moment] += range.bytes;
      } else if (!ranges.empty() && random() % 3 == 0) {
        std::swap(ranges[random() % ranges.size()], ranges.back());
        add(ranges.back(), -1);
        ranges.pop_back();
      } else {
        Moment first = random() % kEnd;
        ranges.push_back({first, first + random() % (kEnd - first),
                          int64_t(random() % 1000)});
        add(ranges.back(), 1);
      }
      Moment asked = random() % kEnd;
      ASSERT_EQ(profile.at(asked), bytes[asked]) << seed;
      auto most = std::max_element(bytes.begin(), bytes.end());
      ASSERT_EQ(profile.peak(), *most) << seed;
      if (*most > 0) {
        ASSERT_EQ(profile.peakMoment(), Moment(most - bytes.begin())) << seed;
      }
    }
  }
}

// Over every op the gaps that span it, the highest score first, of equal ones
// the lowest value, then use.
TEST(GapQueue, GivesWhatSpansTheOpBestFirst) {
  struct Pushed {
    Gap gap;
    unsigned first, last;
  };
  for (unsigned ops : {1u, 2u, 7u, 33u}) {
    std::mt19937 random(ops);
    std::vector<Pushed> pushed;
    for (unsigned i = 0; i < 60; ++i) {
      unsigned first = random() % ops, last = first + random() % (ops - first);
      pushed.push_back(
          {{i / 2, first, last, Moment(i), double(random() % 5), 0},
           first,
           last});
    }
    for (unsigned op = 0; op < ops; ++op) {
      GapQueue queue(ops);
      std::vector<Gap> expected;
      for (const Pushed &item : pushed) {
        queue.push(item.gap, item.first, item.last);
        if (item.first <= op && op <= item.last)
          expected.push_back(item.gap);
      }
      std::sort(expected.begin(), expected.end(),
                [](const Gap &a, const Gap &b) {
                  return std::tuple(-a.score, a.value, a.use) <
                         std::tuple(-b.score, b.value, b.use);
                });
      for (const Gap &gap : expected) {
        std::optional<Gap> taken = queue.take(op);
        ASSERT_TRUE(taken);
        EXPECT_EQ(taken->value, gap.value);
        EXPECT_EQ(taken->use, gap.use);
      }
      EXPECT_FALSE(queue.take(op));
    }
  }
}

// What is taken over one op may be given again over another: the caller knows.
TEST(GapQueue, KeepsTheOtherCopies) {
  GapQueue queue(8);
  queue.push({0, 1, 6, 6, 1.0, 0}, 1, 6);
  ASSERT_TRUE(queue.take(1));
  EXPECT_FALSE(queue.take(1));
  EXPECT_FALSE(queue.take(0));
  EXPECT_TRUE(queue.take(6));
}

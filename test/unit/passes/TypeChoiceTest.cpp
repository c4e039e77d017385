// The choice of narrow values: least cost against every choice there is (N21),
// and near-linear work on large graphs.
#include "passes/precision/TypeChoice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace ampc;

namespace {

using Kind = TypeChoice::Kind;
using Side = TypeChoice::Side;

/// A graph of `count` ops, each reading up to three earlier ones.
TypeChoice randomGraph(std::mt19937 &random, unsigned count) {
  auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  TypeChoice graph;
  for (unsigned i = 0; i < count; ++i) {
    constexpr Kind kinds[] = {Kind::narrow, Kind::wide, Kind::free,
                              Kind::free,   Kind::free, Kind::inside};
    int64_t elements = pick(0, 20);
    graph.add(kinds[pick(0, 5)], pick(0, 3) ? elements : 0,
              pick(0, 6) * elements);
    for (int use = 0; i > 0 && use < pick(0, 3); ++use)
      graph.addUse(pick(0, int(i) - 1), i);
  }
  return graph;
}

std::vector<bool> narrowOf(const std::vector<Side> &sides) {
  std::vector<bool> narrow;
  for (Side side : sides)
    narrow.push_back(side == Side::narrow);
  return narrow;
}

TEST(TypeChoice, IsTheCheapestOfAllChoices) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 3000; ++trial) {
    TypeChoice graph = randomGraph(random, 1 + trial % 11);
    int64_t least = -1, fewest = 0;
    for (unsigned bits = 0; bits < 1u << graph.size(); ++bits) {
      std::vector<bool> narrow;
      int64_t count = 0;
      for (unsigned i = 0; i < graph.size(); ++i) {
        narrow.push_back(bits >> i & 1);
        count += narrow.back();
      }
      int64_t cost = graph.cost(narrow);
      if (cost < 0 ||
          (least >= 0 && (cost > least || (cost == least && count >= fewest))))
        continue;
      least = cost;
      fewest = count;
    }
    ASSERT_GE(least, 0);
    std::vector<Side> sides = graph.solve();
    std::vector<bool> narrow = narrowOf(sides);
    ASSERT_EQ(graph.cost(narrow), least) << "trial " << trial;
    ASSERT_EQ(std::count(narrow.begin(), narrow.end(), true), fewest)
        << "trial " << trial;
  }
}

TEST(TypeChoice, FollowsItsNeighbours) {
  TypeChoice graph;
  unsigned product = graph.add(Kind::narrow, 100, 6 * 100);
  unsigned added = graph.add(Kind::free, 100, 6 * 100);
  unsigned next = graph.add(Kind::narrow, 100, 6 * 100);
  graph.addUse(product, added);
  graph.addUse(added, next);
  EXPECT_EQ(graph.solve()[added], Side::narrow);
}

TEST(TypeChoice, PaysASharedCastOnce) {
  // One cast (600) for five users that save 200 each.
  TypeChoice graph;
  unsigned input = graph.add(Kind::wide, 0, 6 * 100);
  std::vector<unsigned> users;
  for (int i = 0; i < 5; ++i) {
    users.push_back(graph.add(Kind::free, 100, 6 * 100));
    graph.addUse(input, users.back());
  }
  std::vector<Side> sides = graph.solve();
  for (unsigned user : users)
    EXPECT_EQ(sides[user], Side::narrow);
  // Three would save as much as it costs: they stay wide.
  TypeChoice tied;
  input = tied.add(Kind::wide, 0, 6 * 100);
  users.clear();
  for (int i = 0; i < 3; ++i) {
    users.push_back(tied.add(Kind::free, 100, 6 * 100));
    tied.addUse(input, users.back());
  }
  sides = tied.solve();
  for (unsigned user : users)
    EXPECT_EQ(sides[user], Side::tied);
}

TEST(TypeChoice, KeepsAnInsideValueWideForOneWideUser) {
  TypeChoice graph;
  unsigned softmax = graph.add(Kind::inside, 100, 6 * 100);
  unsigned product = graph.add(Kind::narrow, 100, 6 * 100);
  graph.addUse(softmax, product);
  EXPECT_EQ(graph.solve()[softmax], Side::narrow);
  unsigned sum = graph.add(Kind::inside, 1, 6 * 1);
  graph.addUse(softmax, sum);
  EXPECT_EQ(graph.solve()[softmax], Side::wide);
}

/// Edges looked at, an op, for a chain of layers of about 10 ops in all
/// `count`.
double visitsFor(unsigned count) {
  std::mt19937 random(3);
  TypeChoice graph;
  unsigned stream = graph.add(Kind::wide, 4096, 6 * 4096);
  while (graph.size() < count) {
    auto follow = [&](unsigned from, int64_t elements) {
      unsigned op = graph.add(Kind::free, elements, 6 * elements);
      graph.addUse(from, op);
      return op;
    };
    unsigned norm = graph.add(Kind::inside, 4096, 6 * 4096);
    graph.addUse(stream, norm);
    unsigned product = graph.add(Kind::narrow, 16384, 6 * 16384);
    graph.addUse(norm, product);
    unsigned gate = product;
    for (unsigned i = 0; i < random() % 8; ++i)
      gate = follow(gate, 16384 - random() % 100);
    unsigned back =
        graph.add(random() % 5 ? Kind::narrow : Kind::free, 4096, 4096);
    graph.addUse(gate, back);
    unsigned sum = follow(stream, 4096);
    graph.addUse(back, sum);
    stream = sum;
  }
  unsigned loss = graph.add(Kind::wide, 1, 6 * 1);
  graph.addUse(stream, loss);
  uint64_t visits = 0;
  std::vector<Side> sides = graph.solve(&visits);
  EXPECT_GE(graph.cost(narrowOf(sides)), 0);
  return double(visits) / count;
}

TEST(TypeChoice, LooksAtAnEdgeAFewTimesHoweverLargeTheGraph) {
  double small = visitsFor(1'000), large = visitsFor(100'000);
  EXPECT_LT(small, 100);
  EXPECT_LT(large, 2 * small);
}

} // namespace

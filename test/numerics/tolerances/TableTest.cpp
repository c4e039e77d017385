// The committed tolerance table is what its generator prints, and the orders
// it measures are those of N10.
#include "test/numerics/Orders.h"
#include "test/numerics/tolerances/Measure.h"

#include "gtest/gtest.h"

#include <fstream>
#include <sstream>

using namespace ampc::test;

namespace {

TEST(ToleranceTable, IsWhatTheGeneratorPrints) {
  std::ifstream file(AMPC_TOLERANCES_FILE);
  ASSERT_TRUE(file) << AMPC_TOLERANCES_FILE;
  std::stringstream committed;
  committed << file.rdbuf();
  EXPECT_EQ(committed.str(), toleranceTable())
      << "run: ampc-tolerances > test/numerics/Tolerances.inc";
}

TEST(Orders, RowJoinsInterleavedPartials) {
  // Elements 0 and 64 share a partial: 1 is lost beside 2^24 there, but an
  // addition in ascending order would lose it too; element 1 has its own.
  std::vector<float> terms(65, 0.0f);
  terms[0] = 0x1p24f;
  terms[64] = 1;
  EXPECT_EQ(rowSum(terms), 0x1p24f);
  // Partials 1 and 33 meet first in the tree: 1 + 1 survives beside 2^24.
  std::vector<float> others(64, 0.0f);
  others[0] = 0x1p24f;
  others[1] = 1;
  others[33] = 1;
  EXPECT_EQ(rowSum(others), 0x1p24f + 2);
  // 1 and 2 meet partial 0 one after the other: lost, then again.
  std::vector<float> apart(64, 0.0f);
  apart[0] = 0x1p24f;
  apart[16] = 1;
  apart[8] = 1;
  EXPECT_EQ(rowSum(apart), 0x1p24f);
}

TEST(Orders, ColumnJoinsBlocksPairwise) {
  // Three blocks: the first two are joined before the third, the odd one.
  std::vector<float> terms(96, 0.0f);
  terms[0] = 0x1p24f;
  terms[32] = 1;
  terms[64] = 1;
  EXPECT_EQ(columnSum(terms), 0x1p24f);
  // Five blocks: (0 + 1) + (2 + 3), then 4. 1 + 1 of blocks 2 and 3 survives.
  std::vector<float> five(160, 0.0f);
  five[0] = 0x1p24f;
  five[64] = 1;
  five[96] = 1;
  EXPECT_EQ(columnSum(five), 0x1p24f + 2);
  EXPECT_EQ(columnSum(std::vector<float>()), 0.0f);
}

TEST(Orders, ContractionAddsBlocks) {
  std::vector<float> a(64, 1.0f), b(64, 0.0f);
  b[0] = 0x1p24f;
  b[32] = 1;
  b[33] = 1;
  EXPECT_EQ((blockedDot<float, false>(a, b)), 0x1p24f + 2);
  EXPECT_EQ((straightDot<float, false>(a, b)), 0x1p24f);
}

TEST(Orders, FusedProductsAreNotRounded) {
  std::vector<float> a{1 + 0x1p-12f, 1}, b{1 + 0x1p-12f, -1};
  float exact = 0x1p-11f + 0x1p-24f;
  EXPECT_NE((straightDot<float, false>(a, b)), exact);
  std::vector<float> flippedA{1, 1 + 0x1p-12f}, flippedB{-1, 1 + 0x1p-12f};
  EXPECT_EQ((straightDot<float, true>(flippedA, flippedB)), exact);
}

} // namespace

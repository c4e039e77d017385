// Randomness to the bit (N17): Philox known answers, the counter's layout, both
// distributions.
#include "ir/reference/Random.h"

#include "test/unit/reference/Parse.h"

#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::test;
using reference::philox4x32;
using reference::RandomStream;
using Words = std::array<uint32_t, 4>;

namespace {

// The known answers that the Random123 library publishes for philox4x32-10.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, 0),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, ~uint64_t(0)),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       0x299f31d0a4093822),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, UniformIsTheUpper24BitsOfALane) {
  RandomStream stream{0, amp::RandomMode::train, 0};
  EXPECT_EQ(stream.uniform(0), 0x6627e8 * 0x1p-24);
  EXPECT_EQ(stream.uniform(1), 0xe169c5 * 0x1p-24);
  EXPECT_EQ(stream.uniform(3), 0x9b00db * 0x1p-24);
}

TEST(RandomStream, CounterLayout) {
  RandomStream stream{99, amp::RandomMode::infer, 5, 7, 0x1abcd};
  uint64_t quad = (uint64_t(0x12) << 32) + 3; // element beyond 2^34
  Words words = philox4x32({3, 0xabcd0012, 7, (2u << 30) | 5}, 99);
  for (int lane = 0; lane < 4; ++lane)
    EXPECT_EQ(stream.uniform(4 * quad + lane), (words[lane] >> 8) * 0x1p-24);
}

TEST(RandomStream, NormalIsBoxMullerOfWordPairs) {
  RandomStream stream{0, amp::RandomMode::train, 0};
  for (int pair = 0; pair < 2; ++pair) {
    uint32_t a = pair ? 0xbc57ac : 0x6627e8, b = pair ? 0x9b00db : 0xe169c5;
    double radius = std::sqrt(-2 * std::log((a + 1) * 0x1p-24));
    double angle = 2 * M_PI * (b * 0x1p-24);
    EXPECT_DOUBLE_EQ(stream.normal(2 * pair), radius * std::cos(angle));
    EXPECT_DOUBLE_EQ(stream.normal(2 * pair + 1), radius * std::sin(angle));
  }
}

TEST(RandomStream, NormalHasMomentsOfANormal) {
  RandomStream stream{42, amp::RandomMode::init, 3};
  double sum = 0, squares = 0, cross = 0;
  const int count = 100000;
  for (int i = 0; i < count; ++i) {
    double x = stream.normal(i);
    sum += x;
    squares += x * x;
    cross += x * stream.normal(i + 1);
  }
  // Four standard deviations of each estimate.
  EXPECT_NEAR(sum / count, 0, 4 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 4 * std::sqrt(2.0 / count));
  EXPECT_NEAR(cross / count, 0, 4 / std::sqrt(count));
}

TEST(RandomOp, ReadsItsKey) {
  std::vector<double> values = evaluate(
      "%r = amp.random uniform(%a, %b, %c) mode eval site 9 : tensor<5xf32>",
      {{"tensor<i64>", {1234}}, {"tensor<i64>", {6}}, {"tensor<i64>", {2}}},
      "tensor<5xf32>");
  RandomStream stream{1234, amp::RandomMode::eval, 9, 6, 2};
  ASSERT_EQ(values.size(), 5u);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(values[i], stream.uniform(i));
}

TEST(RandomOp, RoundsNormalsToItsType) {
  std::vector<Written> key{
      {"tensor<i64>", {5}}, {"tensor<i64>", {0}}, {"tensor<i64>", {0}}};
  RandomStream stream{5, amp::RandomMode::train, 1};
  std::vector<double> f32 = evaluate(
      "%r = amp.random normal(%a, %b, %c) mode train site 1 : tensor<4xf32>",
      key, "tensor<4xf32>");
  std::vector<double> f64 = evaluate(
      "%r = amp.random normal(%a, %b, %c) mode train site 1 : tensor<4xf64>",
      key, "tensor<4xf64>");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(f32[i], static_cast<float>(stream.normal(i)));
    EXPECT_EQ(f64[i], stream.normal(i));
  }
}

// E04: sites, modes, steps and neighbouring lanes draw different numbers.
TEST(Cases, E04StreamsDiffer) {
  auto mask = [](RandomStream stream) {
    std::vector<bool> kept;
    for (int i = 0; i < 4096; ++i)
      kept.push_back(stream.uniform(i) >= 0.5);
    return kept;
  };
  RandomStream base{1, amp::RandomMode::train, 0, 0};
  std::vector<bool> first = mask(base);
  EXPECT_NEAR(std::count(first.begin(), first.end(), true) / 4096.0, 0.5, 0.04);
  RandomStream site = base, index = base, mode = base, micro = base,
               seed = base;
  site.site = 1;
  index.index = 1;
  mode.mode = amp::RandomMode::eval;
  micro.micro = 1;
  seed.seed = 2;
  for (const RandomStream &other : {site, index, mode, micro, seed}) {
    std::vector<bool> second = mask(other);
    int different = 0;
    for (int i = 0; i < 4096; ++i)
      different += first[i] != second[i];
    EXPECT_GT(different, 4096 * 0.4);
    EXPECT_LT(different, 4096 * 0.6);
  }
  int uniformGroups = 0;
  for (int i = 0; i < 4096; i += 4)
    uniformGroups += first[i] == first[i + 1] && first[i] == first[i + 2] &&
                     first[i] == first[i + 3];
  EXPECT_LT(uniformGroups, 1024 * 0.2);
}

TEST(RandomOp, WithoutAKeyIsAnError) {
  EXPECT_NE(evaluationError(
                "%r = amp.random uniform() mode train site 0 : tensor<2xf32>",
                {}, "tensor<2xf32>")
                .find("has no seed, index and micro yet"),
            std::string::npos);
}

} // namespace

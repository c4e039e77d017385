// Gradients at kinks, ties and singular points (N15), by exact expected
// numbers; cases F01 F03 F04 F08 A09 A12.
#include "test/numerics/gradients/Coverage.h"
#include "test/numerics/gradients/FiniteDifference.h"

using namespace ampc::test;

namespace {

TEST(Convention, ReluAtZeroIsZero) {
  EXPECT_TRUE(
      sameLists(unaryGradient("relu", {0.0, -0.0, 0x1p-149, -1}, {3, 3, 3, 3}),
                {{0, 0, 3, 0}}));
}

TEST(Convention, ReluPassesTheGradientOfNaN) {
  EXPECT_TRUE(sameLists(unaryGradient("relu", {kNaN, kInf}, {3, 3}), {{3, 3}}));
}

// To f8 the gradient is multiplied by the scale, from f8 divided by it.
TEST(Convention, ScaledCasts) {
  EXPECT_TRUE(sameLists(
      gradientsOf("%r = amp.scaled_cast %a scale 4.0 : tensor<2xf32> -> "
                  "tensor<2xf8E5M2>",
                  {{"tensor<2xf32>", {3, 1}}}, "tensor<2xf8E5M2>", {1, -3}),
      {{4, -12}}));
  EXPECT_TRUE(sameLists(
      gradientsOf("%r = amp.scaled_cast %a scale 4.0 : tensor<2xf8E5M2> -> "
                  "tensor<2xf32>",
                  {{"tensor<2xf8E5M2>", {3, 1}}}, "tensor<2xf32>", {1, -3}),
      {{0.25, -0.75}}));
  noteConvention("amp.scaled_cast");
}

TEST(Convention, SignedGradientsOfDiv) {
  EXPECT_TRUE(sameLists(
      gradientsOf("%r = amp.div %a, %b : tensor<2xf32>",
                  {{"tensor<2xf32>", {3, 1}}, {"tensor<2xf32>", {2, 0}}},
                  "tensor<2xf32>", {4, 1}),
      {{2, kInf}, {-3, -kInf}}));
}

// F01: the root's derivative at 0 is +inf, and no 0 * inf makes NaN around it.
TEST(Cases, F01SingularDerivatives) {
  EXPECT_TRUE(
      sameLists(unaryGradient("sqrt", {0.0, 4}, {1, 1}), {{kInf, 0.25}}));
  EXPECT_TRUE(
      sameLists(gradientsOf(R"(%s = amp.mul %a, %a : tensor<2xf32>
      %r = amp.reduce sum %s over [0] order row accumulate f32 : tensor<2xf32> -> tensor<f32>)",
                            {{"tensor<2xf32>", {0, 0}}}, "tensor<f32>", {1}),
                {{0, 0}}));
  EXPECT_TRUE(
      sameLists(gradientsOf(R"(%s = amp.mul %a, %a : tensor<1xf32>
      %e = amp.constant dense<1.0e-12> : tensor<1xf32>
      %t = amp.add %s, %e : tensor<1xf32>
      %r = amp.sqrt %t : tensor<1xf32>)",
                            {{"tensor<1xf32>", {0}}}, "tensor<1xf32>", {1}),
                {{0}}));
}

/// The gradient of where(x > 2, branch(x), 2x) at `x`, upstream 1.
Lists guarded(const std::string &branch, const std::vector<double> &x) {
  std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  std::string constants = "%two = amp.constant dense<2.0> : " + type +
                          "\n%one = amp.constant dense<1.0> : " + type +
                          "\n%zero = amp.constant dense<0.0> : " + type + "\n";
  return gradientsOf(constants + branch + "\n%double = amp.mul %two, %a : " +
                         type + "\n%p = amp.compare gt %a, %two : " + type +
                         "\n%r = amp.select %p, %y, %double : " + type,
                     {{type, x}}, type, std::vector<double>(x.size(), 1.0));
}

// F03: the untaken side of a select contributes an exact zero, also where its
// own derivative is infinite or NaN.
TEST(Cases, F03UntakenBranch) {
  EXPECT_TRUE(
      sameLists(guarded("%y = amp.sqrt %a : tensor<4xf32>", {0, 2, 4, -1}),
                {{2, 2, 0.25, 2}}));
  EXPECT_TRUE(
      sameLists(guarded("%y = amp.div %one, %a : tensor<3xf32>", {0, 2, 4}),
                {{2, 2, -0.0625}}));
  EXPECT_TRUE(sameLists(guarded("%n = amp.div %a, %zero : tensor<3xf32>\n"
                                "%y = amp.sub %a, %one : tensor<3xf32>",
                                {0, 2, 4}),
                        {{2, 2, 1}}));
  // exp overflows on the untaken side: where(x <= 2, exp(x), 2x) by exchanging
  // the sides.
  EXPECT_TRUE(sameLists(
      gradientsOf(R"(%two = amp.constant dense<2.0> : tensor<2xf32>
      %y = amp.exp %a : tensor<2xf32>
      %double = amp.mul %two, %a : tensor<2xf32>
      %p = amp.compare le %a, %two : tensor<2xf32>
      %r = amp.select %p, %y, %double : tensor<2xf32>)",
                  {{"tensor<2xf32>", {0, 1000}}}, "tensor<2xf32>", {1, 1}),
      {{1, 2}}));
}

// F04: ties split the gradient equally; the total is the upstream gradient.
TEST(Cases, F04Ties) {
  for (const char *op : {"maximum", "minimum"})
    EXPECT_TRUE(sameLists(
        gradientsOf("%r = amp." + std::string(op) + " %a, %b : tensor<2xf32>",
                    {{"tensor<2xf32>", {2, -0.0}}, {"tensor<2xf32>", {2, 0.0}}},
                    "tensor<2xf32>", {1, 3}),
        {{0.5, 1.5}, {0.5, 1.5}}));
  EXPECT_TRUE(sameLists(gradientsOf("%r = amp.reduce max %a over [0] order row "
                                    "accumulate f32 : tensor<4xf32> -> "
                                    "tensor<f32>",
                                    {{"tensor<4xf32>", {1, 2, 2, 2}}},
                                    "tensor<f32>", {3}),
                        {{0, 1, 1, 1}}));
  EXPECT_TRUE(sameLists(gradientsOf("%r = amp.reduce min %a over [0] order "
                                    "column accumulate f32 : tensor<2x2xf32> "
                                    "-> tensor<2xf32>",
                                    {{"tensor<2x2xf32>", {1, 5, 1, 4}}},
                                    "tensor<2xf32>", {2, 3}),
                        {{1, 0, 1, 3}}));
}

// F08: the gradient of a reduction over several axes gets the operand's shape
// back.
TEST(Cases, F08ReductionOverSeveralAxes) {
  std::vector<double> expected(24, 1.0 / 12);
  std::fill(expected.begin() + 12, expected.end(), 2.0 / 12);
  EXPECT_TRUE(sameLists(
      gradientsOf(
          "%r = amp.reduce mean %a over [1, 2] order row accumulate f64 : "
          "tensor<2x3x4xf64> -> tensor<2xf64>",
          {{"tensor<2x3x4xf64>", std::vector<double>(24, 1.0)}},
          "tensor<2xf64>", {1, 2}),
      {expected}));
}

// A09: a bias gradient over 1600 rows is accumulated in f32: 1600, not 256.
TEST(Cases, A09BiasGradientInBF16) {
  std::vector<double> ones(1600, 1.0);
  Lists gradients = gradientsOf("%r = amp.linear %a, %b, %c accumulate f32 : "
                                "tensor<1600x1xbf16>, tensor<1x1xbf16>, "
                                "tensor<1xbf16> -> tensor<1600x1xbf16>",
                                {{"tensor<1600x1xbf16>", ones},
                                 {"tensor<1x1xbf16>", {1}},
                                 {"tensor<1xbf16>", {0}}},
                                "tensor<1600x1xbf16>", ones);
  ASSERT_EQ(gradients.size(), 3u);
  EXPECT_TRUE(same(gradients[1], {1600}));
  EXPECT_TRUE(same(gradients[2], {1600}));
}

// A12: 70000 tied maxima in f16 are counted in f32; each share is 240 * 2^-24.
TEST(Cases, A12ManyTiesInF16) {
  Lists gradients =
      gradientsOf("%r = amp.reduce max %a over [0] order row accumulate f32 : "
                  "tensor<70000xf16> -> tensor<f16>",
                  {{"tensor<70000xf16>", std::vector<double>(70000, 2.0)}},
                  "tensor<f16>", {1});
  ASSERT_EQ(gradients.size(), 1u);
  EXPECT_TRUE(same(gradients[0], std::vector<double>(70000, 240 * 0x1p-24)));
}

TEST(Convention, NarrowMseGradientsUpcastFirst) {
  // d = 1200 and 2 * d * g / n stay in f32; only the result is f16.
  EXPECT_TRUE(sameLists(
      gradientsOf("%r = amp.mse mean %a, %b : tensor<2xf16> -> tensor<f32>",
                  {{"tensor<2xf16>", {600, 1}}, {"tensor<2xf16>", {-600, 1}}},
                  "tensor<f32>", {2}),
      {{2400, 0}, {-2400, -0.0}}));
}

} // namespace

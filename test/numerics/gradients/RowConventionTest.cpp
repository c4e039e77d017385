// Gradients of rows at special values, by exact expected numbers: masked,
// ignored, constant and infinite rows (N9, N11, N13, N15); cases B02, B12.
#include "test/numerics/gradients/FiniteDifference.h"
#include "test/numerics/gradients/Shapes.h"

#include <cmath>

using namespace ampc::test;

namespace {

/// The only gradient of `body`.
std::vector<double> gradientOf(const std::string &body,
                               llvm::ArrayRef<Written> operands,
                               const std::string &resultType,
                               const std::vector<double> &upstream) {
  Lists lists = gradientsOf(body, operands, resultType, upstream);
  EXPECT_EQ(lists.size(), 1u);
  return lists.empty() ? std::vector<double>() : lists[0];
}

// B12: the gradient of logsumexp where every element is -inf is 0.
TEST(Cases, B12LogsumexpOfInfinities) {
  EXPECT_TRUE(
      same(gradientOf("%r = amp.logsumexp %a over [1] : tensor<3x2xf32> "
                      "-> tensor<3xf32>",
                      {{"tensor<3x2xf32>", {-kInf, -kInf, -kInf, 1, 0, 0}}},
                      "tensor<3xf32>", {3, 3, 3}),
           {0, 0, 0, 3, 1.5, 1.5}));
}

TEST(Convention, ProductsOfZerosInF32) {
  EXPECT_TRUE(
      same(gradientOf("%r = amp.reduce prod %a over [1] order row "
                      "accumulate f32 : tensor<3x3xf32> -> "
                      "tensor<3xf32>",
                      {{"tensor<3x3xf32>", {2, 3, 4, 0, 3, 4, 0, 3, -0.0}}},
                      "tensor<3xf32>", {1, 1, 1}),
           {12, 8, 6, 12, 0, 0, 0, 0, 0}));
}

TEST(Convention, FirstTakesTheWholeGradient) {
  EXPECT_TRUE(
      same(gradientOf("%r = amp.reduce first %a over [0, 2] order "
                      "column accumulate f32 : tensor<2x2x2xf32> -> "
                      "tensor<2xf32>",
                      {{"tensor<2x2x2xf32>", std::vector<double>(8, 1.0)}},
                      "tensor<2xf32>", {3, 5}),
           {3, 0, 5, 0, 0, 0, 0, 0}));
}

TEST(Convention, L1AtZeroIsZero) {
  EXPECT_TRUE(same(
      gradientsOf("%r = amp.l1 sum %a, %b : tensor<3xf32> -> "
                  "tensor<f32>",
                  {{"tensor<3xf32>", {1, 2, 3}}, {"tensor<3xf32>", {1, 0, 5}}},
                  "tensor<f32>", {2})[0],
      {0, 2, -2}));
}

std::string crossEntropy(const std::string &reduction, const std::string &rest,
                         const std::string &shape, const std::string &rows,
                         const std::string &loss) {
  return "%r, %m, %s = amp.cross_entropy " + reduction + " %a, %b" + rest +
         " : tensor<" + shape + "xf32>, tensor<" + rows + "xi64> -> " + loss +
         ", tensor<" + rows + "xf32>, tensor<" + rows + "xf32>";
}

// B02: no probability that underflowed is divided by.
TEST(Cases, B02FarLogits) {
  std::vector<double> gradient = gradientOf(
      crossEntropy("mean", " ignore -100 smoothing 0.0", "1x3", "1",
                   "tensor<f32>"),
      {{"tensor<1x3xf32>", {-431, 279, 427}}, {"tensor<1xi64>", {0}}},
      "tensor<f32>", {1});
  ASSERT_EQ(gradient.size(), 3u);
  for (auto [value, expected] : llvm::zip(gradient, std::vector{-1, 0, 1}))
    EXPECT_NEAR(value, expected, 1e-6);
  std::vector<double> nll = gradientOf(
      "%l = amp.log_softmax %a : tensor<1x3xf32>\n%r = amp.nll mean %l, %b "
      "ignore -100 : tensor<1x3xf32>, tensor<1xi64> -> tensor<f32>",
      {{"tensor<1x3xf32>", {-431, 279, 427}}, {"tensor<1xi64>", {0}}},
      "tensor<f32>", {1});
  EXPECT_TRUE(same(nll, {-1, 0, 1}));
}

// N11: an ignored row gets exactly zero, also where its logits are not finite.
TEST(Convention, IgnoredRowsGetZero) {
  Written x{"tensor<3x2xf32>", {0, 0, kNaN, kInf, -kInf, -kInf}};
  for (const char *rest :
       {" ignore -7 smoothing 0.0", " ignore -7 smoothing 0.5"})
    EXPECT_TRUE(same(
        gradientOf(crossEntropy("sum", rest, "3x2", "3", "tensor<f32>"),
                   {x, {"tensor<3xi64>", {-7, -7, -7}}}, "tensor<f32>", {1}),
        std::vector<double>(6, 0)));
  // All rows ignored: the mean's gradient is 0, not 0/0.
  EXPECT_TRUE(
      same(gradientOf(crossEntropy("mean", " ignore -7 smoothing 0.0", "3x2",
                                   "3", "tensor<f32>"),
                      {x, {"tensor<3xi64>", {-7, -7, -7}}}, "tensor<f32>", {1}),
           std::vector<double>(6, 0)));
  EXPECT_TRUE(
      same(gradientOf("%r = amp.nll mean %a, %b ignore 1 : "
                      "tensor<3x2xf32>, tensor<3xi64> -> tensor<f32>",
                      {x, {"tensor<3xi64>", {0, 1, 0}}}, "tensor<f32>", {1}),
           {-0.5, 0, 0, 0, -0.5, 0}));
}

// The mean of a row is rounded by more than the row's deviations where it is
// large beside them (N8): 2^23 + 2/3 is no f32 number.
TEST(Convention, LayerNormFarFromZero) {
  std::vector<double> weight = gradientsOf(
      "%r, %m, %s = amp.layer_norm %a weight %b : tensor<3xf32> axes 1 eps "
      "1.0e-20 : tensor<1x3xf32> -> tensor<1x3xf32>, tensor<1xf32>, "
      "tensor<1xf32>",
      {{"tensor<1x3xf32>", {8388608, 8388609, 8388609}},
       {"tensor<3xf32>", {1, 1, 1}}},
      "tensor<1x3xf32>", {1, 1, 1})[1];
  ASSERT_EQ(weight.size(), 3u);
  double root = std::sqrt(2.0);
  for (auto [value, expected] :
       llvm::zip(weight, std::vector{-root, root / 2, root / 2}))
    EXPECT_NEAR(value, expected, 1e-6);
}

// A constant row has no direction to grow: layer_norm's gradient is finite and
// sums to zero, the weight's is zero.
TEST(Convention, LayerNormOfConstantRows) {
  Lists lists = gradientsOf(
      "%r, %m, %s = amp.layer_norm %a weight %b : tensor<2xf32> bias %c : "
      "tensor<2xf32> axes 1 eps 0.25 : tensor<3x2xf32> -> tensor<3x2xf32>, "
      "tensor<3xf32>, tensor<3xf32>",
      {{"tensor<3x2xf32>", {7, 7, 0, 0, -3, -3}},
       {"tensor<2xf32>", {1, 1}},
       {"tensor<2xf32>", {0, 0}}},
      "tensor<3x2xf32>", {1, 0, 0, 3, 2, 2});
  ASSERT_EQ(lists.size(), 3u);
  EXPECT_TRUE(same(lists[0], {1, -1, -3, 3, 0, 0}));
  EXPECT_TRUE(same(lists[1], {0, 0}));
  EXPECT_TRUE(same(lists[2], {3, 5}));
}

// N13: a row that sees no key has gradient 0.
TEST(Convention, FullyMaskedRowsGetZero) {
  Written one{"tensor<1x1x2x1xf32>", {1, 2}};
  for (const Written &mask :
       {Written{"tensor<1x1x2x2xi1>", {0, 0, 0, 0}},
        Written{"tensor<1x1x2x2xf32>", {-kInf, -kInf, -kInf, -kInf}}}) {
    Lists lists = gradientsOf(
        "%r, %l = amp.attention %a, %b, %c mask %d : " + mask.type +
            " scale 1.0 dropout 0.0 mode train site 0 : tensor<1x1x2x1xf32>, "
            "tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32> -> tensor<1x1x2x1xf32>, "
            "tensor<1x1x2xf32>",
        {one, one, one, mask}, one.type, {5, 7});
    ASSERT_GE(lists.size(), 3u);
    for (const std::vector<double> &list : lists)
      for (double value : list)
        EXPECT_EQ(value, 0);
  }
}

TEST(Convention, DropoutKeepsTheForwardsMask) {
  std::vector<Written> operands{{"tensor<64xf32>", std::vector<double>(64, 3)},
                                {"tensor<i64>", {9}},
                                {"tensor<i64>", {1}},
                                {"tensor<i64>", {0}}};
  std::string body =
      "%r = amp.dropout %a key(%b, %c, %d) p 0.5 mode train site "
      "2 : tensor<64xf32>";
  std::vector<double> forward = evaluate(body, operands, "tensor<64xf32>");
  std::vector<double> gradient =
      gradientOf(body, operands, "tensor<64xf32>", std::vector<double>(64, 3));
  EXPECT_TRUE(same(gradient, forward));
}

TEST(Refusals, StatisticsHaveNoGradient) {
  for (const char *body :
       {"%y, %r, %s = amp.layer_norm %a axes 1 eps 1.0 : tensor<2x2xf32> -> "
        "tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>",
        "%y, %r = amp.rms_norm %a axes 1 eps 1.0 : tensor<2x2xf32> -> "
        "tensor<2x2xf32>, tensor<2xf32>"}) {
    Program program("func.func @f(%a: tensor<2x2xf32>) -> tensor<2xf32> {\n" +
                    std::string(body) + "\nreturn %r : tensor<2xf32>\n}");
    EXPECT_TRUE(mlir::failed(addGradient(program)));
    EXPECT_NE(program.errors().find(
                  "result 1 has no derivative, but a gradient reaches it"),
              std::string::npos);
  }
}

} // namespace

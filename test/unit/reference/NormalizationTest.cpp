// Argmax, logsumexp, variance, softmax and norms on special rows; cases A07,
// B12, G06. Expected numbers by hand.
#include "test/unit/reference/Parse.h"

#include <cmath>

using namespace ampc::test;

namespace {

TEST(Reduction, FirstElementInRowMajorOrder) {
  Written x{"tensor<2x2x3xf32>", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -0.0, kNaN}};
  auto first = [&](const std::string &axes, const std::string &order,
                   const std::string &type) {
    return evaluate("%r = amp.reduce first %a over [" + axes + "] order " +
                        order + " accumulate f32 : " + x.type + " -> " + type,
                    {x}, type);
  };
  EXPECT_TRUE(same(first("1, 2", "row", "tensor<2xf32>"), {1, 7}));
  EXPECT_TRUE(same(first("0, 2", "column", "tensor<2xf32>"), {1, 4}));
  EXPECT_TRUE(
      same(first("0", "column", "tensor<2x3xf32>"), {1, 2, 3, 4, 5, 6}));
}

std::vector<double> argmax(const Written &x, int axis,
                           const std::string &type) {
  return evaluate("%r = amp.argmax %a axis " + std::to_string(axis) + " : " +
                      x.type + " -> " + type,
                  {x}, type);
}

TEST(Argmax, FirstMaximumAndNaN) {
  EXPECT_TRUE(
      same(argmax({"tensor<4x3xf32>",
                   {1, 3, 3, -kInf, -kInf, -kInf, 5, kNaN, 9, -0.0, 0.0, -1}},
                  1, "tensor<4xi64>"),
           {1, 0, 1, 0}));
  EXPECT_TRUE(
      same(argmax({"tensor<2x3xi32>", {1, 7, 3, 4, 7, 2}}, 0, "tensor<3xi64>"),
           {1, 0, 0}));
  EXPECT_TRUE(same(argmax({"tensor<2x3xf32>", {kNaN, 1, 2, kNaN, 3, kNaN}}, 0,
                          "tensor<3xi64>"),
                   {0, 1, 1}));
}

std::vector<double> logsumexp(const std::vector<double> &x) {
  std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  return evaluate("%r = amp.logsumexp %a over [0] : " + type +
                      " -> tensor<f32>",
                  {{type, x}}, "tensor<f32>");
}

// B12: a row of -inf alone is -inf, not NaN.
TEST(Cases, B12LogsumexpOfInfinities) {
  EXPECT_TRUE(same(logsumexp({-kInf, -kInf}), {-kInf}));
  EXPECT_TRUE(same(logsumexp({-kInf, 1}), {1}));
  EXPECT_TRUE(same(logsumexp({kInf, 1}), {kInf}));
  EXPECT_TRUE(same(logsumexp({kNaN, 1}), {kNaN}));
  EXPECT_TRUE(same(logsumexp({}), {-kInf}));
  EXPECT_TRUE(same(logsumexp({1000, 1000}),
                   {static_cast<float>(1000 + std::log(2.0))}));
}

std::vector<double> variance(const std::vector<double> &x, int correction) {
  std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
  return evaluate("%r = amp.variance %a over [0] correction " +
                      std::to_string(correction) + " : " + type +
                      " -> tensor<f32>",
                  {{type, x}}, "tensor<f32>");
}

TEST(Variance, ConstantLargeAndFewElements) {
  EXPECT_TRUE(same(variance({1, 2, 3, 4}, 0), {1.25}));
  EXPECT_TRUE(same(variance({1, 2, 3}, 1), {1}));
  EXPECT_TRUE(same(variance(std::vector<double>(10, 0x1.99999ap-4), 1), {0}));
  EXPECT_TRUE(same(variance({16777216, 16777218, 16777220}, 1), {4}));
  EXPECT_TRUE(same(variance({5}, 0), {0}));
  EXPECT_TRUE(same(variance({5}, 1), {kNaN}));
  EXPECT_TRUE(same(variance({5, 7}, 3), {kInf}));
  EXPECT_TRUE(same(variance({}, 0), {kNaN}));
}

std::vector<double> softmax(const std::string &op, const Written &x) {
  return evaluate("%r = amp." + op + " %a : " + x.type, {x}, x.type);
}

TEST(Softmax, ShiftedAndSpecialRows) {
  Written x{"tensor<5x2xf32>",
            {1000, 1000, -kInf, 0, -kInf, -kInf, kInf, 0, kNaN, 0}};
  EXPECT_TRUE(same(softmax("softmax", x),
                   {0.5, 0.5, 0, 1, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN}));
  double half = -static_cast<float>(std::log(2.0));
  EXPECT_TRUE(same(softmax("log_softmax", x),
                   {half, half, -kInf, 0, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN}));
  for (const char *op : {"softmax", "log_softmax"}) {
    EXPECT_TRUE(same(softmax(op, {"tensor<2x0xf32>", {}}), {}));
    EXPECT_TRUE(same(softmax(op, {"tensor<0x2xf32>", {}}), {}));
    EXPECT_TRUE(
        same(softmax(op, {"tensor<1xf32>", {7}}), {op[0] == 's' ? 1.0 : 0.0}));
  }
}

TEST(Softmax, NarrowRowsRoundOnce) {
  // 4096 equal terms: each share is 2^-12, which no f16 partial sum reaches.
  EXPECT_TRUE(same(
      softmax("softmax", {"tensor<4096xf16>", std::vector<double>(4096, 11.0)}),
      std::vector<double>(4096, 0x1p-12)));
}

/// The value of a norm over the last axis, with optional weight and bias.
std::vector<double> norm(const std::string &op, const Written &x,
                         const std::string &eps,
                         const std::vector<double> &weight,
                         const std::vector<double> &bias) {
  std::string extent = std::to_string(weight.size());
  size_t last = x.type.rfind('x');
  std::string element = x.type.substr(last + 1, x.type.size() - last - 2);
  std::string affine = "tensor<" + extent + "x" + element + ">";
  std::string row = x.type.substr(0, x.type.find('x') + 1) + "f32>";
  std::vector<Written> operands{x, {affine, weight}};
  std::string text = "amp." + op + " %a weight %b : " + affine;
  if (!bias.empty()) {
    text += " bias %c : " + affine;
    operands.push_back({affine, bias});
  }
  bool hasMean = op == "layer_norm";
  return evaluate((hasMean ? "%r, %m, %s = " : "%r, %s = ") + text +
                      " axes 1 eps " + eps + " : " + x.type + " -> " + x.type +
                      (hasMean ? ", " + row : "") + ", " + row,
                  operands, x.type);
}

// A07: a constant row gives exactly the bias, however small eps is.
TEST(Cases, A07ConstantRowsGiveTheBias) {
  std::vector<double> rows(20, 0.0);
  std::fill(rows.begin() + 10, rows.end(), 100.0);
  for (const char *element : {"f32", "f16", "bf16"})
    EXPECT_TRUE(same(norm("layer_norm",
                          {"tensor<2x10x" + std::string(element) + ">", rows},
                          "1.0e-12", std::vector<double>(10, 1),
                          std::vector<double>(10, 0.25)),
                     std::vector<double>(20, 0.25)));
  EXPECT_TRUE(same(
      norm("layer_norm",
           {"tensor<1x7xf32>", std::vector<double>(7, 0x1.99999ap-4)},
           "1.0e-30", std::vector<double>(7, 3), std::vector<double>(7, -2)),
      std::vector<double>(7, -2)));
}

TEST(LayerNorm, SquaresUpcastFirst) {
  // 600 * 600 does not fit f16.
  EXPECT_TRUE(same(norm("layer_norm", {"tensor<1x2xf16>", {600, -600}},
                        "1.0e-5", {1, 1}, {0, 0}),
                   {1, -1}));
  EXPECT_TRUE(same(
      norm("rms_norm", {"tensor<1x2xf16>", {600, -600}}, "1.0e-5", {2, 1}, {}),
      {2, -1}));
}

TEST(LayerNorm, MeanAndRstdOverTwoAxes) {
  std::string text = " = amp.layer_norm %a axes 2 eps 1.0 : tensor<1x2x2xf32> "
                     "-> tensor<1x2x2xf32>, tensor<1xf32>, tensor<1xf32>";
  Written x{"tensor<1x2x2xf32>", {1, 3, 3, 1}};
  double rstd = static_cast<float>(1 / std::sqrt(2.0));
  EXPECT_TRUE(same(evaluate("%m, %r, %s" + text, {x}, "tensor<1xf32>"), {2}));
  EXPECT_TRUE(
      same(evaluate("%m, %s, %r" + text, {x}, "tensor<1xf32>"), {rstd}));
  EXPECT_TRUE(same(evaluate("%r, %m, %s" + text, {x}, x.type),
                   {-rstd, rstd, rstd, -rstd}));
}

// G06, N19: one rounding, after the affine step: 1.00054931640625 * 1.5 rounds
// to 1.5009765625; rounded to f16 in between it would give 1.501953125.
TEST(Cases, G06NormsRoundOnce) {
  // A row [x, 0] has rstd = 1 / sqrt(x^2 / 2 + eps).
  double x = 0.5, normalised = 1.00054931640625;
  double eps = x * x / (normalised * normalised) - x * x / 2;
  char text[64];
  snprintf(text, sizeof text, "%.17g", eps);
  std::vector<double> values =
      norm("rms_norm", {"tensor<1x2xf16>", {x, 0}}, text, {1.5, 1.5}, {});
  EXPECT_TRUE(same(values, {1.5009765625, 0}));
}

} // namespace

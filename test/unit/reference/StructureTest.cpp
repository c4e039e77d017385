// Constants, views, broadcasts, reductions and matrix products on small
// tensors; case H02 (empty shapes). Expected numbers by hand.
#include "test/unit/reference/Parse.h"

#include "gtest/gtest-spi.h"

using namespace ampc::test;

namespace {

TEST(Shape, ConstantsAndReshape) {
  EXPECT_TRUE(same(
      evaluate(
          R"(%c = amp.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
                               %r = amp.reshape %c : tensor<2x3xf32> -> tensor<3x2xf32>)",
          {}, "tensor<3x2xf32>"),
      {1, 2, 3, 4, 5, 6}));
}

TEST(Shape, BroadcastAlongNewAndUnitAxes) {
  EXPECT_TRUE(same(
      evaluate(
          "%r = amp.broadcast %a along [1] : tensor<3xf32> -> tensor<2x3xf32>",
          {{"tensor<3xf32>", {1, 2, 3}}}, "tensor<2x3xf32>"),
      {1, 2, 3, 1, 2, 3}));
  EXPECT_TRUE(same(evaluate("%r = amp.broadcast %a along [0, 1] : "
                            "tensor<2x1xi32> -> tensor<2x3x2xi32>",
                            {{"tensor<2x1xi32>", {7, 8}}}, "tensor<2x3x2xi32>"),
                   {7, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8}));
  EXPECT_TRUE(same(
      evaluate("%r = amp.broadcast %a along [] : tensor<f32> -> tensor<2xf32>",
               {{"tensor<f32>", {-0.0}}}, "tensor<2xf32>"),
      {-0.0, -0.0}));
  EXPECT_TRUE(same(
      evaluate(
          "%r = amp.broadcast %a along [1] : tensor<1xf32> -> tensor<2x0xf32>",
          {{"tensor<1xf32>", {1}}}, "tensor<2x0xf32>"),
      {}));
}

/// `KIND` of `input` over `axes`.
std::vector<double> reduce(const std::string &kind, const std::string &axes,
                           const std::string &order, const Written &input,
                           const std::string &resultType,
                           const std::string &accumulation = "f32") {
  return evaluate("%r = amp.reduce " + kind + " %a over [" + axes + "] order " +
                      order + " accumulate " + accumulation + " : " +
                      input.type + " -> " + resultType,
                  {input}, resultType);
}

TEST(Reduction, EachKindOverRowsAndColumns) {
  Written x{"tensor<2x3xf32>", {1, 2, 3, -4, 5, 6}};
  EXPECT_TRUE(same(reduce("sum", "1", "row", x, "tensor<2xf32>"), {6, 7}));
  EXPECT_TRUE(
      same(reduce("sum", "0", "column", x, "tensor<3xf32>"), {-3, 7, 9}));
  EXPECT_TRUE(same(reduce("sum", "0, 1", "row", x, "tensor<f32>"), {13}));
  EXPECT_TRUE(
      same(reduce("mean", "1", "row", x, "tensor<2xf32>"), {2, 0x1.2aaaaap+1}));
  EXPECT_TRUE(same(reduce("prod", "1", "row", x, "tensor<2xf32>"), {6, -120}));
  EXPECT_TRUE(
      same(reduce("max", "0", "column", x, "tensor<3xf32>"), {1, 5, 6}));
  EXPECT_TRUE(same(reduce("min", "1", "row", x, "tensor<2xf32>"), {1, -4}));
}

TEST(Reduction, MiddleAxis) {
  Written x{"tensor<2x2x2xf32>", {1, 2, 3, 4, 5, 6, 7, 8}};
  EXPECT_TRUE(
      same(reduce("sum", "1", "column", x, "tensor<2x2xf32>"), {4, 6, 12, 14}));
  EXPECT_TRUE(
      same(reduce("sum", "0, 2", "column", x, "tensor<2xf32>"), {14, 22}));
}

TEST(Reduction, SpecialValues) {
  EXPECT_TRUE(same(
      reduce("max", "0", "row", {"tensor<3xf32>", {1, kNaN, 2}}, "tensor<f32>"),
      {kNaN}));
  EXPECT_TRUE(same(
      reduce("min", "0", "row", {"tensor<3xf32>", {kNaN, 1, 2}}, "tensor<f32>"),
      {kNaN}));
  EXPECT_TRUE(same(reduce("max", "0", "row", {"tensor<2xf32>", {-kInf, -kInf}},
                          "tensor<f32>"),
                   {-kInf}));
  EXPECT_TRUE(same(
      reduce("max", "0", "row", {"tensor<2xf32>", {-0.0, 0.0}}, "tensor<f32>"),
      {0.0}));
  EXPECT_TRUE(same(
      reduce("min", "0", "row", {"tensor<2xf32>", {0.0, -0.0}}, "tensor<f32>"),
      {-0.0}));
  EXPECT_TRUE(same(
      reduce("max", "0", "row", {"tensor<2xf32>", {-0.0, -0.0}}, "tensor<f32>"),
      {-0.0}));
  EXPECT_TRUE(same(reduce("sum", "0", "row", {"tensor<2xf32>", {kInf, -kInf}},
                          "tensor<f32>"),
                   {kNaN}));
}

// N6: the sum of 16-bit values is not itself 16-bit before it is divided.
TEST(Reduction, NarrowFloatsRoundOnce) {
  std::vector<double> large(4096, 60000.0);
  EXPECT_TRUE(same(
      reduce("mean", "0", "row", {"tensor<4096xf16>", large}, "tensor<f16>"),
      {60000}));
  std::vector<double> ones(1600, 1.0);
  EXPECT_TRUE(same(
      reduce("sum", "0", "row", {"tensor<1600xbf16>", ones}, "tensor<bf16>"),
      {1600}));
}

TEST(Reduction, IntegersWrapInI64) {
  EXPECT_TRUE(same(reduce("sum", "0", "row", {"tensor<3xi8>", {100, 100, 100}},
                          "tensor<i8>", "i64"),
                   {44}));
  EXPECT_TRUE(same(reduce("sum", "0", "row", {"tensor<3xi8>", {100, 100, 100}},
                          "tensor<i64>", "i64"),
                   {300}));
  EXPECT_TRUE(same(reduce("max", "0", "row", {"tensor<2xi32>", {-5, -7}},
                          "tensor<i32>", "i64"),
                   {-5}));
  EXPECT_TRUE(same(
      reduce("prod", "0", "row", {"tensor<0xi32>", {}}, "tensor<i32>", "i64"),
      {1}));
}

// reduce_c7: no conversion hides in a reduction.
TEST(Reduction, MixedElementTypesAreRefused) {
  EXPECT_NONFATAL_FAILURE(
      Program(R"(func.func @f(%a: tensor<2xi32>) -> tensor<f32> {
        %r = amp.reduce sum %a over [0] order row accumulate i64 : tensor<2xi32> -> tensor<f32>
        return %r : tensor<f32>
      })"),
      "both be floats or both be integers");
}

TEST(Contraction, MatmulWithEachTranspose) {
  std::vector<double> a{1, 2, 3, 4, 5, 6};   // [2, 3]
  std::vector<double> b{1, 0, 2, -1, 3, 1};  // [3, 2]
  std::vector<double> at{1, 4, 2, 5, 3, 6};  // [3, 2]
  std::vector<double> bt{1, 2, 3, 0, -1, 1}; // [2, 3]
  std::vector<double> product{14, 1, 32, 1};
  auto matmul = [](const std::string &flags, const Written &x,
                   const Written &y) {
    return evaluate("%r = amp.matmul %a, %b " + flags + " accumulate f32 : " +
                        x.type + ", " + y.type + " -> tensor<2x2xf32>",
                    {x, y}, "tensor<2x2xf32>");
  };
  EXPECT_TRUE(same(matmul("", {"tensor<2x3xf32>", a}, {"tensor<3x2xf32>", b}),
                   product));
  EXPECT_TRUE(same(
      matmul("transpose_a", {"tensor<3x2xf32>", at}, {"tensor<3x2xf32>", b}),
      product));
  EXPECT_TRUE(same(
      matmul("transpose_b", {"tensor<2x3xf32>", a}, {"tensor<2x3xf32>", bt}),
      product));
  EXPECT_TRUE(same(matmul("transpose_a transpose_b", {"tensor<3x2xf32>", at},
                          {"tensor<2x3xf32>", bt}),
                   product));
}

TEST(Contraction, MatmulBeginsFromInit) {
  EXPECT_TRUE(
      same(evaluate("%r = amp.matmul %a, %b from %c : tensor<2x2xf32> "
                    "accumulate f32 : tensor<2x1xbf16>, tensor<1x2xbf16> -> "
                    "tensor<2x2xf32>",
                    {{"tensor<2x1xbf16>", {1, 2}},
                     {"tensor<1x2xbf16>", {3, 4}},
                     {"tensor<2x2xf32>", {10, 20, 30, 0.5}}},
                    "tensor<2x2xf32>"),
           {13, 24, 36, 8.5}));
  EXPECT_TRUE(
      same(evaluate("%r = amp.matmul %a, %b from %c : tensor<1x2xf32> "
                    "accumulate f32 : tensor<1x0xf32>, tensor<0x2xf32> -> "
                    "tensor<1x2xf32>",
                    {{"tensor<1x0xf32>", {}},
                     {"tensor<0x2xf32>", {}},
                     {"tensor<1x2xf32>", {7, -2}}},
                    "tensor<1x2xf32>"),
           {7, -2}));
}

// matmul_c6: the sum is rounded before the bias is added.
TEST(Contraction, MatmulAddsABiasAndTakesRelu) {
  auto matmul = [](const std::string &flags, std::vector<double> a) {
    return evaluate("%r = amp.matmul %a, %b bias %c : tensor<2xf32> " + flags +
                        " accumulate f32 : tensor<2x1xf32>, tensor<1x2xf32> -> "
                        "tensor<2x2xf32>",
                    {{"tensor<2x1xf32>", std::move(a)},
                     {"tensor<1x2xf32>", {3, 4}},
                     {"tensor<2xf32>", {-10, 0.5}}},
                    "tensor<2x2xf32>");
  };
  EXPECT_TRUE(same(matmul("", {1, 5}), {-7, 4.5, 5, 20.5}));
  EXPECT_TRUE(same(matmul("relu", {1, 5}), {0, 4.5, 5, 20.5}));
  // 3 * (1 + 2^-23) lies between two numbers of f32; the even one less 10.
  EXPECT_TRUE(same(matmul("", {1 + 0x1p-23, 0}),
                   {double(float(3 * (1 + 0x1p-23)) - 10.0f),
                    double(float(4 * (1 + 0x1p-23)) + 0.5f), -10, 0.5}));
  EXPECT_TRUE(same(
      evaluate("%r = amp.matmul %a, %b relu accumulate f32 : tensor<2x1xbf16>, "
               "tensor<1x2xbf16> -> tensor<2x2xbf16>",
               {{"tensor<2x1xbf16>", {1, -2}}, {"tensor<1x2xbf16>", {3, -4}}},
               "tensor<2x2xbf16>"),
      {3, 0, 0, 8}));
}

TEST(Contraction, MatmulOfBatchesAndOddExtents) {
  // [2, 3, 1] x [2, 1, 9]: every column tile but the last is full, rows are
  // odd.
  std::vector<double> a{1, 2, 3, 4, 5, 6}, b, expected;
  for (int i = 0; i < 18; ++i)
    b.push_back(i);
  for (int batch = 0; batch < 2; ++batch)
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 9; ++column)
        expected.push_back(a[batch * 3 + row] * b[batch * 9 + column]);
  EXPECT_TRUE(same(
      evaluate("%r = amp.matmul %a, %b accumulate f32 : tensor<2x3x1xf32>, "
               "tensor<2x1x9xf32> -> tensor<2x3x9xf32>",
               {{"tensor<2x3x1xf32>", a}, {"tensor<2x1x9xf32>", b}},
               "tensor<2x3x9xf32>"),
      expected));
}

TEST(Contraction, MatmulPropagatesSpecialValuesAndRoundsOnce) {
  EXPECT_TRUE(
      same(evaluate("%r = amp.matmul %a, %b accumulate f32 : tensor<3x2xf32>, "
                    "tensor<2x1xf32> -> tensor<3x1xf32>",
                    {{"tensor<3x2xf32>", {kInf, 1, kNaN, 1, 0x1p24, 1}},
                     {"tensor<2x1xf32>", {0, 1}}},
                    "tensor<3x1xf32>"),
           {kNaN, kNaN, 1}));
  // 1 + 2^-8 + 2^-40 in bf16: the sum is rounded once, from f64.
  EXPECT_TRUE(
      same(evaluate("%r = amp.matmul %a, %b accumulate f32 : tensor<1x3xbf16>, "
                    "tensor<3x1xbf16> -> tensor<1x1xbf16>",
                    {{"tensor<1x3xbf16>", {1, 0x1p-8, 0x1p-40}},
                     {"tensor<3x1xbf16>", {1, 1, 1}}},
                    "tensor<1x1xbf16>"),
           {1 + 0x1p-7}));
}

TEST(Contraction, LinearRoundsItsSumOnce) {
  EXPECT_TRUE(same(
      evaluate("%r = amp.linear %a, %b, %c accumulate f32 : tensor<2x2xf32>, "
               "tensor<3x2xf32>, tensor<3xf32> -> tensor<2x3xf32>",
               {{"tensor<2x2xf32>", {1, 2, 3, 4}},
                {"tensor<3x2xf32>", {1, 0, 0, 1, 1, 1}},
                {"tensor<3xf32>", {10, 20, -30}}},
               "tensor<2x3xf32>"),
      {11, 22, -27, 13, 24, -23}));
  // 257 + 1 in f32, rounded to bf16 once: rounded before the bias is added it
  // would be 256 both times.
  EXPECT_TRUE(same(
      evaluate("%r = amp.linear %a, %b, %c accumulate f32 : tensor<2xbf16>, "
               "tensor<1x2xbf16>, tensor<1xbf16> -> tensor<1xbf16>",
               {{"tensor<2xbf16>", {256, 1}},
                {"tensor<1x2xbf16>", {1, 1}},
                {"tensor<1xbf16>", {1}}},
               "tensor<1xbf16>"),
      {258}));
}

TEST(Loss, MseOfEachReduction) {
  auto mse = [](const std::string &reduction, const std::string &result) {
    return evaluate(
        "%r = amp.mse " + reduction + " %a, %b : tensor<2x2xf32> -> " + result,
        {{"tensor<2x2xf32>", {1, 2, 3, 4}}, {"tensor<2x2xf32>", {0, 4, 3, -1}}},
        result);
  };
  EXPECT_TRUE(same(mse("none", "tensor<2x2xf32>"), {1, 4, 0, 25}));
  EXPECT_TRUE(same(mse("sum", "tensor<f32>"), {30}));
  EXPECT_TRUE(same(mse("mean", "tensor<f32>"), {7.5}));
}

TEST(Loss, MseOfNarrowFloatsUpcastsFirst) {
  EXPECT_TRUE(
      same(evaluate("%r = amp.mse sum %a, %b : tensor<1xf16> -> tensor<f32>",
                    {{"tensor<1xf16>", {600}}, {"tensor<1xf16>", {-600}}},
                    "tensor<f32>"),
           {1440000}));
}

// H02: reductions over no elements, and shapes with batch 0.
TEST(Cases, H02EmptyShapes) {
  Written x{"tensor<2x0x3xf32>", {}};
  EXPECT_TRUE(same(reduce("sum", "1", "column", x, "tensor<2x3xf32>"),
                   std::vector<double>(6, 0.0)));
  EXPECT_TRUE(same(reduce("prod", "1", "column", x, "tensor<2x3xf32>"),
                   std::vector<double>(6, 1.0)));
  EXPECT_TRUE(same(reduce("mean", "1", "column", x, "tensor<2x3xf32>"),
                   std::vector<double>(6, kNaN)));
  EXPECT_TRUE(same(reduce("sum", "0", "column", x, "tensor<0x3xf32>"), {}));
  EXPECT_TRUE(
      same(evaluate("%r = amp.matmul %a, %b accumulate f32 : tensor<2x0xf32>, "
                    "tensor<0x2xf32> -> tensor<2x2xf32>",
                    {{"tensor<2x0xf32>", {}}, {"tensor<0x2xf32>", {}}},
                    "tensor<2x2xf32>"),
           {0, 0, 0, 0}));
  EXPECT_TRUE(same(
      evaluate("%r = amp.linear %a, %b, %c accumulate f32 : tensor<0x2xf32>, "
               "tensor<3x2xf32>, tensor<3xf32> -> tensor<0x3xf32>",
               {{"tensor<0x2xf32>", {}},
                {"tensor<3x2xf32>", {1, 2, 3, 4, 5, 6}},
                {"tensor<3xf32>", {1, 2, 3}}},
               "tensor<0x3xf32>"),
      {}));
  EXPECT_TRUE(
      same(evaluate("%r = amp.mse mean %a, %b : tensor<0x2xf32> -> tensor<f32>",
                    {{"tensor<0x2xf32>", {}}, {"tensor<0x2xf32>", {}}},
                    "tensor<f32>"),
           {kNaN}));
  EXPECT_TRUE(
      same(evaluate("%r = amp.mse sum %a, %b : tensor<0x2xf32> -> tensor<f32>",
                    {{"tensor<0x2xf32>", {}}, {"tensor<0x2xf32>", {}}},
                    "tensor<f32>"),
           {0}));
}

} // namespace

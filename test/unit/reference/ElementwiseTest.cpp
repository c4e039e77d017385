// Scalar maps, comparisons, casts: special values and one rounding, expected
// numbers by hand. Cases C02 C04 C06 C08 are inputs that broke other stacks.
#include "test/unit/reference/Parse.h"

#include <cmath>

using namespace ampc::test;

namespace {

constexpr double kTiny = 0x1p-149; // smallest f32 subnormal

/// `%r = amp.OP` on f32 operands of n elements.
std::vector<double> f32Op(const std::string &op, const std::vector<double> &a,
                          const std::vector<double> &b) {
  std::string type = "tensor<" + std::to_string(a.size()) + "xf32>";
  return evaluate("%r = amp." + op + " %a, %b : " + type,
                  {{type, a}, {type, b}}, type);
}
std::vector<double> unary(const std::string &op, const std::string &element,
                          const std::vector<double> &a) {
  std::string type = "tensor<" + std::to_string(a.size()) + "x" + element + ">";
  return evaluate("%r = amp." + op + " %a : " + type, {{type, a}}, type);
}
std::vector<double> cast(const std::string &from, const std::string &to,
                         const std::vector<double> &a) {
  std::string shape = "tensor<" + std::to_string(a.size()) + "x";
  return evaluate("%r = amp.cast %a origin user : " + shape + from + "> -> " +
                      shape + to + ">",
                  {{shape + from + ">", a}}, shape + to + ">");
}
std::vector<double> scaledCast(const std::string &from, const std::string &to,
                               const std::string &scale,
                               const std::vector<double> &a) {
  std::string shape = "tensor<" + std::to_string(a.size()) + "x";
  return evaluate("%r = amp.scaled_cast %a scale " + scale + " : " + shape +
                      from + "> -> " + shape + to + ">",
                  {{shape + from + ">", a}}, shape + to + ">");
}
std::vector<double> compare(const std::string &predicate,
                            const std::vector<double> &a,
                            const std::vector<double> &b) {
  std::string shape = "tensor<" + std::to_string(a.size()) + "x";
  return evaluate("%r = amp.compare " + predicate + " %a, %b : " + shape +
                      "f32>",
                  {{shape + "f32>", a}, {shape + "f32>", b}}, shape + "i1>");
}

// The largest numbers are 448 and 57344; beyond are NaN and infinity. Steps of
// f8E4M3FN between 16 and 32 are 2: 17 is a tie and goes to 16, 19 to 20.
TEST(Elementwise, ScaledCastToAndFromF8) {
  EXPECT_TRUE(same(scaledCast("f32", "f8E4M3FN", "16.0",
                              {1, 1.0625, 1.1875, -28, 30, kInf, -0.0}),
                   {16, 16, 20, -448, kNaN, kNaN, -0.0}));
  EXPECT_TRUE(same(scaledCast("bf16", "f8E5M2", "0.5", {3, -114688, 131072}),
                   {1.5, -57344, kInf}));
  EXPECT_TRUE(same(scaledCast("f8E4M3FN", "f32", "3.0", {1, -448, kNaN}),
                   {0x1.555556p-2, -0x1.2aaaaap7, kNaN}));
  EXPECT_TRUE(same(scaledCast("f8E5M2", "f16", "0x3F000000", {57344, kInf}),
                   {kInf, kInf}));
}

TEST(Elementwise, AddRoundsOnce) {
  EXPECT_TRUE(same(f32Op("add", {1, 0x1p24, 0x1p24, -0.0, kInf, kInf, kTiny},
                         {0x1p-24, 1, 3, -0.0, 1, -kInf, kTiny}),
                   {1, 0x1p24, 0x1p24 + 4, -0.0, kInf, kNaN, 2 * kTiny}));
}

TEST(Elementwise, SubOfEqualsIsPlusZero) {
  EXPECT_TRUE(same(
      f32Op("sub", {1, -0.0, 0x1.000002p-126, kInf}, {1, 0.0, 0x1p-126, kInf}),
      {0.0, -0.0, kTiny, kNaN}));
}

TEST(Elementwise, MulKeepsSubnormals) {
  EXPECT_TRUE(same(f32Op("mul", {0x1p-75, 0x1p-75, -0.0, 0x1p127, 0},
                         {0x1p-74, 0x1p-75, 3, 2, kInf}),
                   {kTiny, 0.0, -0.0, kInf,
                    kNaN})); // 2^-150 is a tie and goes to the even 0
}

TEST(Elementwise, DivIsIeee) {
  EXPECT_TRUE(
      same(f32Op("div", {1, 1, -1, 0, 1, kInf}, {3, 0, 0, 0, -kInf, kInf}),
           {0x1.555556p-2, kInf, -kInf, kNaN, -0.0, kNaN}));
}

TEST(Elementwise, IntegersWrap) {
  EXPECT_TRUE(
      same(evaluate("%r = amp.add %a, %b : tensor<2xi8>",
                    {{"tensor<2xi8>", {127, -128}}, {"tensor<2xi8>", {1, -1}}},
                    "tensor<2xi8>"),
           {-128, 127}));
  EXPECT_TRUE(
      same(evaluate("%r = amp.mul %a, %b : tensor<1xi32>",
                    {{"tensor<1xi32>", {65536}}, {"tensor<1xi32>", {65536}}},
                    "tensor<1xi32>"),
           {0}));
}

TEST(Elementwise, MaximumAndMinimumOfSpecialValues) {
  std::vector<double> a{-0.0, 0.0, kNaN, 1, -kInf, 2},
      b{0.0, -0.0, 1, kNaN, kInf, 2};
  EXPECT_TRUE(same(f32Op("maximum", a, b), {0.0, 0.0, kNaN, kNaN, kInf, 2}));
  EXPECT_TRUE(same(f32Op("minimum", a, b), {-0.0, -0.0, kNaN, kNaN, -kInf, 2}));
}

TEST(Elementwise, NegFlipsTheSignBit) {
  EXPECT_TRUE(same(unary("neg", "f32", {0.0, -0.0, kInf, kTiny}),
                   {-0.0, 0.0, -kInf, -kTiny}));
}

TEST(Elementwise, ExpOfSpecialValues) {
  // f32: e rounds to 0x1.5bf0a8p+1; exp(89) overflows; exp(-103) = 1.85e-45 is
  // the subnormal 2^-149.
  EXPECT_TRUE(
      same(unary("exp", "f32", {0, -0.0, -kInf, kInf, 1, 89, -103, -104, kNaN}),
           {1, 1, 0, kInf, 0x1.5bf0a8p+1, kInf, kTiny, 0, kNaN}));
  EXPECT_TRUE(same(unary("exp", "f16", {11, 12, -17}), {59872, kInf, 0x1p-24}));
}

TEST(Elementwise, SqrtIsCorrectlyRounded) {
  EXPECT_TRUE(same(unary("sqrt", "f32", {-0.0, 0.0, -1, kInf, 2, kTiny}),
                   {-0.0, 0.0, kNaN, kInf, 0x1.6a09e6p+0, 0x1.6a09e6p-75}));
  EXPECT_TRUE(same(unary("sqrt", "bf16", {2}), {1.4140625}));
}

TEST(Elementwise, CompareTreatsNaNAndZeros) {
  std::vector<double> a{-0.0, kNaN, 1, 2, -kInf}, b{0.0, kNaN, 2, 1, kInf};
  EXPECT_TRUE(same(compare("eq", a, b), {1, 0, 0, 0, 0}));
  EXPECT_TRUE(same(compare("ne", a, b), {0, 1, 1, 1, 1}));
  EXPECT_TRUE(same(compare("lt", a, b), {0, 0, 1, 0, 1}));
  EXPECT_TRUE(same(compare("le", a, b), {1, 0, 1, 0, 1}));
  EXPECT_TRUE(same(compare("gt", a, b), {0, 0, 0, 1, 0}));
  EXPECT_TRUE(same(compare("ge", a, b), {1, 0, 0, 1, 0}));
}

TEST(Elementwise, CompareOfIntegersIsSigned) {
  EXPECT_TRUE(same(
      evaluate("%r = amp.compare lt %a, %b : tensor<2xi8>",
               {{"tensor<2xi8>", {-128, 127}}, {"tensor<2xi8>", {127, -128}}},
               "tensor<2xi1>"),
      {1, 0}));
}

TEST(Elementwise, SelectKeepsBits) {
  EXPECT_TRUE(same(evaluate("%r = amp.select %a, %b, %c : tensor<3xf32>",
                            {{"tensor<3xi1>", {1, 0, 1}},
                             {"tensor<3xf32>", {-0.0, 1, kNaN}},
                             {"tensor<3xf32>", {2, kNaN, 3}}},
                            "tensor<3xf32>"),
                   {-0.0, kNaN, kNaN}));
}

TEST(Cast, FloatsRoundToNearestEven) {
  EXPECT_TRUE(
      same(cast("f32", "f16",
                {65519, 65520, 2049, 2051, -0.0, 0x1p-25, 0x1.8p-24, kNaN}),
           {65504, kInf, 2048, 2052, -0.0, 0, 0x1p-23, kNaN}));
  EXPECT_TRUE(same(cast("f64", "bf16", {1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8}),
                   {1 + 0x1p-7, 1}));
  EXPECT_TRUE(same(cast("f32", "f8E4M3FN", {464, 465, kInf, 0x1p-10}),
                   {448, kNaN, kNaN, 0}));
  EXPECT_TRUE(same(cast("bf16", "f32", {0x1p-133, kInf}), {0x1p-133, kInf}));
}

TEST(Cast, FloatsToIntegersTruncateAndSaturate) {
  EXPECT_TRUE(same(cast("f32", "i32", {2.9, -2.9, 3e9, -3e9, kNaN, kInf}),
                   {2, -2, 2147483647, -2147483648.0, 0, 2147483647}));
  EXPECT_TRUE(same(cast("f32", "i1", {0.0, -0.0, 0.5, kNaN}), {0, 0, 1, 1}));
}

TEST(Cast, IntegersConvert) {
  EXPECT_TRUE(
      same(cast("i64", "f32", {16777217, -16777219}), {16777216, -16777220}));
  EXPECT_TRUE(same(cast("i64", "i8", {300, -129}), {44, 127}));
  EXPECT_TRUE(same(cast("i32", "i1", {0, 2, -1}), {0, 1, 1}));
  EXPECT_TRUE(same(cast("i1", "f32", {0, 1}), {0, 1}));
}

// C02: each bf16 value is rounded where it is defined, so the error term
// survives.
TEST(Cases, C02RoundingPerOp) {
  EXPECT_TRUE(
      same(evaluate(R"(%s = amp.add %a, %b : tensor<1xbf16>
                               %t = amp.sub %s, %a : tensor<1xbf16>
                               %r = amp.sub %b, %t : tensor<1xbf16>)",
                    {{"tensor<1xbf16>", {1}}, {"tensor<1xbf16>", {0x1p-9}}},
                    "tensor<1xbf16>"),
           {0.001953125}));
}

// C04: nothing is simplified where inf or NaN can occur.
TEST(Cases, C04NoUnsoundRewrite) {
  std::vector<double> x{kInf, kNaN, 2};
  EXPECT_TRUE(same(f32Op("mul", x, {0, 0, 0}), {kNaN, kNaN, 0}));
  EXPECT_TRUE(same(f32Op("sub", x, x), {kNaN, kNaN, 0}));
  EXPECT_TRUE(same(f32Op("div", x, x), {kNaN, kNaN, 1}));
  EXPECT_TRUE(same(evaluate(R"(%s = amp.mul %a, %a : tensor<1xf32>
                               %r = amp.sqrt %s : tensor<1xf32>)",
                            {{"tensor<1xf32>", {1e20}}}, "tensor<1xf32>"),
                   {kInf}));
}

// C06: the sign of zero is kept, and +0 and -0 are two constants.
TEST(Cases, C06SignedZeros) {
  EXPECT_TRUE(same(evaluate(R"(%z = amp.constant dense<0.0> : tensor<1xf32>
                               %one = amp.constant dense<1.0> : tensor<1xf32>
                               %s = amp.add %a, %z : tensor<1xf32>
                               %r = amp.div %one, %s : tensor<1xf32>)",
                            {{"tensor<1xf32>", {-0.0}}}, "tensor<1xf32>"),
                   {kInf}));
  EXPECT_TRUE(same(evaluate(R"(%z = amp.constant dense<0.0> : tensor<1xf32>
                               %one = amp.constant dense<1.0> : tensor<1xf32>
                               %s = amp.sub %a, %z : tensor<1xf32>
                               %r = amp.div %one, %s : tensor<1xf32>)",
                            {{"tensor<1xf32>", {-0.0}}}, "tensor<1xf32>"),
                   {-kInf}));
  EXPECT_TRUE(same(evaluate(R"(%p = amp.constant dense<0.0> : tensor<1xf32>
                               %n = amp.constant dense<-0.0> : tensor<1xf32>
                               %r = amp.maximum %n, %p : tensor<1xf32>)",
                            {}, "tensor<1xf32>"),
                   {0.0}));
}

// C08: products are rounded before their sum; exact cancellation stays exact.
TEST(Cases, C08NoContraction) {
  EXPECT_TRUE(same(evaluate(R"(%p = amp.mul %a, %c : tensor<1xf32>
                               %q = amp.mul %b, %c : tensor<1xf32>
                               %r = amp.add %p, %q : tensor<1xf32>)",
                            {{"tensor<1xf32>", {1e20}},
                             {"tensor<1xf32>", {-1e20}},
                             {"tensor<1xf32>", {1e10}}},
                            "tensor<1xf32>"),
                   {0.0}));
}

} // namespace

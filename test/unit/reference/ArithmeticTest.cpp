// Absolute values to powers, truth values: special values of each, expected
// numbers by hand. Cases C04 C10.
#include "test/unit/reference/Parse.h"

using namespace ampc::test;

namespace {

constexpr double kTiny = 0x1p-149; // smallest f32 subnormal

std::string vectorType(size_t count, const std::string &element) {
  return "tensor<" + std::to_string(count) + "x" + element + ">";
}
std::vector<double> unary(const std::string &op, const std::string &element,
                          const std::vector<double> &a) {
  std::string type = vectorType(a.size(), element);
  return evaluate("%r = amp." + op + " %a : " + type, {{type, a}}, type);
}
std::vector<double> binary(const std::string &op, const std::string &element,
                           const std::vector<double> &a,
                           const std::vector<double> &b) {
  std::string type = vectorType(a.size(), element);
  return evaluate("%r = amp." + op + " %a, %b : " + type,
                  {{type, a}, {type, b}}, type);
}

TEST(Arithmetic, AbsClearsTheSign) {
  EXPECT_TRUE(same(unary("abs", "f32", {-0.0, 0.0, -kTiny, -kInf, kNaN, -3}),
                   {0.0, 0.0, kTiny, kInf, kNaN, 3}));
  EXPECT_TRUE(same(unary("abs", "i8", {-128, -127, 5}), {-128, 127, 5}));
}

TEST(Arithmetic, SignKeepsZerosAndNaN) {
  EXPECT_TRUE(
      same(unary("sign", "f32", {-0.0, 0.0, -kTiny, kTiny, -kInf, kInf, kNaN}),
           {-0.0, 0.0, -1, 1, -1, 1, kNaN}));
  EXPECT_TRUE(same(unary("sign", "i64", {-7, 0, 9}), {-1, 0, 1}));
}

TEST(Arithmetic, FloorIsExact) {
  EXPECT_TRUE(same(
      unary("floor", "f32", {-0.0, 0.5, -0.5, -kTiny, 0x1p30, -kInf, kNaN, -2}),
      {-0.0, 0.0, -1, -1, 0x1p30, -kInf, kNaN, -2}));
}

TEST(Arithmetic, FloorDivAndRemainderFollowTheDivisorsSign) {
  std::vector<double> a{7, -7, 7, -7, 6, -6}, b{3, 3, -3, -3, 3, 3};
  for (const char *element : {"f32", "f64", "f16", "i32", "i8"}) {
    EXPECT_TRUE(
        same(binary("floor_div", element, a, b), {2, -3, -3, 2, 2, -2}));
    bool isFloat = element[0] == 'f';
    EXPECT_TRUE(same(binary("remainder", element, a, b),
                     {1, 2, -2, -1, 0, isFloat ? -0.0 : 0.0}));
  }
}

TEST(Arithmetic, FloorDivOfIntegersHasNoFault) {
  EXPECT_TRUE(same(binary("floor_div", "i8", {5, -5, -128, 0}, {0, 0, -1, -1}),
                   {0, 0, -128, 0}));
  EXPECT_TRUE(same(binary("remainder", "i8", {5, -5, -128, 0}, {0, 0, -1, -1}),
                   {0, 0, 0, 0}));
  EXPECT_TRUE(same(binary("floor_div", "i64", {-0x1p63, -0x1p63}, {-1, 2}),
                   {-0x1p63, -0x1p62}));
}

TEST(Arithmetic, FloorDivOfFloatsTakesTheExactQuotient) {
  // 1 / 0.1f is below 10 by 1.5e-8, which f32 division rounds away; 0.1f is
  // above 0.1.
  EXPECT_TRUE(same(binary("floor_div", "f32", {1}, {0.1f}), {9}));
  EXPECT_TRUE(
      same(binary("floor_div", "f32", {1, -1, 0, -0.0, kInf, 1, -1, 1, kNaN},
                  {0, 0, 0, 3, 2, kInf, kInf, -kInf, 1}),
           {kInf, -kInf, kNaN, -0.0, kNaN, 0, -1, -1, kNaN}));
  EXPECT_TRUE(
      same(binary("remainder", "f32", {1, 0.0, -0.0, kInf, 1, -1, 1, -kTiny},
                  {0, 3, 3, 2, kInf, kInf, -kInf, 1}),
           {kNaN, 0.0, -0.0, kNaN, 1, kInf, -kInf, 1}));
}

TEST(Transcendental, LogOfSpecialValues) {
  EXPECT_TRUE(
      same(unary("log", "f32", {0.0, -0.0, -1, 1, kInf, kNaN, 2, kTiny}),
           {-kInf, -kInf, kNaN, 0.0, kInf, kNaN, 0x1.62e43p-1, -0x1.9d1dap+6}));
}

TEST(Transcendental, Log1pIsExactNearZero) {
  EXPECT_TRUE(
      same(unary("log1p", "f32", {-0.0, kTiny, -1, -2, kInf, 1, 0x1p-40}),
           {-0.0, kTiny, -kInf, kNaN, kInf, 0x1.62e43p-1, 0x1p-40}));
}

TEST(Transcendental, TanhAndErfSaturate) {
  std::vector<double> x{-0.0, kTiny, kInf, -kInf, kNaN, 100, 0.5};
  EXPECT_TRUE(same(unary("tanh", "f32", x),
                   {-0.0, kTiny, 1, -1, kNaN, 1, 0x1.d9353ep-2}));
  EXPECT_TRUE(same(unary("erf", "f32", x),
                   {-0.0, kTiny, 1, -1, kNaN, 1, 0x1.0a7ef6p-1}));
}

TEST(Transcendental, SinAndCosReduceLargeInputs) {
  // The last one is 1e22 rounded to f32.
  std::vector<double> x{-0.0, kTiny, kInf, kNaN, 1, 1e22f};
  EXPECT_TRUE(same(unary("sin", "f32", x),
                   {-0.0, kTiny, kNaN, kNaN, 0x1.aed548p-1, -0x1.77d988p-1}));
  EXPECT_TRUE(same(unary("cos", "f32", {-0.0, kInf, kNaN, 1}),
                   {1, kNaN, kNaN, 0x1.14a28p-1}));
}

TEST(Transcendental, PowOfSpecialValues) {
  EXPECT_TRUE(
      same(binary("pow", "f32",
                  {0.0, -0.0, 0.0, -0.0, kNaN, 1, -3, -3, -8, kInf, 2, 2},
                  {0.0, 0.0, -1, -1, 0.0, kNaN, 2, 3, 0.5, -1, 0.5, 200}),
           {1, 1, kInf, -kInf, 1, 1, 9, -27, kNaN, 0.0, 0x1.6a09e6p+0, kInf}));
  EXPECT_TRUE(same(binary("pow", "f32", {2, 2}, {-149, -151}), {kTiny, 0}));
}

TEST(Transcendental, NarrowFloatsRoundOnce) {
  EXPECT_TRUE(same(unary("log", "f16", {2}), {0.693359375}));
  EXPECT_TRUE(same(unary("tanh", "bf16", {0.5}), {0.462890625}));
  EXPECT_TRUE(same(binary("pow", "f16", {2}, {16}), {kInf}));
}

TEST(Logic, TruthTables) {
  std::vector<double> a{0, 0, 1, 1}, b{0, 1, 0, 1};
  EXPECT_TRUE(same(binary("and", "i1", a, b), {0, 0, 0, 1}));
  EXPECT_TRUE(same(binary("or", "i1", a, b), {0, 1, 1, 1}));
  EXPECT_TRUE(same(binary("xor", "i1", a, b), {0, 1, 1, 0}));
  EXPECT_TRUE(same(unary("not", "i1", {0, 1}), {1, 0}));
}

TEST(Logic, CompareOfTruthValues) {
  for (auto [predicate, expected] :
       {std::pair("eq", std::vector<double>{1, 0, 0, 1}),
        std::pair("ne", std::vector<double>{0, 1, 1, 0})})
    EXPECT_TRUE(same(evaluate("%r = amp.compare " + std::string(predicate) +
                                  " %a, %b : tensor<4xi1>",
                              {{"tensor<4xi1>", {0, 0, 1, 1}},
                               {"tensor<4xi1>", {0, 1, 0, 1}}},
                              "tensor<4xi1>"),
                     expected));
}

TEST(Graph, DetachKeepsBitsAndIfTrainingHasNoValue) {
  EXPECT_TRUE(
      same(unary("detach", "f32", {-0.0, kNaN, kTiny}), {-0.0, kNaN, kTiny}));
  EXPECT_NE(evaluationError("%r = amp.if_training %a, %b : tensor<1xf32>",
                            {{"tensor<1xf32>", {1}}, {"tensor<1xf32>", {2}}},
                            "tensor<1xf32>")
                .find("has no value before the entries choose"),
            std::string::npos);
}

// C04: log and exp do not cancel, nor powers and roots.
TEST(Cases, C04NoUnsoundRewriteOfFunctions) {
  EXPECT_TRUE(same(evaluate(R"(%e = amp.exp %a : tensor<1xf32>
                               %r = amp.log %e : tensor<1xf32>)",
                            {{"tensor<1xf32>", {89}}}, "tensor<1xf32>"),
                   {kInf}));
}

// C10: positions go from i64 to f32 at once; their sines stay apart.
TEST(Cases, C10PositionsPassNoHalf) {
  std::vector<double> sines = evaluate(
      R"(%f = amp.cast %a origin user : tensor<3xi64> -> tensor<3xf32>
         %s = amp.constant dense<0.001> : tensor<3xf32>
         %x = amp.mul %f, %s : tensor<3xf32>
         %r = amp.sin %x : tensor<3xf32>)",
      {{"tensor<3xi64>", {4095, 4096, 4097}}}, "tensor<3xf32>");
  ASSERT_EQ(sines.size(), 3u);
  EXPECT_NEAR(sines[0], -0.815393, 1e-5);
  EXPECT_NEAR(sines[1], -0.815971, 1e-5);
  EXPECT_NEAR(sines[2], -0.816549, 1e-5);
}

} // namespace

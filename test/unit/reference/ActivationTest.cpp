// Activations: saturation, special values, one rounding. Cases B04 B06.
#include "test/unit/reference/Parse.h"

#include <cmath>

using namespace ampc::test;

namespace {

constexpr double kTiny = 0x1p-149; // smallest f32 subnormal

/// `%r = amp.OP %a TAIL` on elements of one type.
std::vector<double> apply(const std::string &op, const std::string &element,
                          const std::vector<double> &a,
                          const std::string &tail = "") {
  std::string type = "tensor<" + std::to_string(a.size()) + "x" + element + ">";
  return evaluate("%r = amp." + op + " %a " + tail + " : " + type, {{type, a}},
                  type);
}

TEST(Activation, ReluIsMaximumWithPlusZero) {
  EXPECT_TRUE(
      same(apply("relu", "f32", {-1, -0.0, 0.0, kTiny, kNaN, -kInf, kInf}),
           {0.0, 0.0, 0.0, kTiny, kNaN, 0.0, kInf}));
}

TEST(Activation, RsqrtOfSpecialValues) {
  EXPECT_TRUE(
      same(apply("rsqrt", "f32", {0.0, -0.0, -1, kInf, kNaN, 4, 0x1p-148}),
           {kInf, -kInf, kNaN, 0.0, kNaN, 0.5, 0x1p74}));
}

TEST(Activation, SigmoidNeverOverflows) {
  EXPECT_TRUE(same(apply("sigmoid", "f32",
                         {0.0, -0.0, kInf, -kInf, kNaN, 2, 100, -100, -104}),
                   {0.5, 0.5, 1, 0, kNaN, 0x1.c2f7d6p-1, 1, 0x1.bp-145, 0}));
}

TEST(Activation, SiluUnderflowsToMinusZero) {
  EXPECT_TRUE(
      same(apply("silu", "f32", {0.0, -0.0, kInf, -kInf, kNaN, 2, -100, -1e30}),
           {0.0, -0.0, kInf, -0.0, kNaN, 0x1.c2f7d6p+0, -0x1.4bep-138, -0.0}));
}

TEST(Activation, GeluSaturates) {
  for (const char *op : {"gelu none", "gelu tanh"})
    EXPECT_TRUE(
        same(apply(op, "f32", {0.0, -0.0, kInf, -kInf, kNaN, 1e30, -1e30}),
             {0.0, -0.0, kInf, -0.0, kNaN, 1e30f, -0.0}));
}

TEST(Activation, SoftplusOfSpecialValues) {
  EXPECT_TRUE(same(apply("softplus", "f32", {0, kInf, -kInf, kNaN, 21, -200},
                         "beta 1.0 threshold 20.0"),
                   {0x1.62e43p-1, kInf, 0, kNaN, 21, 0}));
  // beta 2 at 1: ln(1 + e^2) / 2; above the threshold the input itself.
  EXPECT_TRUE(same(apply("softplus", "f64", {1, 3}, "beta 2.0 threshold 5.0"),
                   {(2 + std::log1p(std::exp(-2.0))) / 2, 3}));
}

TEST(Activation, ClipKeepsNaNAndBounds) {
  std::vector<double> x{-2, -1, 0.25, 1, 2, kNaN, kInf, -kInf};
  EXPECT_TRUE(same(apply("clip", "f32", x, "min -1.0 max 1.0"),
                   {-1, -1, 0.25, 1, 1, kNaN, 1, -1}));
  EXPECT_TRUE(same(apply("clip", "f32", x, "min -1.0"),
                   {-1, -1, 0.25, 1, 2, kNaN, kInf, -1}));
  EXPECT_TRUE(same(apply("clip", "f32", x, "max 1.0"),
                   {-2, -1, 0.25, 1, 1, kNaN, 1, -kInf}));
  EXPECT_TRUE(same(apply("clip", "f32", {-0.0, 0.0}, "min 0.0"), {0.0, 0.0}));
  EXPECT_TRUE(same(apply("clip", "f32", x, "min 1.0 max -1.0"),
                   {-1, -1, -1, -1, -1, kNaN, -1, -1}))
      << "max where min is above it";
}

TEST(Activation, ClipBoundsBeyondTheFormat) {
  // 1e10 is no number of f8E4M3FN; as its constant it would be NaN.
  EXPECT_TRUE(
      same(apply("clip", "f8E4M3FN", {448, -448}, "max 1.0e10"), {448, -448}));
  EXPECT_TRUE(same(apply("clip", "f16", {kInf, 5}, "max 1.0e10"), {kInf, 5}));
}

TEST(Activation, ClipOfIntegers) {
  EXPECT_TRUE(
      same(apply("clip", "i32", {-5, 0, 7}, "min -1.0 max 3.0"), {-1, 0, 3}));
}

// B04: softplus in f16, where e^12 overflows.
TEST(Cases, B04SoftplusInHalf) {
  std::vector<double> x{5, 10, 11, 12, 88, 1000};
  // 5.00672 lies between 5.00390625 and 5.0078125; the others round to x.
  EXPECT_TRUE(same(apply("softplus", "f16", x, "beta 1.0 threshold 20.0"),
                   {5.0078125, 10, 11, 12, 88, 1000}));
}

// B06: the attribute selects the formula.
TEST(Cases, B06GeluForms) {
  std::vector<double> exact = apply("gelu none", "f32", {0.5, -2.5});
  std::vector<double> rational = apply("gelu tanh", "f32", {0.5, -2.5});
  ASSERT_EQ(exact.size(), 2u);
  ASSERT_EQ(rational.size(), 2u);
  EXPECT_NEAR(exact[0], 0.345731, 5e-7);
  EXPECT_NEAR(exact[1], -0.0155242, 5e-8);
  EXPECT_NEAR(rational[0], 0.345714, 5e-7);
  EXPECT_NEAR(rational[1], -0.0150843, 5e-8);
}

} // namespace

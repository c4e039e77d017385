// Gradients of elementwise math and activations against finite differences,
// away from kinks; at kinks and singular points by exact numbers (N15). Cases
// B04 F03.
#include "test/numerics/gradients/FiniteDifference.h"
#include "test/numerics/gradients/Shapes.h"

#include <cmath>

using namespace ampc::test;

namespace {

void checkUnary(const std::string &op, const Written &input, Numbers &numbers,
                const std::string &tail = "") {
  checkGradient("%r = amp." + op + " %a " + tail + " : " + input.type, {input},
                input.type, 1, numbers);
}

TEST(MapGradient, Functions) {
  Numbers numbers(20);
  for (const Shape &shape : shapes(numbers)) {
    for (const char *op : {"log", "rsqrt"})
      checkUnary(op, drawn(shape, numbers, 0.5, 4), numbers);
    checkUnary("log1p", drawn(shape, numbers, -0.5, 4), numbers);
    for (const char *op : {"tanh", "erf", "sin", "cos", "sigmoid", "silu",
                           "gelu none", "gelu tanh"})
      checkUnary(op, drawn(shape, numbers, -3, 3), numbers);
    checkUnary("abs", signedDrawn(shape, numbers, 0.25, 2), numbers);
  }
}

TEST(MapGradient, SoftplusOnBothSidesOfTheThreshold) {
  Numbers numbers(21);
  for (const Shape &shape : shapes(numbers)) {
    checkUnary("softplus", drawn(shape, numbers, -4, 4), numbers,
               "beta 1.5 threshold 20.0");
    checkUnary("softplus", drawn(shape, numbers, 3, 5), numbers,
               "beta 2.0 threshold 5.0");
  }
}

TEST(MapGradient, ClipInsideAndOutside) {
  Numbers numbers(22);
  for (const Shape &shape : shapes(numbers))
    for (const char *bounds : {"min -1.0 max 1.0", "min -1.0", "max 1.0"}) {
      Written x = drawn(shape, numbers, -0.75, 0.75);
      for (double &value : x.values) // some well outside
        value += 2 * static_cast<double>(numbers.integer(-1, 1));
      checkUnary("clip", x, numbers, bounds);
    }
}

TEST(MapGradient, PowOfBothOperands) {
  Numbers numbers(23);
  for (const Shape &shape : shapes(numbers)) {
    std::string type = typeText(shape, "f64");
    // The fifth derivative of the stencil's bound: at most 505 times the value.
    checkGradient(
        "%r = amp.pow %a, %b : " + type,
        {drawn(shape, numbers, 0.75, 2), drawn(shape, numbers, -1, 3)}, type, 2,
        numbers);
  }
}

TEST(MapGradient, RemainderBetweenSteps) {
  Numbers numbers(24);
  for (const Shape &shape : shapes(numbers)) {
    // Quotients a quarter or more from a whole number.
    Written b = signedDrawn(shape, numbers, 1, 2), a = b;
    for (double &value : a.values)
      value *= static_cast<double>(numbers.integer(-2, 2)) + 0.5 +
               numbers.between(-0.25, 0.25);
    checkGradient("%r = amp.remainder %a, %b : " + b.type, {a, b}, b.type, 2,
                  numbers);
  }
}

TEST(MapGradient, StepsPassNothing) {
  for (const char *op : {"sign", "floor", "detach"})
    EXPECT_TRUE(sameLists(unaryGradient(op, {0.5, -2}, {3, 3}), {}));
  EXPECT_TRUE(
      sameLists(gradientsOf("%r = amp.floor_div %a, %b : tensor<1xf32>",
                            {{"tensor<1xf32>", {7}}, {"tensor<1xf32>", {2}}},
                            "tensor<1xf32>", {1}),
                {}));
}

TEST(MapConvention, AbsAtZeroIsZero) {
  EXPECT_TRUE(
      sameLists(unaryGradient("abs", {0.0, -0.0, -0x1p-149, 2, kNaN, kNaN},
                              {3, 3, 3, 3, 3, 0}),
                {{0.0, -0.0, -3, 3, kNaN, 0}}));
}

TEST(MapConvention, ClipIsOneOnTheClosedInterval) {
  EXPECT_TRUE(sameLists(unaryGradient("clip", {-1, 1, -1.5, 1.5, 0, kNaN},
                                      {3, 3, 3, 3, 3, 3}, "min -1.0 max 1.0"),
                        {{3, 3, 0, 0, 3, 0}}));
  EXPECT_TRUE(sameLists(
      unaryGradient("clip", {-1, 0, 1}, {3, 3, 3}, "min 1.0 max -1.0"),
      {{0, 0, 0}}))
      << "an interval that holds nothing";
}

TEST(MapConvention, PowAtSingularPoints) {
  auto pow = [](const std::vector<double> &x, const std::vector<double> &p) {
    std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
    return gradientsOf("%r = amp.pow %a, %b : " + type, {{type, x}, {type, p}},
                       type, std::vector<double>(x.size(), 1.0));
  };
  // x^2 at -3 is -6; x^0 has no slope anywhere, x^1 at 0 has slope 1.
  EXPECT_TRUE(
      sameLists(pow({-3, 0, 5, 0, 0, -0.0}, {2, 0, 0, 1, 2, 2}),
                {{-6, 0, 0, 1, 0, -0.0}, {kNaN, 0, 0x1.9c042p+0, 0, 0, 0}}));
}

TEST(MapConvention, SaturatedActivationsHaveFiniteGradients) {
  std::vector<double> x{1e30, -1e30, kInf, -kInf}, ones(4, 1.0);
  for (const char *op : {"sigmoid", "tanh", "erf"})
    EXPECT_TRUE(sameLists(unaryGradient(op, x, ones), {{0, 0, 0, 0}}));
  for (const char *op : {"silu", "gelu none", "gelu tanh"})
    EXPECT_TRUE(sameLists(unaryGradient(op, x, ones), {{1, 0, 1, 0}}));
  EXPECT_TRUE(
      sameLists(unaryGradient("softplus", x, ones, "beta 1.0 threshold 20.0"),
                {{1, 0, 1, 0}}));
}

// B04: the gradient of softplus in f16 is the sigmoid, finite everywhere.
TEST(Cases, B04SoftplusGradientInHalf) {
  std::vector<double> x{5, 10, 11, 12, 88, 1000, -12}, ones(7, 1.0);
  Lists gradients = gradientsOf(
      "%r = amp.softplus %a beta 1.0 threshold 20.0 : tensor<7xf16>",
      {{"tensor<7xf16>", x}}, "tensor<7xf16>", ones);
  ASSERT_EQ(gradients.size(), 1u);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(gradients[0][i], 1 / (1 + std::exp(-x[i])), 0x1p-11);
}

// F03: where(x > 2, log2 x, 2x) at 0, 2, 3; log2 is log times a constant.
TEST(Cases, F03UntakenLogarithm) {
  Lists gradients = gradientsOf(
      R"(%two = amp.constant dense<2.0> : tensor<3xf32>
         %c = amp.constant dense<1.4426950408889634> : tensor<3xf32>
         %l = amp.log %a : tensor<3xf32>
         %y = amp.mul %l, %c : tensor<3xf32>
         %double = amp.mul %two, %a : tensor<3xf32>
         %p = amp.compare gt %a, %two : tensor<3xf32>
         %r = amp.select %p, %y, %double : tensor<3xf32>)",
      {{"tensor<3xf32>", {0, 2, 3}}}, "tensor<3xf32>", {1, 1, 1});
  ASSERT_EQ(gradients.size(), 1u);
  EXPECT_EQ(gradients[0][0], 2);
  EXPECT_EQ(gradients[0][1], 2);
  EXPECT_NEAR(gradients[0][2], 0.480898, 1e-6);
}

// No untaken side gives 0 * inf: the derivative of each op at its worst point.
TEST(Cases, F03UntakenFunctions) {
  for (const auto &[op, x] :
       std::vector<std::pair<std::string, double>>{{"log", 0},
                                                   {"log1p", -1},
                                                   {"rsqrt", 0},
                                                   {"sin", kInf},
                                                   {"cos", kInf},
                                                   {"tanh", kNaN},
                                                   {"erf", kNaN},
                                                   {"sigmoid", kNaN},
                                                   {"silu", kNaN},
                                                   {"gelu none", kNaN},
                                                   {"gelu tanh", kNaN},
                                                   {"abs", kNaN}})
    EXPECT_TRUE(sameLists(unaryGradient(op, {x}, {0}), {{0}})) << op;
}

} // namespace

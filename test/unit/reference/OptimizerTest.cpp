// Optimizer updates against torch's formulas worked by hand; case D03.
#include "test/unit/reference/Parse.h"

#include <cmath>

using namespace mlir;
using namespace ampc::test;
using ampc::reference::Tensor;

namespace {

/// All results of one update of scalar-like tensors of type tensor<1xf32>.
std::vector<double> update(const std::string &operation, int resultCount,
                           const std::vector<double> &tensors, double step,
                           double lr) {
  std::string text = "func.func @f(", results;
  for (size_t i = 0; i < tensors.size(); ++i)
    text += "%x" + std::to_string(i) + ": tensor<1xf32>, ";
  for (int i = 0; i < resultCount; ++i)
    results += std::string(i ? ", " : "") + "tensor<1xf32>";
  text += "%t: tensor<i64>, %lr: tensor<f32>) -> (" + results +
          ") {\n%r:" + std::to_string(resultCount) + " = " + operation +
          "\nreturn ";
  for (int i = 0; i < resultCount; ++i)
    text += std::string(i ? ", " : "") + "%r#" + std::to_string(i);
  text += " : " + results + "\n}";
  Program program(text);
  SmallVector<Tensor> arguments;
  for (double value : tensors)
    arguments.push_back(program.tensor({"tensor<1xf32>", {value}}));
  arguments.push_back(program.tensor({"tensor<i64>", {step}}));
  arguments.push_back(program.tensor({"tensor<f32>", {lr}}));
  FailureOr<SmallVector<Tensor>> values = program.run("f", arguments);
  EXPECT_TRUE(succeeded(values)) << program.errors();
  std::vector<double> numbers;
  if (succeeded(values))
    for (const Tensor &value : *values)
      numbers.push_back(value.number(0));
  return numbers;
}

TEST(Sgd, Plain) {
  std::string op = "amp.sgd %x0, %x1 update %t lr %lr {momentum = 0.0 : f64} : "
                   "tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>";
  EXPECT_TRUE(same(update(op, 1, {1, 0.5}, 0, 0.25), {0.875}));
}

TEST(Sgd, WeightDecayAddsToTheGradient) {
  std::string op =
      "amp.sgd %x0, %x1 update %t lr %lr {weight_decay = 0.5 : f64} : "
      "tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>";
  EXPECT_TRUE(same(update(op, 1, {2, 0.5}, 0, 0.25), {2 - 0.25 * 1.5}));
}

TEST(Sgd, MomentumStartsWithTheGradient) {
  std::string op = "amp.sgd %x0, %x1 state %x2 update %t lr %lr {momentum = "
                   "0.5 : f64, dampening = "
                   "0.25 : f64} : tensor<1xf32>, tensor<1xf32>, tensor<1xf32> "
                   "-> tensor<1xf32>, "
                   "tensor<1xf32>";
  EXPECT_TRUE(same(update(op, 2, {1, 2, 100}, 0, 0.25),
                   {0.5, 2})); // b = d, dampening ignored
  EXPECT_TRUE(same(update(op, 2, {1, 2, 4}, 1, 0.25),
                   {1 - 0.25 * 3.5, 3.5})); // 0.5*4 + 0.75*2
}

TEST(Sgd, Nesterov) {
  std::string op = "amp.sgd %x0, %x1 state %x2 update %t lr %lr {momentum = "
                   "0.5 : f64, nesterov} : "
                   "tensor<1xf32>, tensor<1xf32>, tensor<1xf32> -> "
                   "tensor<1xf32>, tensor<1xf32>";
  // b = 0.5*4 + 2 = 4; d = 2 + 0.5*4 = 4
  EXPECT_TRUE(same(update(op, 2, {1, 2, 4}, 1, 0.25), {0, 4}));
}

TEST(Adam, FirstStepMovesByTheRate) {
  std::string op = "amp.adam %x0, %x1 state %x2, %x3 update %t lr %lr {beta1 = "
                   "0.5 : f64, beta2 = "
                   "0.75 : f64, eps = 0.0 : f64} : tensor<1xf32>";
  // m = 0.5 g, v = 0.25 g^2, c1 = 0.5, c2 = 0.25: the step is lr * sign(g).
  EXPECT_TRUE(same(update(op, 3, {1, 4, 0, 0}, 0, 0.125), {0.875, 2, 4}));
  EXPECT_TRUE(same(update(op, 3, {1, -4, 0, 0}, 0, 0.125), {1.125, -2, 4}));
}

TEST(Adam, SecondStepByHand) {
  std::string op = "amp.adam %x0, %x1 state %x2, %x3 update %t lr %lr {beta1 = "
                   "0.5 : f64, beta2 = "
                   "0.75 : f64, eps = 0.5 : f64} : tensor<1xf32>";
  // t = 2: m = 1 + (3 - 1) / 2 = 2, v = 4 * 0.75 + 0.25 * 9 = 5.25, c1 = 0.75,
  // c2 = 0.4375.
  double expected = 1 - (0.125 / 0.75) * (2 / (std::sqrt(5.25 / 0.4375) + 0.5));
  std::vector<double> values = update(op, 3, {1, 3, 1, 4}, 1, 0.125);
  EXPECT_EQ(values[0], static_cast<float>(expected));
  EXPECT_EQ(values[1], 2);
  EXPECT_EQ(values[2], 5.25);
}

TEST(Adam, WeightDecayCoupledAndDecoupled) {
  std::string head = "amp.adam %x0, %x1 state %x2, %x3 update %t lr %lr {beta1 "
                     "= 0.0 : f64, beta2 = "
                     "0.0 : f64, eps = 0.0 : f64, weight_decay = 0.5 : f64";
  // Coupled: g = 1 + 0.5 * 2 = 2 and the step is lr. Decoupled: p = 2 - 0.25 *
  // 0.5 * 2 first.
  EXPECT_TRUE(same(update(head + "} : tensor<1xf32>", 3, {2, 1, 0, 0}, 0, 0.25),
                   {1.75, 2, 4}));
  EXPECT_TRUE(same(
      update(head + ", decoupled} : tensor<1xf32>", 3, {2, 1, 0, 0}, 0, 0.25),
      {1.5, 1, 1}));
}

TEST(Adam, ZeroGradientWithEpsLeavesTheParameter) {
  std::string op =
      "amp.adam %x0, %x1 state %x2, %x3 update %t lr %lr : tensor<1xf32>";
  EXPECT_TRUE(same(update(op, 3, {1, 0, 0, 0}, 0, 0.125), {1, 0, 0}));
}

// D03: counters and betas stay wide, so 1000 steps of a constant gradient move
// 1 to 0.
TEST(Cases, D03AdamThousandSteps) {
  Program program(R"(
    amp.variable @w : tensor<1xf32> role parameter init ones
    amp.variable @m : tensor<1xf32> role moment init zeros
    amp.variable @v : tensor<1xf32> role moment init zeros
    amp.variable @t : tensor<i64> role counter init zeros
    func.func @step(%g: tensor<1xf32>, %lr: tensor<f32>) {
      %w = amp.read @w : tensor<1xf32>
      %m = amp.read @m : tensor<1xf32>
      %v = amp.read @v : tensor<1xf32>
      %t = amp.read @t : tensor<i64>
      %w1, %m1, %v1 = amp.adam %w, %g state %m, %v update %t lr %lr : tensor<1xf32>
      %one = amp.constant dense<1> : tensor<i64>
      %t1 = amp.add %t, %one : tensor<i64>
      amp.write @w, %w1 : tensor<1xf32>
      amp.write @m, %m1 : tensor<1xf32>
      amp.write @v, %v1 : tensor<1xf32>
      amp.write @t, %t1 : tensor<i64>
      return
    })");
  SmallVector<Tensor> arguments{program.tensor({"tensor<1xf32>", {0.1}}),
                                program.tensor({"tensor<f32>", {1e-3}})};
  for (int step = 0; step < 1000; ++step)
    ASSERT_TRUE(succeeded(program.run("step", arguments))) << program.errors();
  EXPECT_NEAR(program.variables().find("w")->number(0), 0, 1e-3);
  EXPECT_EQ(program.variables().find("t")->number(0), 1000);
}

} // namespace

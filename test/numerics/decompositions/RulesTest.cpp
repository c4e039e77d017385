// The error rules of functions, steps, movement and lookups, by hand.
#include "test/numerics/Graph.h"
#include "test/numerics/RunningError.h"

#include <cmath>

using namespace mlir;
using namespace ampc::test;

namespace {

/// A tensor with one error an element.
struct Operand {
  Written written;
  std::vector<double> errors;
};

/// The errors of `%r = OP` on %a, %b, ...
std::vector<double> errorsOf(const std::string &op,
                             const std::vector<Operand> &operands,
                             const std::string &result) {
  std::string text = "func.func @f(", types;
  for (size_t i = 0; i < operands.size(); ++i) {
    text += std::string(i ? ", " : "") + "%" + static_cast<char>('a' + i) +
            ": " + operands[i].written.type;
    types += (i ? ", " : "") + operands[i].written.type;
  }
  Program program(text + ") -> " + result + " {\n%r = " + op +
                  "\nreturn %r : " + result + "\n}");
  SmallVector<Bounded> arguments;
  for (const Operand &operand : operands) {
    Bounded argument(program.tensor(operand.written));
    argument.error = operand.errors;
    arguments.push_back(argument);
  }
  BoundedVariables variables;
  FailureOr<SmallVector<Bounded>> results =
      runBounded(program.function("f"), arguments, variables);
  EXPECT_TRUE(succeeded(results)) << program.errors();
  return succeeded(results) ? (*results)[0].error : std::vector<double>();
}

Operand scalar(double value, double error) {
  return {{"tensor<f32>", {value}}, {error}};
}
double unary(const std::string &op, double value, double error) {
  return errorsOf("amp." + op + " %a : tensor<f32>", {scalar(value, error)},
                  "tensor<f32>")
      .at(0);
}
double binary(const std::string &op, Operand a, Operand b) {
  return errorsOf("amp." + op + " %a, %b : tensor<f32>", {a, b}, "tensor<f32>")
      .at(0);
}

TEST(ErrorRule, FunctionsReachOverTheInterval) {
  double ulp = 0x1p-23; // of [1, 2)
  EXPECT_NEAR(unary("log", 2, 1), std::log(2.0), 4 * ulp);
  EXPECT_EQ(unary("log", 1, 2), kInf);
  EXPECT_EQ(unary("log1p", 0, 1.5), kInf);
  EXPECT_NEAR(unary("tanh", 0, 1), std::tanh(1.0), 4 * ulp);
  EXPECT_NEAR(unary("erf", 0, 1), std::erf(1.0), 4 * ulp);
  EXPECT_NEAR(unary("sin", 0, 0.25), 0.25, 8 * ulp);
  EXPECT_LE(unary("cos", 0, 100), 2 + 16 * ulp);
  EXPECT_GE(unary("tanh", 0.5, 0), ulp);
  EXPECT_EQ(unary("log", 0, 0), 0);
}

TEST(ErrorRule, PowersOfUnsureOperands) {
  EXPECT_NEAR(binary("pow", scalar(2, 1), scalar(2, 0)), 5, 1e-5);
  EXPECT_NEAR(binary("pow", scalar(0, 1), scalar(2, 0)), 1, 1e-5);
  EXPECT_EQ(binary("pow", scalar(0, 1), scalar(-1, 0)), kInf);
  EXPECT_EQ(binary("pow", scalar(1, 2), scalar(0.5, 0)), kInf);
}

TEST(ErrorRule, StepsAreSureAwayFromTheirEdges) {
  EXPECT_EQ(unary("floor", 2.5, 0.25), 0);
  EXPECT_EQ(unary("floor", 2.5, 0.75), 1);
  EXPECT_EQ(unary("sign", 1, 0.5), 0);
  EXPECT_EQ(unary("sign", 1, 1.5), 2);
  EXPECT_EQ(unary("abs", -1, 0.5), 0.5);
  EXPECT_EQ(binary("floor_div", scalar(7, 0.5), scalar(2, 0)), 0);
  EXPECT_EQ(binary("floor_div", scalar(7, 1.5), scalar(2, 0)), 1);
  EXPECT_EQ(binary("floor_div", scalar(7, 0), scalar(0.5, 0.5)), kInf);
  EXPECT_EQ(binary("remainder", scalar(7, 0), scalar(2, 0)), 0);
  EXPECT_NEAR(binary("remainder", scalar(7, 0.5), scalar(2, 0)), 0.5, 1e-5);
  EXPECT_NEAR(binary("remainder", scalar(7, 1.5), scalar(2, 0)), 2, 1e-5);
}

TEST(ErrorRule, TruthIsSureWhereOneOperandDecides) {
  Operand unsure{{"tensor<2xi1>", {0, 1}}, {1, 1}};
  Operand sure{{"tensor<2xi1>", {0, 1}}, {0, 0}};
  auto errors = [&](const std::string &op) {
    return errorsOf("amp." + op + " %a, %b : tensor<2xi1>", {unsure, sure},
                    "tensor<2xi1>");
  };
  EXPECT_EQ(errors("and"), (std::vector<double>{0, 1}));
  EXPECT_EQ(errors("or"), (std::vector<double>{1, 0}));
  EXPECT_EQ(errors("xor"), (std::vector<double>{1, 1}));
}

TEST(ErrorRule, ErrorsMoveWithElements) {
  Operand x{{"tensor<3xf32>", {1, 2, 3}}, {0.1, 0.2, 0.3}};
  Operand index{{"tensor<2xi32>", {2, 7}}, {0, 0}};
  EXPECT_EQ(errorsOf("amp.slice %a starts [0] steps [2] : tensor<3xf32> -> "
                     "tensor<2xf32>",
                     {x}, "tensor<2xf32>"),
            (std::vector<double>{0.1, 0.3}));
  EXPECT_EQ(errorsOf("amp.pad %a low [1] high [0] interior [0] value 9.0 : "
                     "tensor<3xf32> -> tensor<4xf32>",
                     {x}, "tensor<4xf32>"),
            (std::vector<double>{0, 0.1, 0.2, 0.3}));
  std::string take = "amp.take %a, %b axis 0 : tensor<3xf32>, tensor<2xi32> "
                     "-> tensor<2xf32>";
  EXPECT_EQ(errorsOf(take, {x, index}, "tensor<2xf32>"),
            (std::vector<double>{0.3, 0}));
  index.errors = {1, 0};
  EXPECT_EQ(errorsOf(take, {x, index}, "tensor<2xf32>"),
            (std::vector<double>{kInf, kInf}));
}

TEST(ErrorRule, ScatteredSumsRoundEachAddition) {
  Operand index{{"tensor<3xi32>", {0, 0, 1}}, {0, 0, 0}};
  Operand updates{{"tensor<3xf32>", {1, 0.1, 0.3}}, {0, 0, 0}};
  std::vector<double> errors = errorsOf(
      "amp.scatter_rows %a, %b axis 0 : tensor<3xi32>, tensor<3xf32> -> "
      "tensor<3xf32>",
      {index, updates}, "tensor<3xf32>");
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_GT(errors[0], 0x1p-24);
  EXPECT_LT(errors[0], 0x1p-21);
  EXPECT_EQ(errors[1], 0); // one term
  EXPECT_EQ(errors[2], 0); // none
}

} // namespace

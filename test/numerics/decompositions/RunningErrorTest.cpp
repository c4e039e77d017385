// The running error analysis: single rules by hand, and a training step whose
// f32 execution must stay within the composed bound, and a faulty one not.
#include "test/numerics/RunningError.h"

#include "test/numerics/Bounds.h"
#include "test/numerics/Compare.h"
#include "test/numerics/Graph.h"
#include "test/numerics/decompositions/FloatExecution.h"

using namespace mlir;
using namespace ampc::test;
using ampc::reference::Tensor;

namespace {

/// The error of `%r = OP` on f32 scalars with the given values and errors.
double errorOf(const std::string &body,
               const std::vector<std::pair<double, double>> &operands,
               const std::string &result = "tensor<f32>") {
  std::string text = "func.func @f(";
  for (size_t i = 0; i < operands.size(); ++i)
    text += std::string(i ? ", " : "") + "%" + static_cast<char>('a' + i) +
            ": tensor<f32>";
  Program program(text + ") -> " + result + " {\n" + body +
                  "\nreturn %r : " + result + "\n}");
  SmallVector<Bounded> arguments;
  for (auto [value, error] : operands) {
    Bounded argument(program.tensor({"tensor<f32>", {value}}));
    argument.error = {error};
    arguments.push_back(argument);
  }
  BoundedVariables variables;
  FailureOr<SmallVector<Bounded>> results =
      runBounded(program.function("f"), arguments, variables);
  EXPECT_TRUE(succeeded(results)) << program.errors();
  return succeeded(results) ? (*results)[0].error[0] : -1;
}

TEST(ErrorRule, ExactOperandsOfRoundedOpsHaveOneValue) {
  for (const char *op : {"add", "sub", "mul", "div", "maximum"})
    EXPECT_EQ(errorOf("%r = amp." + std::string(op) + " %a, %b : tensor<f32>",
                      {{0.1, 0}, {0.3, 0}}),
              0);
}

TEST(ErrorRule, Propagation) {
  double half = 0x1p-24; // half a unit in the last place of [1, 2)
  EXPECT_NEAR(
      errorOf("%r = amp.add %a, %b : tensor<f32>", {{1, 0.01}, {2, 0.02}}),
      0.03, 8 * half);
  EXPECT_NEAR(
      errorOf("%r = amp.mul %a, %b : tensor<f32>", {{3, 0.1}, {2, 0.2}}),
      0.2 + 0.6 + 0.02, 16 * half);
  EXPECT_NEAR(
      errorOf("%r = amp.div %a, %b : tensor<f32>", {{3, 0.1}, {2, 0.5}}),
      (0.1 + 1.5 * 0.5) / 1.5, 16 * half);
  EXPECT_EQ(errorOf("%r = amp.div %a, %b : tensor<f32>", {{3, 0}, {0.5, 0.5}}),
            kInf);
  EXPECT_NEAR(errorOf("%r = amp.sqrt %a : tensor<f32>", {{4, 3}}), 1, 8 * half);
  EXPECT_EQ(errorOf("%r = amp.sqrt %a : tensor<f32>", {{1, 2}}), kInf);
  EXPECT_EQ(errorOf("%r = amp.neg %a : tensor<f32>", {{1, 0.25}}), 0.25);
  EXPECT_GE(errorOf("%r = amp.exp %a : tensor<f32>", {{0, 0}}), 2 * 0x1p-23);
}

TEST(ErrorRule, KinksAndComparisons) {
  EXPECT_EQ(errorOf("%r = amp.relu %a : tensor<f32>", {{-1, 0.5}}), 0);
  EXPECT_EQ(errorOf("%r = amp.relu %a : tensor<f32>", {{-1, 1.5}}), 0.5);
  EXPECT_EQ(errorOf("%r = amp.relu %a : tensor<f32>", {{1, 0.5}}), 0.5);
  std::string choose = "%p = amp.compare gt %a, %b : tensor<f32>\n"
                       "%r = amp.select %p, %c, %d : tensor<f32>";
  EXPECT_EQ(errorOf(choose, {{2, 0.4}, {1, 0.5}, {5, 0.25}, {9, 0}}), 0.25);
  EXPECT_EQ(errorOf(choose, {{2, 0.5}, {1, 0.5}, {5, 0.25}, {9, 0}}), 4);
  EXPECT_EQ(errorOf(choose, {{1, 0}, {1, 0}, {5, 0}, {9, 0}}), 0);
}

TEST(ErrorRule, UnknownOpsAreErrors) {
  Program program(R"(func.func @f(%a: tensor<1xf32>) -> tensor<1xf32> {
    %r = builtin.unrealized_conversion_cast %a : tensor<1xf32> to tensor<1xf32>
    return %r : tensor<1xf32>
  })");
  BoundedVariables variables;
  EXPECT_TRUE(failed(runBounded(
      program.function("f"), {Bounded(program.tensor({"tensor<1xf32>", {1}}))},
      variables)));
}

/// One training step of a two-layer network with Adam, as an entry: reads every
/// variable, writes every new one, returns the loss.
constexpr const char *kForward = R"(
  func.func @f(%x: tensor<16x48xf32>, %y: tensor<16x48xf32>, %w1: tensor<96x48xf32>, %b1: tensor<96xf32>, %w2: tensor<48x96xf32>, %b2: tensor<48xf32>) -> tensor<f32> {
    %h = amp.linear %x, %w1, %b1 accumulate f32 : tensor<16x48xf32>, tensor<96x48xf32>, tensor<96xf32> -> tensor<16x96xf32>
    %a = amp.relu %h : tensor<16x96xf32>
    %o = amp.linear %a, %w2, %b2 accumulate f32 : tensor<16x96xf32>, tensor<48x96xf32>, tensor<48xf32> -> tensor<16x48xf32>
    %l = amp.mse mean %o, %y : tensor<16x48xf32> -> tensor<f32>
    return %l : tensor<f32>
  })";

class StepTest : public testing::Test {
protected:
  Program program{kForward};
  Numbers numbers{7};
  SmallVector<Tensor> arguments;

  void SetUp() override {
    ASSERT_TRUE(succeeded(addGradient(program))) << program.errors();
    ASSERT_TRUE(succeeded(decomposeAll(program.function("gradient"))));
    for (auto [shape, scale] :
         std::vector<std::pair<std::string, double>>{{"16x48", 1},
                                                     {"16x48", 1},
                                                     {"96x48", 0.14},
                                                     {"96", 0.14},
                                                     {"48x96", 0.1},
                                                     {"48", 0.1}}) {
      Tensor tensor(program.type("tensor<" + shape + "xf32>"));
      for (double &value : tensor.floats())
        value = ampc::reference::roundTo(scale * (2 * numbers.unit() - 1),
                                         tensor.elementType());
      arguments.push_back(tensor);
    }
    arguments.push_back(program.tensor({"tensor<f32>", {1}}));
  }

  SmallVector<Bounded> bounds() {
    SmallVector<Bounded> exact;
    for (const Tensor &argument : arguments)
      exact.push_back(Bounded(argument));
    BoundedVariables none;
    FailureOr<SmallVector<Bounded>> results =
        runBounded(program.function("gradient"), exact, none);
    EXPECT_TRUE(succeeded(results)) << program.errors();
    return succeeded(results) ? *results : SmallVector<Bounded>();
  }

  SmallVector<Tensor> inFloats() {
    ampc::reference::Variables none;
    FailureOr<SmallVector<Tensor>> results =
        runInFloats(program.function("gradient"), arguments, none);
    EXPECT_TRUE(succeeded(results)) << program.errors();
    return succeeded(results) ? *results : SmallVector<Tensor>();
  }
};

TEST_F(StepTest, AConformingExecutionStaysWithin) {
  SmallVector<Bounded> bounded = bounds();
  SmallVector<Tensor> values = inFloats();
  ASSERT_EQ(bounded.size(), 6u);
  ASSERT_EQ(values.size(), 6u);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_TRUE(within("gradient " + std::to_string(i), values[i],
                       bounded[i].value, bounded[i].error));
    // The bound says something: it is small beside the gradient.
    double largestBound = 0, largestValue = 0;
    for (int64_t j = 0; j < values[i].size(); ++j) {
      largestBound = std::max(largestBound, bounded[i].error[j]);
      largestValue = std::max(largestValue, std::fabs(values[i].number(j)));
    }
    EXPECT_LT(largestBound, 1e-3 * largestValue);
  }
}

TEST_F(StepTest, AFaultIsBeyondTheBound) {
  // Faults of the kinds that happen: a dropped row, a bf16 operand, a bias
  // gradient off by one row.
  SmallVector<Bounded> bounded = bounds();
  Tensor saved = arguments[0];
  for (int64_t j = 0; j < 48; ++j)
    arguments[0].floats()[j] = 0;
  EXPECT_FALSE(
      within("dropped row", inFloats()[2], bounded[2].value, bounded[2].error));
  arguments[0] = saved;
  Type bf16 = BFloat16Type::get(&program.context());
  for (double &value : arguments[2].floats())
    value = ampc::reference::roundTo(value, bf16);
  EXPECT_FALSE(
      within("bf16 weight", inFloats()[5], bounded[5].value, bounded[5].error));
}

} // namespace

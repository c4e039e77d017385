// Each composite against its decomposition, within the bound that the running
// error analysis derives.
#include "test/numerics/Bounds.h"
#include "test/numerics/Compare.h"
#include "test/numerics/RunningError.h"
#include "test/numerics/decompositions/Composite.h"

using namespace mlir;
using namespace ampc::test;
using ampc::reference::Tensor;

namespace {

TEST(Decomposition, Relu) {
  Numbers numbers(1);
  for (const char *element : {"f64", "f32", "f16", "bf16"})
    for (const Shape &shape : std::vector<Shape>{{}, {7}, {2, 3}, {0}}) {
      Written x = drawn(shape, element, numbers);
      checkComposite(makeComposite("amp.relu %a : " + x.type, {x}, {x.type}),
                     2);
    }
  for (double special : {-0.0, kNaN, kInf, -kInf}) {
    Written x{"tensor<f32>", {special}};
    checkComposite(makeComposite("amp.relu %a : " + x.type, {x}, {x.type}), 2);
  }
}

TEST(Decomposition, Linear) {
  Numbers numbers(2);
  for (const char *element : {"f64", "f32", "f16", "bf16"})
    for (const Shape &rows :
         std::vector<Shape>{{}, {1}, {5}, {0}, {2, 3}, {2, 0, 1}})
      for (bool hasBias : {false, true})
        for (int64_t in : {0, 1, 40}) {
          Shape input(rows), output(rows);
          input.push_back(in);
          output.push_back(3);
          std::vector<Written> operands{drawn(input, element, numbers),
                                        drawn({3, in}, element, numbers)};
          if (hasBias)
            operands.push_back(drawn({3}, element, numbers));
          std::string types = operands[0].type + ", " + operands[1].type +
                              (hasBias ? ", " + operands[2].type : "");
          std::string accumulation =
              std::string(element) == "f64" ? "f64" : "f32";
          std::string result = typeText(output, element);
          checkComposite(makeComposite("amp.linear %a, %b" +
                                           std::string(hasBias ? ", %c" : "") +
                                           " accumulate " + accumulation +
                                           " : " + types + " -> " + result,
                                       operands, {result}),
                         2 + 4 * static_cast<double>(in));
        }
}

// By powers of two: the product is exact, and there is one rounding.
TEST(Decomposition, ScaledCast) {
  Numbers numbers(7);
  for (const char *wide : {"f64", "f32", "f16", "bf16"})
    for (const char *narrow : {"f8E4M3FN", "f8E5M2"})
      for (const char *scale : {"16.0", "0.125"}) {
        Written x = drawn({5, 8}, wide, numbers);
        std::string small = typeText(Shape{5, 8}, narrow);
        checkComposite(makeComposite("amp.scaled_cast %a scale " +
                                         std::string(scale) + " : " + x.type +
                                         " -> " + small,
                                     {x}, {small}),
                       2);
        Written y = drawn({5, 8}, narrow, numbers);
        checkComposite(makeComposite("amp.scaled_cast %a scale " +
                                         std::string(scale) + " : " + y.type +
                                         " -> " + x.type,
                                     {y}, {x.type}),
                       2);
      }
}

TEST(Decomposition, Mse) {
  Numbers numbers(3);
  for (const char *element : {"f64", "f32", "f16", "bf16"})
    for (const Shape &shape :
         std::vector<Shape>{{}, {1}, {5}, {3, 4}, {100}, {9, 40}, {0, 2}})
      for (const char *reduction : {"none", "sum", "mean"}) {
        int64_t count = ampc::amp::elementCount(shape);
        Written x = drawn(shape, element, numbers),
                y = drawn(shape, element, numbers);
        std::string wide = std::string(element) == "f64" ? "f64" : "f32";
        std::string result = reduction[0] == 'n' ? typeText(shape, wide)
                                                 : typeText(Shape{}, wide);
        if (reduction[0] == 'm' && count == 0)
          continue; // NaN in both, which the structure tests check
        checkComposite(makeComposite("amp.mse " + std::string(reduction) +
                                         " %a, %b : " + x.type + " -> " +
                                         result,
                                     {x, y}, {result}),
                       16 * static_cast<double>(count));
      }
}

TEST(Decomposition, Sgd) {
  Numbers numbers(4);
  for (const char *attributes :
       {"{}", "{weight_decay = 0.01 : f64}", "{momentum = 0.9 : f64}",
        "{momentum = 0.9 : f64, dampening = 0.1 : f64, weight_decay = 0.3 : "
        "f64}",
        "{momentum = 0.9 : f64, nesterov}"})
    for (double step : {0.0, 1.0, 12345.0})
      for (const Shape &shape : std::vector<Shape>{{}, {9}, {2, 3}, {0}}) {
        bool hasState =
            std::string(attributes).find("momentum") != std::string::npos;
        std::vector<Written> operands{drawn(shape, "f32", numbers),
                                      drawn(shape, "f32", numbers)};
        std::string type = typeText(shape, "f32");
        if (hasState)
          operands.push_back(drawn(shape, "f32", numbers));
        operands.push_back({"tensor<i64>", {step}});
        operands.push_back({"tensor<f32>", {0.03}});
        std::string text = hasState ? "amp.sgd %a, %b state %c update %d lr %e "
                                    : "amp.sgd %a, %b update %c lr %d ";
        text += std::string(attributes) + " : " + type + ", " + type +
                (hasState ? ", " + type : "") + " -> " + type +
                (hasState ? ", " + type : "");
        std::vector<std::string> results(hasState ? 2 : 1, type);
        checkComposite(makeComposite(text, operands, results), 8);
      }
}

/// amp.adam has a rule of its own: the decomposed values against its bound.
void checkAdam(const std::string &attributes, double step, const Shape &shape,
               Numbers &numbers) {
  std::string type = typeText(shape, "f32");
  std::vector<Written> operands{drawn(shape, "f32", numbers),
                                drawn(shape, "f32", numbers),
                                drawn(shape, "f32", numbers, -0.125, 0.125),
                                drawn(shape, "f32", numbers, 0.5, 4)};
  operands.push_back({"tensor<i64>", {step}});
  operands.push_back({"tensor<f32>", {0.001}});
  Program program(
      makeComposite("amp.adam %a, %b state %c, %d update %e lr %f " +
                        attributes + " : " + type,
                    operands, {type, type, type})
          .text);
  ASSERT_TRUE(program.function("f")) << program.errors();
  ASSERT_TRUE(succeeded(addDecomposed(program))) << program.errors();
  SmallVector<Tensor> arguments;
  SmallVector<Bounded> bounded;
  for (const Written &operand : operands) {
    arguments.push_back(program.tensor(operand));
    bounded.push_back(Bounded(arguments.back()));
  }
  BoundedVariables variables;
  FailureOr<SmallVector<Bounded>> bounds =
      runBounded(program.function("f"), bounded, variables);
  FailureOr<SmallVector<Tensor>> primitive =
      program.run("decomposed", arguments);
  ASSERT_TRUE(succeeded(bounds) && succeeded(primitive)) << program.errors();
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(within(attributes, (*primitive)[i], (*bounds)[i].value,
                       (*bounds)[i].error));
    // The bound is a few units in the last place of what an update reads.
    for (int64_t j = 0; j < (*primitive)[i].size(); ++j)
      EXPECT_LT((*bounds)[i].error[j],
                32 * roundingBound(4, (*primitive)[i].elementType()));
  }
}

TEST(Decomposition, Adam) {
  Numbers numbers(5);
  for (const char *attributes :
       {"{}", "{weight_decay = 0.1 : f64}",
        "{weight_decay = 0.1 : f64, decoupled}", "{beta1 = 0.0 : f64}",
        "{beta1 = 0.5 : f64, beta2 = 0.9 : f64, eps = 1.0e-3 : f64}"})
    for (double step : {0.0, 1.0, 999.0, 1000000.0})
      for (const Shape &shape : std::vector<Shape>{{}, {9}, {2, 3}, {0}})
        checkAdam(attributes, step, shape, numbers);
}

} // namespace

// The interpreter: entries, variables and their starts, groups, errors; and
// that every pure op of the dialect has a model.
#include "test/unit/reference/Parse.h"

#include "ir/reference/Random.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::test;
using reference::Tensor;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(Models, EveryPureOpHasAModel) {
  Program program("module {}");
  int pure = 0;
  for (RegisteredOperationName name :
       program.context().getRegisteredOperations()) {
    if (name.getDialectNamespace() != "amp" ||
        !name.hasTrait<OpTrait::AlwaysSpeculatableImplTrait>() ||
        name.hasTrait<OpTrait::IsTerminator>())
      continue;
    ++pure;
    EXPECT_TRUE(name.hasInterface<amp::ReferenceEvaluable>())
        << name.getStringRef().str();
  }
  EXPECT_GE(pure, 20);
}

TEST(Interpreter, ReadsAndWritesVariablesInOrder) {
  Program program(R"(
    amp.variable @n : tensor<i64> role counter init constant with [5.0]
    func.func @step(%by: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
      %old = amp.read @n : tensor<i64>
      %new = amp.add %old, %by : tensor<i64>
      amp.write @n, %new : tensor<i64>
      %again = amp.read @n : tensor<i64>
      return %old, %again : tensor<i64>, tensor<i64>
    })");
  for (double expected : {5.0, 7.0}) {
    FailureOr<SmallVector<Tensor>> results =
        program.run("step", {program.tensor({"tensor<i64>", {2}})});
    ASSERT_TRUE(succeeded(results)) << program.errors();
    EXPECT_EQ((*results)[0].number(0), expected);
    EXPECT_EQ((*results)[1].number(0), expected + 2);
  }
}

TEST(Interpreter, ReturnsArgumentsAndRepeatedValues) {
  Program program(
      R"(func.func @f(%a: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
    %b = amp.add %a, %a : tensor<1xf32>
    return %a, %b, %b : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
  })");
  FailureOr<SmallVector<Tensor>> results =
      program.run("f", {program.tensor({"tensor<1xf32>", {3}})});
  ASSERT_TRUE(succeeded(results)) << program.errors();
  EXPECT_EQ((*results)[0].number(0), 3);
  EXPECT_EQ((*results)[2].number(0), 6);
}

TEST(Interpreter, GroupsGiveTheirBodysValue) {
  EXPECT_TRUE(same(
      evaluate(
          R"(%r = amp.group map [2, 3] (%a, %b) : (tensor<2x3xf32>, tensor<3xf32>)
         -> tensor<2x3xf32> {
    ^bb0(%x: tensor<2x3xf32>, %y: tensor<3xf32>):
      %0 = amp.broadcast %y along [1] : tensor<3xf32> -> tensor<2x3xf32>
      %1 = amp.add %x, %0 : tensor<2x3xf32>
      amp.yield %1 : tensor<2x3xf32>
    })",
          {{"tensor<2x3xf32>", {1, 2, 3, 4, 5, 6}},
           {"tensor<3xf32>", {10, 20, 30}}},
          "tensor<2x3xf32>"),
      {11, 22, 33, 14, 25, 36}));
}

TEST(Interpreter, RowGroupsReduce) {
  EXPECT_TRUE(same(
      evaluate(
          R"(%r = amp.group row [2, 3] (%a) : (tensor<2x3xf32>) -> tensor<2xf32> {
    ^bb0(%x: tensor<2x3xf32>):
      %0 = amp.mul %x, %x : tensor<2x3xf32>
      %1 = amp.reduce sum %0 over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
      %2 = amp.neg %1 : tensor<2xf32>
      amp.yield %2 : tensor<2xf32>
    })",
          {{"tensor<2x3xf32>", {1, 2, 3, 4, 5, 6}}}, "tensor<2xf32>"),
      {-14, -77}));
}

// Iteration i reads slice i / divisor, from the front again behind the last.
TEST(Interpreter, LoopsRunSliceBySlice) {
  auto sums = [](const char *divisor) {
    return evaluate(
        std::string("%r = amp.foreach 4 (%a, %b) divisors [1, ") + divisor +
            R"(] : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<8xf32> {
    ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>):
      %0 = amp.add %x, %y : tensor<2xf32>
      amp.yield %0 : tensor<2xf32>
    })",
        {{"tensor<4x2xf32>", {1, 2, 3, 4, 5, 6, 7, 8}},
         {"tensor<2x2xf32>", {10, 20, 30, 40}}},
        "tensor<8xf32>");
  };
  EXPECT_TRUE(same(sums("2"), {11, 22, 13, 24, 35, 46, 37, 48}));
  EXPECT_TRUE(same(sums("1"), {11, 22, 33, 44, 15, 26, 37, 48}));
}

TEST(Variables, StartAsTheirInitSays) {
  Program program(R"(
    amp.variable @z : tensor<2xf32> role parameter init zeros
    amp.variable @o : tensor<2xbf16> role parameter init ones
    amp.variable @c : tensor<2xf16> role parameter init constant with [0.1]
    amp.variable @d : tensor<2xi32> role statistic init data = dense<[3, 4]> : tensor<2xi32>
    amp.variable @"ampc.state/seed" : tensor<i64> role counter init zeros)");
  reference::Variables &variables = program.variables(77);
  EXPECT_TRUE(same(numbersOf(*variables.find("z")), {0, 0}));
  EXPECT_TRUE(same(numbersOf(*variables.find("o")), {1, 1}));
  EXPECT_TRUE(same(numbersOf(*variables.find("c")),
                   {0.0999755859375, 0.0999755859375}));
  EXPECT_TRUE(same(numbersOf(*variables.find("d")), {3, 4}));
  EXPECT_TRUE(same(numbersOf(*variables.find("ampc.state/seed")), {77}));
  EXPECT_EQ(variables.find("unknown"), nullptr);
}

TEST(Variables, DrawnStartsRoundOnce) {
  Program program(R"(
    amp.variable @u : tensor<6xf32> role parameter init uniform with [-0.3, 0.7] site 4
    amp.variable @n : tensor<6xf32> role parameter init normal with [0.1, 0.02] site 5
    amp.variable @h : tensor<6xbf16> role parameter init uniform with [-0.3, 0.7] site 4)");
  reference::Variables &variables = program.variables(123);
  reference::RandomStream uniform{123, amp::RandomMode::init, 4};
  reference::RandomStream normal{123, amp::RandomMode::init, 5};
  for (int i = 0; i < 6; ++i) {
    double u = -0.3 + (0.7 - -0.3) * uniform.uniform(i);
    double n = 0.1 + 0.02 * normal.normal(i);
    EXPECT_EQ(variables.find("u")->number(i), static_cast<float>(u));
    EXPECT_EQ(variables.find("n")->number(i), static_cast<float>(n));
    EXPECT_EQ(variables.find("h")->number(i),
              reference::roundTo(u, variables.find("h")->elementType()));
  }
}

TEST(Variables, SetKeepsNameAndType) {
  Program program("amp.variable @z : tensor<2xf32> role parameter init zeros");
  reference::Variables &variables = program.variables();
  EXPECT_TRUE(
      succeeded(variables.set("z", program.tensor({"tensor<2xf32>", {1, 2}}))));
  EXPECT_TRUE(same(numbersOf(*variables.find("z")), {1, 2}));
  EXPECT_TRUE(
      failed(variables.set("z", program.tensor({"tensor<2xf16>", {1, 2}}))));
  EXPECT_TRUE(
      failed(variables.set("y", program.tensor({"tensor<2xf32>", {1, 2}}))));
}

TEST(Variables, CopiesHoldTheirSourceRounded) {
  Program program(R"(
    amp.variable @c : tensor<3xbf16> role copy16 copy_of @w init zeros
    amp.variable @w : tensor<3xf32> role parameter init data
      = dense<[1.00390625, 1.01171875, -3.0]> : tensor<3xf32>)");
  reference::Variables &variables = program.variables();
  // Ties to even: 1 + 2^-8 goes down, 1 + 3 * 2^-8 up.
  EXPECT_TRUE(same(numbersOf(*variables.find("c")), {1.0, 1.015625, -3.0}));
  EXPECT_TRUE(succeeded(variables.set(
      "w", program.tensor({"tensor<3xf32>", {2.0, 2.0009765625, 0x1p-130}}))));
  variables.refreshCopies(program.module());
  EXPECT_TRUE(same(numbersOf(*variables.find("c")), {2.0, 2.0, 0x1p-130}));
}

TEST(Errors, ArgumentsMustFit) {
  Program program(R"(func.func @f(%a: tensor<1xf32>) { return })");
  EXPECT_TRUE(failed(program.run("f", {})));
  EXPECT_TRUE(contains(program.errors(), "takes 1 arguments, got 0"))
      << program.errors();
  EXPECT_TRUE(
      failed(program.run("f", {program.tensor({"tensor<1xf16>", {1}})})));
  EXPECT_TRUE(contains(program.errors(),
                       "argument 0 is 'tensor<1xf32>', got 'tensor<1xf16>'"))
      << program.errors();
}

TEST(Errors, FunctionsNeedABody) {
  Program program("func.func private @f()");
  EXPECT_TRUE(failed(program.run("f", {})));
  EXPECT_TRUE(contains(program.errors(), "needs a body of one block"))
      << program.errors();
}

TEST(Errors, OpsWithoutAModelAreNamed) {
  EXPECT_TRUE(contains(
      evaluationError(
          "%r = builtin.unrealized_conversion_cast %a : tensor<1xf32> "
          "to tensor<1xf32>",
          {{"tensor<1xf32>", {1}}}, "tensor<1xf32>"),
      "'builtin.unrealized_conversion_cast' op has no reference evaluation"));
}

TEST(Errors, TensorsTooLargeAreRefusedNotAllocated) {
  EXPECT_TRUE(contains(
      evaluationError("%b = amp.broadcast %a along [] : tensor<f32> -> "
                      "tensor<1048576x1048576xf32>\n"
                      "%r = amp.neg %a : tensor<f32>",
                      {{"tensor<f32>", {1}}}, "tensor<f32>"),
      "more than the reference evaluator holds"));
  Program program("amp.variable @z : tensor<1048576x1048576xf32> role "
                  "parameter init zeros");
  EXPECT_TRUE(failed(reference::Variables::create(program.module(), 0)));
  EXPECT_TRUE(
      contains(program.errors(), "more than the reference evaluator holds"));
}

TEST(Errors, VariablesOfAnotherModuleAreMissed) {
  Program program(R"(
    amp.variable @w : tensor<1xf32> role parameter init zeros
    func.func @f() { %w = amp.read @w : tensor<1xf32>
      amp.write @w, %w : tensor<1xf32>
      return })");
  reference::Variables none;
  EXPECT_TRUE(failed(reference::run(program.function("f"), {}, none)));
  EXPECT_TRUE(contains(program.errors(), "reads @w, which has no value here"))
      << program.errors();
}

} // namespace

// Products of a plan with a bias and relu, and the launch behind them: round
// trip, and what is well formed but means nonsense.
#include "test/unit/runtime/TestPlans.h"

#include <functional>

namespace ampc::rt::test {
namespace {

fb::ContractionT &firstContraction(fb::PlanT &plan) {
  return *plan.entries[0]->instructions[0]->op.AsContraction();
}
fb::LaunchT &firstLaunch(fb::PlanT &plan) {
  return *plan.entries[0]->instructions[1]->op.AsLaunch();
}

/// The first product with relu, and behind it a launch that works on C.
fb::ContractionT &withRelu(fb::PlanT &plan) {
  constexpr uint32_t kCount = 3;
  fb::LaunchT &behind = firstLaunch(plan);
  fb::ContractionT &op = firstContraction(plan);
  behind.kernel = kCount;
  behind.tiles = plan.kernels[kCount]->tiles;
  behind.args = {*op.c, *op.c};
  op.relu = true;
  return op;
}
fb::ContractionT &withBias(fb::PlanT &plan, fb::Place at) {
  fb::ContractionT &op = withRelu(plan);
  op.bias = std::make_unique<fb::Place>(at);
  return op;
}

TEST(PlanEpilogues, AreRead) {
  fb::PlanT plan = regression();
  withBias(plan, {fb::Space::Variable, 0, 4});
  // The launch reads what it adds.
  plan.kernels[3]->arg_written[0] = false;
  firstLaunch(plan).args[0] = {fb::Space::Variable, 0, 4};
  PlanFile file = must(
      PlanFile::fromBytes(must(writePlan(plan, regressionSections())), "p"));
  const fb::Contraction &op = *file.plan()
                                   .entries()
                                   ->Get(0)
                                   ->instructions()
                                   ->Get(0)
                                   ->op_as_Contraction();
  EXPECT_TRUE(op.relu());
  ASSERT_TRUE(op.bias());
  EXPECT_EQ(op.bias()->space(), fb::Space::Variable);
  EXPECT_EQ(op.bias()->offset(), 4u);
  file = must(PlanFile::fromBytes(regressionBytes(), "p"));
  const fb::Contraction &plain = *file.plan()
                                      .entries()
                                      ->Get(0)
                                      ->instructions()
                                      ->Get(0)
                                      ->op_as_Contraction();
  EXPECT_FALSE(plain.relu() || plain.bias());
}

struct Nonsense {
  const char *expected;
  std::function<void(fb::PlanT &)> change;
};

TEST(PlanEpilogues, MeaningIsVerified) {
  const Nonsense cases[] = {
      {"bias and relu need one matrix without init, relu a C of at most 32 "
       "bits, bias one of f32, got 1 matrices with init and type 1",
       [](auto &p) {
         auto &op = withRelu(p);
         op.init = std::make_unique<fb::Place>(*op.c);
       }},
      {"bias one of f32, got 0 matrices and type 1",
       [](auto &p) { withRelu(p).batch = 0; }},
      {"bias one of f32, got 1 matrices and type 3",
       [](auto &p) {
         auto &op = withBias(p, {fb::Space::Variable, 0, 0});
         op.dtype_a = op.dtype_b = op.dtype_c = fb::DType::BF16;
       }},
      {"bias one of f32, got 1 matrices and type 0",
       [](auto &p) {
         auto &op = withRelu(p);
         p.entries[0]->inputs[0]->bytes = p.entries[0]->arena_bytes = 4096;
         *op.b = fb::Place(fb::Space::Input, 0, 512);
         op.dtype_a = op.dtype_b = op.dtype_c = fb::DType::F64;
       }},
      {"operand bias (bytes 250 + 12) leaves Variable 0 of 256 bytes",
       [](auto &p) {
         withBias(p, {fb::Space::Variable, 0, 250});
       }},
      {"operand bias starts at byte 2, expected a multiple of 4",
       [](auto &p) {
         withBias(p, {fb::Space::Variable, 0, 2});
       }},
      {"C overlaps the bias",
       [](auto &p) {
         withBias(p, {fb::Space::Arena, 0, 92});
       }},
      {"instruction 0: bias or relu, and no launch behind it",
       [](auto &p) {
         p.entries[2]->instructions[0]->op.AsContraction()->relu = true;
       }},
      {"instruction 0, launch behind it: kernel 9 of 5",
       [](auto &p) {
         withRelu(p);
         firstLaunch(p).kernel = 9;
       }},
      {"the launch behind it has argument 1 beside C and the bias",
       [](auto &p) {
         withRelu(p);
         firstLaunch(p).args[1] = {fb::Space::Arena, 0, 96};
       }},
      {"the launch behind it has argument 1 beside C and the bias",
       [](auto &p) { // it writes the bias
         withBias(p, {fb::Space::Arena, 0, 96});
         firstLaunch(p).args[1] = {fb::Space::Arena, 0, 96};
       }},
      {"the launch behind it has argument 0 beside C and the bias",
       [](auto &p) { // more than C
         withRelu(p);
         p.kernels[3]->arg_bytes[0] = 100;
       }},
      {"the launch behind it does not write C",
       [](auto &p) {
         withRelu(p);
         p.kernels[3]->arg_written = {false, false};
       }},
  };
  for (const Nonsense &item : cases) {
    fb::PlanT plan = regression();
    item.change(plan);
    Error error = errorOf(writePlan(plan, regressionSections()));
    EXPECT_EQ(error.code, Code::BadInput);
    EXPECT_NE(error.message.find(item.expected), std::string::npos)
        << "expected: " << item.expected << "\nactual:   " << error.message;
  }
}

} // namespace
} // namespace ampc::rt::test

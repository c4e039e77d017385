// Which outputs are what, and which variables are saved.
#include "runtime/train/StepRules.h"
#include "test/unit/runtime/TestPlans.h"

namespace ampc::rt::test {
namespace {

Port scalar(std::string name, PortKind kind, DType dtype = DType::F32) {
  Port port;
  port.name = std::move(name);
  port.kind = kind;
  port.dtype = dtype;
  return port;
}

TEST(StepRules, LossAndExtras) {
  const Port ports[] = {scalar("y", PortKind::Output),
                        scalar("aux", PortKind::Loss),
                        scalar("loss_1", PortKind::Loss),
                        scalar("accuracy", PortKind::Metric),
                        scalar("ampc.applied", PortKind::Metric),
                        scalar("ampc.lr", PortKind::Metric),
                        scalar("ampc.grad_norm", PortKind::Metric)};
  StepOutputs outputs = must(classify_outputs(ports, "p"));
  EXPECT_EQ(outputs.extra_names,
            (std::vector<std::string>{"aux", "loss_1", "accuracy"}));
  StepResult result;
  const float values[] = {0, 1, 2, 3, 0, 5, 6};
  outputs.fill(result, [&](size_t port) { return values[port]; });
  EXPECT_EQ(result.loss, 3.0f) << "what is trained";
  EXPECT_FALSE(result.applied);
  EXPECT_EQ(result.lr, 5.0f);
  EXPECT_EQ(result.grad_norm, 6.0f);
  EXPECT_EQ(result.extras, (std::vector<float>{1, 2, 3}));
}

TEST(StepRules, LossesAddUp) {
  const Port ports[] = {scalar("a", PortKind::Loss),
                        scalar("b", PortKind::Loss)};
  StepOutputs outputs = must(classify_outputs(ports, "p"));
  EXPECT_EQ(outputs.extra_names, (std::vector<std::string>{"a", "b"}));
  StepResult result;
  result.lr = 0.5f;
  outputs.fill(result, [](size_t port) { return port == 0 ? 2.0f : 3.0f; });
  EXPECT_EQ(result.loss, 5.0f);
  EXPECT_EQ(result.lr, 0.5f) << "what the outputs do not tell stays";
  EXPECT_TRUE(result.applied);
  EXPECT_FALSE(result.grad_norm);
}

TEST(StepRules, TheOnlyLossIsTheLoss) {
  const Port ports[] = {scalar("accuracy", PortKind::Metric),
                        scalar("nll", PortKind::Loss)};
  StepOutputs outputs = must(classify_outputs(ports, "p"));
  EXPECT_EQ(outputs.extra_names, (std::vector<std::string>{"accuracy"}));
  StepResult result;
  outputs.fill(result, [](size_t port) { return float(port) + 1; });
  EXPECT_EQ(result.loss, 2.0f);
  EXPECT_EQ(result.extras, (std::vector<float>{1}));
}

TEST(StepRules, EightBitLossesAreRefused) {
  const Port ports[] = {scalar("loss", PortKind::Loss, DType::F8E4M3)};
  Error error = errorOf(classify_outputs(ports, "m.ampx"));
  EXPECT_EQ(error.code, Code::BadInput);
  EXPECT_EQ(error.where, "m.ampx");
  EXPECT_NE(error.message.find("output 'loss' is of f8"), std::string::npos)
      << error.message;
}

TEST(StepRules, WhatFilesHold) {
  struct {
    VariableRole role;
    const char *name;
    bool saved, weight;
  } cases[] = {
      {VariableRole::Parameter, "w", true, true},
      {VariableRole::Statistic, "mean", true, true},
      {VariableRole::Moment, "ampc.m/w", true, false},
      {VariableRole::Counter, state::kIteration, true, false},
      {VariableRole::Scaler, state::kScale, true, false},
      {VariableRole::Copy16, "ampc.copy16/w", false, false},
      {VariableRole::Accumulator, "ampc.sum/w", false, false},
      {VariableRole::Rate, state::kRate, false, false},
      {VariableRole::Counter, state::kSeed, false, false},
      {VariableRole::Counter, state::kEvalIndex, false, false},
  };
  for (const auto &item : cases) {
    EXPECT_EQ(is_saved(item.role, item.name), item.saved) << item.name;
    EXPECT_EQ(is_weight(item.role, item.name), item.weight) << item.name;
  }
}

} // namespace
} // namespace ampc::rt::test

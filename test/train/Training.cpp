// One model at a test's size; see Training.h.
#include "test/train/Training.h"

#include <cstring>

#ifndef AMPC_SOURCE_DIR
#error "the build defines AMPC_SOURCE_DIR"
#endif

namespace ampc::test {

Model mlp(const std::string &batch, const std::string &width,
          const std::string &hidden) {
  ModelOptions options;
  if (!std::getenv("AMPC_PROOF_FULL"))
    options.sets = {{"batch", batch}, {"width", width}, {"hidden", hidden}};
  return must(
      Model::load(std::string(AMPC_SOURCE_DIR) + "/examples/mlp.amp", options));
}

uint64_t
smallestBudget(const std::function<Model(const std::string &budget)> &load,
               const CompileOptions &options) {
  rt::Expected<rt::Plan> refused = compile(load("1"), options);
  if (refused) {
    ADD_FAILURE() << "a budget of one byte was kept";
    return 0;
  }
  EXPECT_EQ(refused.error().code, rt::Code::DoesNotFit)
      << refused.error().text();
  const std::string &text = refused.error().message;
  constexpr std::string_view before = "the smallest feasible one ";
  size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << text;
  return std::strtoull(text.c_str() + at + before.size(), nullptr, 10);
}

Training::Training(const Model &model, const CompileOptions &compile,
                   const rt::SessionOptions &session,
                   std::vector<rt::DataLine> lines)
    : opened(must(open_stepper(model, compile, session))) {
  openData(std::move(lines));
}

Training::Training(const rt::Plan &plan, const rt::SessionOptions &session,
                   std::vector<rt::DataLine> lines)
    : opened{plan, std::make_unique<rt::Session>(
                       must(rt::Session::open(plan, session)))} {
  openData(std::move(lines));
}

void Training::openData(std::vector<rt::DataLine> lines) {
  rt::DataOptions options;
  if (lines.empty()) {
    lines = opened.plan.data_lines();
    options = opened.plan.data_options();
    std::erase_if(lines, [](const rt::DataLine &line) {
      return line.validation; // reads the names of the training lines
    });
  }
  data = must(rt::open_data(lines, stepper().inputs(rt::EntryKind::TrainStep),
                            options));
}

rt::StepResult Training::step(uint64_t index) {
  must(stepper().step(batch(index)));
  must(stepper().sync());
  return *must(stepper().poll());
}

std::vector<float> Training::losses(uint64_t steps, uint64_t first) {
  std::vector<float> values;
  for (uint64_t i = 0; i < steps; ++i)
    values.push_back(step(first + i).loss);
  return values;
}

std::vector<std::vector<std::byte>> Training::state() {
  std::vector<std::vector<std::byte>> bytes;
  for (const std::string &name : session().variables()) {
    rt::Tensor value = must(session().read(name));
    bytes.emplace_back(value.bytes().begin(), value.bytes().end());
  }
  return bytes;
}

Outcome outcomeOf(Training &training, uint64_t steps) {
  Outcome run;
  run.losses = training.losses(steps);
  run.state = training.state();
  run.evaluated = must(training.stepper().eval(training.source(), 2)).values;
  run.peak = training.session().memory().peak_bytes;
  return run;
}

void expectSameBits(const Outcome &run, const Outcome &expected) {
  ASSERT_EQ(run.losses.size(), expected.losses.size());
  EXPECT_EQ(0, std::memcmp(run.losses.data(), expected.losses.data(),
                           run.losses.size() * sizeof(float)))
      << run.losses[0] << " and " << expected.losses[0];
  ASSERT_EQ(run.state.size(), expected.state.size());
  for (size_t i = 0; i < run.state.size(); ++i)
    EXPECT_EQ(run.state[i], expected.state[i]) << "variable " << i;
  EXPECT_EQ(run.evaluated, expected.evaluated);
}

} // namespace ampc::test

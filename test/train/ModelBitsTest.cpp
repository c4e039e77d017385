// What may not change a bit of a whole model's training: threads, fusion, an
// interruption, a memory budget.
#include "test/train/Models.h"

#include <filesystem>

namespace ampc::test {
namespace {

constexpr uint64_t kWindows = 5;

/// A whole model in one precision.
struct Case {
  WholeModel model;
  const char *precision;
};

class ModelBits : public testing::TestWithParam<Case> {
protected:
  /// Losses, then the bytes of every variable after kWindows windows.
  struct Outcome {
    std::vector<float> losses;
    std::vector<std::string> names;
    std::vector<std::vector<std::byte>> state;
  };

  Outcome outcome(const rt::Plan &plan, const rt::SessionOptions &session) {
    Training training = GetParam().model.train(plan, session);
    Outcome run;
    run.losses = training.losses(kWindows);
    run.names = training.session().variables();
    run.state = training.state();
    return run;
  }

  void expectSameBits(const Outcome &run, const Outcome &expected) {
    for (uint64_t i = 0; i < kWindows; ++i) {
      EXPECT_TRUE(std::isfinite(run.losses[i])) << "window " << i;
      EXPECT_EQ(0,
                std::memcmp(&run.losses[i], &expected.losses[i], sizeof(float)))
          << "window " << i << ": " << run.losses[i] << " and "
          << expected.losses[i];
    }
    ASSERT_EQ(run.names, expected.names);
    for (size_t i = 0; i < run.state.size(); ++i)
      EXPECT_EQ(run.state[i], expected.state[i]) << run.names[i];
  }

  CompileOptions options(int optLevel = 2) {
    CompileOptions compile;
    compile.precision = GetParam().precision;
    compile.opt_level = optLevel;
    return compile;
  }

  Model model = GetParam().model.load();
  rt::Plan fused = must(compile(model, options()));
};

TEST_P(ModelBits, SameAtOneToFourThreads) {
  Outcome one = outcome(fused, {.threads = 1});
  for (int threads : {2, 3, 4}) {
    SCOPED_TRACE(threads);
    expectSameBits(outcome(fused, {.threads = threads}), one);
  }
}

TEST_P(ModelBits, SameFusedAndUnfused) {
  expectSameBits(outcome(must(compile(model, options(1))), {}),
                 outcome(fused, {}));
}

TEST_P(ModelBits, SavedAndResumedRunContinues) {
  const WholeModel &wholeModel = GetParam().model;
  std::string path = testing::TempDir() + "ampc-model-bits-" + wholeModel.name +
                     GetParam().precision + ".safetensors";
  Training whole = wholeModel.train(fused), first = wholeModel.train(fused),
           second = wholeModel.train(fused);
  std::vector<float> expected = whole.losses(kWindows);
  first.losses(2);
  must(first.session().save(path, /*overwrite=*/true));
  second.losses(1); // what it had must be gone
  must(second.session().load(path));
  std::vector<float> rest = second.losses(kWindows - 2, 2);
  EXPECT_EQ(0, std::memcmp(rest.data(), expected.data() + 2,
                           rest.size() * sizeof(float)));
  EXPECT_EQ(second.state(), whole.state());
  std::filesystem::remove(path);
}

// N28. A smaller budget never needs more bytes.
TEST_P(ModelBits, SameAtEveryMemoryBudget) {
  // Workspaces depend on the threads: those of the plan are those of the run.
  CompileOptions compiled = options();
  compiled.threads = 2;
  const rt::SessionOptions session{.threads = 2};
  auto peakOf = [&](const rt::Plan &plan) {
    return must(rt::Session::open(plan, session)).memory().peak_bytes;
  };
  auto load = [&](const std::string &budget) {
    WholeModel limited = GetParam().model;
    limited.sets.emplace_back("train.memory_budget", budget);
    return limited.load();
  };
  Outcome expected = outcome(fused, session);
  uint64_t whole = peakOf(fused);
  uint64_t least = smallestBudget(load, compiled), last = 0;
  ASSERT_LT(least, whole);
  for (uint64_t part : {0, 1, 2}) {
    uint64_t budget = least + (whole - least) * part / 2;
    SCOPED_TRACE(budget);
    rt::Plan plan = must(compile(load(std::to_string(budget)), compiled));
    uint64_t peak = peakOf(plan);
    EXPECT_LE(peak, budget);
    EXPECT_GE(peak, last);
    last = peak;
    expectSameBits(outcome(plan, session), expected);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const WholeModel &model : wholeModels())
    for (const char *precision : {"f32", "bf16", "f16"})
      all.push_back({model, precision});
  return all;
}

void PrintTo(const Case &c, std::ostream *os) {
  *os << c.model.path << " in " << c.precision;
}

INSTANTIATE_TEST_SUITE_P(Models, ModelBits, testing::ValuesIn(cases()),
                         [](const auto &info) {
                           return std::string(info.param.model.name) + "_" +
                                  info.param.precision;
                         });

} // namespace
} // namespace ampc::test

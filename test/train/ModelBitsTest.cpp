// What may not change a bit of a whole model's training: threads, fusion, an
// interruption.
#include "test/train/Models.h"

#include <filesystem>

namespace ampc::test {
namespace {

constexpr uint64_t kWindows = 5;

class ModelBits : public testing::TestWithParam<WholeModel> {
protected:
  /// Losses, then the bytes of every variable after kWindows windows.
  struct Outcome {
    std::vector<float> losses;
    std::vector<std::string> names;
    std::vector<std::vector<std::byte>> state;
  };

  Outcome outcome(const rt::Plan &plan, const rt::SessionOptions &session) {
    Training training = GetParam().train(plan, session);
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

  Model model = GetParam().load();
  rt::Plan fused = must(compile(model));
};

TEST_P(ModelBits, SameAtOneToFourThreads) {
  Outcome one = outcome(fused, {.threads = 1});
  for (int threads : {2, 3, 4}) {
    SCOPED_TRACE(threads);
    expectSameBits(outcome(fused, {.threads = threads}), one);
  }
}

TEST_P(ModelBits, SameFusedAndUnfused) {
  CompileOptions options;
  options.opt_level = 1;
  expectSameBits(outcome(must(compile(model, options)), {}),
                 outcome(fused, {}));
}

TEST_P(ModelBits, SavedAndResumedRunContinues) {
  std::string path = testing::TempDir() + "ampc-model-bits-" + GetParam().name +
                     ".safetensors";
  Training whole = GetParam().train(fused), first = GetParam().train(fused),
           second = GetParam().train(fused);
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

INSTANTIATE_TEST_SUITE_P(Models, ModelBits, testing::ValuesIn(wholeModels()),
                         nameOf);

} // namespace
} // namespace ampc::test

// What may not change a bit of a training run: threads, fusion, an
// interruption, the way the plan reached the runtime.
#include "test/train/Training.h"

#include <filesystem>

namespace ampc::test {
namespace {

Outcome train(const CompileOptions &compile,
              const rt::SessionOptions &session) {
  Training training(mlp("96", "72", "200"), compile, session);
  return outcomeOf(training, kSteps);
}

TEST(Bits, SameAtOneToFourThreads) {
  Outcome one = train({}, {.threads = 1});
  for (int threads : {2, 3, 4}) {
    SCOPED_TRACE(threads);
    expectSameBits(train({}, {.threads = threads}), one);
  }
}

TEST(Bits, SameFusedAndUnfused) {
  CompileOptions unfused;
  unfused.opt_level = 1;
  expectSameBits(train(unfused, {}), train({}, {}));
}

TEST(Bits, AnotherSeedIsAnotherRun) {
  EXPECT_NE(train({}, {.seed = 1}).losses, train({}, {.seed = 2}).losses);
}

// N27: a run that is saved and continued is the uninterrupted one.
TEST(Bits, SavedAndResumedRunContinues) {
  std::string path = testing::TempDir() + "ampc-bits-resume.safetensors";
  Model model = mlp("96", "72", "200");
  Training whole(model), first(model), second(model, {}, {.seed = 99});
  std::vector<float> expected = whole.losses(kSteps);
  first.losses(kSteps / 2);
  must(first.session().save(path, /*overwrite=*/true));
  must(second.session().load(path));
  std::vector<float> rest = second.losses(kSteps / 2, kSteps / 2);
  EXPECT_EQ(0, std::memcmp(rest.data(), expected.data() + kSteps / 2,
                           rest.size() * sizeof(float)));
  EXPECT_EQ(second.state(), whole.state());
  std::filesystem::remove(path);
}

// N28, with dropout: what a checkpoint block computes again has the bits, and
// the mask, of what would have been kept.
TEST(Bits, SameWithAndWithoutCheckpointBlocks) {
  auto outcome = [](const char *begin, const char *end) {
    std::string text =
        std::string(
            "model m {\n  input x: f32[32, 24]\n  target y: f32[32, 24]\n"
            "  h = x\n  repeat 3 {\n    ") +
        begin +
        " h = dropout(gelu(linear(layer_norm(h), 48)), 0.25)\n"
        "    h = relu(linear(h, 24)) " +
        end +
        "\n  }\n  loss = mse(h, y)\n}\n"
        "train { optimizer = adam(lr = 1e-2) }\n"
        "data { x = normal(1)\n y = normal(2) }\n";
    Model model = must(Model::parse(text, "blocks.amp"));
    Training training(model);
    return outcomeOf(training, kSteps);
  };
  Outcome kept = outcome("", ""), again = outcome("checkpoint {", "}");
  expectSameBits(again, kept);
  EXPECT_LT(again.peak, kept.peak);
}

TEST(Bits, EveryStageReadsBackAsTheSameProgram) {
  Model model = mlp("96", "72", "200");
  Outcome expected = train({}, {});
  for (Emit stage :
       {Emit::Model, Emit::Typed, Emit::Step, Emit::Fused, Emit::Placed}) {
    SCOPED_TRACE(name_of(stage));
    std::string path = testing::TempDir() + "ampc-bits-stage.mlir";
    std::string text = must(emit(model, stage));
    std::FILE *file = std::fopen(path.c_str(), "wb");
    ASSERT_TRUE(file);
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    Model read = must(Model::load(path));
    Training training(read);
    expectSameBits(outcomeOf(training, kSteps), expected);
    std::filesystem::remove(path);
  }
}

} // namespace
} // namespace ampc::test

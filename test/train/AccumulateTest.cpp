// Windows of several micro-batches (N14, N31): what they sum and divide by, how
// the last one of an epoch is flushed, what an abandoned one leaves behind.
#include "runtime/train/Trainer.h"
#include "runtime/train/Windows.h"
#include "test/train/Training.h"

#include <cmath>
#include <filesystem>

namespace ampc::test {
namespace {

/// A tensor of f32 numbers along one axis.
rt::Tensor numbers(std::vector<float> values) {
  rt::Tensor tensor = must(rt::Tensor::zeros(
      rt::DType::F32, std::vector<int64_t>{int64_t(values.size())}));
  std::copy(values.begin(), values.end(), tensor.as<float>().begin());
  return tensor;
}

/// One number a batch, an epoch of them.
class Numbers final : public rt::DataSource {
public:
  explicit Numbers(std::vector<float> values, bool flows = false)
      : values(std::move(values)), flows(flows) {}

  rt::Expected<const rt::Batch *> batch(uint64_t index) override {
    x.as<float>()[0] = values[index % values.size()];
    current.set("x", x);
    return &current;
  }
  std::optional<uint64_t> batches() const override { return values.size(); }
  uint64_t left_over() const override { return 0; }
  bool flows_on() const override { return flows; }
  uint64_t batch_size() const override { return 1; }
  std::string describe() const override { return "numbers"; }

private:
  std::vector<float> values;
  bool flows;
  rt::Tensor x = numbers({0});
  rt::Batch current;
};

/// A model whose gradient is x, divided by the number of micro-batches.
std::string slope(const std::string &train,
                  const std::string &loss = "mean(w * x)") {
  return "model slope {\n"
         "  input x: f32[1]\n"
         "  param w: f32[1] = 0\n"
         "  loss = " +
         loss + "\n}\ntrain {\n  optimizer = sgd(lr = 1)\n" + train + "}\n";
}

class Accumulate : public testing::TestWithParam<int> {
protected:
  OpenedModel open(const std::string &text,
                   const std::string &finiteChecks = "off") {
    models.push_back(
        std::make_unique<Model>(must(Model::parse(text, "m.amp"))));
    CompileOptions compile;
    compile.opt_level = GetParam();
    compile.finite_checks = finiteChecks;
    return must(open_stepper(*models.back(), compile));
  }
  /// An f32 number of a checkpoint of `stepper`.
  float saved(rt::Stepper &stepper, const std::string &name) {
    std::string path = file("saved");
    must(stepper.save(path, /*overwrite=*/true, ""));
    rt::Safetensors values = must(rt::Safetensors::open(path));
    return *reinterpret_cast<const float *>(values.find(name)->bytes.data());
  }
  static std::string file(const std::string &name) {
    return testing::TempDir() + "ampc-accumulate-" +
           std::to_string(GetParam()) + name;
  }

  std::vector<std::unique_ptr<Model>> models;
};

/// The case D09: the last window of an epoch has the micro-batches that are
/// left, is divided by their number, and leaks into no other epoch.
TEST_P(Accumulate, D09TheLastWindowOfAnEpochIsFlushed) {
  OpenedModel opened = open(slope("  accumulate = 2\n"));
  Numbers data({1, 2, 3, 4, 10});
  rt::TrainOptions options;
  options.steps = 4;
  options.log_every = 1;
  std::vector<float> weights, losses;
  must(rt::train(*opened.stepper, data, options, [&](const rt::TrainRow &row) {
    weights.push_back(saved(*opened.stepper, "w"));
    losses.push_back(row.result.loss);
  }));
  EXPECT_EQ(weights, (std::vector<float>{-1.5, -5, -15, -16.5}));
  EXPECT_EQ(losses, (std::vector<float>{0, -1.5f * 3.5f, -50, -15 * 1.5f}));
}

/// Where an epoch's last batch is filled from the next there is no last window.
TEST_P(Accumulate, EpochsThatFlowOnFlushNothing) {
  OpenedModel opened = open(slope("  accumulate = 2\n"));
  Numbers data({1, 2, 3, 4, 10}, /*flows=*/true);
  rt::TrainOptions options;
  options.steps = 3;
  must(rt::train(*opened.stepper, data, options, {}));
  EXPECT_EQ(saved(*opened.stepper, "w"), -1.5f - 3.5f - 5.5f);
}

/// The case D11: sums are f32 in every precision.
TEST_P(Accumulate, D11SumsDoNotStallInFewBits) {
  for (auto [loss, expected] :
       {std::pair("sum(linear(x, 1, bias = false, weight = w))", -512.0f),
        {"mean(linear(x, 1, bias = false, weight = w))", -1.0f}}) {
    SCOPED_TRACE(loss);
    std::string text = slope("  accumulate = 512\n  precision = bf16\n", loss);
    text.replace(text.find("f32[1]"), 6, "f32[1, 1]");
    text.replace(text.find("w: f32[1]"), 9, "w: f32[1, 1]");
    OpenedModel opened = open(text);
    rt::Tensor ones =
        must(rt::Tensor::zeros(rt::DType::F32, std::vector<int64_t>{512, 1}));
    std::fill(ones.as<float>().begin(), ones.as<float>().end(), 1.0f);
    rt::Batch batch;
    batch.set("x", ones);
    must(opened.stepper->step(batch));
    EXPECT_EQ(saved(*opened.stepper, "w"), expected);
  }
}

/// A label out of range in the last micro-batch, checked before the entry or in
/// it: the state is as before the window (N32).
TEST_P(Accumulate, AFaultInAnyMicroBatchUndoesTheWindow) {
  for (const char *labels : {"y", "y - 0"}) {
    SCOPED_TRACE(labels);
    std::string text = "model m {\n"
                       "  input x: f32[1, 3]\n"
                       "  target y: i32[1]\n"
                       "  loss = cross_entropy(linear(x, 3), " +
                       std::string(labels) +
                       ")\n}\n"
                       "train {\n"
                       "  optimizer = adam(lr = 0.1)\n"
                       "  accumulate = 3\n"
                       "}\n";
    rt::Tensor x =
        must(rt::Tensor::zeros(rt::DType::F32, std::vector<int64_t>{3, 3}));
    rt::Tensor y =
        must(rt::Tensor::zeros(rt::DType::I32, std::vector<int64_t>{3}));
    for (int i = 0; i < 9; ++i)
      x.as<float>()[i] = float(i % 4) - 1;
    rt::Batch batch;
    batch.set("x", x);
    batch.set("y", y);
    OpenedModel opened = open(text), other = open(text);
    must(opened.stepper->step(batch));
    must(other.stepper->step(batch));
    must(opened.stepper->save(file("before"), true, ""));
    y.as<int32_t>()[2] = 3;
    rt::Expected<void> stepped = opened.stepper->step(batch);
    ASSERT_FALSE(stepped);
    EXPECT_EQ(stepped.error().code, rt::Code::BadInput);
    EXPECT_NE(
        stepped.error().message.find("in micro-batch 3 of 3; iteration 2"),
        std::string::npos)
        << stepped.error().message;
    EXPECT_EQ(opened.stepper->iteration(), 1);
    float weight = saved(*opened.stepper, "linear.weight");
    y.as<int32_t>()[2] = 1;
    must(opened.stepper->load(file("before")));
    EXPECT_EQ(saved(*opened.stepper, "linear.weight"), weight);
    must(opened.stepper->step(batch));
    must(other.stepper->step(batch));
    EXPECT_EQ(saved(*opened.stepper, "linear.weight"),
              saved(*other.stepper, "linear.weight"));
  }
}

/// An interruption between micro-batches abandons the window: the next begins
/// anew, whatever its sums hold.
TEST_P(Accumulate, AnInterruptedWindowIsAbandoned) {
  OpenedModel opened = open(slope("  accumulate = 3\n"));
  rt::Tensor x = numbers({1, 2, 6});
  rt::Batch batch;
  batch.set("x", x);
  std::atomic<bool> stop = true;
  opened.stepper->stop_at(&stop);
  EXPECT_EQ(opened.stepper->step(batch).error().code, rt::Code::Interrupted);
  EXPECT_EQ(opened.stepper->iteration(), 0);
  stop = false;
  must(opened.stepper->step(batch));
  EXPECT_EQ(saved(*opened.stepper, "w"), -3);
}

/// A gradient that is not finite in any micro-batch: the window changes nothing
/// (N25), the next is whole again.
TEST_P(Accumulate, AWindowThatIsNotFiniteIsSkipped) {
  for (const char *train : {"", "  clip_norm = 100\n"}) {
    OpenedModel opened = open(slope("  accumulate = 2\n" + std::string(train)));
    for (std::vector<float> window :
         {std::vector<float>{1, 3}, {NAN, 1}, {INFINITY, -INFINITY}, {2}}) {
      rt::Tensor x = numbers(window);
      rt::Batch batch;
      batch.set("x", x);
      must(opened.stepper->step(batch));
      EXPECT_EQ(must(opened.stepper->poll())->applied,
                std::isfinite(window[0]));
    }
    EXPECT_EQ(saved(*opened.stepper, "w"), -4);
    EXPECT_EQ(opened.stepper->iteration(), 4);
  }
}

/// Finite checks see every micro-batch and tell of the first that is not.
TEST_P(Accumulate, FiniteChecksTellOfTheFirstMicroBatch) {
  OpenedModel opened =
      open(slope("  accumulate = 3\n", "mean(w * log(x))"), "all");
  for (std::vector<float> window :
       {std::vector<float>{1, 2, 3}, {1, 0, 3}, {-1, 0, 3}, {2, 1, 1}}) {
    SCOPED_TRACE(testing::PrintToString(window));
    rt::Tensor x = numbers(window);
    rt::Batch batch;
    batch.set("x", x);
    must(opened.stepper->step(batch));
    rt::StepResult result = *must(opened.stepper->poll());
    bool isFinite = *std::min_element(window.begin(), window.end()) > 0;
    EXPECT_EQ(result.applied, isFinite);
    ASSERT_EQ(result.finding.has_value(), !isFinite);
    if (!isFinite)
      EXPECT_NE(
          result.finding->text.find(window[0] < 0 ? "gives nan" : "gives -inf"),
          std::string::npos)
          << result.finding->text;
  }
}

/// A metric is a formula over the window, as it is over a data set.
TEST_P(Accumulate, MetricsAreTheWindows) {
  std::string text = slope("  accumulate = 3\n");
  text.insert(text.find("}\ntrain"), "  metric rms = sqrt(mean(x * x))\n"
                                     "  metric largest = max(x)\n");
  OpenedModel opened = open(text);
  rt::Tensor x = numbers({3, 5, 1});
  rt::Batch batch;
  batch.set("x", x);
  must(opened.stepper->step(batch));
  rt::StepResult result = *must(opened.stepper->poll());
  EXPECT_EQ(opened.stepper->extra_names(),
            (std::vector<std::string>{"rms", "largest"}));
  EXPECT_NEAR(result.extras[0], std::sqrt(35.0 / 3), 1e-6);
  EXPECT_EQ(result.extras[1], 3) << "its mean over the micro-batches";
}

/// The rate is scaled by what a window has over `base_batch`.
TEST_P(Accumulate, BaseBatchScalesTheRate) {
  OpenedModel opened = open(slope("  accumulate = 3\n  base_batch = 2\n"));
  rt::Tensor x = numbers({1, 1, 1});
  rt::Batch batch;
  batch.set("x", x);
  must(opened.stepper->step(batch));
  EXPECT_EQ(must(opened.stepper->poll())->lr, 1.5f);
  EXPECT_EQ(saved(*opened.stepper, "w"), -1.5f);
}

/// Every micro-batch draws its own numbers, and the same again in another run.
TEST_P(Accumulate, MicroBatchesDrawApart) {
  std::string text = "model m {\n"
                     "  input x: f32[64]\n"
                     "  param w: f32[64] = 0\n"
                     "  loss = sum(w * dropout(x, 0.5))\n"
                     "}\n"
                     "train {\n"
                     "  optimizer = sgd(lr = 1)\n"
                     "  accumulate = 2\n"
                     "}\n";
  auto weights = [&](float first, float second) {
    OpenedModel opened = open(text);
    rt::Tensor x =
        must(rt::Tensor::zeros(rt::DType::F32, std::vector<int64_t>{128}));
    for (int i = 0; i < 128; ++i)
      x.as<float>()[i] = i < 64 ? first : second;
    rt::Batch batch;
    batch.set("x", x);
    must(opened.stepper->step(batch));
    must(opened.stepper->save(file("drawn"), true, ""));
    rt::Safetensors values = must(rt::Safetensors::open(file("drawn")));
    const auto *w =
        reinterpret_cast<const float *>(values.find("w")->bytes.data());
    return std::vector<float>(w, w + 64);
  };
  std::vector<float> one = weights(1, 0), two = weights(0, 1);
  EXPECT_NE(one, two);
  EXPECT_EQ(weights(1, 0), one);
  std::vector<float> both = weights(1, 1);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(both[i], one[i] + two[i]);
}

/// What is no window is said.
TEST_P(Accumulate, WrongNumbersOfMicroBatches) {
  OpenedModel opened = open(slope("  accumulate = 2\n"));
  rt::Tensor x = numbers({1, 2, 3});
  rt::Batch batch;
  batch.set("x", x);
  EXPECT_EQ(opened.stepper->step(batch).error().message,
            "'x' is f32[3]; a window has 1 to 2 micro-batches of f32[1]");
  EXPECT_EQ(opened.stepper->accumulate(), 2u);
  for (rt::EntryKind entry : {rt::EntryKind::Window, rt::EntryKind::MicroStep,
                              rt::EntryKind::ApplyStep})
    EXPECT_NE(opened.stepper->run(entry, batch)
                  .error()
                  .message.find("writes variables"),
              std::string::npos);
}

std::string levelName(const testing::TestParamInfo<int> &level) {
  return "Level" + std::to_string(level.param);
}
INSTANTIATE_TEST_SUITE_P(Levels, Accumulate, testing::Values(0, 1, 2),
                         levelName);

/// Losses and state of windows of three micro-batches of mlp.
struct Outcome {
  std::vector<float> losses;
  std::vector<std::vector<std::byte>> state;
  bool operator==(const Outcome &) const = default;
};

/// mlp with windows of three micro-batches, compiled.
rt::Plan windowed(const std::string &precision, int optLevel = 2) {
  ModelOptions options;
  options.sets = {{"batch", "32"},
                  {"width", "40"},
                  {"hidden", "72"},
                  {"train.accumulate", "3"}};
  CompileOptions compile;
  compile.precision = precision;
  compile.opt_level = optLevel;
  return must(ampc::compile(
      must(Model::load(std::string(AMPC_SOURCE_DIR) + "/examples/mlp.amp",
                       options)),
      compile));
}

class Windows {
public:
  explicit Windows(const rt::Plan &plan, const rt::SessionOptions &session = {})
      : training(plan, session, {}), data(training.source(), 3) {}

  Outcome run(uint64_t from, uint64_t to) {
    Outcome run;
    for (uint64_t i = from; i < to; ++i) {
      must(training.stepper().step(*must(data.batch(i))));
      run.losses.push_back(must(training.stepper().poll())->loss);
    }
    run.state = training.state();
    return run;
  }
  rt::Session &session() { return training.session(); }

private:
  Training training;
  rt::WindowedData data;
};

class AccumulateBits : public testing::TestWithParam<const char *> {};

TEST_P(AccumulateBits, SameAtOneToFourThreadsAndUnfused) {
  rt::Plan plan = windowed(GetParam());
  Outcome one = Windows(plan, {.threads = 1}).run(0, 4);
  for (int threads : {2, 3, 4})
    EXPECT_EQ(Windows(plan, {.threads = threads}).run(0, 4), one);
  EXPECT_EQ(Windows(windowed(GetParam(), /*optLevel=*/1)).run(0, 4), one);
}

TEST_P(AccumulateBits, SavedAndResumedRunContinues) {
  std::string path = testing::TempDir() + "ampc-accumulate-resume";
  rt::Plan plan = windowed(GetParam());
  Outcome whole = Windows(plan).run(0, 4);
  Windows first(plan), second(plan, {.seed = 99});
  first.run(0, 2);
  must(first.session().save(path, /*overwrite=*/true));
  must(second.session().load(path));
  Outcome rest = second.run(2, 4);
  EXPECT_TRUE(
      std::ranges::equal(rest.losses, std::span(whole.losses).subspan(2)));
  // Sums of windows are not saved; by the end of one they are as they were.
  EXPECT_EQ(rest.state, whole.state);
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(Precisions, AccumulateBits,
                         testing::Values("f32", "bf16", "f16"),
                         [](const auto &info) { return info.param; });

} // namespace
} // namespace ampc::test

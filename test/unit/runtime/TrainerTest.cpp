// The training loop: rows, metrics, checkpoints, resume to the bit,
// interruption, failures.
#include "runtime/api/Runtime.h"
#include "runtime/device/Executor.h"
#include "test/unit/runtime/TestPlans.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ampc::rt::test {
namespace {

namespace fs = std::filesystem;

struct Regression {
  Session session;
  std::unique_ptr<DataSource> data;

  explicit Regression(uint64_t seed = 7)
      : session(must(Session::open(must(Plan::from_bytes(regressionBytes())),
                                   {.seed = seed}))) {
    DataLine line{{"x", "t"}, "normal:3", false};
    data =
        must(open_data({&line, 1}, session.inputs(EntryKind::TrainStep), {}));
  }
};

/// A directory that is not there yet.
std::string freshFolder(const std::string &name) {
  std::string path = temporary(name);
  fs::remove_all(path);
  return path;
}

std::vector<nlohmann::json> lines(const std::string &path) {
  std::vector<uint8_t> bytes = contents(path);
  std::istringstream stream(std::string(bytes.begin(), bytes.end()));
  std::vector<nlohmann::json> out;
  for (std::string line; std::getline(stream, line);) {
    out.push_back(nlohmann::json::parse(line, nullptr, false));
    EXPECT_FALSE(out.back().is_discarded()) << line;
  }
  return out;
}

TEST(Trainer, RowsMetricsAndCheckpoints) {
  Regression setup;
  TrainOptions options;
  options.steps = 12;
  options.log_every = 5;
  options.save_every = 4;
  options.out = freshFolder("run");
  options.metrics = temporary("second.jsonl");
  std::vector<int64_t> rows;
  TrainSummary summary =
      must(train(setup.session, *setup.data, options, [&](const TrainRow &row) {
        rows.push_back(row.result.iteration);
        EXPECT_GT(row.samples_per_second, 0);
        EXPECT_GE(row.seconds_left, 0);
      }));
  EXPECT_EQ(rows, (std::vector<int64_t>{5, 10, 12}));
  EXPECT_EQ(summary.steps, 12u);
  EXPECT_FALSE(summary.interrupted);
  for (const char *name : {"step-00000004", "step-00000008", "step-00000012"})
    EXPECT_TRUE(fs::exists(options.out + "/" + name + ".safetensors")) << name;
  EXPECT_EQ(fs::read_symlink(options.out + "/last"),
            "step-00000012.safetensors");
  EXPECT_EQ(summary.checkpoint, options.out + "/step-00000012.safetensors");
  EXPECT_EQ(std::distance(fs::directory_iterator(options.out), {}), 5)
      << "nothing else is left";

  std::vector<nlohmann::json> metrics = lines(options.out + "/metrics.jsonl");
  ASSERT_EQ(metrics.size(), 13u);
  EXPECT_EQ(metrics[2]["step"], 3);
  for (const char *key : {"step", "loss", "lr", "samples_per_s"})
    EXPECT_TRUE(metrics[2].contains(key)) << key;
  EXPECT_FALSE(metrics[2].contains("scale"));
  EXPECT_EQ(metrics[12]["summary"], true);
  EXPECT_EQ(metrics[12]["steps"], 12);
  EXPECT_EQ(metrics[12]["loss"].get<float>(), summary.loss);
  EXPECT_EQ(metrics[12]["peak_bytes"], metrics[12]["planned_peak_bytes"]);
  EXPECT_EQ(lines(options.metrics).size(), 13u);

  Regression again;
  Error error = errorOf(train(again.session, *again.data, options, {}));
  EXPECT_EQ(error.code, Code::Usage) << "an earlier run is not overwritten";
  options.force = true;
  must(train(again.session, *again.data, options, {}));
}

TEST(Trainer, ResumesMetricsAfterTheLastWholeLine) {
  TrainOptions options;
  options.steps = 2;
  options.out = freshFolder("torn");
  Regression first;
  must(train(first.session, *first.data, options, {}));
  std::string path = options.out + "/metrics.jsonl";
  std::ofstream(path, std::ios::app) << R"({"step":3,"lo)";
  options.resume = options.out + "/last";
  options.steps = 4;
  Regression again;
  must(train(again.session, *again.data, options, {}));
  std::vector<nlohmann::json> metrics = lines(path);
  ASSERT_EQ(metrics.size(), 6u);
  EXPECT_EQ(metrics[3]["step"], 3);

  // What is no row is somebody's, and stays.
  options.metrics = temporary("notes.txt");
  std::ofstream(options.metrics) << "notes";
  options.out.clear();
  Regression noted;
  must(train(noted.session, *noted.data, options, {}));
  std::ifstream kept(options.metrics);
  std::string line;
  std::getline(kept, line);
  EXPECT_EQ(line.substr(0, 6), "notes{");
}

TEST(Trainer, CheckpointHoldsWhatTheContractSays) {
  Regression setup;
  TrainOptions options;
  options.steps = 3;
  options.out = freshFolder("contract");
  must(train(setup.session, *setup.data, options, {}));
  Safetensors file = must(Safetensors::open(options.out + "/last"));
  EXPECT_TRUE(file.find("w"));
  ASSERT_TRUE(file.find("ampc.state/iteration"));
  EXPECT_EQ(file.find("ampc.state/iteration")->bytes[0], std::byte(3));
  EXPECT_TRUE(file.find("ampc.state/update"));
  EXPECT_FALSE(file.find("ampc.state/lr")) << "rates are given at run time";
  EXPECT_EQ(file.metadata().at("ampc.seed"), "7");
  EXPECT_EQ(file.metadata().at("ampc.model_hash"), "0000000000001234");
  EXPECT_EQ(file.metadata().at("ampc.data"), "x,t=normal:3");
  EXPECT_EQ(file.metadata().at("ampc.version"), "1");
}

TEST(Trainer, ResumesOnlyWithItsSeedAndSaysOtherData) {
  TrainOptions options;
  options.steps = 4;
  options.out = freshFolder("seeded");
  Regression first;
  must(train(first.session, *first.data, options, {}));
  options.resume = options.out + "/last";
  options.steps = 6;
  options.seed = 8;
  Regression other;
  Error error = errorOf(train(other.session, *other.data, options, {}));
  EXPECT_EQ(error.code, Code::BadInput);
  EXPECT_EQ(error.message, "the checkpoint was made with seed 7, this run has "
                           "seed 8; give --seed 7");
  options.seed = 7;
  std::vector<std::string> said;
  options.warn = [&](const std::string &text) { said.push_back(text); };
  Regression same;
  must(train(same.session, *same.data, options, {}));
  EXPECT_TRUE(said.empty());
  DataLine line{{"x", "t"}, "normal:5", false};
  auto data = must(
      open_data({&line, 1}, same.session.inputs(EntryKind::TrainStep), {}));
  options.steps = 7;
  must(train(same.session, *data, options, {}));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("trained on 'x,t=normal:3', this run reads "
                         "'x,t=normal:5'"),
            std::string::npos)
      << said[0];
}

TEST(Trainer, StopsEarlyAndAtATimeLimit) {
  TrainOptions options;
  options.steps = 100;
  options.validate_every = 2;
  options.validation_batches = 1;
  options.early_stop = 3;
  Regression run;
  DataLine line{{"x", "t"}, "normal:5", true};
  auto validation =
      must(open_data({&line, 1}, run.session.inputs(EntryKind::EvalStep), {}));
  options.validation = validation.get();
  must(run.session.set_learning_rate(0)); // nothing ever gets better
  TrainSummary summary = must(train(run.session, *run.data, options, {}));
  EXPECT_EQ(summary.steps, 8u) << "the first evaluation, then three no better";
  EXPECT_EQ(summary.stopped, "no lower validation loss in 3 evaluations");

  options = {};
  options.steps = 1000000000;
  options.time_limit = 0.05;
  summary = must(train(run.session, *run.data, options, {}));
  EXPECT_LT(summary.steps, options.steps);
  EXPECT_EQ(summary.stopped, "time limit of 0.05 s");
}

TEST(Trainer, ResumedRunHasTheSameBits) {
  TrainOptions options;
  options.steps = 20;
  options.log_every = 1;
  options.out = freshFolder("whole");
  Regression whole;
  must(train(whole.session, *whole.data, options, {}));

  options.out = freshFolder("halves");
  options.steps = 8;
  Regression first;
  must(train(first.session, *first.data, options, {}));
  options.steps = 20;
  options.resume = options.out + "/last";
  Regression second(/*seed=*/99); // the checkpoint's seed wins
  TrainSummary summary = must(train(second.session, *second.data, options, {}));
  EXPECT_EQ(summary.steps, 20u);
  EXPECT_EQ(second.session.seed(), 7u);
  EXPECT_EQ(contents(temporary("whole") + "/step-00000020.safetensors"),
            contents(temporary("halves") + "/step-00000020.safetensors"));
  std::vector<nlohmann::json> a = lines(temporary("whole") + "/metrics.jsonl"),
                              b = lines(temporary("halves") + "/metrics.jsonl");
  ASSERT_EQ(b.size(), 22u) << "appended: 8 rows, summary, 12 rows, summary";
  for (size_t i = 8; i < 20; ++i)
    EXPECT_EQ(a[i]["loss"], b[i + 1]["loss"]);

  options.steps = 20; // nothing left to do
  must(train(second.session, *second.data, options, {}));
}

TEST(Trainer, InterruptionSavesTheLastWindow) {
  Regression setup;
  std::atomic<bool> stop{false};
  TrainOptions options;
  options.steps = 1000;
  options.log_every = 1;
  options.out = freshFolder("stopped");
  options.interrupt = &stop;
  TrainSummary summary =
      must(train(setup.session, *setup.data, options, [&](const TrainRow &row) {
        if (row.result.iteration == 6)
          stop = true;
      }));
  EXPECT_TRUE(summary.interrupted);
  // Where steps are enqueued, some were when the sixth was told.
  uint64_t last = kOnCuda ? summary.steps : 6;
  EXPECT_LE(last, 6 + kRunsKept);
  EXPECT_EQ(summary.steps, last);
  EXPECT_EQ(fs::read_symlink(options.out + "/last"),
            fmt::format("step-{:08}.safetensors", last));
  EXPECT_EQ(lines(options.out + "/metrics.jsonl").back()["steps"], last);
}

/// Passes another source's batches on and counts them; sets a flag with the
/// third.
class Counted : public DataSource {
public:
  Counted(DataSource &data, std::atomic<bool> &stop) : data(data), stop(stop) {}

  Expected<const Batch *> batch(uint64_t index) override {
    stop = stop || ++given == 3;
    return data.batch(index);
  }
  std::optional<uint64_t> batches() const override { return std::nullopt; }
  uint64_t left_over() const override { return 0; }
  uint64_t batch_size() const override { return data.batch_size(); }
  std::string describe() const override { return data.describe(); }

  uint64_t given = 0;

private:
  DataSource &data;
  std::atomic<bool> &stop;
};

TEST(Trainer, InterruptionEndsALongValidation) {
  for (uint64_t validateEvery : {5, 0}) { // between windows, and at the end
    SCOPED_TRACE(validateEvery);
    Regression setup;
    std::atomic<bool> stop{false};
    DataLine line{{"x", "t"}, "normal:4", true};
    auto held = must(
        open_data({&line, 1}, setup.session.inputs(EntryKind::EvalStep), {}));
    Counted counted(*held, stop);
    TrainOptions options;
    options.steps = validateEvery ? 1000 : 5;
    options.out = freshFolder("stopped-validation");
    options.validation = &counted;
    options.validate_every = validateEvery;
    options.validation_batches = 1'000'000'000;
    options.interrupt = &stop;
    options.validated = [](uint64_t, const EvalResult &) {
      ADD_FAILURE() << "the evaluation did not end";
    };
    TrainSummary summary = must(train(setup.session, *setup.data, options, {}));
    EXPECT_TRUE(summary.interrupted);
    EXPECT_FALSE(summary.validation);
    EXPECT_EQ(summary.steps, 5u);
    EXPECT_EQ(counted.given, 3u);
    EXPECT_EQ(fs::read_symlink(options.out + "/last"),
              "step-00000005.safetensors");
  }
}

TEST(Trainer, SaysOnceWhatAnEpochLeavesOut) {
  Regression setup;
  const Port x = setup.session.inputs(EntryKind::TrainStep)[0];
  uint64_t samples = uint64_t(x.shape[0]) * 2 + 1;
  std::vector<DataLine> lines;
  for (const Port &port : setup.session.inputs(EntryKind::TrainStep)) {
    std::vector<int64_t> shape = port.shape;
    shape[0] = int64_t(samples);
    std::string path = temporary("epoch-" + port.name + ".npy");
    must(write_npy(path, must(Tensor::zeros(port.dtype, shape)).view(), true));
    lines.push_back({{port.name}, "npy:" + path, false});
  }
  for (bool wrap : {false, true}) {
    DataOptions dataOptions;
    dataOptions.wrap = wrap;
    auto data = must(open_data(
        lines, setup.session.inputs(EntryKind::TrainStep), dataOptions));
    std::vector<std::string> said;
    TrainOptions options;
    options.steps = uint64_t(setup.session.iteration()) + 7;
    options.warn = [&](const std::string &text) { said.push_back(text); };
    must(train(setup.session, *data, options, {}));
    if (wrap) {
      EXPECT_TRUE(said.empty());
      continue;
    }
    ASSERT_EQ(said.size(), 1u);
    EXPECT_NE(said[0].find("1 of the " + std::to_string(samples) +
                           " samples of an epoch fill no batch of " +
                           std::to_string(x.shape[0]) + " and are left out"),
              std::string::npos)
        << said[0];
  }
}

TEST(Trainer, NonFiniteLossesEndTheRun) {
  Regression setup;
  TrainOptions options;
  options.steps = 1000;
  options.max_skipped = 10;
  must(setup.session.set_learning_rate(1e30f));
  Error error = errorOf(train(setup.session, *setup.data, options, {}));
  EXPECT_EQ(error.code, Code::TrainingFailed);
  EXPECT_NE(error.message.find("10 such steps in a row"), std::string::npos)
      << error.message;
  // Fewer than that at the end are one too many: the weights are spoilt.
  options.steps = uint64_t(setup.session.iteration()) + 2;
  options.out = freshFolder("spoilt");
  error = errorOf(train(setup.session, *setup.data, options, {}));
  EXPECT_EQ(error.code, Code::TrainingFailed);
  EXPECT_EQ(error.message,
            fmt::format("step {}: the loss is nan; the run ends with it; "
                        "compiled with --finite-checks all, the plan tells "
                        "which op gives it",
                        options.steps));
  EXPECT_FALSE(fs::exists(options.out + "/last"));
  options.out = "";
  options.nonfinite = Nonfinite::Ignore;
  options.steps = uint64_t(setup.session.iteration()) + 20;
  EXPECT_FALSE(
      std::isfinite(must(train(setup.session, *setup.data, options, {})).loss));
}

/// What was trained is saved; the run failed all the same.
TEST(Trainer, ANonFiniteValidationLossEndsTheRun) {
  Regression setup;
  DataLine line{{"x", "t"}, "normal:3", false};
  line.options.scale = 1e30;
  auto held = must(
      open_data({&line, 1}, setup.session.inputs(EntryKind::EvalStep), {}));
  TrainOptions options;
  options.steps = 3;
  options.validation = held.get();
  options.validation_batches = 1;
  options.out = freshFolder("unvalidated");
  Error error = errorOf(train(setup.session, *setup.data, options, {}));
  EXPECT_EQ(error.code, Code::TrainingFailed);
  EXPECT_EQ(error.message, "step 3: the validation loss is inf");
  EXPECT_TRUE(fs::exists(options.out + "/step-00000003.safetensors"));
  options.out = "";
  options.nonfinite = Nonfinite::Ignore;
  must(train(setup.session, *setup.data, options, {}));
}

TEST(Checkpoint, LoadRefusesWhatDoesNotFit) {
  Regression setup;
  std::string path = temporary("good.safetensors");
  must(setup.session.save(path));
  EXPECT_EQ(errorOf(setup.session.save(path)).code, Code::Usage);
  Safetensors good = must(Safetensors::open(path));
  std::string changed = temporary("changed.safetensors");
  auto refuse = [&](auto change, const std::string &expected) {
    std::vector<NamedView> views;
    std::map<std::string, std::string> metadata = good.metadata();
    for (const Safetensors::Entry &entry : good.tensors())
      views.push_back({entry.name, entry.view()});
    change(views, metadata);
    must(write_safetensors(changed, views, metadata, true));
    Tensor before = must(setup.session.read("w"));
    Error error = errorOf(setup.session.load(changed));
    EXPECT_EQ(error.code, Code::BadInput);
    EXPECT_NE(error.message.find(expected), std::string::npos) << error.message;
    Tensor after = must(setup.session.read("w"));
    EXPECT_TRUE(std::equal(before.bytes().begin(), before.bytes().end(),
                           after.bytes().begin()));
  };
  int64_t shape[] = {4, 3};
  refuse([&](auto &views, auto &) { views.pop_back(); }, "the file lacks '");
  refuse(
      [&](auto &views, auto &) {
        views.push_back({"more", views[0].view});
      },
      "the model lacks 'more'");
  refuse([&](auto &views, auto &) { views[0].view.shape = shape; },
         "'w' is f32[3, 4] in the model, the file holds f32[4, 3]");
  refuse([&](auto &, auto &metadata) { metadata.erase("ampc.version"); },
         "not a checkpoint");
  refuse([&](auto &, auto &metadata) { metadata["ampc.version"] = "9"; },
         "version '9', expected '1'");
  refuse([&](auto &, auto &metadata) { metadata["ampc.seed"] = "x"; },
         "is no number");
  refuse([&](auto &, auto &metadata) { metadata["ampc.model_hash"] = "99"; },
         "checkpoint of another model (hash 0000000000000099, this one is "
         "0000000000001234)");
  must(setup.session.load(path));
}

TEST(Checkpoint, WeightsAreReadByNameOnly) {
  Regression setup;
  Tensor weight = must(Tensor::zeros(DType::F16, std::vector<int64_t>{3, 4}));
  for (int i = 0; i < 12; ++i)
    weight.as<uint16_t>()[i] = 0x3c00; // 1
  std::string path = temporary("weights.safetensors");
  NamedView named{"w", weight.view()};
  must(write_safetensors(path, {&named, 1}, {}, true));
  must(setup.session.load_weights(path));
  Tensor read = must(setup.session.read("w"));
  for (float value : read.as<float>())
    EXPECT_EQ(value, 1.0f);

  NamedView other[] = {{"v", weight.view()}, {"ampc.exp_avg/w", weight.view()}};
  must(write_safetensors(path, other, {}, true));
  EXPECT_EQ(errorOf(setup.session.load_weights(path)).message,
            "the file lacks 'w'; the model lacks 'v' (--partial allows it)");
  must(setup.session.load_weights(path, /*partial=*/true));

  std::string checkpoint = temporary("as-weights.safetensors");
  must(setup.session.save(checkpoint));
  Regression fresh;
  must(fresh.session.load_weights(checkpoint));
  Tensor loaded = must(fresh.session.read("w"));
  for (float value : loaded.as<float>())
    EXPECT_EQ(value, 1.0f);
}

} // namespace
} // namespace ampc::rt::test

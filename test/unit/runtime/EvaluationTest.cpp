// Evaluation over a data set: totals, the formula at the end, several losses,
// the incomplete batch, validation rows.
#include "runtime/api/Runtime.h"
#include "test/unit/runtime/TestPlans.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ampc::rt::test {
namespace {

std::unique_ptr<DataSource> tenSamples(const std::vector<Port> &ports) {
  Tensor x = must(Tensor::zeros(DType::F32, std::vector<int64_t>{10}));
  for (int i = 0; i < 10; ++i)
    x.as<float>()[i] = float(i);
  must(write_npy(temporary("ten.npy"), x.view(), true));
  DataLine line{{"x"}, "npy:" + temporary("ten.npy"), false};
  DataOptions options;
  options.shuffle = false;
  return must(open_data({&line, 1}, ports, options));
}

TEST(Evaluation, AddsUpAndFinishesOnce) {
  std::vector<Port> inputs = {{"x", PortKind::Input, DType::F32, {4}}};
  auto data = tenSamples(inputs);
  auto first = [](const Batch &batch, const char *name) {
    return double(
        *reinterpret_cast<const float *>(batch.find(name)->bytes.data()));
  };
  EvalRun run;
  run.partials = {{"sum", PortKind::Partial, DType::F32, {}},
                  {"count", PortKind::Partial, DType::F32, {}}};
  run.totals = {run.partials[1], run.partials[0]}; // by name, in any order
  run.values = {{"root", PortKind::Metric, DType::F32, {}},
                {"a", PortKind::Loss, DType::F32, {}},
                {"b", PortKind::Loss, DType::F32, {}}};
  run.step = [&](const Batch &batch, uint64_t index,
                 std::span<double> partials) -> Expected<void> {
    EXPECT_EQ(first(batch, "x"), double(4 * index));
    partials[0] = double(index) + 1;
    partials[1] = 4;
    return {};
  };
  int finished = 0;
  run.finish = [&](const Batch &batch,
                   std::span<double> values) -> Expected<void> {
    ++finished;
    double mean = first(batch, "sum") / first(batch, "count");
    values[0] = std::sqrt(mean);
    values[1] = mean;
    values[2] = 5;
    return {};
  };
  EvalResult result = must(evaluate(*data, 0, run));
  EXPECT_EQ(finished, 1);
  EXPECT_EQ(result.samples, 8u);
  EXPECT_EQ(result.left_over, 2u) << "nothing takes the incomplete batch";
  using Value = std::pair<std::string, double>;
  EXPECT_EQ(result.values, (std::vector<Value>{{"loss", 3.0 / 8 + 5},
                                               {"a", 3.0 / 8},
                                               {"b", 5},
                                               {"root", std::sqrt(3.0 / 8)}}));
  EXPECT_EQ(result.loss, 3.0 / 8 + 5) << "what is trained";
  EXPECT_EQ(must(evaluate(*data, 1, run)).loss, 1.0 / 4 + 5);
  run.totals[0].name = "other";
  EXPECT_EQ(errorOf(evaluate(*data, 0, run)).message,
            "'other' is no total of what eval_step gives");
  run.step = [](const Batch &, uint64_t index,
                std::span<double>) -> Expected<void> {
    if (index == 1)
      return fail(Code::Environment, "", "broken");
    return {};
  };
  EXPECT_EQ(errorOf(evaluate(*data, 0, run)).message, "broken");
}

/// Ten samples in batches of four, the last two of them a batch of their own.
class WithRemainder : public DataSource {
public:
  Expected<const Batch *> batch(uint64_t) override { return &empty; }
  std::optional<uint64_t> batches() const override { return 2; }
  uint64_t left_over() const override { return 2; }
  Expected<const Batch *> remainder() override { return &empty; }
  uint64_t batch_size() const override { return 4; }
  std::string describe() const override { return "ten"; }

private:
  Batch empty;
};

TEST(Evaluation, CountsTheIncompleteBatchWhereAProgramTakesIt) {
  WithRemainder data;
  EvalRun run;
  run.partials = run.totals = {{"sum", PortKind::Partial, DType::F64, {}}};
  run.values = {{"loss", PortKind::Loss, DType::F32, {}}};
  std::vector<uint64_t> numbers;
  auto step = [&](double each) {
    return [&numbers, each](const Batch &, uint64_t index,
                            std::span<double> partials) -> Expected<void> {
      numbers.push_back(index);
      partials[0] = each;
      return {};
    };
  };
  run.step = step(1);
  run.finish = [](const Batch &batch,
                  std::span<double> values) -> Expected<void> {
    values[0] =
        *reinterpret_cast<const double *>(batch.find("sum")->bytes.data());
    return {};
  };
  run.remainder = [&](const Batch &) { return step(0.5); };
  EvalResult result = must(evaluate(data, 0, run));
  EXPECT_EQ(result.loss, 2.5);
  EXPECT_EQ(result.samples, 10u);
  EXPECT_EQ(result.left_over, 0u);
  EXPECT_EQ(numbers, (std::vector<uint64_t>{0, 1, 2}));
  EXPECT_EQ(must(evaluate(data, 2, run)).loss, 2) << "batches were counted";
  EXPECT_EQ(must(evaluate(data, 2, run)).left_over, 0u);

  run.remainder = [](const Batch &) -> Expected<EvalRun::Step> {
    return fail(Code::Usage, "m.amp", "axis 0 of 'x' is not a dim");
  };
  result = must(evaluate(data, 0, run));
  EXPECT_EQ(result.loss, 2);
  EXPECT_EQ(result.left_over, 2u);
  EXPECT_EQ(result.left_over_reason, "m.amp: axis 0 of 'x' is not a dim");
}

TEST(Evaluation, TrainingValidatesWithoutChangingItself) {
  auto trainWith = [](uint64_t validateEvery, const std::string &metrics) {
    Session session =
        must(Session::open(must(Plan::from_bytes(regressionBytes()))));
    DataLine line{{"x", "t"}, "normal:3", false},
        held{{"x", "t"}, "normal:4", true};
    auto data =
        must(open_data({&line, 1}, session.inputs(EntryKind::TrainStep), {}));
    auto validation =
        must(open_data({&held, 1}, session.inputs(EntryKind::EvalStep), {}));
    TrainOptions options;
    options.steps = 10;
    options.metrics = metrics;
    options.force = true;
    if (validateEvery) {
      options.validation = validation.get();
      options.validate_every = validateEvery;
      options.validation_batches = 3;
    }
    TrainSummary summary = must(train(session, *data, options, {}));
    EXPECT_EQ(summary.validation.has_value(), validateEvery > 0);
    return summary.loss;
  };
  std::string metrics = temporary("validated.jsonl");
  EXPECT_EQ(trainWith(0, ""), trainWith(4, metrics));
  std::vector<uint8_t> bytes = contents(metrics);
  std::istringstream stream(std::string(bytes.begin(), bytes.end()));
  std::vector<int> at;
  for (std::string line; std::getline(stream, line);) {
    nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
    if (row.contains("split")) {
      EXPECT_EQ(row["split"], "validation");
      EXPECT_TRUE(row["loss"].is_number());
      at.push_back(row["step"]);
    }
  }
  EXPECT_EQ(at, (std::vector<int>{4, 8, 10}));
}

TEST(Evaluation, RowsNameTheLossAndEveryMetric) {
  EvalResult result;
  result.loss = 3.5;
  result.values = {{"a", 1.5}, {"b", 2}, {"accuracy", 0.25}};
  EXPECT_EQ(validation_line(7, result),
            "{\"step\":7,\"split\":\"validation\",\"loss\":3.5,\"a\":1.5,"
            "\"b\":2,\"accuracy\":0.25}");
  result.values = {{"loss", 3.5}, {"accuracy", 0.25}};
  EXPECT_EQ(validation_line(7, result),
            "{\"step\":7,\"split\":\"validation\",\"loss\":3.5,"
            "\"accuracy\":0.25}");
}

} // namespace
} // namespace ampc::rt::test

// Means over a data set: sums over sums, several losses, files with a
// remainder, validation rows.
#include "runtime/api/Runtime.h"
#include "test/unit/runtime/TestPlans.h"

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

TEST(Evaluation, DividesSumsBySums) {
  std::vector<Port> inputs = {{"x", PortKind::Input, DType::F32, {4}, 1}};
  std::vector<Port> outputs = {{"hits", PortKind::Metric, DType::F32, {}, 2},
                               {"a", PortKind::Loss, DType::F32, {}, 4},
                               {"y", PortKind::Output, DType::F32, {4}, 1},
                               {"b", PortKind::Loss, DType::F32, {}, 1}};
  auto data = tenSamples(inputs);
  auto run = [](const Batch &batch, uint64_t index,
                std::span<double> values) -> Expected<void> {
    EXPECT_EQ(values.size(), 3u);
    const auto *x =
        reinterpret_cast<const float *>(batch.find("x")->bytes.data());
    values[0] = double(index); // hits
    values[1] = x[0] + x[1] + x[2] + x[3];
    values[2] = 5;
    return {};
  };
  EvalResult result = must(evaluate(*data, 0, outputs, run));
  EXPECT_EQ(result.samples, 8u);
  EXPECT_EQ(result.left_over, 2u);
  ASSERT_EQ(result.values.size(), 3u);
  EXPECT_EQ(result.values[0], (std::pair<std::string, double>("a", 28.0 / 8)));
  EXPECT_EQ(result.values[1], (std::pair<std::string, double>("b", 5)));
  EXPECT_EQ(result.values[2], (std::pair<std::string, double>("hits", 0.25)));
  EXPECT_EQ(result.loss, 3.5 + 5) << "losses add up where none is `loss`";

  outputs[1].name = "loss";
  EXPECT_EQ(must(evaluate(*data, 0, outputs, run)).loss, 3.5);
  auto failing = [](const Batch &, uint64_t index,
                    std::span<double>) -> Expected<void> {
    if (index == 1)
      return fail(Code::Environment, "", "broken");
    return {};
  };
  EXPECT_EQ(errorOf(evaluate(*data, 0, outputs, failing)).message, "broken");
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

} // namespace
} // namespace ampc::rt::test

// Losses and metrics of a data set: each batch's sums are added up and the
// formula applied once, so that the size of a batch changes nothing, the last
// incomplete one included.
#include "test/train/Training.h"

#include <cmath>
#include <map>

namespace ampc::test {
namespace {

constexpr int64_t kSamples = 10;

/// Formulas over reductions; two of the ten labels are ignored.
std::string text(const std::string &folder, int64_t batch) {
  return "model formulas {\n"
         "  dim batch = " +
         std::to_string(batch) +
         "\n"
         "  input x: f32[batch, 3]\n"
         "  target t: f32[batch, 3]\n"
         "  target labels: i64[batch]\n"
         "  param w: f32[3] = 0.5\n"
         "  y = x * w\n"
         "  loss = cross_entropy(y, labels, ignore_index = -100)\n"
         "  metric root = sqrt(mse(y, t))\n"
         "  metric power = exp(mean(y))\n"
         "  metric weighted = sum(y * t) / maximum(sum(t), 1)\n"
         "  metric ratio = mean(y) / (1 + mean(t))\n"
         "}\n"
         "train { optimizer = sgd() }\n"
         "data {\n"
         "  x = npy(\"" +
         folder +
         "x.npy\")\n"
         "  t = npy(\"" +
         folder +
         "t.npy\")\n"
         "  labels = npy(\"" +
         folder +
         "labels.npy\")\n"
         "}\n";
}

/// The data, and the values by plain formulas in f64.
struct Expected {
  std::string folder = testing::TempDir() + "ampc-evaluate-";
  std::map<std::string, double> values;

  Expected() {
    std::vector<int64_t> wide = {kSamples, 3}, narrow = {kSamples};
    rt::Tensor x = must(rt::Tensor::zeros(rt::DType::F32, wide));
    rt::Tensor t = must(rt::Tensor::zeros(rt::DType::F32, wide));
    rt::Tensor labels = must(rt::Tensor::zeros(rt::DType::I64, narrow));
    double y = 0, squares = 0, product = 0, targets = 0, entropy = 0;
    int64_t valid = 0;
    for (int64_t i = 0; i < kSamples; ++i) {
      int64_t label = i == 1 || i == 9 ? -100 : i % 3;
      labels.as<int64_t>()[i] = label;
      double sum = 0;
      for (int64_t j = 0; j < 3; ++j) {
        int64_t at = 3 * i + j;
        x.as<float>()[at] = float(std::sin(double(at))) * 2;
        t.as<float>()[at] = float(at % 5) / 4;
        double value = double(x.as<float>()[at]) / 2,
               target = t.as<float>()[at];
        y += value;
        targets += target;
        product += value * target;
        squares += (value - target) * (value - target);
        sum += std::exp(value);
      }
      if (label < 0)
        continue;
      ++valid;
      entropy += std::log(sum) - double(x.as<float>()[3 * i + label]) / 2;
    }
    double count = 3 * kSamples;
    values = {{"loss", entropy / double(valid)},
              {"root", std::sqrt(squares / count)},
              {"power", std::exp(y / count)},
              {"weighted", product / std::max(targets, 1.0)},
              {"ratio", y / count / (1 + targets / count)}};
    must(rt::write_npy(folder + "x.npy", x.view(), true));
    must(rt::write_npy(folder + "t.npy", t.view(), true));
    must(rt::write_npy(folder + "labels.npy", labels.view(), true));
  }
};

/// Evaluates every sample of the model's data.
rt::EvalResult evaluate(rt::Stepper &stepper, const rt::Plan &plan) {
  rt::DataOptions options = plan.data_options();
  options.shuffle = false;
  auto data = must(rt::open_data(
      plan.data_lines(), stepper.inputs(rt::EntryKind::EvalStep), options));
  return must(stepper.eval(*data, 0));
}

TEST(Evaluate, AnyBatchSizeGivesTheWholeDataSetsFormulas) {
  Expected expected;
  for (int optLevel : {0, 2})
    for (int64_t batch : {1, 3, 4, 10}) {
      SCOPED_TRACE(testing::Message() << optLevel << ", batch " << batch);
      Model model =
          must(Model::parse(text(expected.folder, batch), "formulas.amp"));
      CompileOptions compile;
      compile.opt_level = optLevel;
      compile.entries = {"eval_step"};
      OpenedModel opened = must(open_stepper(model, compile));
      // Again: the program of the last batch is kept.
      for (int pass = 0; pass < 2; ++pass) {
        rt::EvalResult result = evaluate(*opened.stepper, opened.plan);
        EXPECT_EQ(result.samples, uint64_t(kSamples));
        EXPECT_EQ(result.left_over, 0u) << result.left_over_reason;
        ASSERT_EQ(result.values.size(), expected.values.size());
        for (const auto &[name, value] : result.values)
          EXPECT_NEAR(value, expected.values.at(name),
                      1e-6 * (1 + std::abs(value)))
              << name;
      }
    }
}

TEST(Evaluate, TheLastBatchIsEvaluatedWithThePresentWeights) {
  Expected expected;
  for (int optLevel : {0, 2}) {
    Model model = must(Model::parse(text(expected.folder, 4), "formulas.amp"));
    CompileOptions compile;
    compile.opt_level = optLevel;
    OpenedModel opened = must(open_stepper(model, compile));
    rt::EvalResult first = evaluate(*opened.stepper, opened.plan);
    auto data = must(
        rt::open_data(opened.plan.data_lines(),
                      opened.stepper->inputs(rt::EntryKind::TrainStep), {}));
    for (uint64_t i = 0; i < 3; ++i)
      must(opened.stepper->step(*must(data->batch(i))));
    rt::EvalResult later = evaluate(*opened.stepper, opened.plan);
    std::string path = testing::TempDir() + "ampc-present.safetensors";
    must(opened.stepper->save(path, true, ""));
    OpenedModel fresh = must(open_stepper(model, compile));
    must(fresh.stepper->load(path));
    EXPECT_NE(later.loss, first.loss);
    EXPECT_EQ(evaluate(*fresh.stepper, fresh.plan).loss, later.loss);
  }
}

TEST(Evaluate, APlanAloneSaysWhatItLeavesOut) {
  Expected expected;
  Model model = must(Model::parse(text(expected.folder, 4), "formulas.amp"));
  rt::Plan plan = must(compile(model, {}));
  rt::Session session = must(rt::Session::open(plan));
  rt::EvalResult result = evaluate(session, plan);
  EXPECT_EQ(result.samples, 8u);
  EXPECT_EQ(result.left_over, 2u);
}

TEST(Evaluate, AModelThatDoesNotHoldForTheLastBatchSaysWhy) {
  Expected expected;
  std::string changed = text(expected.folder, 4);
  changed.insert(changed.find("  loss"), "  metric third = mean(y[2])\n");
  Model model = must(Model::parse(changed, "formulas.amp"));
  OpenedModel opened = must(open_stepper(model));
  rt::EvalResult result = evaluate(*opened.stepper, opened.plan);
  EXPECT_EQ(result.samples, 8u);
  EXPECT_EQ(result.left_over, 2u);
  EXPECT_NE(result.left_over_reason.find("index 2 is outside"),
            std::string::npos)
      << result.left_over_reason;
}

} // namespace
} // namespace ampc::test

// Sessions over a hand-built plan: losses against arithmetic done here, misuse,
// state, the ring.
#include "runtime/api/Runtime.h"
#include "runtime/core/ThreadPool.h"
#include "test/unit/runtime/TestPlans.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ampc::rt::test {
namespace {

Plan regressionPlan() {
  return must(Plan::from_bytes(regressionBytes(), "regression.ampx"));
}

Session openRegression(SessionOptions options = {}) {
  return must(Session::open(regressionPlan(), options));
}

/// Inputs and targets of one batch.
struct Data {
  Tensor x = must(Tensor::zeros(DType::F32, std::vector<int64_t>{8, 4}));
  Tensor t = must(Tensor::zeros(DType::F32, std::vector<int64_t>{8, 3}));
  Batch batch;

  Data() {
    for (int i = 0; i < 32; ++i)
      x.as<float>()[i] = float(i % 7) - 3;
    for (int i = 0; i < 24; ++i)
      t.as<float>()[i] = float(i % 5) - 2;
    batch.set("x", x);
    batch.set("t", t);
  }
};

/// One step of the same model, in f64.
double referenceStep(std::vector<double> &w, Data &data, double lr) {
  auto x = data.x.as<float>(), t = data.t.as<float>();
  double loss = 0;
  std::vector<double> g(12, 0.0);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 3; ++c) {
      double d = -t[r * 3 + c];
      for (int k = 0; k < 4; ++k)
        d += double(x[r * 4 + k]) * w[c * 4 + k];
      loss += d * d;
      for (int k = 0; k < 4; ++k)
        g[c * 4 + k] += d * x[r * 4 + k];
    }
  for (int i = 0; i < 12; ++i)
    w[i] -= lr * 2 / 24 * g[i];
  return loss / 24;
}

TEST(Session, TrainsLikeTheArithmetic) {
  Session session = openRegression();
  Data data;
  Tensor start = must(session.read("w"));
  std::vector<double> w(start.as<float>().begin(), start.as<float>().end());
  for (int step = 1; step <= 10; ++step) {
    double expected = referenceStep(w, data, 0.1f);
    must(session.step(data.batch));
    must(session.sync());
    std::optional<StepResult> result = must(session.poll());
    ASSERT_TRUE(result);
    EXPECT_EQ(result->iteration, step);
    EXPECT_TRUE(result->applied);
    EXPECT_FLOAT_EQ(result->lr, 0.1f);
    EXPECT_FALSE(result->scale);
    EXPECT_NEAR(result->loss, expected, 1e-5 * expected + 1e-6);
  }
  EXPECT_FALSE(must(session.poll()));
  EXPECT_EQ(session.counters().update, 10);
}

TEST(Session, SeedDecidesTheStart) {
  auto start = [](uint64_t seed) {
    Tensor w = must(openRegression({.seed = seed}).read("w"));
    return std::vector<float>(w.as<float>().begin(), w.as<float>().end());
  };
  EXPECT_EQ(start(1), start(1));
  EXPECT_NE(start(1), start(2));
}

TEST(Session, RateIsARunTimeScalar) {
  Session session = openRegression();
  Data data;
  must(session.set_learning_rate(0));
  Tensor before = must(session.read("w"));
  must(session.step(data.batch));
  Tensor after = must(session.read("w"));
  EXPECT_EQ(std::memcmp(before.bytes().data(), after.bytes().data(), 48), 0);
  must(session.sync());
  EXPECT_EQ(must(session.poll())->lr, 0.0f);
}

/// The regression with a target `l` of i32 labels beside `t`, which no kernel
/// reads: every second element from the first on is in [0, 10) or -100.
Session openLabelled() {
  fb::PlanT plan = regression();
  for (auto &entry : plan.entries) {
    if (entry->name == "infer" || entry->name == "eval_finish")
      continue;
    auto port = std::make_unique<fb::PortT>();
    port->name = "l";
    port->kind = fb::IoKind::Target;
    port->type = std::make_unique<fb::TensorTypeT>();
    port->type->dtype = fb::DType::I32;
    port->type->shape = {2, 4};
    port->bytes = 32;
    auto check = std::make_unique<fb::IndexCheckT>();
    check->high = 10;
    check->has_ignore = true;
    check->ignore = -100;
    check->offset = 1;
    check->extents = {2, 2};
    check->strides = {4, 2};
    check->noun = "label";
    check->op = "cross_entropy";
    check->source = 0;
    port->checks.push_back(std::move(check));
    entry->inputs.push_back(std::move(port));
  }
  auto source = std::make_unique<fb::SourceLocT>();
  source->file = "m.amp";
  source->line = 12;
  source->column = 3;
  plan.sources.push_back(std::move(source));
  return must(Session::open(
      must(Plan::from_bytes(must(writePlan(plan, regressionSections()))))));
}

TEST(Session, RefusesLabelsOutOfRangeBeforeTheFirstWrite) {
  Session session = openLabelled();
  Data data;
  Tensor labels = must(Tensor::zeros(DType::I32, std::vector<int64_t>{2, 4}));
  auto *l = labels.as<int32_t>().data();
  data.batch.set("l", labels);
  l[0] = 99; // not looked up
  l[3] = -100;
  l[5] = 9;
  must(session.step(data.batch));
  Tensor before = must(session.read("w"));
  l[7] = 12;
  const std::string text = "label 12 at [1, 3] of 'l' is outside [0, 10) and "
                           "is not the ignored -100 (cross_entropy)";
  Error error = errorOf(session.run(EntryKind::EvalStep, data.batch));
  EXPECT_EQ(error.code, Code::BadInput);
  EXPECT_EQ(error.where, "m.amp:12:3");
  EXPECT_EQ(error.message, text);
  error = errorOf(session.step(data.batch));
  EXPECT_EQ(error.code, Code::BadInput);
  EXPECT_EQ(error.message, text + "; iteration 2 and all after it did not run");
  EXPECT_TRUE(
      std::ranges::equal(before.bytes(), must(session.read("w")).bytes()));
  EXPECT_EQ(session.counters().iteration, 1);
  l[7] = 1;
  EXPECT_EQ(errorOf(session.step(data.batch)).message, error.message)
      << "the first fault stays";
  must(session.run(EntryKind::EvalStep, data.batch));
  std::string path = temporary("faulted.safetensors");
  must(session.save(path, true));
  must(session.load(path));
  must(session.step(data.batch));
  EXPECT_EQ(session.counters().iteration, 2);
  for (int32_t bad : {-1, 10, INT32_MIN, INT32_MAX}) {
    l[1] = bad;
    EXPECT_NE(errorOf(session.run(EntryKind::EvalStep, data.batch))
                  .message.find(fmt::format("label {} at [0, 1]", bad)),
              std::string::npos);
  }
}

TEST(Session, InferAndEvalWriteNothing) {
  Session session = openRegression();
  Data data;
  Tensor before = must(session.read("w"));
  std::vector<NamedTensor> out = must(session.infer(data.batch));
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].name, "y");
  float y = 0;
  for (int k = 0; k < 4; ++k)
    y += data.x.as<float>()[k] * before.as<float>()[k];
  EXPECT_NEAR(out[0].tensor.as<float>()[0], y, 1e-5);

  DataLine line{{"x", "t"}, "normal:3", false};
  auto source =
      must(open_data({&line, 1}, session.inputs(EntryKind::EvalStep), {}));
  EvalResult result = must(session.eval(*source, 3));
  EXPECT_EQ(result.samples, 24u);
  ASSERT_EQ(result.values.size(), 1u);
  EXPECT_EQ(result.values[0].first, "loss");
  EXPECT_GT(result.values[0].second, 0.5);
  EXPECT_EQ(result.loss, result.values[0].second);
  EXPECT_EQ(errorOf(session.eval(*source, 0)).code, Code::Usage)
      << "endless data";
  EXPECT_EQ(must(session.read("ampc.state/iteration")).as<int64_t>()[0], 0);
}

TEST(Session, RingIsRefusedWhenFull) {
  Session session = openRegression();
  Data data;
  for (size_t i = 0; i < kResultRing; ++i)
    must(session.step(data.batch));
  Error error = errorOf(session.step(data.batch));
  EXPECT_EQ(error.code, Code::Usage);
  EXPECT_NE(error.message.find("256 results"), std::string::npos)
      << error.message;
  EXPECT_EQ(session.counters().iteration, int64_t(kResultRing))
      << "a refused step does nothing";
  must(session.sync());
  for (size_t i = 1; i <= kResultRing; ++i)
    EXPECT_EQ(must(session.poll())->iteration, int64_t(i));
  must(session.step(data.batch));
  must(session.sync());
  EXPECT_EQ(must(session.poll())->iteration, int64_t(kResultRing) + 1);
}

TEST(Session, MisuseIsAnError) {
  Session session = openRegression();
  Data data;
  Batch lacking;
  lacking.set("x", data.x);
  EXPECT_EQ(errorOf(session.step(lacking)).message,
            "the batch has no 't', expected f32[8, 3]");
  Batch wrong = data.batch;
  wrong.set("t", data.x);
  EXPECT_EQ(errorOf(session.step(wrong)).message,
            "'t' is f32[8, 4] (128 bytes), expected f32[8, 3]");
  EXPECT_EQ(errorOf(session.read("nothing")).code, Code::Usage);
  EXPECT_EQ(errorOf(session.run(EntryKind::Gradient, data.batch)).message,
            "the plan has no entry 'gradient'");
  EXPECT_EQ(errorOf(session.run(EntryKind::TrainStep, data.batch)).message,
            "train_step writes variables; step() runs it");
  EXPECT_EQ(errorOf(session.write("w", data.x.view())).message,
            "the variable is f32[3, 4], the value f32[8, 4] (128 bytes)");
  EXPECT_EQ(session.counters().iteration, 0);

  Session other = std::move(session);
  must(other.step(data.batch));
  EXPECT_EQ(errorOf(session.step(data.batch)).message,
            "the session was moved from");
  EXPECT_EQ(errorOf(session.poll()).code, Code::Usage);
  EXPECT_TRUE(session.inputs(EntryKind::Infer).empty());
}

TEST(Session, MemoryLimitHolds) {
  Error error = errorOf(Session::open(regressionPlan(), {.memory_limit = 600}));
  EXPECT_EQ(error.code, Code::DoesNotFit);
  EXPECT_NE(error.message.find("the limit is 600 bytes"), std::string::npos)
      << error.message;
  Session session = openRegression();
  MemoryReport memory = session.memory();
  EXPECT_EQ(memory.peak_bytes, memory.planned_peak_bytes);
  must(Session::open(regressionPlan(), {.memory_limit = memory.peak_bytes}));
  Data data;
  must(session.step(data.batch));
  must(session.infer(data.batch));
  EXPECT_EQ(session.memory().peak_bytes, memory.planned_peak_bytes)
      << "a step takes no more";
}

TEST(Session, PlannedMemoryIsThePlansSum) {
  // Without a contraction there is no workspace, and the sum is known here.
  fb::PlanT plan = regression();
  plan.entries.erase(plan.entries.begin(), plan.entries.begin() + 2);
  plan.entries.pop_back(); // infer alone is left
  plan.entries[0]->arena_bytes = 100;
  fb::FillT fill;
  fill.dst = std::make_unique<fb::Place>(fb::Space::Output, 0, 0);
  fill.bytes = 96;
  fill.width = 4;
  plan.entries[0]->instructions[0]->op.Set(std::move(fill));
  Session session = must(Session::open(
      must(Plan::from_bytes(must(writePlan(plan, regressionSections()))))));
  MemoryReport memory = session.memory();
  // Variables 256, arena 100, x 128, y 96 padded to 128; on a device the values
  // of three variables that a run keeps, padded to 64.
  EXPECT_EQ(memory.planned_peak_bytes,
            256u + 100u + 128u + 128u + (kOnCuda ? 64u : 0u));
  EXPECT_EQ(memory.peak_bytes, memory.planned_peak_bytes);
}

TEST(Session, SavesTheSeedInForce) {
  fb::PlanT plan = regression();
  auto variable = std::make_unique<fb::VariableT>(*plan.variables[1]);
  variable->name = "ampc.state/seed";
  variable->offset = plan.variable_bytes;
  plan.variable_bytes += 64;
  plan.variables.push_back(std::move(variable));
  Plan seeded =
      must(Plan::from_bytes(must(writePlan(plan, regressionSections()))));
  Session session = must(Session::open(seeded, {.seed = 5}));
  EXPECT_EQ(session.seed(), 5u);
  Tensor value = must(Tensor::zeros(DType::I64, {}));
  value.as<int64_t>()[0] = 77;
  must(session.write("ampc.state/seed", value.view()));
  EXPECT_EQ(session.seed(), 77u);
  std::string path = temporary("seed.safetensors");
  must(session.save(path));
  Session other = must(Session::open(seeded, {.seed = 6}));
  must(other.load(path));
  EXPECT_EQ(other.seed(), 77u);
  EXPECT_EQ(must(other.read("ampc.state/seed")).as<int64_t>()[0], 77);
}

TEST(Session, AnotherDeviceIsRefused) {
  auto openOn = [](const char *device) {
    return errorOf(Session::open(regressionPlan(), {.device = device}));
  };
  Error error = openOn(kOnCuda ? "cpu" : "cuda:0");
  EXPECT_EQ(error.code, Code::Usage);
  EXPECT_EQ(
      error.message,
      kOnCuda ? "'cpu' does not run regression.ampx, which is compiled for "
                "cuda; compile it with --target cpu, or run it on cuda"
              : "'cuda:0' does not run regression.ampx, which is compiled for "
                "cpu; compile it with --target cuda, or run it on cpu");
  for (const char *name : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x"})
    EXPECT_EQ(openOn(name).message,
              fmt::format("expected auto, cpu or cuda[:N], got '{}'", name));
  must(Session::open(regressionPlan(), {.device = kOnCuda ? "cuda:0" : "cpu"}));
}

TEST(Session, ForeignTargetsAreRefused) {
  if (kOnCuda)
    GTEST_SKIP() << "CudaExecutorTest has those of CUDA";
  auto openWith = [](auto change) {
    fb::PlanT plan = regression();
    change(plan);
    auto bytes = must(writePlan(plan, regressionSections()));
    return errorOf(Session::open(must(Plan::from_bytes(bytes)),
                                 {.cpu_level_limit = CpuLevel::Avx2}));
  };
  EXPECT_NE(openWith([](fb::PlanT &plan) {
              plan.target_level = "avx512";
            }).message.find("compiled for cpu:avx512, this processor has cpu:"),
            std::string::npos);
  EXPECT_NE(openWith([](fb::PlanT &plan) {
              plan.cpu_features = {"+avx512f"};
            }).message.find("feature 'avx512f'"),
            std::string::npos);
  EXPECT_NE(openWith([](fb::PlanT &plan) {
              plan.cpu_features = {"no-such-thing"};
            }).message.find("feature 'no-such-thing'"),
            std::string::npos);
  EXPECT_EQ(openWith([](fb::PlanT &plan) { plan.target_kind = "tpu"; }).message,
            "plan for target 'tpu', expected 'cpu' or 'cuda'");
  EXPECT_NE(openWith([](fb::PlanT &plan) {
              plan.kernels[0]->symbol = "missing";
            }).message.find("no function 'missing'"),
            std::string::npos);
}

TEST(Session, ThreadsDoNotChangeBits) {
  std::vector<std::vector<uint8_t>> ends;
  for (int threads : {1, 2, 3, 4}) {
    Session session = openRegression({.threads = threads});
    Data data;
    for (int i = 0; i < 20; ++i)
      must(session.step(data.batch));
    Tensor w = must(session.read("w"));
    auto *bytes = reinterpret_cast<const uint8_t *>(w.bytes().data());
    ends.emplace_back(bytes, bytes + w.bytes().size());
  }
  for (size_t i = 1; i < ends.size(); ++i)
    EXPECT_EQ(ends[0], ends[i]) << i + 1 << " threads";
  must(ThreadPool::instance().resize(2));
}

} // namespace
} // namespace ampc::rt::test

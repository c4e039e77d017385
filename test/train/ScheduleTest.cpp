// The rate of every update against the schedule's plain formula, in both ways
// of evaluation: what is reported, and what moves the weight.
#include "test/train/Training.h"

#include <cmath>

namespace ampc::test {
namespace {

constexpr int kUpdates = 12;

/// A model whose only gradient is 1: each update takes the rate off `w`.
std::string text(const std::string &schedule) {
  return "model slope {\n"
         "  input x: f32[1]\n"
         "  param w: f32[1] = 0\n"
         "  loss = sum(w * x)\n"
         "}\n"
         "train {\n"
         "  optimizer = sgd(lr = 0.1)\n"
         "  schedule = " +
         schedule + "\n  steps = " + std::to_string(kUpdates) + "\n}\n";
}

float weightOf(rt::Stepper &stepper, const std::string &path) {
  must(stepper.save(path, /*overwrite=*/true, ""));
  rt::Safetensors file = must(rt::Safetensors::open(path));
  return *reinterpret_cast<const float *>(file.find("w")->bytes.data());
}

/// The rates that a run reports, each held against how it moved the weight. A
/// checkpoint is taken to a new stepper half-way.
std::vector<float> ratesOf(const std::string &schedule, int optLevel) {
  Model model = must(Model::parse(text(schedule), "slope.amp"));
  CompileOptions compile;
  compile.opt_level = optLevel;
  std::string path =
      testing::TempDir() + "ampc-schedule-" + std::to_string(optLevel);
  rt::Tensor one =
      must(rt::Tensor::zeros(rt::DType::F32, std::vector<int64_t>{1}));
  one.as<float>()[0] = 1;
  rt::Batch batch;
  batch.set("x", one);
  OpenedModel opened = must(open_stepper(model, compile));
  std::vector<float> rates;
  float before = 0;
  for (int update = 0; update < kUpdates; ++update) {
    if (update == kUpdates / 2) {
      opened = must(open_stepper(model, compile));
      must(opened.stepper->load(path));
    }
    must(opened.stepper->step(batch));
    rates.push_back(must(opened.stepper->poll())->lr);
    float after = weightOf(*opened.stepper, path);
    EXPECT_EQ(after, before - rates.back()) << "update " << update;
    before = after;
  }
  return rates;
}

/// Compares with `factor(update)` times the base rate. Powers and cosines are
/// within a few units of f64, so the f32 rate may differ in its last place.
template <class Factor>
void expectRates(const std::string &schedule, Factor factor) {
  SCOPED_TRACE(schedule);
  for (int optLevel : {0, 2}) {
    SCOPED_TRACE(optLevel);
    std::vector<float> rates = ratesOf(schedule, optLevel);
    for (int update = 0; update < kUpdates; ++update) {
      double expected = double(0.1f) * factor(update);
      EXPECT_NEAR(rates[size_t(update)], expected, std::abs(expected) * 0x1p-23)
          << "update " << update;
    }
  }
}

/// A schedule after `warmup` updates of linear growth from 0.
template <class Factor>
auto warm(int warmup, Factor factor) {
  return [=](int update) {
    return update < warmup ? double(update) / warmup : factor(update);
  };
}

TEST(Schedule, Constant) {
  auto one = [](int) { return 1.0; };
  expectRates("constant()", one);
  expectRates("constant(warmup = 5)", warm(5, one));
}

TEST(Schedule, Step) {
  auto every = [](int update) { return std::pow(0.5, update / 3); };
  expectRates("step(every = 3, gamma = 0.5)", every);
  expectRates("step(every = 3, gamma = 0.5, warmup = 4)", warm(4, every));
  auto milestones = [](int update) {
    return std::pow(0.1, (update >= 2) + (update >= 7));
  };
  expectRates("step(milestones = [2, 7], gamma = 0.1)", milestones);
}

TEST(Schedule, LinearReachesItsEndAtTheLastStep) {
  auto line = [](double final, int warmup) {
    return [=](int update) {
      double progress = double(update - warmup) / (kUpdates - warmup);
      return 1 + (final - 1) * progress;
    };
  };
  expectRates("linear()", line(0, 0));
  expectRates("linear(final = 0.25)", line(0.25, 0));
  expectRates("linear(final = 0.25, warmup = 3)", warm(3, line(0.25, 3)));
}

TEST(Schedule, Cosine) {
  auto wave = [](double final, int warmup) {
    return [=](int update) {
      double progress = double(update - warmup) / (kUpdates - warmup);
      return final + (1 - final) / 2 * (1 + std::cos(M_PI * progress));
    };
  };
  expectRates("cosine()", wave(0, 0));
  expectRates("cosine(final = 0.1, warmup = 4)", warm(4, wave(0.1, 4)));
}

} // namespace
} // namespace ampc::test

// The loss scaler and the test of gradients (N24, N25) against their plain
// state machine, over random overflows with checkpoints between (D05); what a
// step with a gradient that is not finite leaves as it was.
#include "test/train/Training.h"

#include <cmath>
#include <cstring>
#include <random>

namespace ampc::test {
namespace {

/// What the state machine says after each step.
struct Scaler {
  float scale, growth, backoff, floor;
  int interval, hysteresis;
  int good = 0, overflows = 0;

  void after(bool finite) {
    if (!finite) {
      good = 0;
      overflows = std::min(overflows + 1, hysteresis);
      if (overflows == hysteresis)
        scale = std::max(scale * backoff, floor);
      return;
    }
    overflows = 0;
    if (++good < interval)
      return;
    good = 0;
    if (std::isfinite(scale * growth))
      scale *= growth;
  }
};

std::string numberText(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// A model whose gradient is x, trained with momentum.
Model slope(const std::string &train) {
  return must(Model::parse("model slope {\n"
                           "  input x: f32[2]\n"
                           "  param w: f32[2] = 0\n"
                           "  loss = sum(w * x)\n"
                           "}\n"
                           "train {\n"
                           "  optimizer = sgd(lr = 0.5, momentum = 0.5)\n" +
                               train + "}\n",
                           "slope.amp"));
}

/// The input of one step: of each micro-batch two numbers.
class Fed {
public:
  Fed(float first, float second) : Fed(std::vector<float>{first, second}) {}
  explicit Fed(const std::vector<float> &numbers)
      : x(must(rt::Tensor::zeros(
            rt::DType::F32, std::vector<int64_t>{int64_t(numbers.size())}))) {
    std::copy(numbers.begin(), numbers.end(), x.as<float>().begin());
    batch.set("x", x);
  }
  operator const rt::Batch &() const { return batch; }

private:
  rt::Tensor x;
  rt::Batch batch;
};

template <class T>
T scalar(rt::Session &session, const char *name) {
  return must(session.read(name)).template as<T>()[0];
}

/// Every variable but the count of windows, which advances with each, and the
/// sums of a window.
std::string stateOf(rt::Session &session) {
  std::string bytes;
  for (const std::string &name : session.variables()) {
    if (name == "ampc.state/iteration" || name.starts_with("ampc.state/s") ||
        name.starts_with("ampc.state/g") || name.starts_with("ampc.state/o") ||
        name.starts_with("ampc.grad/") || name.starts_with("ampc.window/"))
      continue;
    rt::Tensor value = must(session.read(name));
    bytes.append(reinterpret_cast<const char *>(value.bytes().data()),
                 value.bytes().size());
  }
  return bytes;
}

struct Pattern {
  Scaler scaler;
  double share; ///< of steps that overflow
};

/// Number of a pattern, and micro-batches of a whole window.
class ScalerTest : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(ScalerTest, FollowsItsStateMachine) {
  const Pattern patterns[] = {
      {{65536, 2, 0.5f, 0x1p-14f, 7, 1}, 0.1},
      {{1024, 4, 0.25f, 0x1p-3f, 3, 2}, 0.35},
      {{0x1p100f, 2, 0.5f, 0x1p-14f, 1, 3}, 0.02}, // growth to the largest
      {{3, 1.5f, 0.3f, 0.1f, 2, 1}, 0.5},          // no power of two
  };
  auto [number, micros] = GetParam();
  Pattern pattern = patterns[number];
  Scaler expected = pattern.scaler;
  Model model =
      slope("  loss_scale = dynamic(init = " + numberText(expected.scale) +
            ", growth = " + numberText(expected.growth) +
            ", backoff = " + numberText(expected.backoff) +
            ", interval = " + std::to_string(expected.interval) +
            ", floor = " + numberText(expected.floor) +
            ", hysteresis = " + std::to_string(expected.hysteresis) +
            ")\n  accumulate = " + std::to_string(micros) + "\n");
  rt::Plan plan = must(compile(model));
  rt::Session session = must(rt::Session::open(plan));
  std::string path = testing::TempDir() + "ampc-scaler-" +
                     std::to_string(number) + "-" + std::to_string(micros);
  std::mt19937 random(11 + number);
  auto chance = [&] { return std::uniform_real_distribution<>(0, 1)(random); };
  int64_t applied = 0;
  for (int step = 0; step < 10000; ++step) {
    // Windows of every length, with an overflow in any of their micro-batches.
    std::vector<float> fed;
    for (size_t left = micros > 1 ? 1 + random() % micros : 1; left > 0; --left)
      fed.insert(fed.end(), {0x1p-20f, 0.0f});
    if (chance() < pattern.share) {
      const float bad[] = {INFINITY, -INFINITY, NAN, 0x1p127f};
      fed[random() % fed.size()] = bad[random() % 4];
    }
    // The sums of the loss's gradients times the scale, then the scale taken
    // off, in f32.
    float x = 0, y = 0, inverse = float(1.0 / double(expected.scale));
    for (size_t i = 0; i < fed.size(); i += 2) {
      x += fed[i] * expected.scale;
      y += fed[i + 1] * expected.scale;
    }
    bool finite = std::isfinite(x * inverse) && std::isfinite(y * inverse);
    std::string before = finite ? "" : stateOf(session);
    must(session.step(Fed(fed)));
    rt::StepResult result = *must(session.poll());
    ASSERT_EQ(result.applied, finite) << "step " << step;
    if (!finite)
      ASSERT_EQ(stateOf(session), before) << "step " << step;
    expected.after(finite);
    applied += finite;
    ASSERT_EQ(scalar<float>(session, "ampc.state/scale"), expected.scale)
        << "step " << step;
    ASSERT_EQ(scalar<int32_t>(session, "ampc.state/good_steps"), expected.good)
        << "step " << step;
    ASSERT_EQ(session.counters().update, applied);
    ASSERT_EQ(session.counters().iteration, step + 1);
    if (step % 997 == 996) { // in a new session from a checkpoint
      must(session.save(path, /*overwrite=*/true));
      session = must(rt::Session::open(plan));
      must(session.load(path));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, ScalerTest,
                         testing::Combine(testing::Range(0, 4),
                                          testing::Values(1, 3)));

/// Powers of two change no bit of a gradient that stays in range: the scaled
/// run is the plain one. Static scales too, with and without a clipped norm.
TEST(LossScale, ChangesNoBitOfWeights) {
  for (const char *clip : {"", "  clip_norm = 0.25\n"})
    for (int optLevel : {0, 1, 2}) {
      std::vector<std::vector<std::byte>> plain;
      for (const char *scale :
           {"", "  loss_scale = off\n", "  loss_scale = 1024\n",
            "  loss_scale = dynamic(interval = 2)\n"}) {
        Model model = slope(std::string(clip) + scale);
        CompileOptions compile;
        compile.opt_level = optLevel;
        OpenedModel opened = must(open_stepper(model, compile));
        for (float x : {0.5f, -3.0f, 0.1f, 1e-3f, 7.25f})
          must(opened.stepper->step(Fed(x, 1 - x)));
        std::string path = testing::TempDir() + "ampc-scaled";
        must(opened.stepper->save(path, true, ""));
        rt::Safetensors file = must(rt::Safetensors::open(path));
        std::vector<std::vector<std::byte>> state;
        for (const char *name : {"w", "ampc.momentum/w"}) {
          auto bytes = file.find(name)->bytes;
          state.emplace_back(bytes.begin(), bytes.end());
        }
        if (plain.empty())
          plain = state;
        EXPECT_EQ(state, plain) << clip << scale << optLevel;
      }
    }
}

/// At every level: skip changes nothing, also where the norm is not finite
/// (D07), ignore applies what there is.
class NonFinite : public testing::TestWithParam<float> {};

TEST_P(NonFinite, SkipsOrIsIgnored) {
  for (int optLevel : {0, 1, 2})
    for (bool clips : {false, true}) {
      std::string train = clips ? "  clip_norm = 1\n" : "";
      CompileOptions compile;
      compile.opt_level = optLevel;
      Model skipping = slope(train),
            ignoring = slope(train + "  nonfinite = ignore\n");
      OpenedModel skip = must(open_stepper(skipping, compile));
      OpenedModel ignore = must(open_stepper(ignoring, compile));
      for (rt::Stepper *stepper : {skip.stepper.get(), ignore.stepper.get()}) {
        must(stepper->step(Fed(1, GetParam())));
        bool isSkip = stepper == skip.stepper.get();
        EXPECT_EQ(must(stepper->poll())->applied, !isSkip);
        std::string path = testing::TempDir() + "ampc-nonfinite";
        must(stepper->save(path, true, ""));
        rt::Safetensors file = must(rt::Safetensors::open(path));
        const auto *w =
            reinterpret_cast<const float *>(file.find("w")->bytes.data());
        EXPECT_EQ(std::isfinite(w[1]), isSkip) << optLevel << clips;
        if (isSkip)
          EXPECT_EQ(w[0], 0) << optLevel << clips;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Numbers, NonFinite,
                         testing::Values(NAN, INFINITY, -INFINITY));

} // namespace
} // namespace ampc::test

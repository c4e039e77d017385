// Cases of narrow formats and scaled losses that have broken other training
// stacks, through compiled code and the reference evaluator; each test starts
// with the row of the list that it holds.
#include "test/train/Compiled.h"
#include "test/train/Training.h"

#include <cmath>
#include <deque>

namespace ampc::test {
namespace {

/// One parameter `w` of one element, trained on numbers given to `x`.
class Narrow : public testing::TestWithParam<int> {
protected:
  /// `body` makes the loss of `w` and `x`, both f32[1].
  rt::Stepper &train(const std::string &start, const std::string &body,
                     const std::string &settings, bool unsafe = false) {
    models.push_back(must(Model::parse("model m {\n"
                                       "  input x: f32[1]\n"
                                       "  param w: f32[1] = " +
                                           start + "\n" + body +
                                           "}\n"
                                           "train {\n" +
                                           settings + "}\n",
                                       "m.amp")));
    CompileOptions compile;
    compile.opt_level = GetParam();
    compile.unsafe_precision = unsafe;
    opened.push_back(must(open_stepper(models.back(), compile)));
    return *opened.back().stepper;
  }
  rt::StepResult step(rt::Stepper &stepper, float number) {
    x.as<float>()[0] = number;
    batch.set("x", x);
    must(stepper.step(batch));
    return *must(stepper.poll());
  }
  static float weight(rt::Stepper &stepper) {
    return must(stepper.read("w")).as<float>()[0];
  }

  std::deque<Model> models; ///< the evaluator reads them where they stand
  std::deque<OpenedModel> opened;
  rt::Tensor x =
      must(rt::Tensor::zeros(rt::DType::F32, std::vector<int64_t>{1}));
  rt::Batch batch;
};

TEST(Cases, A02TheMeanOfLargeNumbersIsNoSumOfThem) {
  Results results =
      runCompiled("input x: f32[4096]\nh = cast(x, f16)\n"
                  "output m = cast(mean(h), f32)\noutput s = cast(sum(h), f32)",
                  {floats("x", {4096}, std::vector<double>(4096, 60000))});
  EXPECT_EQ(results.values("m"), std::vector<double>{60000});
  EXPECT_EQ(results.values("s"), std::vector<double>{INFINITY});
}

// N8 through compiled code: a constant row deviates from its mean by 0, and no
// eps that is no number of the format divides it.
TEST(Cases, A07ConstantRowsGiveTheBias) {
  std::vector<double> rows(20, 0.0);
  std::fill(rows.begin() + 10, rows.end(), 100.0);
  for (std::string type : {"f32", "f16", "bf16"}) {
    SCOPED_TRACE(type);
    Results results =
        runCompiled("input x: f32[2, 10]\ninput w: f32[10]\ninput b: f32[10]\n"
                    "output y = cast(layer_norm(cast(x, " +
                        type + "), eps = 1e-12, weight = cast(w, " + type +
                        "), bias = cast(b, " + type + ")), f32)",
                    {floats("x", {2, 10}, rows),
                     floats("w", {10}, std::vector<double>(10, 1.0)),
                     floats("b", {10}, std::vector<double>(10, 0.25))});
    EXPECT_EQ(results.values("y"), std::vector<double>(20, 0.25));
  }
}

// N7: 256 + 1 is no bf16 number, 1600 is.
TEST(Cases, A09ABiasGradientInBF16) {
  std::vector<double> ones(1600, 1.0);
  Results results = runCompiled(
      "input x: f32[1600, 1]\ninput w: f32[1, 1]\ninput b: f32[1]\n"
      "output y = cast(linear(cast(x, bf16), weight = cast(w, bf16), "
      "bias = cast(b, bf16)), f32)",
      {floats("x", {1600, 1}, ones), floats("w", {1, 1}, {1}),
       floats("b", {1}, {0})},
      "y", ones);
  EXPECT_EQ(results.values("grad.b"), std::vector<double>{1600});
  EXPECT_EQ(results.values("grad.w"), std::vector<double>{1600});
}

// N5: 70000 is no f16 number; each share of the gradient is.
TEST(Cases, A12ManyTiesInF16) {
  Results results = runCompiled(
      "input x: f32[70000]\noutput y = cast(max(cast(x, f16)), f32)",
      {floats("x", {70000}, std::vector<double>(70000, 2.0))}, "y");
  EXPECT_EQ(results.values("grad.x"),
            std::vector<double>(70000, 240 * 0x1p-24));
}

// N3: in one kernel each bf16 value is rounded where it is defined, and what
// compares it sees the rounded one.
TEST(Cases, C02EveryOpRoundsInAKernel) {
  Results results = runCompiled(
      "input x: f32[1]\ninput y: f32[1]\na = cast(x, bf16)\nb = cast(y, bf16)\n"
      "r = a + b\noutput e = cast(b - (r - a), f32)\n"
      "output c = where(r > a, 1.0, 0.0)",
      {floats("x", {1}, {1}), floats("y", {1}, {0x1p-9})});
  EXPECT_EQ(results.values("e"), std::vector<double>{0x1p-9});
  EXPECT_EQ(results.values("c"), std::vector<double>{0});
}

// N5, N31: the counter and the betas are wide. Frozen at 256 they leave 0.2041.
TEST_P(Narrow, D03AThousandStepsOfAdam) {
  rt::Stepper &stepper =
      train("1", "  loss = sum(w * x)\n", "  optimizer = adam(lr = 1e-3)\n");
  for (int i = 0; i < 1000; ++i)
    EXPECT_TRUE(step(stepper, 0.1f).applied);
  EXPECT_NEAR(weight(stepper), 0, 1e-3);
}

// The square of 300 is no f16 number; the norm is of f32 gradients.
TEST_P(Narrow, A11TheNormOfAnF16Gradient) {
  rt::Stepper &stepper =
      train("0", "  loss = sum(cast(cast(w, f16) * cast(x, f16), f32))\n",
            "  optimizer = sgd(lr = 1)\n  clip_norm = 1\n  loss_scale = 1\n");
  rt::StepResult result = step(stepper, 300);
  EXPECT_EQ(result.grad_norm, 300.0f);
  EXPECT_NEAR(weight(stepper), -1.0f, 1e-6f);
}

// The rate follows the windows that are applied.
TEST_P(Narrow, D14ASkippedWindowDoesNotAdvanceTheSchedule) {
  rt::Stepper &stepper = train("0", "  loss = sum(w * x)\n",
                               "  optimizer = sgd(lr = 0.5)\n"
                               "  schedule = step(every = 1, gamma = 0.5)\n");
  EXPECT_EQ(step(stepper, 1).lr, 0.5f);
  EXPECT_FALSE(step(stepper, INFINITY).applied);
  EXPECT_EQ(step(stepper, 1).lr, 0.25f);
  EXPECT_EQ(weight(stepper), -0.75f);
}

TEST_P(Narrow, D16TheScaleHasAFloorAndNeverOverflows) {
  rt::Stepper &falling =
      train("0", "  loss = sum(w * x)\n",
            "  optimizer = sgd(lr = 1)\n  loss_scale = dynamic()\n");
  for (int i = 0; i < 30; ++i)
    EXPECT_FALSE(step(falling, INFINITY).at_floor) << i;
  rt::StepResult last = step(falling, INFINITY);
  EXPECT_TRUE(last.at_floor);
  EXPECT_EQ(last.scale, 0x1p-14f);
  rt::Stepper &growing = train("0", "  loss = sum(w * x)\n",
                               "  optimizer = sgd(lr = 1)\n"
                               "  loss_scale = dynamic(init = 2.0 ** 126, "
                               "interval = 1)\n");
  EXPECT_EQ(step(growing, 0).scale, 0x1p127f);
  EXPECT_EQ(step(growing, 0).scale, 0x1p127f);
}

/// The gradient of w is 2^-27: of f16 where it is scaled alone.
constexpr const char *kTiny = "  h = cast(w, f16) * cast(x, f16)\n"
                              "  loss = sum(cast(h, f32)) * 2.0 ** -14\n";

TEST_P(Narrow, D17SmallGradientsNeedTheScaleAndAnF32Unscale) {
  rt::Stepper &scaled =
      train("0", kTiny, "  optimizer = sgd(lr = 1)\n  loss_scale = 2 ** 10\n");
  step(scaled, 0x1p-13f);
  EXPECT_EQ(weight(scaled), -0x1p-27f);
  rt::Stepper &unsafe =
      train("0", kTiny, "  optimizer = sgd(lr = 1)\n  loss_scale = off\n",
            /*unsafe=*/true);
  step(unsafe, 0x1p-13f);
  EXPECT_EQ(weight(unsafe), 0.0f);
}

// The same under the policy: f16 without a scaled loss is refused, and where
// that is overruled it loses what f32 and the scaled f16 learn.
TEST(Cases, D17F16WithoutScalingLosesGradients) {
  auto weightAfterAStep = [](const char *precision, const char *scale,
                             bool unsafe) -> rt::Expected<float> {
    ModelOptions options;
    if (*scale)
      options.sets.emplace_back("train.loss_scale", scale);
    Model model = must(Model::parse("model m {\n"
                                    "  input x: f32[1, 1]\n"
                                    "  y = linear(x, 1, bias = false)\n"
                                    "  loss = sum(y) * 2.0 ** -27\n"
                                    "}\n"
                                    "init { \"*.weight\" = 0 }\n"
                                    "train { optimizer = sgd(lr = 1) }\n",
                                    "m.amp", options));
    CompileOptions compile;
    compile.precision = precision;
    compile.unsafe_precision = unsafe;
    AMPC_ASSIGN(rt::Session session, open_session(model, compile));
    rt::Tensor x =
        must(rt::Tensor::zeros(rt::DType::F32, std::vector<int64_t>{1, 1}));
    x.as<float>()[0] = 1;
    rt::Batch batch;
    batch.set("x", x);
    must(session.step(batch));
    return must(session.read("linear.weight")).as<float>()[0];
  };
  EXPECT_EQ(must(weightAfterAStep("f32", "", false)), -0x1p-27f);
  EXPECT_EQ(must(weightAfterAStep("f16", "", false)), -0x1p-27f);
  EXPECT_EQ(weightAfterAStep("f16", "off", false).error().code,
            rt::Code::BadInput);
  EXPECT_EQ(must(weightAfterAStep("f16", "off", true)), 0.0f);
}

// What the forward pass rounds is what the backward pass reads.
TEST_P(Narrow, E05TheBackwardReadsTheRoundedValue) {
  rt::Stepper &stepper = train("1 + 2.0 ** -9",
                               "  y = cast(cast(w * x, bf16), f32)\n"
                               "  loss = sum(y * y) / 2\n",
                               "  optimizer = sgd(lr = 1)\n");
  EXPECT_EQ(step(stepper, 1).loss, 0.5f);
  EXPECT_EQ(weight(stepper), 0x1p-9f); // less y, which is 1
}

INSTANTIATE_TEST_SUITE_P(Levels, Narrow, testing::Values(0, 1, 2));

} // namespace
} // namespace ampc::test

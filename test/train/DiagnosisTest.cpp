// What a run says when numbers stop being finite: the op, its place, what it
// was given, and the loss scale that would do (N26).
#include "test/train/Training.h"

#include "runtime/train/Diagnosis.h"

#include <deque>

namespace ampc::test {
namespace {

class Diagnosis : public testing::TestWithParam<int> {
protected:
  /// Opens `text` in `precision`, with finite checks of `checks`.
  rt::Stepper &open(const std::string &text, const std::string &precision,
                    const std::string &checks) {
    models.push_back(must(Model::parse(text, "m.amp")));
    CompileOptions compile;
    compile.opt_level = GetParam();
    compile.precision = precision;
    compile.finite_checks = checks;
    opened.push_back(must(open_stepper(models.back(), compile)));
    return *opened.back().stepper;
  }
  /// One window on x, 4 numbers.
  rt::StepResult step(rt::Stepper &stepper, std::array<float, 4> numbers) {
    std::copy(numbers.begin(), numbers.end(), x.as<float>().begin());
    batch.set("x", x);
    must(stepper.step(batch));
    return *must(stepper.poll());
  }

  std::deque<Model> models; ///< the evaluator reads them where they stand
  std::deque<OpenedModel> opened;
  rt::Tensor x =
      must(rt::Tensor::zeros(rt::DType::F32, std::vector<int64_t>{4}));
  rt::Batch batch;
};

constexpr const char *kLog = "model m {\n"
                             "  input x: f32[4]\n"
                             "  param w: f32[4] = 1\n"
                             "  h = x * w\n"
                             "  loss = sum(log(h) * 2)\n"
                             "}\n"
                             "train { optimizer = sgd(lr = 0.1) }\n";

TEST_P(Diagnosis, NamesTheFirstOpThatIsNotFinite) {
  rt::Stepper &stepper = open(kLog, "f32", "all");
  EXPECT_FALSE(step(stepper, {1, 2, 3, 4}).finding);
  rt::StepResult result = step(stepper, {1, 0, 2, 4});
  ASSERT_TRUE(result.finding);
  EXPECT_EQ(result.finding->where, "m.amp:5:14");
  EXPECT_TRUE(result.finding->text.starts_with(
      "log gives -inf, f32[4]; made of mul in [0, "))
      << result.finding->text;
  EXPECT_FALSE(result.applied);
}

TEST_P(Diagnosis, NamesInputsAndVariables) {
  rt::Stepper &stepper = open(kLog, "f32", "boundary");
  rt::StepResult result = step(stepper, {1, NAN, 2, 4});
  ASSERT_TRUE(result.finding);
  EXPECT_EQ(result.finding->where, "m.amp:2:9");
  EXPECT_EQ(result.finding->text, "input 'x' holds nan, f32[4]");
  std::array<float, 4> broken = {1, 1, INFINITY, 1};
  must(stepper.write(
      "w", {rt::DType::F32, x.shape(), std::as_bytes(std::span(broken))}));
  result = step(stepper, {1, 1, 1, 1});
  ASSERT_TRUE(result.finding);
  EXPECT_EQ(result.finding->where, "m.amp:3:9");
  EXPECT_EQ(result.finding->text, "variable 'w' holds inf, f32[4]");
}

// Checks change no bit of what the step computes.
TEST_P(Diagnosis, ChecksChangeNothingElse) {
  std::vector<std::vector<float>> weights;
  for (const char *checks : {"off", "boundary", "all"}) {
    rt::Stepper &stepper = open(kLog, "f32", checks);
    for (int i = 0; i < 3; ++i)
      step(stepper, {1, 2, 3, 0.5f + float(i)});
    rt::Tensor w = must(stepper.read("w"));
    weights.emplace_back(w.as<float>().begin(), w.as<float>().end());
  }
  EXPECT_EQ(weights[0], weights[1]);
  EXPECT_EQ(weights[0], weights[2]);
}

/// The gradient of h is the scale times 2: f16 holds it up to 2^14.
constexpr const char *kScaled =
    "model m {\n"
    "  input x: f32[4]\n"
    "  param w: f32[4] = 1\n"
    "  h = cast(x * w, f16)\n"
    "  loss = sum(cast(h * h, f32))\n"
    "}\n"
    "train {\n"
    "  optimizer = sgd(lr = 0)\n"
    "  loss_scale = dynamic(init = 2 ** 16, floor = 2 ** 16)\n"
    "}\n";

TEST_P(Diagnosis, FindsTheScaleThatFits) {
  rt::Stepper &stepper = open(kScaled, "f32", "off");
  rt::StepResult result = step(stepper, {1, 1, 1, 1});
  EXPECT_FALSE(result.applied);
  EXPECT_TRUE(result.at_floor);
  rt::Stepper &checked = open(kScaled, "f32", "all");
  std::optional<rt::Diagnosis> found =
      must(rt::diagnose(stepper, checked, batch));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->scale, 0x1p16f);
  // 2^16 itself is no f16 number; at 2^15 the square's gradient, twice that,
  // is none either.
  EXPECT_EQ(found->fits, 0x1p14f);
  EXPECT_TRUE(rt::text_of(*found).ends_with(
      "; it overflows at loss scale 65536, fits at 16384"))
      << rt::text_of(*found);
  EXPECT_EQ(stepper.iteration(), 1);
}

TEST_P(Diagnosis, SaysWhereNoScaleHelps) {
  rt::Stepper &stepper = open(kScaled, "f32", "off");
  rt::StepResult result = step(stepper, {1, 1000, 1, 1}); // 10^6 > 65504
  EXPECT_TRUE(result.at_floor);
  rt::Stepper &checked = open(kScaled, "f32", "all");
  std::optional<rt::Diagnosis> found =
      must(rt::diagnose(stepper, checked, batch));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->fits);
  EXPECT_EQ(found->finding.where, "m.amp:5:21");
  EXPECT_EQ(rt::text_of(*found),
            "mul (mul_1) gives inf, f16[4]; made of cast in [1, "
            "1000]; it does at any loss scale");
}

INSTANTIATE_TEST_SUITE_P(Levels, Diagnosis, testing::Values(0, 1, 2));

} // namespace
} // namespace ampc::test

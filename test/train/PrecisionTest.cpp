// Runs in 16 bits beside the run in f32: the losses stay within a band that is
// derived from the format's rounding and the model's own sensitivity.
#include "test/train/Models.h"

#include <cmath>
#include <random>

namespace ampc::test {
namespace {

constexpr uint64_t kWindows = 60;
/// Runs that start from rounded weights, to see what a rounding does.
constexpr int kProbes = 3;
/// examples/mlp.amp, char_gpt.amp and digits.amp at a test's size.
std::vector<WholeModel> examples() {
  std::vector<WholeModel> found{
      {"Mlp",
       "examples/mlp.amp",
       {{"batch", "64"}, {"width", "32"}, {"hidden", "128"}},
       {}}};
  for (const WholeModel &model : wholeModels())
    if (std::string_view(model.path).starts_with("examples/"))
      found.push_back(model);
  return found;
}

/// The losses of a run in `precision`. f16 has a scale at which nothing
/// overflows: to find it a run leaves out its first steps, and is another one.
std::vector<float> lossesIn(WholeModel whole, const char *precision) {
  if (precision == std::string_view("f16"))
    whole.sets.emplace_back("train.loss_scale", "256");
  CompileOptions options;
  options.precision = precision;
  Training training = whole.train(must(compile(whole.load(), options)));
  return training.losses(kWindows);
}

/// The losses of an f32 run from weights that are each off by up to `unit`
/// times themselves: what one rounding of them does.
std::vector<float> lossesFromRounded(const WholeModel &whole,
                                     const rt::Plan &plan, double unit,
                                     int probe) {
  Training training = whole.train(plan);
  std::mt19937 random(probe + 1);
  std::uniform_real_distribution<double> error(-unit, unit);
  for (const std::string &name : training.session().variables()) {
    if (name.starts_with("ampc."))
      continue;
    rt::Tensor value = must(training.session().read(name));
    for (float &element : value.as<float>())
      element = static_cast<float>(element * (1 + error(random)));
    must(training.session().write(name, value.view()));
  }
  return training.losses(kWindows);
}

class Precision : public testing::TestWithParam<WholeModel> {};

TEST_P(Precision, LossesStayWithinTheDerivedBand) {
  const WholeModel &whole = GetParam();
  rt::Plan plan = must(compile(whole.load()));
  std::vector<float> exact = whole.train(plan).losses(kWindows);
  // Unit roundoffs: half the distance from 1 to the next number.
  for (auto [precision, unit] :
       {std::pair("bf16", 0x1p-9), std::pair("f16", 0x1p-12)}) {
    SCOPED_TRACE(precision);
    std::vector<double> band(kWindows);
    for (int probe = 0; probe < kProbes; ++probe) {
      std::vector<float> off = lossesFromRounded(whole, plan, unit, probe);
      double widest = 0; // what has once drifted may drift again
      for (uint64_t i = 0; i < kWindows; ++i) {
        widest = std::max(widest, double(std::abs(off[i] - exact[i])));
        band[i] = std::max(band[i], widest);
      }
    }
    std::vector<float> losses = lossesIn(whole, precision);
    for (uint64_t i = 0; i < kWindows; ++i) {
      double limit = band[i] + unit * std::abs(exact[i]);
      double distance = std::abs(losses[i] - exact[i]);
      ASSERT_LE(distance, limit) << "window " << i << ": " << losses[i]
                                 << " and " << exact[i] << " in f32";
    }
    // It is another run: the precision is in force.
    EXPECT_NE(losses, exact);
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, Precision, testing::ValuesIn(examples()),
                         nameOf);

/// f32, tf32 on a target without it, and a model whose every call is f32 by
/// override are one run, to the bit.
TEST(PrecisionPolicy, F32InAnyWordIsOneRun) {
  WholeModel whole = examples()[0];
  std::vector<float> plain = lossesIn(whole, "f32");
  EXPECT_EQ(lossesIn(whole, "tf32"), plain);
  whole.sets.emplace_back("precision.*", "f32");
  EXPECT_EQ(lossesIn(whole, "bf16"), plain);
}

} // namespace
} // namespace ampc::test

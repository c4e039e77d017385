// Runs in 16 bits beside the run in f32: the losses stay within a band that is
// derived from the format's rounding and the model's own sensitivity.
#include "test/train/Models.h"

#include <cmath>
#include <cstdlib>
#include <random>

namespace ampc::test {
namespace {

/// Whether the proof runs (tools/dev proofs precision): the examples as they
/// are written, 500 windows, three seeds.
const bool kIsProof = std::getenv("AMPC_PROOF_PRECISION") != nullptr;
const uint64_t kWindows = kIsProof ? 500 : 60;
const std::vector<const char *> kSeeds =
    kIsProof ? std::vector<const char *>{"0", "1", "2"}
             : std::vector<const char *>{"0"};
/// Runs that start from rounded weights, to see what a rounding does.
const int kProbes = kIsProof ? 2 : 3;
/// In hundreds of windows any two runs drift apart, whatever made them differ:
/// one more of them exceeds the widest of two as often as one time in three.
const double kSafety = kIsProof ? 4 : 1;

/// examples/mlp.amp, char_gpt.amp and digits.amp at a test's size.
std::vector<WholeModel> examples() {
  if (kIsProof)
    return {{"Mlp", "examples/mlp.amp", {}, {}},
            {"CharGpt", "examples/char_gpt.amp", {}, {}},
            {"Digits", "examples/digits.amp", {}, {}}};
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

/// How many values of a step are rounded to `precision`: each is off by up to
/// the unit roundoff, together by its multiple with the root of their number.
double roundingsIn(const WholeModel &whole, const std::string &precision) {
  CompileOptions options;
  options.precision = precision;
  Explanation step = must(explain(whole.load(), options, {}));
  double count = 0;
  for (const ExplainedOp &op : step.ops)
    count += op.type.starts_with(precision + "[");
  return count;
}

/// The losses of an f32 run from weights that are each off by up to `unit`
/// times themselves.
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

/// What runs that are off by `unit` drift from `exact`: what has once drifted
/// may drift again.
std::vector<double> bandOf(const WholeModel &whole, const rt::Plan &plan,
                           const std::vector<float> &exact, double unit) {
  std::vector<double> band(kWindows);
  for (int probe = 0; probe < kProbes; ++probe) {
    std::vector<float> off = lossesFromRounded(whole, plan, unit, probe);
    double widest = 0;
    for (uint64_t i = 0; i < kWindows; ++i) {
      widest = std::max(widest, double(std::abs(off[i] - exact[i])));
      band[i] = std::max(band[i], kSafety * widest);
    }
  }
  for (uint64_t i = 0; i < kWindows; ++i)
    band[i] += unit * std::abs(exact[i]);
  return band;
}

TEST_P(Precision, LossesStayWithinTheDerivedBand) {
  for (const char *seed : kSeeds) {
    SCOPED_TRACE(std::string("seed ") + seed);
    WholeModel whole = GetParam();
    whole.sets.emplace_back("train.seed", seed);
    rt::Plan plan = must(compile(whole.load()));
    std::vector<float> exact = whole.train(plan).losses(kWindows);
    // Unit roundoffs: half the distance from 1 to the next number.
    for (auto [precision, unit] :
         {std::pair("bf16", 0x1p-9), std::pair("f16", 0x1p-12)}) {
      SCOPED_TRACE(precision);
      double off = unit * std::sqrt(roundingsIn(whole, precision));
      std::vector<double> band = bandOf(whole, plan, exact, off);
      std::vector<float> losses = lossesIn(whole, precision);
      double largest = 0, share = 0;
      for (uint64_t i = 0; i < kWindows; ++i) {
        double distance = std::abs(losses[i] - exact[i]);
        EXPECT_LE(distance, band[i]) << "window " << i << ": " << losses[i]
                                     << " and " << exact[i] << " in f32";
        largest = std::max(largest, distance);
        share = std::max(share, distance / band[i]);
      }
      if (kIsProof)
        std::printf("band %s seed %s %s last %.5g f32 %.5g largest %.2g share "
                    "%.2f\n",
                    whole.name, seed, precision, losses.back(), exact.back(),
                    largest, share);
      // It is another run: the precision is in force.
      EXPECT_NE(losses, exact);
    }
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

// The first losses of the examples, as they were when they were written down.
#include "test/train/Models.h"

namespace ampc::test {
namespace {

/// Threads, opt levels and CPU levels gave one set of bits when these were
/// recorded, and the reference evaluator, whose sums have another order, losses
/// at most 3e-7 away. Contractions may take another order on another machine:
/// four times that.
constexpr double kTolerance = 4 * 3e-7;

struct Golden {
  const char *name;
  std::vector<double> losses;
};

void expectLosses(Training &training, const std::vector<double> &expected) {
  for (uint64_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(training.step(i).loss, expected[i], kTolerance)
        << "window " << i;
}

TEST(Golden, Mlp) {
  Training training(mlp("64", "32", "128"));
  if (std::getenv("AMPC_PROOF_FULL"))
    GTEST_SKIP() << "recorded at the small size";
  expectLosses(training,
               {1.0418143, 1.0536821, 1.0404967, 1.0356395, 1.0360651});
}

TEST(Golden, CharGptAndDigits) {
  const Golden kGolden[] = {
      {"CharGpt", {3.594532, 3.707246, 3.7854123, 3.8269925, 3.5005908}},
      {"Digits", {2.356144, 2.3759713, 2.461169, 2.613704, 2.231715}}};
  for (const Golden &golden : kGolden)
    for (const WholeModel &whole : wholeModels()) {
      if (whole.name != std::string_view(golden.name))
        continue;
      SCOPED_TRACE(golden.name);
      Training training = whole.train(must(compile(whole.load())));
      expectLosses(training, golden.losses);
    }
}

} // namespace
} // namespace ampc::test

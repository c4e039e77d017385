// A step and the gradients of every whole model by compiled code and by the
// reference evaluator, within the derived bounds (N29).
#include "test/train/BoundedEntry.h"
#include "test/train/Models.h"

namespace ampc::test {
namespace {

constexpr uint64_t kStates = 2;

class ModelTwoPath : public testing::TestWithParam<WholeModel> {
protected:
  Model model = GetParam().load(/*isShallow=*/true);
  rt::Plan plan = must(compile(model));
};

/// From each of the first states that the compiled run goes through, one step
/// by both paths: the loss and all that the step writes.
TEST_P(ModelTwoPath, EveryStepIsWithinTheDerivedBound) {
  Training training = GetParam().train(plan);
  BoundedEntry bounded(model);
  for (uint64_t i = 0; i < kStates; ++i) {
    SCOPED_TRACE(i);
    bounded.copyState(training.session());
    llvm::SmallVector<Bounded> results = bounded.run(training.batch(i));
    ASSERT_FALSE(results.empty());
    float loss = training.step(i).loss;
    EXPECT_TRUE(withinBound("loss", loss, bounded.totalLoss(results)));
    bounded.expectState(training.session());
  }
}

/// The gradient of the loss for every parameter and every float input, of the
/// model as it trains.
TEST_P(ModelTwoPath, EveryGradientIsWithinTheDerivedBound) {
  CompileOptions options;
  options.entries = {"gradient"};
  options.gradient_of = GetParam().loss;
  options.mode = "train";
  rt::Session session = must(open_session(model, options));
  BoundedEntry bounded(model, "gradient", options);
  bounded.copyState(session);
  Training data = GetParam().train(plan);
  rt::Batch batch = data.batch(0);
  const float seed = 1;
  batch.set(
      std::string("grad.") + GetParam().loss,
      rt::TensorView{rt::DType::F32, {}, std::as_bytes(std::span(&seed, 1))});
  llvm::SmallVector<Bounded> expected = bounded.run(batch);
  ASSERT_FALSE(expected.empty());
  bounded.expectResults(must(session.run(rt::EntryKind::Gradient, batch)),
                        expected);
}

INSTANTIATE_TEST_SUITE_P(Models, ModelTwoPath, testing::ValuesIn(wholeModels()),
                         nameOf);

} // namespace
} // namespace ampc::test

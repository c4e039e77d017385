// The same training step by compiled code and by the reference evaluator: every
// loss and every variable within the derived bound (N29). No tolerance is
// written here; RunningError.h derives them from the table.
#include "test/numerics/Compare.h"
#include "test/numerics/Graph.h"
#include "test/train/BoundedEntry.h"

namespace ampc::test {
namespace {

/// From each of the 20 states that the compiled run goes through, one step by
/// both paths: the loss and all the step writes.
TEST(TwoPath, EveryStepOfMlpIsWithinTheDerivedBound) {
  Model model = mlp("64", "32", "128");
  Training training(model);
  BoundedEntry bounded(model);
  for (uint64_t i = 0; i < kSteps; ++i) {
    SCOPED_TRACE(i);
    bounded.copyState(training.session());
    Bounded loss = bounded.run(training.batch(i))[0];
    float value = training.step(i).loss;
    EXPECT_TRUE(withinBound("loss", value, loss));
    bounded.expectState(training.session());
  }
}

/// Both paths run on their own from the same start, as long as the carried
/// worst case says anything: while it is below the loss.
TEST(TwoPath, FreeRunningLossesAreWithinTheCarriedBound) {
  Model model = mlp("64", "32", "128");
  Training training(model);
  BoundedEntry bounded(model);
  bounded.copyState(training.session());
  uint64_t proven = 0;
  for (uint64_t i = 0; i < kSteps; ++i) {
    SCOPED_TRACE(i);
    Bounded loss = bounded.run(training.batch(i))[0];
    float value = training.step(i).loss;
    if (!(loss.error[0] < loss.value.number(0)))
      break;
    EXPECT_TRUE(withinBound("loss", value, loss));
    ++proven;
  }
  // At full size one update lifts the worst case above the loss.
  EXPECT_GE(proven, std::getenv("AMPC_PROOF_FULL") ? 1u : 2u);
}

/// Trials and safety factor of the sensitivity below; the seeds are 1 to
/// kTrials.
constexpr uint64_t kTrials = 16;
constexpr double kSafety = 4;

/// The reference evaluator on its own, from the initial variables; with a seed,
/// every f32 variable is moved to a neighbouring f32 before each step, up or
/// down by chance.
std::vector<double> referenceLosses(const Model &model, Training &batches,
                                    uint64_t perturbation) {
  Program program(must(emit(model, Emit::Step)));
  mlir::func::FuncOp step = program.function("train_step");
  auto variables = *reference::Variables::create(program.module(), 0);
  Numbers random(perturbation);
  std::vector<double> losses;
  for (uint64_t i = 0; i < kSteps; ++i) {
    for (auto variable : program.module().getOps<amp::VariableOp>()) {
      if (!perturbation || variable.getRole() == amp::VariableRole::rate ||
          !variable.tensorType().getElementType().isF32())
        continue;
      reference::Tensor moved = *variables.find(variable.getSymName());
      for (double &value : moved.floats())
        value = std::nextafter(static_cast<float>(value),
                               random.word() & 1 ? INFINITY : -INFINITY);
      // A second moment is no square root's negative argument.
      if (variable.getSymName().starts_with("ampc.exp_avg_sq/"))
        for (double &value : moved.floats())
          value = std::max(value, 0.0);
      EXPECT_TRUE(mlir::succeeded(
          variables.set(variable.getSymName(), std::move(moved))));
    }
    llvm::SmallVector<reference::Tensor> arguments;
    for (mlir::BlockArgument argument : step.getArguments()) {
      auto name = step.getArgAttrOfType<mlir::StringAttr>(
          argument.getArgNumber(), amp::kNameAttr);
      std::span<const std::byte> bytes =
          batches.batch(i).find(name.str())->bytes;
      arguments.push_back(*reference::Tensor::ofBytes(
          amp::tensorType(argument),
          llvm::ArrayRef(reinterpret_cast<const char *>(bytes.data()),
                         bytes.size())));
    }
    auto results = reference::run(step, arguments, variables);
    EXPECT_TRUE(mlir::succeeded(results)) << program.errors();
    losses.push_back((*results)[0].number(0));
  }
  return losses;
}

/// Compiled code and reference, each on its own for 20 steps. Two things part
/// them. The loss of a step is rounded on its way: the derived bound of that
/// step. And the states have drifted: measured as the tolerance table is, by
/// how far the reference's own losses move when every f32 variable moves by one
/// unit in the last place before each step, the largest of kTrials runs times
/// kSafety.
TEST(TwoPath, TwentyLossesFollowTheReference) {
  Model model = mlp("64", "32", "128");
  Training compiled(model);
  BoundedEntry bounded(model);
  std::vector<double> reference = referenceLosses(model, compiled, 0);
  uint64_t trials = std::getenv("AMPC_PROOF_FULL") ? 2 : kTrials;
  std::vector<double> drift(kSteps, 0.0);
  for (uint64_t seed = 1; seed <= trials; ++seed) {
    std::vector<double> moved = referenceLosses(model, compiled, seed);
    for (uint64_t i = 0; i < kSteps; ++i)
      drift[i] = std::max(drift[i], std::abs(moved[i] - reference[i]));
  }
  for (uint64_t i = 0; i < kSteps; ++i) {
    bounded.copyState(compiled.session());
    double own = bounded.run(compiled.batch(i))[0].error[0];
    float loss = compiled.step(i).loss;
    double bound = own + kSafety * drift[i];
    EXPECT_LE(std::abs(loss - reference[i]), bound)
        << "step " << i + 1 << ": " << loss << " and " << reference[i];
    EXPECT_LT(bound, 1e-2 * reference[i]) << "the bound says nothing";
    std::printf("step %2d loss %.8g reference %.8g difference %8.1g bound "
                "%.1g + %g * %.1g\n",
                static_cast<int>(i + 1), loss, reference[i],
                loss - reference[i], own, kSafety, drift[i]);
  }
}

} // namespace
} // namespace ampc::test

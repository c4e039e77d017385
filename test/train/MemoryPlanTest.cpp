// The memory that `ampc plan` tells is what a session obtains, to the byte
// (docs/performance.md): whole models in every precision, with and without
// accumulation, on one thread and on several.
#include "test/train/Models.h"

namespace ampc::test {
namespace {

struct PlannedCase {
  WholeModel model;
  const char *precision;
};

class PlannedMemory : public testing::TestWithParam<PlannedCase> {};

/// Checks the plan of `model` against two steps of a session on `threads`.
void expectPlanned(const WholeModel &model, const char *precision,
                   int threads) {
  Model loaded = model.load();
  CompileOptions options;
  options.precision = precision;
  MemoryPlan told = must(plan_memory(loaded, options, threads));
  EXPECT_EQ(told.threads, threads);
  EXPECT_EQ(told.categories.total(), told.planned_peak_bytes);
  EXPECT_LE(told.lower_bound_bytes, told.planned_peak_bytes);

  options.entries = {"train_step", "eval_step"};
  options.opt_level = 2;
  rt::SessionOptions session;
  session.threads = threads;
  Training training = model.train(must(compile(loaded, options)), session);
  training.step(0);
  training.step(1);
  rt::MemoryReport held = training.stepper().memory();
  EXPECT_EQ(held.peak_bytes, told.planned_peak_bytes);
  EXPECT_EQ(held.planned_peak_bytes, told.planned_peak_bytes);
  EXPECT_EQ(held.current_bytes, told.planned_peak_bytes);
}

TEST_P(PlannedMemory, IsWhatASessionObtains) {
  WholeModel model = GetParam().model;
  expectPlanned(model, GetParam().precision, 1);
  model.sets.emplace_back("train.accumulate", "2");
  expectPlanned(model, GetParam().precision, 3);
}

/// The memory of `loaded` where every op stands alone, and where they share
/// kernels.
std::pair<MemoryPlan, MemoryPlan> aloneAndFused(const Model &loaded,
                                                const char *precision) {
  CompileOptions options;
  options.precision = precision;
  options.opt_level = 1;
  MemoryPlan alone = must(plan_memory(loaded, options, /*threads=*/1));
  options.opt_level = 2;
  return {std::move(alone), must(plan_memory(loaded, options, /*threads=*/1))};
}

/// Groups keep nothing that single ops would not; what is placed in so few
/// bytes may have a gap more.
TEST_P(PlannedMemory, IsNoMoreForFusion) {
  auto [alone, fused] =
      aloneAndFused(GetParam().model.load(), GetParam().precision);
  EXPECT_LE(fused.lower_bound_bytes, alone.lower_bound_bytes);
}

TEST(MemoryPlan, OfExamplesIsNoMoreForFusion) {
  for (const char *path :
       {"examples/mlp.amp", "examples/digits.amp", "examples/char_gpt.amp"})
    for (const char *precision : {"f32", "bf16", "f16"}) {
      SCOPED_TRACE(std::string(path) + " " + precision);
      WholeModel model{path, path, {}, {}};
      auto [alone, fused] = aloneAndFused(model.load(), precision);
      EXPECT_LE(fused.planned_peak_bytes, alone.planned_peak_bytes);
    }
}

std::vector<PlannedCase> plannedCases() {
  std::vector<WholeModel> models = wholeModels();
  // Products of several tiles, stretches of K and edges.
  models.push_back({"Mlp",
                    "examples/mlp.amp",
                    {{"batch", "96"}, {"width", "200"}, {"hidden", "600"}},
                    {}});
  // Attention head by head.
  models.push_back(models[0]);
  models.back().name = "Heads";
  models.back().sets[0] = {"batch", "4"};
  std::vector<PlannedCase> cases;
  for (const WholeModel &model : models)
    for (const char *precision : {"f32", "bf16", "f16"})
      cases.push_back({model, precision});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Models, PlannedMemory,
                         testing::ValuesIn(plannedCases()),
                         [](const auto &info) {
                           return std::string(info.param.model.name) + "_" +
                                  info.param.precision;
                         });

/// The scratch memory of loops over slices is each thread's.
TEST(MemoryPlan, CountsScratchMemory) {
  WholeModel model = plannedCases().back().model;
  auto workspace = [&](uint64_t leastHeads, int threads) {
    CompileOptions options;
    options.least_heads = leastHeads;
    MemoryPlan plan = must(plan_memory(model.load(), options, threads));
    return plan.categories[MemoryUse::Workspaces];
  };
  uint64_t one = workspace(8, 1);
  EXPECT_GT(one, 0u);
  EXPECT_EQ(workspace(8, 3), 3 * one);
  EXPECT_EQ(workspace(9, 3), 0u);
}

/// What only infers has no state and no gradients; the plan is that of the
/// entry.
TEST(MemoryPlan, OfOneEntryAlone) {
  Model model = mlp("8", "16", "32");
  CompileOptions options;
  options.entries = {"infer"};
  MemoryPlan told = must(plan_memory(model, options, 2));
  rt::SessionOptions two;
  two.threads = 2;
  rt::Session session = must(open_session(model, options, two));
  EXPECT_EQ(session.memory().peak_bytes, told.planned_peak_bytes);
  EXPECT_EQ(told.entry, "infer");
  EXPECT_EQ(told.optimizer, "");
  EXPECT_EQ(told.categories[MemoryUse::Optimizer], 0u);
  EXPECT_EQ(told.categories[MemoryUse::Gradients], 0u);
  // f32 weights of 16 x 32 twice, biases of 32 and 16.
  EXPECT_EQ(told.categories[MemoryUse::Parameters], 4u * (1024 + 48));
}

/// A step's values by use: the gradients are those of the parameters, and the
/// sums over micro-batches when there are any.
TEST(MemoryPlan, KnowsGradients) {
  Model model = mlp("8", "16", "32");
  MemoryPlan told = must(plan_memory(model, {}, 1));
  std::vector<std::string> gradients;
  for (const PlannedTensor &tensor : told.tensors)
    if (tensor.use == MemoryUse::Gradients)
      gradients.push_back(tensor.name);
  std::sort(gradients.begin(), gradients.end());
  EXPECT_EQ(gradients,
            (std::vector<std::string>{
                "gradient of linear.bias", "gradient of linear.weight",
                "gradient of linear_1.bias", "gradient of linear_1.weight"}));
  EXPECT_EQ(told.categories[MemoryUse::Optimizer],
            2 * told.categories[MemoryUse::Parameters]);
  ASSERT_FALSE(told.curve.empty());
  EXPECT_EQ(told.bytes_at(told.peak),
            told.planned_peak_bytes - told.categories[MemoryUse::Padding]);
}

} // namespace
} // namespace ampc::test

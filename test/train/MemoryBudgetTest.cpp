// What `ampc plan` tells of a memory budget is what a session within it
// obtains, to the byte, and what the session costs the process that opens it is
// that. `tools/dev proofs memory`: the examples as they are written, eight
// budgets.
#include "test/train/Models.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#ifndef AMPC_RESIDENT_MEMORY
#error "the build defines AMPC_RESIDENT_MEMORY"
#endif

namespace ampc::test {
namespace {

const bool kIsProof = std::getenv("AMPC_PROOF_MEMORY") != nullptr;
/// Budgets from the smallest feasible one up to what no budget needs.
const int kBudgets = kIsProof ? 8 : 2;
constexpr int kThreads = 2;

struct BudgetCase {
  WholeModel model;
  const char *precision;
  const char *accumulate; ///< micro-batches of a window
};

/// The examples at a test's sizes, or as they are.
std::vector<WholeModel> examples() {
  std::vector<WholeModel> models = wholeModels();
  std::vector<WholeModel> chosen = {models[0], models[1]};
  chosen.push_back({"Mlp",
                    "examples/mlp.amp",
                    {{"batch", "96"}, {"width", "200"}, {"hidden", "600"}},
                    {}});
  chosen.push_back({"DeepMlp",
                    "examples/deep_mlp.amp",
                    {{"batch", "64"}, {"width", "48"}, {"hidden", "96"}},
                    {}});
  if (kIsProof)
    for (WholeModel &model : chosen)
      model.sets.clear();
  // On data of its own in place of the text.
  if (kIsProof)
    chosen[0].data = {{{"tokens"}, "randint:1#0,256"},
                      {{"labels"}, "randint:2#0,256"}};
  chosen.back().sets.emplace_back("checkpointed", "false");
  return chosen;
}

class Budgets : public testing::TestWithParam<BudgetCase> {
protected:
  Budgets() : model(GetParam().model) {
    model.sets.emplace_back("train.accumulate", GetParam().accumulate);
  }

  static CompileOptions optionsFor(std::vector<std::string> entries) {
    CompileOptions options;
    options.precision = GetParam().precision;
    options.threads = kThreads;
    options.entries = std::move(entries);
    return options;
  }

  /// The model with `budget` bytes to stay within.
  Model within(const std::string &budget) const {
    WholeModel limited = model;
    limited.sets.emplace_back("train.memory_budget", budget);
    return limited.load();
  }

  WholeModel model;
};

TEST_P(Budgets, PlannedIsObtained) {
  CompileOptions options = optionsFor({"train_step", "eval_step"});
  const rt::SessionOptions session{.threads = kThreads};
  auto load = [&](const std::string &budget) { return within(budget); };
  uint64_t whole =
      must(plan_memory(model.load(), options, kThreads)).planned_peak_bytes;
  uint64_t least = smallestBudget(load, options), last = 0;
  ASSERT_LE(least, whole);
  for (int i = 0; i < kBudgets; ++i) {
    uint64_t budget = least + (whole - least) * i / (kBudgets - 1);
    SCOPED_TRACE(budget);
    Model limited = load(std::to_string(budget));
    MemoryPlan plan = must(plan_memory(limited, options, kThreads));
    EXPECT_LE(plan.planned_peak_bytes, budget);
    EXPECT_GE(plan.planned_peak_bytes, last);
    last = plan.planned_peak_bytes;

    Training training = model.train(must(compile(limited, options)), session);
    training.step(0);
    training.step(1);
    rt::MemoryReport held = training.stepper().memory();
    EXPECT_EQ(held.peak_bytes, plan.planned_peak_bytes);
    EXPECT_EQ(held.current_bytes, plan.planned_peak_bytes);
    if (kIsProof)
      std::printf("budget %s %s accumulate %s bytes %llu planned %llu "
                  "obtained %llu\n",
                  model.name, GetParam().precision, GetParam().accumulate,
                  static_cast<unsigned long long>(budget),
                  static_cast<unsigned long long>(plan.planned_peak_bytes),
                  static_cast<unsigned long long>(held.peak_bytes));
  }
}

// What a budget is asked for is time: with more bytes the step is never slower.
TEST_P(Budgets, LargerOnesAreNeverSlower) {
  CompileOptions options = optionsFor({"train_step"});
  auto load = [&](const std::string &budget) { return within(budget); };
  MemoryPlan whole = must(plan_memory(model.load(), options, kThreads));
  uint64_t least = smallestBudget(load, options);
  double last = whole.predicted_ns;
  constexpr int kSteps = 8;
  for (int i = kSteps; i >= 0; --i) {
    uint64_t budget =
        least + (whole.planned_peak_bytes - least) * uint64_t(i) / kSteps;
    MemoryPlan plan =
        must(plan_memory(load(std::to_string(budget)), options, kThreads));
    if (plan.entry != whole.entry)
      break; // of a window: the arena of another entry is the largest now
    EXPECT_GE(plan.predicted_ns, last) << budget;
    last = plan.predicted_ns;
  }
}

std::vector<BudgetCase> budgetCases() {
  std::vector<BudgetCase> cases;
  for (const WholeModel &model : examples())
    for (const char *precision : {"f32", "bf16", "f16"})
      for (const char *accumulate : {"1", "2"})
        // Of a sample one of the two, in turn.
        if (kIsProof || (std::string_view(precision) == "f32") ==
                            (std::string_view(accumulate) == "1"))
          cases.push_back({model, precision, accumulate});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Examples, Budgets, testing::ValuesIn(budgetCases()),
                         [](const auto &info) {
                           return std::string(info.param.model.name) + "_" +
                                  info.param.precision + "_accumulate_" +
                                  info.param.accumulate;
                         });

/// A process with the runtime alone grows by the planned bytes within 2 % and
/// 4 MiB: code that is made or touched for the first time.
TEST(ResidentMemory, GrowsByThePlannedBytes) {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      ("ampc-resident-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::string file = (folder / "plan.ampx").string();
  for (const char *path : {"examples/mlp.amp", "examples/deep_mlp.amp"}) {
    SCOPED_TRACE(path);
    Model model =
        must(Model::load(std::string(AMPC_SOURCE_DIR) + "/" + path, {}));
    CompileOptions options;
    options.threads = kThreads;
    options.entries = {"train_step"};
    std::ofstream(file, std::ios::binary)
        << must(emit(model, Emit::Plan, options));
    std::string command = std::string(AMPC_RESIDENT_MEMORY) + " " + file + " " +
                          std::to_string(kThreads) + " 3";
    FILE *pipe = ::popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    long long grown = 0, obtained = 0;
    int fields = std::fscanf(pipe, "%lld %lld", &grown, &obtained);
    EXPECT_EQ(::pclose(pipe), 0);
    ASSERT_EQ(fields, 2);
    MemoryPlan plan = must(plan_memory(model, options, kThreads));
    EXPECT_EQ(uint64_t(obtained), plan.planned_peak_bytes);
    EXPECT_LE(grown, obtained + obtained / 50 + (4 << 20));
    // The bytes are real: all of them are written in a step.
    EXPECT_GE(grown, obtained - obtained / 10);
    if (kIsProof)
      std::printf("resident %s planned %.1f grown %.1f\n", path,
                  double(obtained) / (1 << 20), double(grown) / (1 << 20));
  }
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace ampc::test

// Training on the software CUDA device: what the library does of a bias and
// relu, products of formats that a device lacks, the memory that is planned.
#include "test/train/Models.h"
#include "test/unit/runtime/Environment.h"

#include <sstream>

namespace ampc::test {
namespace {

using rt::test::Environment;

class OnCuda : public testing::Test {
protected:
  Environment libraries{"AMPC_CUDA_LIBRARIES", AMPC_HOSTGPU_LIBRARIES};
  Environment compiled{"AMPC_HOSTGPU_CACHE", AMPC_HOSTGPU_LIBRARIES "/cache"};
};

CompileOptions optionsFor(const char *target, const char *precision) {
  CompileOptions options;
  options.target = target;
  options.precision = precision;
  options.entries = {"train_step", "eval_step"};
  options.warn = [](std::string_view) {};
  return options;
}

rt::SessionOptions session(int threads = 0) {
  rt::SessionOptions options;
  options.threads = threads;
  options.kernel_cache = testing::TempDir() + "cuda-kernels";
  return options;
}

/// Two layers whose first has a bias and relu; `bias` of both layers.
Model layers(const char *bias = "true") {
  return must(Model::parse(std::string("model m {\n  input x: f32[9, 24]\n"
                                       "  target y: f32[9, 12]\n"
                                       "  h = relu(linear(x, 40, bias = ") +
                               bias +
                               "))\n"
                               "  loss = mse(linear(h, 12), y)\n}\n"
                               "train { optimizer = adam(lr = 1e-2) }\n"
                               "data { x = normal(1)\n y = normal(2) }\n",
                           "layers.amp"));
}

/// How many products of `model` have a bias, and how many relu.
std::pair<int, int> epiloguesOf(const Model &model,
                                const CompileOptions &options) {
  std::istringstream text(must(emit(model, Emit::Placed, options)));
  std::pair<int, int> found;
  for (std::string line; std::getline(text, line);)
    if (line.find("amp.matmul") != line.npos) {
      found.first += line.find(" bias %") != line.npos;
      found.second += line.find(" relu ") != line.npos;
    }
  return found;
}

using Outcome =
    std::pair<std::vector<float>, std::vector<std::vector<std::byte>>>;

Outcome trained(const Model &model, const CompileOptions &options) {
  Training training(model, options, session());
  Outcome outcome;
  outcome.first = training.losses(5);
  outcome.second = training.state();
  return outcome;
}

TEST_F(OnCuda, EpiloguesChangeNoBitOfATraining) {
  for (auto [precision, bias] : {std::pair("f32", "true"),
                                 {"bf16", "true"},
                                 {"bf16", "false"},
                                 {"f16", "false"}}) {
    SCOPED_TRACE(std::string(precision) + " bias " + bias);
    Model model = layers(bias);
    CompileOptions options = optionsFor("cuda:sm_80", precision);
    auto [biases, relus] = epiloguesOf(model, options);
    // In f32 a bias of each layer; bf16 sums with a bias are rounded once, and
    // their kernel has them at hand.
    bool isWide = precision == std::string("f32");
    EXPECT_EQ(biases > 0, isWide);
    EXPECT_EQ(relus > 0, isWide || bias == std::string("false"));
    Outcome with = trained(model, options);
    Environment none("AMPC_HOSTGPU_EPILOGUE", "none");
    EXPECT_EQ(trained(model, options), with);
    options.opt_level = 1;
    EXPECT_EQ(epiloguesOf(model, options), std::pair(0, 0));
    EXPECT_EQ(trained(model, options), with);
  }
}

/// Products of bf16 numbers are exact in f32: a device without bf16 products
/// has the losses of one with them, up to the order of sums.
TEST_F(OnCuda, ProductsOfBf16AreWidenedBeforeSm80) {
  Environment old("AMPC_HOSTGPU_CAPABILITY", "7.5");
  Outcome widened = trained(layers(), optionsFor("cuda:sm_75", "bf16"));
  Environment present("AMPC_HOSTGPU_CAPABILITY", "8.0");
  Outcome narrow = trained(layers(), optionsFor("cuda:sm_80", "bf16"));
  ASSERT_EQ(widened.first.size(), narrow.first.size());
  // The software device sums both in one order.
  EXPECT_EQ(widened, narrow);
}

struct PlannedCase {
  WholeModel model;
  const char *precision;
};
class CudaMemory : public OnCuda,
                   public testing::WithParamInterface<PlannedCase> {};

/// Checks the plan of `model` against a step of a session.
void expectPlanned(const Model &model, const CompileOptions &options,
                   std::vector<rt::DataLine> lines) {
  MemoryPlan told = must(plan_memory(model, options, 1));
  EXPECT_EQ(told.categories.total(), told.planned_peak_bytes);
  EXPECT_LE(told.lower_bound_bytes, told.planned_peak_bytes);
  Training training(must(compile(model, options)), session(1),
                    std::move(lines));
  training.step(0);
  rt::MemoryReport held = training.stepper().memory();
  EXPECT_EQ(held.peak_bytes, told.planned_peak_bytes);
  EXPECT_EQ(held.planned_peak_bytes, told.planned_peak_bytes);
  EXPECT_EQ(held.current_bytes, told.planned_peak_bytes);
}

TEST_P(CudaMemory, IsWhatASessionObtains) {
  const WholeModel &model = GetParam().model;
  expectPlanned(model.load(), optionsFor("cuda:sm_80", GetParam().precision),
                model.data);
}

/// Those of the constant section, and those that an entry writes into outputs.
TEST_F(OnCuda, ConstantsAreCounted) {
  Model model = must(
      Model::parse("model m {\n  input x: f32[9, 24]\n  target y: f32[9, 3]\n"
                   "  p = linear(x, 3) + tensor([1.0, 2.0, 3.0])\n"
                   "  output three = full([3, 5], 3.0)\n"
                   "  output prediction = p\n"
                   "  output two = full([200], 2.0)\n"
                   "  loss = mse(p, y)\n}\n"
                   "train { optimizer = adam(lr = 1e-2) }\n"
                   "data { x = normal(1)\n y = normal(2) }\n",
                   "constants.amp"));
  CompileOptions options = optionsFor("cuda:sm_80", "f32");
  options.entries = {"train_step", "eval_step", "infer"};
  MemoryPlan told = must(plan_memory(model, options, 1));
  EXPECT_TRUE(std::ranges::any_of(told.tensors, [](const PlannedTensor &each) {
    return each.name == "constants" && each.bytes > 0;
  }));
  expectPlanned(model, options, {});
}

std::vector<PlannedCase> plannedCases() {
  const std::vector<std::pair<std::string, std::string>> sizes = {
      {"batch", "32"}, {"width", "40"}, {"hidden", "60"}};
  WholeModel mlp{"Mlp", "examples/mlp.amp", sizes, {}}, window = mlp;
  window.name = "Window";
  window.sets.emplace_back("train.accumulate", "2");
  std::vector<PlannedCase> cases = {
      {mlp, "f32"}, {mlp, "bf16"}, {window, "f32"}};
  // Constants, random sites, rows of any length.
  for (const WholeModel &model : wholeModels())
    if (model.name == std::string_view("CharGpt") ||
        model.name == std::string_view("Digits"))
      cases.push_back({model, "f16"});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Models, CudaMemory, testing::ValuesIn(plannedCases()),
                         [](const auto &info) {
                           return std::string(info.param.model.name) + "_" +
                                  info.param.precision;
                         });

/// A plan within a budget is held to it, with arrivals only where there is
/// room.
TEST_F(OnCuda, BudgetsAreKept) {
  auto load = [](const std::string &budget) {
    ModelOptions options;
    options.sets = {{"batch", "32"},
                    {"width", "40"},
                    {"hidden", "60"},
                    {"train.memory_budget", budget}};
    return must(Model::load(AMPC_SOURCE_DIR "/examples/mlp.amp", options));
  };
  CompileOptions options = optionsFor("cuda:sm_80", "f32");
  uint64_t least = smallestBudget(load, options);
  uint64_t whole =
      must(plan_memory(load("none"), options, 1)).planned_peak_bytes;
  EXPECT_LT(least, whole);
  for (uint64_t budget : {least, (least + whole) / 2, whole}) {
    Model model = load(std::to_string(budget));
    Training training(must(compile(model, options)), session(), {});
    training.step(0);
    rt::MemoryReport held = training.stepper().memory();
    EXPECT_LE(held.peak_bytes, budget);
    EXPECT_EQ(held.peak_bytes,
              must(plan_memory(model, options, 1)).planned_peak_bytes);
  }
}

} // namespace
} // namespace ampc::test

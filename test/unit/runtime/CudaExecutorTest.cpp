// Plans on a CUDA device, beside what SessionTest does there: graphs, the
// cache, fills, results under way, and everything that can go wrong.
#include "runtime/device/cuda/CudaExecutor.h"
#include "runtime/api/Runtime.h"
#include "test/unit/runtime/Environment.h"
#include "test/unit/runtime/TestPlans.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

namespace ampc::rt::cuda {
namespace {

namespace fs = std::filesystem;
using test::Environment;
using test::errorOf;
using test::must;
using test::regression;
using test::temporary;

Plan planOf(const fb::PlanT &plan,
            const std::string &text = test::kernelText()) {
  PlanSections sections;
  sections.cudaText = text;
  sections.constants.resize(plan.constant_bytes);
  for (size_t i = 0; i < sections.constants.size(); ++i)
    sections.constants[i] = uint8_t(i * 7 + 1);
  return must(Plan::from_bytes(must(writePlan(plan, sections)), "r.ampx"));
}

Tensor counting(std::vector<int64_t> shape) {
  Tensor tensor = must(Tensor::zeros(DType::F32, shape));
  auto values = tensor.as<float>();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i % 7) - 3;
  return tensor;
}

/// A batch of the regression.
struct Data {
  Tensor x = counting({8, 4}), t = counting({8, 3});
  Batch batch;
  Data() {
    batch.set("x", x);
    batch.set("t", t);
  }
};

/// The bytes of `w`, and the losses, after `steps` steps.
std::pair<std::vector<std::byte>, std::vector<float>> trained(Session &session,
                                                              int steps) {
  Data data;
  std::vector<float> losses;
  auto take = [&] {
    while (std::optional<StepResult> result = must(session.poll()))
      losses.push_back(result->loss);
  };
  for (int i = 0; i < steps; ++i) {
    must(session.step(data.batch));
    take();
  }
  must(session.sync());
  take();
  Tensor w = must(session.read("w"));
  return {{w.bytes().begin(), w.bytes().end()}, losses};
}

TEST(CudaExecutor, GraphsChangeNoBit) {
  Session with = must(Session::open(planOf(regression())));
  Session without =
      must(Session::open(planOf(regression()), {.cuda_graphs = false}));
  auto [bits, losses] = trained(with, 30);
  EXPECT_EQ(losses.size(), 30u);
  EXPECT_EQ(trained(without, 30), std::pair(bits, losses));
  for (bool graphs : {true, false}) {
    Allocator allocator;
    Plan plan = planOf(regression());
    auto executor = must(
        CudaExecutor::create(*plan.file(), {}, allocator, {.graphs = graphs}));
    EXPECT_EQ(executor->usesGraphs(), graphs);
  }
}

TEST(CudaExecutor, OrdersOfTheDeviceChangeNoBit) {
  std::optional<std::vector<std::byte>> first;
  for (const char *seed : {"1", "2", "3"}) {
    Environment order("AMPC_HOSTGPU_SEED", seed);
    Session session = must(Session::open(planOf(regression())));
    auto bits = trained(session, 10).first;
    EXPECT_EQ(first.value_or(bits), bits) << seed;
    first = bits;
  }
}

TEST(CudaExecutor, ResultsComeInOrderWithTheirOwnState) {
  Session session = must(Session::open(planOf(regression())));
  Data data;
  std::vector<StepResult> results;
  for (int i = 0; i < 40; ++i) {
    must(session.set_learning_rate(float(i)));
    must(session.step(data.batch));
    EXPECT_EQ(session.counters().iteration, i + 1);
    EXPECT_EQ(session.counters().waiting,
              uint64_t(i + 1 - int(results.size())));
    if (i % 3 == 0)
      while (auto result = must(session.poll()))
        results.push_back(*result);
  }
  must(session.sync());
  while (auto result = must(session.poll()))
    results.push_back(*result);
  ASSERT_EQ(results.size(), 40u);
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(results[size_t(i)].iteration, i + 1);
    EXPECT_EQ(results[size_t(i)].lr, float(i));
    EXPECT_TRUE(results[size_t(i)].applied);
  }
  EXPECT_EQ(session.counters().waiting, 0u);
}

TEST(CudaExecutor, TheBatchMayBeReusedWhenStepReturns) {
  Session session = must(Session::open(planOf(regression())));
  Session held = must(Session::open(planOf(regression())));
  std::vector<std::unique_ptr<Data>> batches;
  Data reused;
  for (int i = 0; i < 12; ++i) {
    batches.push_back(std::make_unique<Data>());
    batches.back()->x.as<float>()[0] = float(i);
    must(held.step(batches.back()->batch));
    reused.x.as<float>()[0] = float(i);
    must(session.step(reused.batch));
    reused.x.as<float>()[0] = 1e30f;
  }
  EXPECT_TRUE(std::ranges::equal(must(held.read("w")).bytes(),
                                 must(session.read("w")).bytes()));
}

/// A cache of its own.
std::string freshCache(const std::string &name) {
  std::string folder = temporary(name);
  fs::remove_all(folder);
  return folder;
}

size_t compiledWith(const std::string &cache) {
  Allocator allocator;
  Plan plan = planOf(regression());
  return must(CudaExecutor::create(*plan.file(), {}, allocator,
                                   {.cache = cache}))
      ->compiled();
}

TEST(CudaExecutor, J02KernelsAreCompiledOnce) {
  std::string folder = freshCache("executor-cache");
  EXPECT_EQ(compiledWith(folder), 5u);
  EXPECT_EQ(compiledWith(folder), 0u);
  for (const auto &file : fs::directory_iterator(folder)) {
    test::spill(file.path(), std::vector<uint8_t>(40, 0));
    break;
  }
  EXPECT_EQ(compiledWith(folder), 1u) << "the damaged one";
  EXPECT_EQ(compiledWith(folder), 0u) << "it was replaced";
  {
    Environment another("AMPC_HOSTGPU_CAPABILITY", "9.0");
    EXPECT_EQ(compiledWith(folder), 5u) << "another architecture";
  }
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  Error error =
      errorOf(Session::open(planOf(regression()), {.kernel_cache = folder}));
  EXPECT_NE(error.message.find("can be written by other users"),
            std::string::npos);
}

/// An entry `infer` of the instructions alone, with one output of 64 bytes.
fb::PlanT bare(auto... ops) {
  fb::PlanT plan = regression();
  plan.entries.erase(plan.entries.begin(), plan.entries.begin() + 2);
  plan.entries.pop_back();
  fb::EntryT &entry = *plan.entries[0];
  entry.instructions.clear();
  entry.outputs[0]->type->shape = {16};
  entry.outputs[0]->bytes = 64;
  auto add = [&](auto op) {
    auto instruction = std::make_unique<fb::InstructionT>();
    instruction->op.Set(std::move(op));
    entry.instructions.push_back(std::move(instruction));
  };
  (add(std::move(ops)), ...);
  return plan;
}

std::vector<uint8_t> outputOf(const fb::PlanT &plan) {
  Session session = must(Session::open(planOf(plan)));
  Data data;
  Tensor out = std::move(must(session.infer(data.batch))[0].tensor);
  auto *bytes = reinterpret_cast<const uint8_t *>(out.bytes().data());
  return {bytes, bytes + out.bytes().size()};
}

fb::FillT fillOf(uint64_t offset, uint64_t bytes, uint64_t pattern,
                 uint8_t width) {
  fb::FillT fill;
  fill.dst = std::make_unique<fb::Place>(fb::Space::Output, 0, offset);
  fill.bytes = bytes;
  fill.pattern = pattern;
  fill.width = width;
  return fill;
}

TEST(CudaExecutor, FillsOfEveryWidth) {
  constexpr uint64_t kPattern = 0x0807060504030201;
  for (uint8_t width : {1, 2, 4, 8})
    for (uint64_t bytes :
         {uint64_t(width), 3 * uint64_t(width), uint64_t(56)}) {
      std::vector<uint8_t> expected(64, 0);
      for (uint64_t i = 0; i < bytes / width * width; ++i)
        expected[8 + i] = uint8_t(i % width + 1);
      EXPECT_EQ(
          outputOf(bare(fillOf(8, bytes / width * width, kPattern, width))),
          expected)
          << int(width) << " over " << bytes;
    }
  std::vector<uint8_t> alike(64, 0);
  std::fill_n(alike.begin(), 16, uint8_t(5));
  EXPECT_EQ(outputOf(bare(fillOf(0, 16, 0x0505050505050505, 8))), alike);
  EXPECT_EQ(outputOf(bare(fillOf(0, 0, 1, 1))), std::vector<uint8_t>(64, 0));
}

TEST(CudaExecutor, CopiesFromConstants) {
  fb::CopyT copy;
  copy.src = std::make_unique<fb::Place>(fb::Space::Constant, 0, 3);
  copy.dst = std::make_unique<fb::Place>(fb::Space::Output, 0, 8);
  copy.bytes = 40;
  fb::PlanT plan = bare(std::move(copy));
  plan.constant_bytes = 64;
  std::vector<uint8_t> expected(64, 0);
  for (size_t i = 0; i < 40; ++i)
    expected[8 + i] = uint8_t((i + 3) * 7 + 1);
  EXPECT_EQ(outputOf(plan), expected);
}

TEST(CudaExecutor, ASumOfNothingIsZero) {
  fb::PlanT plan = regression();
  auto &infer = *plan.entries[2];
  auto *op = infer.instructions[0]->op.AsContraction();
  ASSERT_TRUE(op);
  op->k = 0;
  Session session = must(Session::open(planOf(plan)));
  Data data;
  for (const NamedTensor &out : must(session.infer(data.batch)))
    for (float value : out.tensor.as<float>())
      EXPECT_EQ(value, 0.0f);
}

TEST(CudaExecutor, ForeignTargetsAreRefused) {
  auto openWith = [](auto change) {
    fb::PlanT plan = regression();
    change(plan);
    return errorOf(Session::open(planOf(plan)));
  };
  Error error = openWith([](fb::PlanT &plan) { plan.target_level = "sm_90"; });
  EXPECT_EQ(error.code, Code::Environment);
  EXPECT_NE(error.message.find("the plan is compiled for cuda:sm_90, cuda:0 ("),
            std::string::npos)
      << error.message;
  EXPECT_NE(error.message.find("is sm_80; compile with --target cuda:sm_80"),
            std::string::npos);
  for (const char *level : {"", "sm_", "sm_8x", "avx2"})
    EXPECT_EQ(
        openWith([&](fb::PlanT &plan) { plan.target_level = level; }).message,
        fmt::format("unknown target level 'cuda:{}'", level));
  error =
      openWith([](fb::PlanT &plan) { plan.kernels[0]->symbol = "missing"; });
  EXPECT_EQ(error.message, "the plan's source has no kernel 'missing'");
  EXPECT_EQ(error.where, "r.ampx");
}

TEST(CudaExecutor, AMissingDeviceIsSaid) {
  Error error =
      errorOf(Session::open(planOf(regression()), {.device = "cuda:3"}));
  EXPECT_EQ(error.code, Code::Environment);
  EXPECT_EQ(error.where, "cuda:3");
  EXPECT_NE(error.message.find("there is no such device; there is cuda:0 ("),
            std::string::npos)
      << error.message;
}

TEST(CudaExecutor, SourceThatDoesNotCompileIsShown) {
  fb::PlanT plan = regression();
  auto source = std::make_unique<fb::SourceLocT>();
  source->file = "m.amp";
  source->line = 12;
  source->column = 3;
  plan.sources.push_back(std::move(source));
  plan.entries[0]->instructions[2]->source = 0; // launches squares
  std::string text = test::kernelText();
  size_t at = text.find("sum / 24");
  ASSERT_NE(at, text.npos);
  text.replace(at, 8, "som / 24");
  Error error = errorOf(Session::open(planOf(plan, text)));
  EXPECT_EQ(error.code, Code::BadInput);
  EXPECT_EQ(error.where, "m.amp:12:3");
  for (const char *part : {"squares.cu does not compile", "som",
                           "in the line\n  *mean = som / 24;"})
    EXPECT_NE(error.message.find(part), std::string::npos) << part << " in\n"
                                                           << error.message;
}

TEST(CudaExecutor, MemoryThatDoesNotFitIsNamed) {
  fb::PlanT plan = regression();
  plan.entries[0]->arena_bytes = uint64_t(3) << 30;
  Error error = errorOf(Session::open(planOf(plan)));
  EXPECT_EQ(error.code, Code::DoesNotFit);
  EXPECT_NE(error.message.find("are available on cuda:0 ("), std::string::npos)
      << error.message;

  // Free memory can go between the question and the taking.
  struct {
    const char *number, *text;
  } blocks[] = {{"1", "bytes of variables do not fit"},
                {"2", "bytes of arena do not fit"},
                {"3", "bytes of batch do not fit"}};
  for (auto [number, text] : blocks) {
    Environment fails("AMPC_HOSTGPU_FAIL_ALLOC", number);
    error = errorOf(Session::open(planOf(regression())));
    EXPECT_EQ(error.code, Code::DoesNotFit);
    EXPECT_NE(error.message.find(text), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("less"), std::string::npos)
        << "what to change: " << error.message;
  }
  Session session = must(Session::open(planOf(regression())));
  EXPECT_EQ(session.memory().peak_bytes, session.memory().planned_peak_bytes);
}

TEST(CudaExecutor, InputsArriveBehindWhereThereIsNoRoomBeside) {
  Session wide = must(Session::open(planOf(regression())));
  uint64_t all = wide.memory().planned_peak_bytes;
  // x and t of the step once more.
  constexpr uint64_t kBeside = 128 + 128;
  Session narrow =
      must(Session::open(planOf(regression()), {.memory_limit = all - 1}));
  EXPECT_EQ(narrow.memory().planned_peak_bytes, all - kBeside);
  EXPECT_EQ(narrow.memory().peak_bytes, all - kBeside);
  fb::PlanT plan = regression();
  plan.memory_budget = all - 1;
  Session single = must(Session::open(planOf(plan)));
  EXPECT_EQ(single.memory().peak_bytes, all - kBeside);
  plan.memory_budget = all;
  EXPECT_EQ(must(Session::open(planOf(plan))).memory().peak_bytes, all);
  auto result = trained(wide, 20);
  EXPECT_EQ(trained(narrow, 20), result);
  EXPECT_EQ(trained(single, 20), result);
  EXPECT_EQ(errorOf(Session::open(planOf(regression()),
                                  {.memory_limit = all - kBeside - 1}))
                .code,
            Code::DoesNotFit);
}

/// The text of the regression's kernels, and of one that adds the first
/// elements of `w` to rows and takes relu, for which `sum` stands.
std::string textWithEpilogue(const std::string &sum = "c[i] + b[i % 3]") {
  return test::kernelText() +
         "// kernel bias_relu\n"
         "extern \"C\" __global__ void bias_relu(float *c, "
         "const float *b) {\n"
         "  for AMPC_EACH (i, 24) {\n"
         "    float y = " +
         sum +
         ";\n"
         "    c[i] = y > 0 || y != y ? y : 0.0f;\n"
         "  }\n"
         "}\n";
}

/// The regression whose step and `infer` have products with bias and relu.
fb::PlanT planWithEpilogue(const std::string &text = textWithEpilogue()) {
  fb::PlanT plan = regression();
  auto kernel = std::make_unique<fb::KernelT>();
  kernel->symbol = "bias_relu";
  kernel->tiles = 1;
  kernel->arg_bytes = {96, 12};
  kernel->arg_written = {true, false};
  kernel->block_threads = 32;
  kernel->text_offset = text.find("// kernel bias_relu");
  kernel->text_bytes = text.size() - kernel->text_offset;
  plan.kernels.push_back(std::move(kernel));
  for (size_t number : {0, 2}) {
    fb::EntryT &entry = *plan.entries[number];
    fb::ContractionT &op = *entry.instructions[0]->op.AsContraction();
    fb::Place bias(fb::Space::Variable, 0, 0);
    op.bias = std::make_unique<fb::Place>(bias);
    op.relu = true;
    fb::LaunchT launch;
    launch.kernel = uint32_t(plan.kernels.size() - 1);
    launch.tiles = 1;
    launch.args = {*op.c, bias};
    auto behind = std::make_unique<fb::InstructionT>();
    behind->op.Set(std::move(launch));
    entry.instructions.insert(entry.instructions.begin() + 1,
                              std::move(behind));
  }
  return plan;
}

/// How many products of `plan` do the launch behind them too.
size_t epiloguesOf(const Plan &plan, const std::string &tuning = "") {
  Allocator allocator;
  auto executor = must(CudaExecutor::create(
      *plan.file(), {}, allocator, {.tuning = tuning, .note = [](auto &) {}}));
  EXPECT_EQ(allocator.peak(), executor->plannedBytes());
  return executor->epilogues();
}

TEST(CudaExecutor, EpiloguesChangeNoBit) {
  auto resultsOf = [] {
    Session session =
        must(Session::open(planOf(planWithEpilogue(), textWithEpilogue())));
    auto result = trained(session, 10);
    Data data;
    data.x.as<float>()[5] = NAN;
    Tensor out = std::move(must(session.infer(data.batch))[0].tensor);
    EXPECT_TRUE(std::isnan(out.as<float>()[3]));
    return std::tuple(result,
                      std::vector(out.bytes().begin(), out.bytes().end()));
  };
  Plan plan = planOf(planWithEpilogue(), textWithEpilogue());
  EXPECT_EQ(epiloguesOf(plan), 2u);
  auto results = resultsOf();
  for (const char *lacking : {"none", "drops-nan", "keeps-minus-zero"}) {
    Environment library("AMPC_HOSTGPU_EPILOGUE", lacking);
    EXPECT_EQ(epiloguesOf(plan), 0u) << lacking;
    EXPECT_EQ(resultsOf(), results) << lacking;
  }
  // A launch that is not what the library does.
  std::string other = textWithEpilogue("c[i] + b[i % 3] * 1.5f");
  EXPECT_EQ(epiloguesOf(planOf(planWithEpilogue(other), other)), 0u);
}

TEST(CudaExecutor, EpiloguesAreTriedOnce) {
  Plan plan = planOf(planWithEpilogue(), textWithEpilogue());
  for (const char *first : {"", "drops-nan"}) {
    std::string record = temporary("epilogues.tune");
    fs::remove(record);
    size_t taken = 0;
    {
      Environment library("AMPC_HOSTGPU_EPILOGUE", first);
      taken = epiloguesOf(plan, record);
      EXPECT_EQ(taken, *first ? 0u : 2u);
    }
    // The record's answer stands, whatever the library does now.
    Environment library("AMPC_HOSTGPU_EPILOGUE", *first ? "" : "drops-nan");
    EXPECT_EQ(epiloguesOf(plan, record), taken) << first;
  }
}

// A record speaks of the kernels that it was made with.
TEST(CudaExecutor, OtherKernelsAreTriedAgain) {
  std::string record = temporary("kernels.tune");
  fs::remove(record);
  EXPECT_EQ(epiloguesOf(planOf(planWithEpilogue(), textWithEpilogue()), record),
            2u);
  std::string other = textWithEpilogue("c[i] + b[i % 3] * 1.5f");
  EXPECT_EQ(epiloguesOf(planOf(planWithEpilogue(other), other), record), 0u);
}

TEST(CudaExecutor, WithoutRoomForATrialLaunchesStayApart) {
  Environment fails("AMPC_HOSTGPU_FAIL_ALLOC", "1");
  std::string record = temporary("no-room.tune");
  Plan plan = planOf(planWithEpilogue(), textWithEpilogue());
  // The step's fails; that of infer has room.
  EXPECT_EQ(epiloguesOf(plan, record), 1u);
  Environment works("AMPC_HOSTGPU_FAIL_ALLOC", "0");
  EXPECT_EQ(epiloguesOf(plan, record), 2u);
}

/// A trial writes none of the memory that the plan's tensors are in.
TEST(CudaExecutor, TrialsHideNoUnwrittenMemory) {
  Environment watched("AMPC_HOSTGPU_CHECK", "full");
  fb::PlanT plan = planWithEpilogue();
  Data data;
  Session whole = must(Session::open(planOf(plan, textWithEpilogue())));
  must(whole.step(data.batch));
  must(whole.sync());
  // The launch that reads the product, once more before there is one.
  auto &step = plan.entries[0]->instructions;
  ASSERT_TRUE(step[2]->op.AsLaunch());
  auto early = std::make_unique<fb::InstructionT>();
  early->op.Set(fb::LaunchT(*step[2]->op.AsLaunch()));
  step.insert(step.begin(), std::move(early));
  Session session = must(Session::open(planOf(plan, textWithEpilogue())));
  Expected<void> done = session.step(data.batch);
  EXPECT_EQ((done ? errorOf(session.sync()) : done.error()).code,
            Code::Environment);
}

/// The arena is not cleared: what no kernel wrote is poison, whatever it is.
TEST(CudaExecutor, UnwrittenMemoryOfTheArenaIsSeen) {
  auto lossesWith = [](const char *poison, const fb::PlanT &plan) {
    Environment memory("AMPC_HOSTGPU_POISON", poison);
    Session session = must(Session::open(planOf(plan)));
    return trained(session, 1).second;
  };
  EXPECT_EQ(lossesWith("255", regression()), lossesWith("0", regression()));
  // Without its first product the step reads predictions that nobody made.
  fb::PlanT plan = regression();
  auto &step = plan.entries[0]->instructions;
  ASSERT_TRUE(step[0]->op.AsContraction());
  step.erase(step.begin());
  std::vector<float> poisoned = lossesWith("255", plan);
  EXPECT_TRUE(std::isnan(poisoned[0])) << poisoned[0];
  EXPECT_FALSE(std::isnan(lossesWith("0", plan)[0]));
}

TEST(CudaExecutor, AKernelThatGoesWrongEndsTheSession) {
  std::string text = test::kernelText();
  const std::string good = "w[i] -= *lr * (2.0f / 24.0f) * g[i];";
  std::string bad = "w[i + (1ll << 40)] -= *lr * g[i];";
  bad.resize(good.size(), ' '); // the plan knows where the kernels after it are
  size_t at = text.find(good);
  ASSERT_NE(at, text.npos);
  text.replace(at, good.size(), bad);
  Data data;
  {
    Session session = must(Session::open(planOf(regression(), text)));
    // The step's own calls may tell of it, or those that wait.
    Expected<void> done = session.step(data.batch);
    Error error = done ? errorOf(session.sync()) : done.error();
    EXPECT_EQ(error.code, Code::Environment);
    EXPECT_NE(error.message.find("entry 'train_step' fails: CUDA_ERROR_"),
              std::string::npos)
        << error.message;
    EXPECT_NE(error.message.find("nothing more runs on this device"),
              std::string::npos);
    EXPECT_EQ(errorOf(session.step(data.batch)).message, error.message);
    EXPECT_EQ(errorOf(session.read("w")).message, error.message);
    EXPECT_EQ(errorOf(session.save(temporary("lost.safetensors"))).message,
              error.message);
    EXPECT_FALSE(fs::exists(temporary("lost.safetensors")));
  }
  // The software device forgets with the context; a real one does not.
  Session fresh = must(Session::open(planOf(regression())));
  must(fresh.step(data.batch));
  must(fresh.sync());
}

} // namespace
} // namespace ampc::rt::cuda

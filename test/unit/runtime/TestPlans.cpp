// Hand-built plans.
#include "test/unit/runtime/TestPlans.h"

#include <bit>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <unistd.h>

namespace ampc::rt::test {

std::vector<uint8_t> contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void spill(const std::string &path, std::span<const uint8_t> bytes) {
  // A file that is truncated and written anew is flushed by some file systems;
  // a new one is not.
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             std::streamsize(bytes.size()));
}

std::vector<uint8_t> kernelObject() { return contents(AMPC_TEST_KERNELS); }

std::string kernelText() {
  std::vector<uint8_t> bytes = contents(AMPC_TEST_CUDA_KERNELS);
  return {bytes.begin(), bytes.end()};
}

bool useSoftwareDevice() {
  std::string folder = AMPC_TEST_HOSTGPU;
  if (folder.empty())
    return false;
  const char *wanted = std::getenv("AMPC_TEST_CUDA");
  if (wanted && std::string(wanted) == "device")
    return true;
  ::setenv("AMPC_CUDA_LIBRARIES", folder.c_str(), 1);
  // The host's compiler is slow; what it made is kept from run to run.
  ::setenv("AMPC_HOSTGPU_CACHE", (folder + "/cache").c_str(), 0);
  ::setenv("AMPC_HOSTGPU_QUIET", "1", 0);
  static const std::string kernels = temporary("kernels");
  ::setenv("AMPC_CACHE", kernels.c_str(), 1);
  return true;
}

std::string temporary(const std::string &name) {
  static const std::string folder = [] {
    std::string path =
        ::testing::TempDir() + "ampc-unit-" + std::to_string(::getpid());
    std::filesystem::create_directories(path);
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(::testing::TempDir() + "ampc-unit-" +
                                      std::to_string(::getpid()),
                                  ignored);
    });
    return path;
  }();
  return folder + "/" + name;
}

namespace {

using fb::Space;

std::unique_ptr<fb::TensorTypeT> type(fb::DType dtype,
                                      std::vector<int64_t> shape) {
  auto result = std::make_unique<fb::TensorTypeT>();
  result->dtype = dtype;
  result->shape = std::move(shape);
  return result;
}

fb::Place at(Space space, uint32_t index, uint64_t offset) {
  return {space, index, offset};
}

void addVariable(fb::PlanT &plan, const std::string &name, fb::DType dtype,
                 std::vector<int64_t> shape, fb::Role role, fb::InitKind init,
                 double a, double b, uint64_t bytes) {
  auto variable = std::make_unique<fb::VariableT>();
  variable->name = name;
  variable->type = type(dtype, std::move(shape));
  variable->role = role;
  variable->init = std::make_unique<fb::InitT>();
  variable->init->kind = init;
  variable->init->a = a;
  variable->init->b = b;
  variable->offset = plan.variable_bytes;
  variable->bytes = bytes;
  plan.variable_bytes += (bytes + 63) / 64 * 64;
  plan.variables.push_back(std::move(variable));
}

void addPort(std::vector<std::unique_ptr<fb::PortT>> &ports,
             const std::string &name, fb::IoKind kind,
             std::vector<int64_t> shape, uint64_t bytes) {
  auto port = std::make_unique<fb::PortT>();
  port->name = name;
  port->kind = kind;
  port->type = type(fb::DType::F32, std::move(shape));
  port->bytes = bytes;
  ports.push_back(std::move(port));
}

template <class T>
void addOp(fb::EntryT &entry, T op) {
  auto instruction = std::make_unique<fb::InstructionT>();
  instruction->op.Set(std::move(op));
  entry.instructions.push_back(std::move(instruction));
}

fb::LaunchT launch(uint32_t kernel, uint64_t tiles,
                   std::vector<fb::Place> args) {
  fb::LaunchT op;
  op.kernel = kernel;
  op.tiles = tiles;
  op.args = std::move(args);
  return op;
}

fb::ContractionT product(fb::Place a, fb::Place b, fb::Place c, uint64_t m,
                         uint64_t n, uint64_t k, bool transposeA,
                         bool transposeB) {
  fb::ContractionT op;
  op.a = std::make_unique<fb::Place>(a);
  op.b = std::make_unique<fb::Place>(b);
  op.c = std::make_unique<fb::Place>(c);
  op.dtype_a = op.dtype_b = op.dtype_c = fb::DType::F32;
  op.m = m;
  op.n = n;
  op.k = k;
  op.transpose_a = transposeA;
  op.transpose_b = transposeB;
  return op;
}

enum { kDifference, kSquares, kSgd, kCount, kDivide };
/// Offsets in the variable block.
enum { kW = 0, kIteration = 64, kUpdate = 128, kRate = 192 };

/// y = x w^T and the mean of the squares of y - t; `d` is in the arena at 128.
void addForward(fb::EntryT &entry) {
  addPort(entry.inputs, "x", fb::IoKind::Input, {8, 4}, 128);
  addPort(entry.inputs, "t", fb::IoKind::Target, {8, 3}, 96);
  entry.arena_bytes = 320;
  addOp(entry, product(at(Space::Input, 0, 0), at(Space::Variable, 0, kW),
                       at(Space::Arena, 0, 0), 8, 3, 4, false, true));
  addOp(entry, launch(kDifference, 8,
                      {at(Space::Arena, 0, 0), at(Space::Input, 1, 0),
                       at(Space::Arena, 0, 128)}));
  addOp(entry, launch(kSquares, 1,
                      {at(Space::Arena, 0, 128), at(Space::Output, 0, 0)}));
}

/// Says where in the CUDA text each kernel is and how it is launched.
void toCuda(fb::PlanT &plan) {
  const std::string text = kernelText(), mark = "// kernel ";
  plan.target_kind = "cuda";
  plan.target_level = "sm_75";
  plan.prelude_bytes = text.find(mark);
  for (auto &kernel : plan.kernels) {
    size_t begin = text.find(mark + kernel->symbol + "\n");
    ASSERT_NE(begin, text.npos) << kernel->symbol;
    kernel->text_offset = begin;
    kernel->text_bytes =
        std::min(text.find(mark, begin + 1), text.size()) - begin;
    kernel->block_threads = 32;
    kernel->tiles = 1;
  }
  for (auto &entry : plan.entries)
    for (auto &instruction : entry->instructions)
      if (auto *launch = instruction->op.AsLaunch())
        launch->tiles = 1;
}

} // namespace

fb::PlanT regression() {
  fb::PlanT plan;
  plan.model_name = "regression";
  plan.model_hash = 0x1234;
  plan.compiler_version = "test";
  plan.target_kind = "cpu";
  plan.target_level = "baseline";
  addVariable(plan, "w", fb::DType::F32, {3, 4}, fb::Role::Parameter,
              fb::InitKind::Normal, 0, 0.5, 48);
  addVariable(plan, "ampc.state/iteration", fb::DType::I64, {},
              fb::Role::Counter, fb::InitKind::Zeros, 0, 0, 8);
  addVariable(plan, "ampc.state/update", fb::DType::I64, {}, fb::Role::Counter,
              fb::InitKind::Zeros, 0, 0, 8);
  addVariable(plan, "ampc.state/lr", fb::DType::F32, {}, fb::Role::Rate,
              fb::InitKind::Constant, 0.1, 0, 4);
  struct {
    const char *symbol;
    uint64_t tiles;
    std::vector<uint64_t> bytes;
    std::vector<bool> written;
  } kernels[] = {{"difference", 8, {96, 96, 96}, {false, false, true}},
                 {"squares", 1, {96, 4}, {false, true}},
                 {"sgd", 12, {48, 48, 4}, {false, true, false}},
                 {"count", 1, {8, 8}, {true, true}},
                 {"divide", 1, {4, 4, 4}, {false, false, true}}};
  for (auto &[symbol, tiles, bytes, written] : kernels) {
    auto kernel = std::make_unique<fb::KernelT>();
    kernel->symbol = symbol;
    kernel->tiles = tiles;
    kernel->arg_bytes = bytes;
    for (bool flag : written)
      kernel->arg_written.push_back(flag);
    plan.kernels.push_back(std::move(kernel));
  }

  auto train = std::make_unique<fb::EntryT>();
  train->name = "train_step";
  addPort(train->outputs, "loss", fb::IoKind::Loss, {}, 4);
  addForward(*train);
  addOp(*train, product(at(Space::Arena, 0, 128), at(Space::Input, 0, 0),
                        at(Space::Arena, 0, 256), 3, 4, 8, true, false));
  addOp(*train, launch(kSgd, 12,
                       {at(Space::Arena, 0, 256), at(Space::Variable, 0, kW),
                        at(Space::Variable, 0, kRate)}));
  addOp(*train, launch(kCount, 1,
                       {at(Space::Variable, 0, kIteration),
                        at(Space::Variable, 0, kUpdate)}));

  auto eval = std::make_unique<fb::EntryT>();
  eval->name = "eval_step";
  addPort(eval->outputs, "sum", fb::IoKind::Partial, {}, 4);
  addPort(eval->outputs, "count", fb::IoKind::Partial, {}, 4);
  addForward(*eval);
  fb::FillT one;
  one.dst = std::make_unique<fb::Place>(at(Space::Output, 1, 0));
  one.bytes = one.width = 4;
  one.pattern = std::bit_cast<uint32_t>(1.0f);
  addOp(*eval, one);

  auto finish = std::make_unique<fb::EntryT>();
  finish->name = "eval_finish";
  addPort(finish->inputs, "count", fb::IoKind::Input, {}, 4);
  addPort(finish->inputs, "sum", fb::IoKind::Input, {}, 4);
  addPort(finish->outputs, "loss", fb::IoKind::Loss, {}, 4);
  addOp(*finish, launch(kDivide, 1,
                        {at(Space::Input, 1, 0), at(Space::Input, 0, 0),
                         at(Space::Output, 0, 0)}));

  auto infer = std::make_unique<fb::EntryT>();
  infer->name = "infer";
  addPort(infer->inputs, "x", fb::IoKind::Input, {8, 4}, 128);
  addPort(infer->outputs, "y", fb::IoKind::Output, {8, 3}, 96);
  addOp(*infer, product(at(Space::Input, 0, 0), at(Space::Variable, 0, kW),
                        at(Space::Output, 0, 0), 8, 3, 4, false, true));

  plan.entries.push_back(std::move(train));
  plan.entries.push_back(std::move(eval));
  plan.entries.push_back(std::move(infer));
  plan.entries.push_back(std::move(finish));
  plan.train = std::make_unique<fb::TrainDefaultsT>();
  plan.train->steps = 20;
  plan.train->seed = 7;
  plan.train->log_every = 5;
  auto line = std::make_unique<fb::DataLineT>();
  line->names = {"x", "t"};
  line->spec = "normal:3";
  plan.data.push_back(std::move(line));
  if (kOnCuda) {
    EXPECT_TRUE(useSoftwareDevice());
    toCuda(plan);
  }
  return plan;
}

fb::LaunchT &firstLaunch(fb::PlanT &plan) {
  return *plan.entries[0]->instructions[1]->op.AsLaunch();
}

fb::ForeachT &firstLoop(fb::PlanT &plan) {
  fb::ForeachT loop;
  loop.count = 1;
  loop.scratch_bytes = 64;
  auto slices = std::make_unique<fb::SlicesT>();
  slices->first = std::make_unique<fb::Place>(firstLaunch(plan).args[2]);
  slices->bytes = 96;
  loop.slices.push_back(std::move(slices));
  loop.body.push_back(std::make_unique<fb::LaunchT>(firstLaunch(plan)));
  loop.body[0]->args[2] = {fb::Space::Slice, 0, 0};
  fb::OpUnion &op = plan.entries[0]->instructions[1]->op;
  op.Set(std::move(loop));
  return *op.AsForeach();
}

PlanSections regressionSections() {
  PlanSections sections;
  if (kOnCuda)
    sections.cudaText = kernelText();
  else
    sections.object = kernelObject();
  return sections;
}

std::vector<uint8_t> regressionBytes() {
  return must(writePlan(regression(), regressionSections()));
}

} // namespace ampc::rt::test

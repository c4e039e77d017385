// Every op of the language in compiled code: small models of one family of
// functions over shapes that break kernels (no axes, one element, no elements,
// a lane more than a vector), at both opt levels and every CPU level of this
// machine. The opt levels have the same bits; all are within the bound derived
// by the reference evaluator.
#include "test/train/Sweep.h"
#include "runtime/core/CpuFeatures.h"
#include "test/train/BoundedEntry.h"

#include <set>

namespace ampc::test {
namespace {

rt::Tensor made(const SweepInput &input, Numbers &numbers) {
  bool isFloat = input.limit == 0;
  rt::Tensor tensor = must(rt::Tensor::zeros(
      isFloat ? rt::DType::F32 : rt::DType::I32,
      std::vector<int64_t>(input.shape.begin(), input.shape.end())));
  if (isFloat)
    for (float &value : tensor.as<float>())
      value = float(numbers.between(-2, 2) + numbers.unit() * 0x1p-10);
  else
    for (int32_t &value : tensor.as<int32_t>())
      value = int32_t(numbers.integer(0, input.limit - 1));
  return tensor;
}

CompileOptions options(int level, const std::string &target) {
  CompileOptions options;
  options.opt_level = level;
  options.target = target;
  options.entries = {"gradient"};
  options.gradient_of = "total";
  options.mode = "train";
  return options;
}

class Sweeps : public testing::TestWithParam<SweepModel> {};

TEST_P(Sweeps, AgreesInEveryWay) {
  SCOPED_TRACE(GetParam().text);
  Model model = must(Model::parse(GetParam().text, "sweep.amp"));
  Numbers numbers(1);
  std::vector<rt::NamedTensor> inputs;
  for (const SweepInput &input : GetParam().inputs)
    inputs.push_back({input.name, made(input, numbers)});
  rt::Tensor upstream = must(rt::Tensor::zeros(rt::DType::F32, {}));
  upstream.as<float>()[0] = 1;
  inputs.push_back({"grad.total", std::move(upstream)});
  rt::Batch batch;
  for (const rt::NamedTensor &input : inputs)
    batch.set(input.name, input.tensor);
  BoundedEntry bounded(model, "gradient", options(2, "cpu"));
  std::optional<llvm::SmallVector<Bounded>> bounds;
  for (rt::CpuLevel level : {rt::CpuLevel::Avx2, rt::CpuLevel::Avx512}) {
    std::string target(rt::name_of(level));
    if (level > rt::CpuFeatures::probe().level()) {
      std::printf("skipped: this machine lacks %s\n", target.c_str());
      continue;
    }
    std::vector<rt::NamedTensor> unfused;
    for (int opt : {1, 2}) {
      SCOPED_TRACE(target + ", opt level " + std::to_string(opt));
      rt::Session session =
          must(open_session(model, options(opt, "cpu:" + target)));
      if (!bounds) {
        bounded.copyState(session);
        bounds = bounded.run(batch);
      }
      std::vector<rt::NamedTensor> results =
          must(session.run(rt::EntryKind::Gradient, batch));
      bounded.expectResults(results, *bounds);
      if (opt == 1) {
        unfused = std::move(results);
        continue;
      }
      for (size_t i = 0; i < results.size(); ++i)
        EXPECT_TRUE(std::ranges::equal(results[i].tensor.bytes(),
                                       unfused[i].tensor.bytes()))
            << results[i].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Sweeps, testing::ValuesIn(sweepModels()),
                         [](const auto &info) { return info.param.name; });

/// Every op that becomes a kernel, as itself or in parts, is in one of the
/// models at some stage.
TEST(Sweep, ReachesEveryOp) {
  std::set<std::string> reached;
  for (const SweepModel &sweep : sweepModels()) {
    Model model = must(Model::parse(sweep.text, "sweep.amp"));
    for (Emit stage : {Emit::Model, Emit::Step, Emit::Fused}) {
      Program program(must(emit(model, stage, options(2, "cpu"))));
      program.module().walk([&](mlir::Operation *op) {
        reached.insert(op->getName().getStringRef().str());
      });
    }
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<amp::AmpDialect>();
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if ((name.hasInterface<amp::Fusible>() ||
         name.hasInterface<amp::Decomposable>()) &&
        !name.hasInterface<amp::OptimizerUpdate>())
      EXPECT_TRUE(reached.count(name.getStringRef().str()))
          << name.getStringRef().str() << " is in no model of Sweep.cpp";
}

} // namespace
} // namespace ampc::test

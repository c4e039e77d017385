// A placed module as a plan file.
#include "codegen/emit/EmitPlan.h"

#include "codegen/cpu/CompileKernels.h"
#include "codegen/emit/PlanBuilder.h"
#include "codegen/kernel/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

FailureOr<BuiltKernels> ampc::buildKernelsOf(ModuleOp placed, bool threads) {
  if (stageOf(placed) != Stage::placed)
    return placed.emitError()
           << "codegen takes a module in stage placed, got "
           << (stageOf(placed) ? stringifyStage(*stageOf(placed))
                               : StringRef("none"));
  BuiltKernels built;
  built.placed = placed.clone();
  PassManager pm(placed.getContext());
  pm.addPass(createAddEpilogueKernels());
  BuildKernelsOptions options;
  options.threads = threads;
  pm.addPass(createBuildKernels(options));
  if (failed(pm.run(*built.placed)))
    return failure();
  built.kernels = built.placed->lookupSymbol<ModuleOp>(kKernelsModule);
  return built;
}

FailureOr<const CpuLevel *> ampc::levelNamed(ModuleOp module, StringRef name) {
  const CpuLevel *level =
      name == "host" ? hostCpuLevel() : cpuLevelByName(name);
  if (level)
    return level;
  if (name == "host")
    return module.emitError()
           << "this processor has none of the levels that code is generated "
              "for; the lowest is avx2 (x86-64-v3)";
  return module.emitError() << "unknown CPU level '" << name
                            << "'; expected avx2, avx512, amx or host";
}

LogicalResult PlanBuilder::build() {
  if (auto name = module->getAttrOfType<StringAttr>(kModelAttr))
    plan.model_name = name.str();
  plan.compiler_version = AMPC_VERSION;
  // Constants of entries have their offsets already; the starts of variables
  // follow them.
  WalkResult walked = module.walk([&](ConstantOp constant) {
    if (auto places = constant->getAttrOfType<ArrayAttr>(kPlaceAttr))
      for (auto place : places.getAsRange<PlaceAttr>())
        if (place.getSpace() == Space::constant &&
            failed(
                placeConstant(constant, constant.getValue(), place.getIndex())))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  if (failed(addVariables()))
    return failure();
  for (auto func : module.getOps<func::FuncOp>()) {
    std::optional<Entry> kind = entryOf(func);
    if (!kind)
      return func.emitOpError()
             << "is no entry; a placed module holds entries alone";
    if (failed(addEntry(func, *kind)))
      return failure();
  }
  addSettings();
  plan.constant_bytes = sections.constants.size();
  return success();
}

/// Compiles the kernels of `built` for a CPU into `builder`.
static LogicalResult compileForCpu(ModuleOp placed, const BuiltKernels &built,
                                   PlanBuilder &builder,
                                   const EmitOptions &options,
                                   PhaseClock &clock) {
  FailureOr<const CpuLevel *> level = levelNamed(placed, options.level);
  if (failed(level) || failed(builder.addCpuKernels(**level)) ||
      failed(builder.build()))
    return failure();
  clock.end("plan");
  if (builder.plan.kernels.empty())
    return success();
  FailureOr<std::vector<uint8_t>> object = compileKernels(
      built.kernels, **level,
      {options.time, options.threads, options.store, options.counts});
  if (failed(object))
    return failure();
  builder.sections.object = std::move(*object);
  return success();
}

/// Prints the kernels of `built` as CUDA text into `builder`.
static LogicalResult printForCuda(const BuiltKernels &built,
                                  PlanBuilder &builder, PhaseClock &clock) {
  FailureOr<CudaText> text = kernelsAsCudaText(built.kernels);
  if (failed(text))
    return failure();
  clock.end("print");
  builder.addCudaKernels(std::move(*text));
  if (failed(builder.build()))
    return failure();
  clock.end("plan");
  return success();
}

FailureOr<std::vector<uint8_t>> ampc::emitPlan(ModuleOp placed,
                                               const EmitOptions &options) {
  bool cuda = options.target == "cuda";
  if (!cuda && options.target != "cpu")
    return placed.emitError()
           << "unknown target '" << options.target << "'; expected cpu or cuda";
  PhaseClock clock(options.time);
  FailureOr<BuiltKernels> built = buildKernelsOf(placed, cuda);
  if (failed(built))
    return failure();
  clock.end("kernels");
  PlanBuilder builder(*built->placed, built->kernels);
  if (failed(cuda ? printForCuda(*built, builder, clock)
                  : compileForCpu(placed, *built, builder, options, clock)))
    return failure();
  PhaseClock writing(options.time);
  rt::Expected<std::vector<uint8_t>> bytes =
      rt::writePlan(builder.plan, builder.sections);
  if (!bytes)
    return placed.emitError()
           << "the plan cannot be written: " << bytes.error().text();
  writing.end("write");
  return std::move(*bytes);
}

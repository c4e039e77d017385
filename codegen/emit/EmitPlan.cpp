// A placed module as a plan file.
#include "codegen/emit/EmitPlan.h"

#include "codegen/cpu/CompileKernels.h"
#include "codegen/emit/PlanBuilder.h"
#include "codegen/kernel/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

FailureOr<BuiltKernels> ampc::buildKernelsOf(ModuleOp placed) {
  if (stageOf(placed) != Stage::placed)
    return placed.emitError()
           << "codegen takes a module in stage placed, got "
           << (stageOf(placed) ? stringifyStage(*stageOf(placed))
                               : StringRef("none"));
  BuiltKernels built;
  built.placed = placed.clone();
  PassManager pm(placed.getContext());
  pm.addPass(createBuildKernels());
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
  return module.emitError()
         << "unknown CPU level '" << name << "'; expected avx2, avx512 or host";
}

LogicalResult PlanBuilder::build(const CpuLevel &level) {
  if (auto name = module->getAttrOfType<StringAttr>(kModelAttr))
    plan.model_name = name.str();
  plan.compiler_version = AMPC_VERSION;
  plan.target_kind = "cpu";
  plan.target_level = level.name.str();
  for (StringRef feature : level.features)
    plan.cpu_features.push_back(feature.str());
  // Constants of entries have their offsets already; the starts of variables
  // follow them.
  for (auto func : module.getOps<func::FuncOp>())
    for (auto constant : func.getOps<ConstantOp>())
      if (auto places = constant->getAttrOfType<ArrayAttr>(kPlaceAttr))
        for (auto place : places.getAsRange<PlaceAttr>())
          if (place.getSpace() == Space::constant &&
              failed(placeConstant(constant, constant.getValue(),
                                   place.getIndex())))
            return failure();
  if (failed(addVariables()) || failed(addKernels()))
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

FailureOr<std::vector<uint8_t>> ampc::emitPlan(ModuleOp placed,
                                               const EmitOptions &options) {
  FailureOr<const CpuLevel *> level = levelNamed(placed, options.level);
  if (failed(level))
    return failure();
  PhaseClock clock(options.time);
  FailureOr<BuiltKernels> built = buildKernelsOf(placed);
  if (failed(built))
    return failure();
  clock.end("kernels");
  PlanBuilder builder(*built->placed, built->kernels);
  if (failed(builder.build(**level)))
    return failure();
  clock.end("plan");
  if (!builder.plan.kernels.empty()) {
    FailureOr<std::vector<uint8_t>> object =
        compileKernels(built->kernels, **level, options.time);
    if (failed(object))
      return failure();
    builder.sections.object = std::move(*object);
  }
  PhaseClock writing(options.time);
  rt::Expected<std::vector<uint8_t>> bytes =
      rt::writePlan(builder.plan, builder.sections);
  if (!bytes)
    return placed.emitError()
           << "the plan cannot be written: " << bytes.error().text();
  writing.end("write");
  return std::move(*bytes);
}

// Runs the passes of a compilation; see Lower.h.
#include "tools/libampc/Lower.h"

#include "codegen/cpu/PhaseClock.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "passes/memory/MemoryNeeds.h"
#include "passes/pipelines/Pipelines.h"
#include "tools/libampc/Capture.h"
#include "tools/libampc/DataPaths.h"
#include "tools/libampc/DeviceBuffers.h"
#include "tools/libampc/PlannedWorkspace.h"
#include "tools/libampc/Target.h"

#include <fmt/format.h>

using namespace mlir;

namespace ampc {

std::string precisionOf(ModuleOp module, const CompileOptions &options) {
  if (!options.precision.empty())
    return options.precision;
  auto train = module->getAttrOfType<DictionaryAttr>(amp::kTrainAttr);
  auto precision = train ? train.getAs<StringAttr>("precision") : StringAttr();
  return precision ? precision.str() : "f32";
}

int64_t memoryBudgetOf(ModuleOp module) {
  auto train = module->getAttrOfType<DictionaryAttr>(amp::kTrainAttr);
  auto budget =
      train ? train.getAs<IntegerAttr>("memory_budget") : IntegerAttr();
  return budget ? budget.getInt() : 0;
}

/// A placed module that needs more than its budget is refused: placement has
/// tried everything.
static rt::Expected<void> checkBudget(ModuleOp module, int64_t budget,
                                      int64_t workspace,
                                      const DeviceBuffers &buffers,
                                      const std::string &where) {
  int64_t variables = variableBytes(module) + int64_t(buffers.constants),
          batches = batchBytes(module) + int64_t(buffers.watched);
  int64_t arena = largestArena(module);
  int64_t needed = variables + batches + arena + workspace;
  if (budget == 0 || needed <= budget)
    return {};
  return rt::fail(
      rt::Code::DoesNotFit, where,
      fmt::format("the memory budget is {} bytes, the smallest feasible one {} "
                  "(variables {}, arena {}, batches {}, workspaces {}); "
                  "`ampc plan` shows the tensors",
                  budget, needed, variables, arena, batches, workspace));
}

/// The entries to build: without a train block a model with a loss is for
/// evaluation and inference.
static std::vector<std::string> entriesOf(ModuleOp module,
                                          const CompileOptions &options) {
  func::FuncOp forward = amp::findEntry(module, amp::Entry::forward);
  auto train = module->getAttrOfType<DictionaryAttr>(amp::kTrainAttr);
  bool hasBlock = train && (train.get("optimizer") || train.get("loc"));
  if (!options.entries.empty() || !forward || hasBlock)
    return options.entries;
  auto has = [&](amp::Io wanted) {
    for (unsigned i = 0; i < forward.getNumResults(); ++i)
      if (auto io = forward.getResultAttrOfType<amp::IoAttr>(i, amp::kIoAttr);
          io && io.getValue() == wanted)
        return true;
    return false;
  };
  if (!has(amp::Io::loss))
    return {};
  if (!has(amp::Io::output))
    return {"eval_step"};
  return {"eval_step", "infer"};
}

static void dumpStage(ModuleOp module, const CompileOptions &options) {
  std::optional<amp::Stage> wanted = amp::symbolizeStage(options.dump_after);
  if (!options.dump || !wanted || amp::stageOf(module) != *wanted)
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  options.dump(text);
}

/// Turns remarks of the wanted categories on for `context`.
static LogicalResult enableRemarks(MLIRContext &context,
                                   const std::string &category) {
  std::string pattern = category == "all" ? ".*" : category;
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = pattern;
  return remark::enableOptimizationRemarks(
      context, nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(),
      categories, /*printAsEmitRemarks=*/true);
}

rt::Expected<void> continueTo(amp::Stage stage, ModuleOp module,
                              const Model &model, const CompileOptions &options,
                              function_ref<void(PassManager &)> prepare) {
  Model::Impl &impl = model.impl();
  DiagnosticCapture capture(impl.context, impl.path, impl.text, options.remark,
                            options.warn);
  if (options.remark &&
      failed(enableRemarks(impl.context, options.remark_category)))
    return tl::unexpected(capture.error("remarks cannot be turned on"));
  PipelineOptions pipeline;
  pipeline.precision = precisionOf(module, options);
  pipeline.unsafePrecision = options.unsafe_precision;
  pipeline.scaleLoss = options.scale_loss;
  pipeline.entries = entriesOf(module, options);
  pipeline.gradientOf = options.gradient_of;
  pipeline.mode = options.mode;
  if (options.finite_checks != "off")
    pipeline.probedValues = options.finite_checks;
  pipeline.probeShows = options.show_values ? "value" : "range";
  pipeline.fuse = options.opt_level >= 2;
  pipeline.chunkBytes = int64_t(options.chunk_bytes.value_or(kChunkBytes));
  pipeline.leastHeads = int64_t(options.least_heads.value_or(kLeastHeads));
  int64_t budget = memoryBudgetOf(module), workspace = 0;
  DeviceBuffers buffers;
  auto countWorkspace = [&]() -> rt::Expected<void> {
    if (budget == 0)
      return {};
    buffers = deviceBuffersOf(module);
    AMPC_ASSIGN(PlannedWorkspace planned, workspaceOf(module, options.threads));
    workspace = int64_t(planned.bytes);
    return {};
  };
  if (amp::stageOf(module) == amp::Stage::placed)
    AMPC_TRY(countWorkspace());
  for (uint32_t next = static_cast<uint32_t>(*amp::stageOf(module)) + 1;
       next <= static_cast<uint32_t>(stage); ++next) {
    PhaseClock clock(options.time);
    PassManager passes(&impl.context);
    if (budget && static_cast<amp::Stage>(next) == amp::Stage::placed) {
      AMPC_TRY(countWorkspace());
      pipeline.memoryBudget =
          std::max<int64_t>(budget - workspace - int64_t(buffers.total()), 1);
    }
    addStagePasses(passes, static_cast<amp::Stage>(next), pipeline);
    if (prepare)
      prepare(passes);
    if (failed(passes.run(module)))
      return tl::unexpected(capture.error("compilation failed"));
    clock.end(amp::stringifyStage(static_cast<amp::Stage>(next)));
    dumpStage(module, options);
  }
  if (stage == amp::Stage::placed && !options.over_budget)
    return checkBudget(module, budget, workspace, buffers, impl.path);
  return {};
}

/// Options whose pass the module is past, which would change nothing, are
/// refused.
static rt::Expected<void> checkOptions(const Model::Impl &impl,
                                       const CompileOptions &options) {
  using amp::Stage;
  struct Row {
    bool isGiven;
    Stage decides; // the stage that is made with the option
    const char *name;
  };
  std::string remarks = options.remark ? options.remark_category : "";
  const Row rows[] = {
      {!options.precision.empty(), Stage::typed, "--precision"},
      {options.scale_loss, Stage::typed, "scale_loss"},
      {options.finite_checks != "off", Stage::step, "--finite-checks"},
      {!options.gradient_of.empty(), Stage::step, "--grad"},
      {options.mode != "infer", Stage::step, "--mode"},
      {options.unsafe_precision, Stage::fused, "--unsafe-precision"},
      {options.opt_level == 1, Stage::fused, "--opt-level"},
      {remarks == "precision", Stage::typed, "--remarks"},
      {remarks == "fusion", Stage::fused, "--remarks"},
      {remarks == "memory" || remarks == "all", Stage::placed, "--remarks"},
  };
  std::optional<Stage> dumped = amp::symbolizeStage(options.dump_after);
  const char *given = nullptr;
  for (const Row &row : rows)
    if (!given && row.isGiven && row.decides <= impl.stage())
      given = row.name;
  if (options.dump && dumped && *dumped < impl.stage())
    given = "--dump-after";
  if (given)
    return rt::fail(
        rt::Code::Usage, given,
        fmt::format("has no effect on '{}', which is in stage {} already",
                    impl.path, amp::stringifyStage(impl.stage()).str()));
  return {};
}

rt::Expected<OwningOpRef<ModuleOp>>
lowerTo(amp::Stage stage, const Model &model, const CompileOptions &options) {
  AMPC_TRY(model.read());
  Model::Impl &impl = model.impl();
  if (!options.dump_after.empty() && !amp::symbolizeStage(options.dump_after))
    return rt::fail(rt::Code::Usage, "dump-after",
                    "expected model, typed, step, fused or placed, got '" +
                        options.dump_after + "'");
  AMPC_TRY(checkOptions(impl, options));
  if (impl.stage() > stage)
    return rt::fail(rt::Code::BadInput, impl.path,
                    "the module is in stage " +
                        amp::stringifyStage(impl.stage()).str() +
                        ", past stage " + amp::stringifyStage(stage).str());
  if (options.time)
    options.time("front end", impl.seconds);
  OwningOpRef<ModuleOp> module(impl.module->clone());
  // IR keeps its target, but groups are formed for the kind of device that runs
  // them.
  amp::TargetAttr target = targetFor(impl.context, options);
  auto known = (*module)->getAttrOfType<amp::TargetAttr>(amp::kTargetAttr);
  if (!known ||
      (impl.stage() < amp::Stage::fused && known.getKind() != target.getKind()))
    (*module)->setAttr(amp::kTargetAttr, target);
  {
    // What was read as IR is held to its own stage before anything builds on
    // it.
    DiagnosticCapture capture(impl.context, impl.path, impl.text,
                              options.remark, options.warn);
    PassManager check(&impl.context);
    PipelineOptions pipeline;
    pipeline.unsafePrecision = options.unsafe_precision;
    addStageVerifier(check, impl.stage(), pipeline);
    if (failed(check.run(*module)))
      return tl::unexpected(capture.error("the module is not valid"));
  }
  if (!options.output.empty())
    moveDataPaths(*module, impl.path, options.output);
  dumpStage(*module, options);
  AMPC_TRY(continueTo(stage, *module, model, options));
  return module;
}

} // namespace ampc

// From a model to a plan, to any stage's text, or to something that trains.
#include "tools/libampc/Compile.h"

#include "codegen/cpu/PhaseClock.h"
#include "tools/libampc/Capture.h"
#include "tools/libampc/CompileCache.h"
#include "tools/libampc/Lower.h"
#include "tools/libampc/ModelImpl.h"
#include "tools/libampc/ReferenceStepper.h"
#include "tools/libampc/Resize.h"
#include "tools/libampc/Target.h"

#include "llvm/Config/llvm-config.h"
#include <chrono>

using namespace mlir;

namespace ampc {

std::string_view name_of(Emit what) {
  constexpr std::string_view names[] = {"model",  "typed", "step", "fused",
                                        "placed", "llvm",  "cuda", "plan"};
  return names[static_cast<size_t>(what)];
}

namespace {

/// A compilation's result: made now, or kept from before.
struct CompiledPlan {
  std::vector<uint8_t> made;
  std::optional<rt::FileBytes> kept;

  std::span<const std::byte> bytes() const {
    return kept ? kept->bytes() : std::as_bytes(std::span(made));
  }
};

/// Tells `options.kept`, where somebody listens.
void tellKept(const CompileOptions &options, std::string_view kind,
              size_t needed, size_t kept) {
  if (options.kept)
    options.kept(kind, needed, kept);
}

} // namespace

/// Compiles, with the objects of kernels that `cache` has.
static rt::Expected<std::vector<uint8_t>>
compileNow(const Model &model, const CompileOptions &options,
           CompileCache &cache) {
  AMPC_ASSIGN(EmitOptions emit, emitOptions(options));
  emit.time = options.time;
  if (cache.isOpen())
    emit.store = &cache;
  emit.counts = [&](size_t kernels, size_t found) {
    tellKept(options, "kernels", kernels, found);
  };
  AMPC_ASSIGN(OwningOpRef<ModuleOp> module,
              lowerTo(amp::Stage::placed, model, options));
  Model::Impl &impl = model.impl();
  DiagnosticCapture capture(impl.context, impl.path, impl.text, options.remark,
                            options.warn);
  FailureOr<std::vector<uint8_t>> bytes = emitPlan(*module, emit);
  if (failed(bytes))
    return tl::unexpected(capture.error("code generation failed"));
  return std::move(*bytes);
}

/// The plan that is kept under `name`; says what was said when it was made.
static std::optional<rt::FileBytes> keptPlan(const CompileCache &cache,
                                             const std::string &name,
                                             const CompileOptions &options) {
  std::optional<KeptPlan> found = cache.findPlan(name);
  if (!found)
    return std::nullopt;
  if (options.warn)
    for (const std::string &warning : found->warnings)
      options.warn(warning);
  return std::move(found->bytes);
}

/// The plan of `model`: the one that is kept, or one made now and kept where
/// that is possible.
static rt::Expected<CompiledPlan> compiledPlan(const Model &model,
                                               const CompileOptions &options) {
  PhaseClock clock(options.time);
  // A target that there is not is refused before anything is looked for.
  AMPC_TRY(emitOptions(options));
  AMPC_ASSIGN(CompileCache cache, CompileCache::open(options));
  std::string name = cache.planName(model, options);
  CompiledPlan plan;
  if (!name.empty())
    plan.kept = keptPlan(cache, name, options);
  clock.end("cache");
  tellKept(options, "plan", 1, plan.kept.has_value());
  if (plan.kept)
    return plan;
  std::vector<std::string> warnings;
  CompileOptions listening = options;
  listening.warn = [&](std::string_view text) {
    warnings.emplace_back(text);
    if (options.warn)
      options.warn(text);
  };
  AMPC_ASSIGN(plan.made, compileNow(model, listening, cache));
  PhaseClock keeping(options.time);
  if (!name.empty())
    cache.storePlan(name, plan.made, warnings);
  keeping.end("keep");
  return plan;
}

rt::Expected<rt::Plan> compile(const Model &model,
                               const CompileOptions &options) {
  AMPC_ASSIGN(CompiledPlan plan, compiledPlan(model, options));
  if (plan.kept)
    return rt::Plan::from_file(std::move(*plan.kept), model.path());
  return rt::Plan::from_bytes(plan.made, model.path());
}

rt::Expected<std::string> emit(const Model &model, Emit what,
                               const CompileOptions &options) {
  if (what == Emit::Plan) {
    AMPC_ASSIGN(CompiledPlan plan, compiledPlan(model, options));
    std::span<const std::byte> bytes = plan.bytes();
    return std::string(reinterpret_cast<const char *>(bytes.data()),
                       bytes.size());
  }
  bool isIr = what <= Emit::Placed;
  amp::Stage stage = isIr ? static_cast<amp::Stage>(what) : amp::Stage::placed;
  CompileOptions lowering = options;
  if (what == Emit::Cuda && !StringRef(options.target).starts_with("cuda"))
    lowering.target = "cuda";
  AMPC_ASSIGN(OwningOpRef<ModuleOp> module, lowerTo(stage, model, lowering));
  std::string text;
  if (isIr) {
    llvm::raw_string_ostream os(text);
    module->print(os, OpPrintingFlags().enableDebugInfo(true, false));
    os << "\n";
    return text;
  }
  AMPC_ASSIGN(EmitOptions settings, emitOptions(options));
  Model::Impl &impl = model.impl();
  DiagnosticCapture capture(impl.context, impl.path, impl.text, options.remark,
                            options.warn);
  FailureOr<std::string> generated = what == Emit::Llvm
                                         ? emitLlvmText(*module, settings)
                                         : emitCudaText(*module, settings);
  if (failed(generated))
    return tl::unexpected(capture.error("code generation failed"));
  return std::move(*generated);
}

std::string llvm_version() { return LLVM_VERSION_STRING; }

/// How eval_step is compiled for a batch of another size: the model's own
/// compilation has shown stages and decisions already.
static CompileOptions resizedOptions(const CompileOptions &options) {
  CompileOptions resized = options;
  resized.entries = {"eval_step"};
  resized.gradient_of.clear();
  resized.dump_after.clear();
  resized.dump = {};
  resized.remark_category.clear();
  resized.remark = {};
  resized.time = {};
  resized.kept = {};
  return resized;
}

/// `session` with plans for a data set's last incomplete batch.
static rt::SessionOptions withPlans(const Model &model,
                                    const CompileOptions &options,
                                    rt::SessionOptions session) {
  if (!session.plan_for)
    session.plan_for = [resizer = Resizer(model),
                        settings = resizedOptions(options)](
                           const rt::Batch &batch) -> rt::Expected<rt::Plan> {
      AMPC_ASSIGN(Model resized, resizer.make(batch));
      return compile(resized, settings);
    };
  return session;
}

/// The reference evaluator for a data set's last incomplete batch.
static ReferenceStepper::Resize resizedReference(const Model &model,
                                                 const CompileOptions &options,
                                                 uint64_t seed) {
  return [resizer = Resizer(model), settings = resizedOptions(options),
          seed](const rt::Batch &batch) -> rt::Expected<ResizedReference> {
    AMPC_ASSIGN(Model resized, resizer.make(batch));
    AMPC_ASSIGN(rt::Plan plan, compile(resized, settings));
    AMPC_ASSIGN(OwningOpRef<ModuleOp> step,
                lowerTo(amp::Stage::step, resized, settings));
    ResizedReference result{std::make_unique<Model>(std::move(resized)),
                            nullptr};
    AMPC_ASSIGN(result.stepper,
                ReferenceStepper::create(*result.model, std::move(step),
                                         std::move(plan), seed));
    return result;
  };
}

rt::Expected<rt::Session> open_session(const Model &model,
                                       const CompileOptions &options,
                                       const rt::SessionOptions &session) {
  AMPC_ASSIGN(rt::Plan plan, compile(model, options));
  return rt::Session::open(plan, withPlans(model, options, session));
}

rt::Expected<OpenedModel> open_stepper(const Model &model,
                                       const CompileOptions &options,
                                       const rt::SessionOptions &session) {
  auto start = std::chrono::steady_clock::now();
  AMPC_ASSIGN(rt::Plan plan, compile(model, options));
  OpenedModel opened{plan, nullptr, 0};
  PhaseClock clock(options.time);
  if (options.opt_level == 0) {
    // The plan's compilation has shown stages, decisions and times already.
    CompileOptions quiet = options;
    quiet.dump = {};
    quiet.remark = {};
    quiet.time = {};
    AMPC_ASSIGN(OwningOpRef<ModuleOp> step,
                lowerTo(amp::Stage::step, model, quiet));
    uint64_t seed = session.seed.value_or(plan.train_defaults().seed);
    AMPC_ASSIGN(std::unique_ptr<ReferenceStepper> stepper,
                ReferenceStepper::create(model, std::move(step), plan, seed));
    stepper->onResize(resizedReference(model, options, seed));
    opened.stepper = std::move(stepper);
  } else {
    AMPC_ASSIGN(rt::Session opening,
                rt::Session::open(plan, withPlans(model, options, session)));
    opened.stepper = std::make_unique<rt::Session>(std::move(opening));
  }
  clock.end("open");
  opened.compile_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return opened;
}

} // namespace ampc

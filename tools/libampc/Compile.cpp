// From a model to a plan, to any stage's text, or to something that trains.
#include "tools/libampc/Compile.h"

#include "tools/libampc/Capture.h"
#include "tools/libampc/Lower.h"
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

static rt::Expected<std::vector<uint8_t>>
compileToBytes(const Model &model, const CompileOptions &options) {
  AMPC_ASSIGN(EmitOptions emit, emitOptions(options));
  emit.time = options.time;
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

rt::Expected<rt::Plan> compile(const Model &model,
                               const CompileOptions &options) {
  AMPC_ASSIGN(std::vector<uint8_t> bytes, compileToBytes(model, options));
  return rt::Plan::from_bytes(bytes, model.path());
}

rt::Expected<std::string> emit(const Model &model, Emit what,
                               const CompileOptions &options) {
  if (what == Emit::Plan) {
    AMPC_ASSIGN(std::vector<uint8_t> bytes, compileToBytes(model, options));
    return std::string(bytes.begin(), bytes.end());
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
  opened.compile_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return opened;
}

} // namespace ampc

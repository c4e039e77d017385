// Reading models: .amp text through the front end, .mlir text through MLIR's
// parser.
#include "tools/libampc/ModelImpl.h"

#include "codegen/cpu/PhaseClock.h"
#include "ir/frontend/model/Model.h"
#include "ir/reference/Reference.h"
#include "mlir/Parser/Parser.h"
#include "runtime/plan/FileIO.h"
#include "tools/libampc/Capture.h"

using namespace mlir;

namespace ampc {

Model::Impl::Impl() : context(MLIRContext::Threading::DISABLED) {
  DialectRegistry registry;
  registry.insert<amp::AmpDialect, func::FuncDialect>();
  reference::registerReferenceModels(registry);
  context.appendDialectRegistry(registry);
  // Users read the message and the source line, not the op's IR.
  context.printOpOnDiagnostic(false);
  context.loadAllAvailableDialects();
}

amp::Stage Model::Impl::stage() const { return *amp::stageOf(*module); }

Model::Model(std::unique_ptr<Impl> state) : state(std::move(state)) {}
Model::Model(Model &&) noexcept = default;
Model &Model::operator=(Model &&) noexcept = default;
Model::~Model() = default;

std::string Model::name() const {
  auto name = (*state->module)->getAttrOfType<StringAttr>(amp::kModelAttr);
  return name ? name.str() : "";
}

std::string Model::stage() const {
  return amp::stringifyStage(state->stage()).str();
}

const std::string &Model::path() const { return state->path; }

/// The module of textual IR; it must say its stage.
static rt::Expected<OwningOpRef<ModuleOp>>
parseIr(MLIRContext &context, const std::string &name, StringRef text) {
  DiagnosticCapture capture(context, name, text);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context), name);
  if (!module)
    return tl::unexpected(capture.error("is not a module of amp IR"));
  if (!amp::stageOf(*module))
    return rt::fail(rt::Code::BadInput, name,
                    "the module has no attribute amp.stage (expected "
                    "#amp.stage<model>, <typed>, <step>, <fused> or <placed>)");
  return module;
}

/// Keeps the seconds that reading takes.
static PhaseSink secondsOf(Model::Impl &impl) {
  return [&impl](std::string_view, double seconds) { impl.seconds = seconds; };
}

rt::Expected<Model> Model::load(const std::string &path,
                                const ModelOptions &options) {
  StringRef name(path);
  if (!name.ends_with(".amp") && !name.ends_with(".mlir"))
    return rt::fail(
        rt::Code::BadInput, path,
        "unknown kind of model; expected a file named .amp or .mlir");
  auto state = std::make_unique<Impl>();
  PhaseSink keepSeconds = secondsOf(*state);
  PhaseClock clock(keepSeconds);
  state->path = path;
  if (name.ends_with(".amp")) {
    model::Diagnostics diagnostics;
    state->options = options;
    model::ModelOptions settings{options.sets};
    state->module =
        model::loadModelFile(state->context, path, settings, diagnostics);
    if (!state->module)
      return rt::fail(rt::Code::BadInput, "",
                      StringRef(diagnostics.str()).rtrim('\n').str());
  }
  AMPC_ASSIGN(rt::FileBytes file, rt::FileBytes::map(path));
  state->text.assign(reinterpret_cast<const char *>(file.bytes().data()),
                     file.bytes().size());
  if (name.ends_with(".mlir")) {
    if (!options.sets.empty())
      return rt::fail(rt::Code::Usage, path,
                      "IR has no dims or consts left to set (--set " +
                          options.sets.front().first + ")");
    AMPC_ASSIGN(state->module, parseIr(state->context, path, state->text));
  }
  clock.end("front end");
  return Model(std::move(state));
}

rt::Expected<Model> Model::parse(std::string_view text, const std::string &name,
                                 const ModelOptions &options) {
  auto state = std::make_unique<Impl>();
  PhaseSink keepSeconds = secondsOf(*state);
  PhaseClock clock(keepSeconds);
  state->path = name;
  state->text = std::string(text);
  state->options = options;
  model::Diagnostics diagnostics;
  state->module = model::loadModel(state->context, state->text, name,
                                   {options.sets}, diagnostics);
  if (!state->module)
    return rt::fail(rt::Code::BadInput, "",
                    StringRef(diagnostics.str()).rtrim('\n').str());
  clock.end("front end");
  return Model(std::move(state));
}

} // namespace ampc

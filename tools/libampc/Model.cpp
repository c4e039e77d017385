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

Model::Impl::Impl(const Source &source)
    : context(MLIRContext::Threading::DISABLED), path(source.path),
      text(source.text), options(source.options) {
  DialectRegistry registry;
  registry.insert<amp::AmpDialect, func::FuncDialect>();
  reference::registerReferenceModels(registry);
  context.appendDialectRegistry(registry);
  // Users read the message and the source line, not the op's IR.
  context.printOpOnDiagnostic(false);
  context.loadAllAvailableDialects();
}

amp::Stage Model::Impl::stage() const { return *amp::stageOf(*module); }

Model::Model(std::unique_ptr<Source> text) : text(std::move(text)) {}
Model::Model(Model &&) noexcept = default;
Model &Model::operator=(Model &&) noexcept = default;
Model::~Model() = default;

std::string Model::name() const {
  if (!read())
    return "";
  auto name = (*state->module)->getAttrOfType<StringAttr>(amp::kModelAttr);
  return name ? name.str() : "";
}

std::string Model::stage() const {
  return read() ? amp::stringifyStage(state->stage()).str() : "";
}

const std::string &Model::path() const { return text->path; }

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

rt::Expected<void> Model::read() const {
  if (state)
    return {};
  auto read = std::make_unique<Impl>(*text);
  PhaseSink keepSeconds = [&](std::string_view, double seconds) {
    read->seconds = seconds;
  };
  PhaseClock clock(keepSeconds);
  if (text->options) {
    model::Diagnostics diagnostics;
    read->module = model::loadModel(read->context, text->text, text->path,
                                    {text->options->sets}, diagnostics);
    if (!read->module)
      return rt::fail(rt::Code::BadInput, "",
                      StringRef(diagnostics.str()).rtrim('\n').str());
  } else {
    AMPC_ASSIGN(read->module, parseIr(read->context, text->path, text->text));
  }
  clock.end("front end");
  state = std::move(read);
  return {};
}

/// Why the front end cannot read `path`.
static rt::Error unreadable(const std::string &path) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  model::Diagnostics diagnostics;
  if (model::loadModelFile(context, path, {}, diagnostics))
    return {rt::Code::BadInput, "expected a regular file", path};
  return {rt::Code::BadInput, StringRef(diagnostics.str()).rtrim('\n').str(),
          ""};
}

rt::Expected<Model> Model::defer(const std::string &path,
                                 const ModelOptions &options) {
  StringRef name(path);
  bool isText = name.ends_with(".amp");
  if (!isText && !name.ends_with(".mlir"))
    return rt::fail(
        rt::Code::BadInput, path,
        "unknown kind of model; expected a file named .amp or .mlir");
  rt::Expected<rt::FileBytes> file = rt::FileBytes::map(path);
  if (isText && (!file || file->bytes().size() > model::kMaxTextBytes))
    return tl::unexpected(unreadable(path));
  if (!file)
    return tl::unexpected(file.error());
  auto source = std::make_unique<Source>();
  source->path = path;
  source->text.assign(reinterpret_cast<const char *>(file->bytes().data()),
                      file->bytes().size());
  if (isText)
    source->options = options;
  else if (!options.sets.empty())
    return rt::fail(rt::Code::Usage, path,
                    "IR has no dims or consts left to set (--set " +
                        options.sets.front().first + ")");
  return Model(std::move(source));
}

rt::Expected<Model> Model::load(const std::string &path,
                                const ModelOptions &options) {
  AMPC_ASSIGN(Model model, defer(path, options));
  AMPC_TRY(model.read());
  return model;
}

rt::Expected<Model> Model::parse(std::string_view text, const std::string &name,
                                 const ModelOptions &options) {
  auto source = std::make_unique<Source>();
  source->path = name;
  source->text = std::string(text);
  source->options = options;
  Model model(std::move(source));
  AMPC_TRY(model.read());
  return model;
}

} // namespace ampc

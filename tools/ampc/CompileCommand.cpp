// `ampc compile`: stop early and write what there is.
#include "tools/ampc/Commands.h"
#include "tools/ampc/ModelCommand.h"

#include "runtime/plan/FileIO.h"

#include <fmt/format.h>

namespace ampc {

namespace {

constexpr Emit kEmits[] = {Emit::Model,  Emit::Typed, Emit::Step, Emit::Fused,
                           Emit::Placed, Emit::Llvm,  Emit::Cuda, Emit::Plan};

rt::Expected<Emit> emitByName(const std::string &name) {
  for (Emit what : kEmits)
    if (name == name_of(what))
      return what;
  return rt::fail(rt::Code::Usage, "--emit",
                  "expected model, typed, step, fused, placed, llvm, cuda or "
                  "plan, got '" +
                      name + "'");
}

/// Writes `text` to the file `output`, or to stdout for `-`.
rt::Expected<void> write(const std::string &text, const std::string &output,
                         bool force) {
  if (output == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return {}; // main looks at the stream's error flag
  }
  AMPC_ASSIGN(rt::AtomicFile file, rt::AtomicFile::create(output, force));
  AMPC_TRY(file.write(std::as_bytes(std::span(text))));
  return file.commit();
}

} // namespace

Action addCompile(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("compile", "Compile, and write the plan or a stage");
  command->footer("Example: ampc compile mlp.amp -o mlp.ampx");
  auto options = std::make_shared<ModelCommand>();
  auto output = std::make_shared<std::string>();
  auto what = std::make_shared<std::string>("plan");
  auto entry = std::make_shared<std::string>();
  addModelOptions(*command, *options, {.hasWeights = false});
  addStepOptions(*command, *options);
  command->add_option("-o,--output", *output, "File to write; - for stdout")
      ->required();
  command->add_option(
      "--emit", *what,
      "model, typed, step, fused, placed (IR), llvm, cuda (text) or plan");
  command->add_option("--entry", *entry,
                      "train, eval, infer, separated by commas (default: all)");
  command->get_option("--json")->needs(command->get_option("--time-report"));
  return [options, output, what, entry]() -> rt::Expected<rt::Code> {
    AMPC_ASSIGN(Emit emitted, emitByName(*what));
    if (options->model.ends_with(".ampx"))
      return rt::fail(rt::Code::BadInput, options->model,
                      "is compiled already; expected .amp or .mlir");
    if (options->opt_level == 0)
      return rt::fail(
          rt::Code::Usage, "--opt-level",
          "level 0 evaluates and compiles nothing; expected 1 or 2");
    AMPC_ASSIGN(CompileOptions compile, compileOptions(*options));
    AMPC_ASSIGN(compile.entries, entriesByName(*entry));
    TimeReport times;
    if (options->time_report)
      times.listen(compile);
    if (*output != "-") {
      AMPC_TRY(checkPlace(*output, options->run.force));
      compile.output = *output;
    }
    options->train_seed = options->run.seed;
    AMPC_ASSIGN(Model model, deferModel(*options));
    if (!entry->empty()) {
      AMPC_ASSIGN(model, loadModel(*options));
    }
    if (!entry->empty() && model.stage() != "model" && model.stage() != "typed")
      return rt::fail(rt::Code::Usage, "--entry",
                      fmt::format("has no effect on '{}', which is in stage {} "
                                  "already",
                                  options->model, model.stage()));
    rt::Expected<std::string> text = emit(model, emitted, compile);
    if (!text)
      return tl::unexpected(asWritten(text.error(), *options));
    AMPC_TRY(write(*text, *output, options->run.force));
    if (options->time_report) {
      times.end("output");
      times.print(options->run.json);
    }
    return rt::Code::Ok;
  };
}

} // namespace ampc

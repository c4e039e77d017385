// `ampc explain`: why every op has its precision, and which kernel it is in.
#include "tools/libampc/Explain.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/ModelCommand.h"

#include <fmt/format.h>

namespace ampc {

namespace {

/// The options of `explain`.
struct ExplainCommand {
  ModelCommand model;
  std::string entry, op;
  bool why_f32 = false;
};

/// The example, and what the column `reason` may say.
std::string footer() {
  std::string text = "Example: ampc explain mlp.amp --op linear\n\nReasons:\n";
  for (const PrecisionReason &reason : precision_reasons())
    text += fmt::format("  {:<16} {}\n", reason.name, reason.meaning);
  return text;
}

/// Whether `entry` is one of those that make a step of several micro-batches.
bool isPartOfStep(const std::string &entry) {
  return entry == "window" || entry == "micro_step" || entry == "apply_step";
}

/// The entry that `name` means: also a part of a step.
rt::Expected<std::string> explainedEntry(const std::string &name) {
  if (isPartOfStep(name))
    return name;
  if (rt::Expected<std::string> entry = entryByName(name))
    return entry;
  return rt::fail(rt::Code::Usage, "--entry",
                  "expected train, eval, infer, window, micro_step or "
                  "apply_step, got '" +
                      name + "'");
}

rt::Expected<rt::Code> execute(const ExplainCommand &options) {
  const ModelCommand &command = options.model;
  if (command.model.ends_with(".ampx"))
    return rt::fail(rt::Code::BadInput, command.model,
                    "is compiled already; expected .amp or .mlir");
  if (command.opt_level == 0)
    return rt::fail(rt::Code::Usage, "--opt-level",
                    "level 0 evaluates and has no kernels; expected 1 or 2");
  ExplainOptions what;
  if (!options.entry.empty()) {
    AMPC_ASSIGN(what.entry, explainedEntry(options.entry));
  }
  what.op = options.op;
  what.f32_only = options.why_f32;
  AMPC_ASSIGN(CompileOptions compile, compileOptions(command));
  TimeReport times;
  if (command.time_report)
    times.listen(compile);
  // What is not explained need not be possible.
  AMPC_ASSIGN(Model model, loadModel(command));
  if (model.stage() == "model" || model.stage() == "typed")
    compile.entries.assign(what.entry.empty() ? 0 : 1, isPartOfStep(what.entry)
                                                           ? "train_step"
                                                           : what.entry);
  AMPC_ASSIGN(Explanation explanation, explain(model, compile, what));
  if (command.time_report)
    times.print(command.run.json);
  std::string text =
      command.run.json ? to_json(explanation) : to_text(explanation);
  if (options.why_f32 && !command.run.json && explanation.precision == "f32")
    text = "The precision is f32: floats are f32 but where the model casts "
           "them. The reasons say what each op's rule would allow.\n" +
           text;
  std::fwrite(text.data(), 1, text.size(), stdout);
  return rt::Code::Ok; // main looks at the stream's error flag
}

} // namespace

Action addExplain(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "explain", "Why every op has its precision, what was fused and what not");
  command->footer(footer());
  auto options = std::make_shared<ExplainCommand>();
  addModelOptions(*command, options->model,
                  {.draws = false, .hasWeights = false, .writesFiles = false});
  addStepOptions(*command, options->model);
  command->add_option("--entry", options->entry,
                      "train, eval or infer (default: train, or infer for a "
                      "model without a loss); of a step with several "
                      "micro-batches window, micro_step or apply_step");
  command->add_option(
      "--op", options->op,
      "Only ops of this mnemonic, name (or part of its path) or source line "
      "(LINE or FILE:LINE)");
  command->add_flag("--why-f32", options->why_f32, "Only ops in f32");
  return [options] { return execute(*options); };
}

} // namespace ampc

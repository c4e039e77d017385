// `ampc plan`: will it fit, and if not, what to change.
#include "runtime/core/SystemMemory.h"
#include "runtime/plan/FileIO.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/ModelCommand.h"
#include "tools/ampc/Size.h"
#include "tools/libampc/MemorySweep.h"
#include "tools/libampc/MemoryVerdict.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <span>

namespace ampc {

namespace {

/// The options of `plan`.
struct PlanCommand {
  ModelCommand model;
  std::string entry, device_memory, memory_budget, sweep, svg;
};

/// The least of the limits given, else the memory there is.
rt::Expected<MemoryQuestion> questionOf(const PlanCommand &options) {
  MemoryQuestion question;
  question.threads = options.model.run.threads;
  std::optional<uint64_t> there = memoryThere(options.model);
  auto take = [&](const char *option,
                  const std::string &text) -> rt::Expected<void> {
    if (text.empty())
      return {};
    AMPC_ASSIGN(uint64_t bytes, sizeOption(option, text, there));
    question.seek_batch = true;
    if (!question.limit || bytes < *question.limit) {
      question.limit = bytes;
      question.limit_name = option;
    }
    return {};
  };
  AMPC_TRY(take("--device-memory", options.device_memory));
  AMPC_TRY(take("--memory-budget", options.model.memory_budget));
  if (!question.limit && there) {
    AMPC_ASSIGN(std::string target, targetOf(options.model));
    question.limit = there;
    question.limit_name =
        target.starts_with("cuda") ? "of the CUDA device" : "available here";
  }
  return question;
}

/// Whether the locale's text is UTF-8, so that a terminal shows block elements.
bool isUnicode() {
  for (const char *name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char *value = std::getenv(name);
    if (!value || !*value)
      continue;
    std::string text(value);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return char(std::tolower(c)); });
    return text.find("utf-8") != std::string::npos ||
           text.find("utf8") != std::string::npos;
  }
  return false;
}

/// The parts of `text` between commas that stand in no bracket.
std::vector<std::string> splitValues(const std::string &text) {
  std::vector<std::string> values{""};
  int depth = 0;
  for (char c : text) {
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    if (c == ',' && depth == 0)
      values.emplace_back();
    else
      values.back() += c;
  }
  return values;
}

rt::Expected<rt::Code> sweep(const PlanCommand &options, const Model &model,
                             const CompileOptions &compile) {
  size_t equals = options.sweep.find('=');
  std::vector<std::string> values;
  if (equals != std::string::npos && equals > 0)
    values = splitValues(options.sweep.substr(equals + 1));
  if (values.empty() ||
      std::find(values.begin(), values.end(), "") != values.end())
    return rt::fail(rt::Code::Usage, "--sweep",
                    "expected KEY=V1,V2,..., as in seq=128,256,512, got '" +
                        options.sweep + "'");
  AMPC_ASSIGN(MemorySweep swept,
              sweep_memory(model, compile, options.sweep.substr(0, equals),
                           values, options.model.run.threads));
  rt::put(stdout, options.model.run.json ? to_json(swept) : to_text(swept));
  return rt::Code::Ok;
}

rt::Expected<rt::Code> execute(const PlanCommand &options) {
  const ModelCommand &command = options.model;
  if (command.model.ends_with(".ampx"))
    return rt::fail(rt::Code::BadInput, command.model,
                    "is compiled already; expected .amp or .mlir");
  if (command.opt_level == 0)
    return rt::fail(rt::Code::Usage, "--opt-level",
                    "level 0 evaluates and plans no memory; expected 1 or 2");
  std::optional<rt::AtomicFile> svg;
  if (!options.svg.empty()) {
    AMPC_ASSIGN(rt::AtomicFile file,
                rt::AtomicFile::create(options.svg, command.run.force));
    svg.emplace(std::move(file));
  }
  AMPC_ASSIGN(MemoryQuestion question, questionOf(options));
  AMPC_ASSIGN(CompileOptions compile, compileOptions(command));
  AMPC_ASSIGN(compile.entries, entriesByName(options.entry));
  TimeReport times;
  if (command.time_report)
    times.listen(compile);
  AMPC_ASSIGN(Model model, loadModel(command));
  if (!options.sweep.empty())
    return sweep(options, model, compile);
  AMPC_ASSIGN(MemoryVerdict verdict, judge_memory(model, compile, question));
  if (command.time_report)
    times.print(command.run.json);
  rt::put(stdout,
          command.run.json ? to_json(verdict) : to_text(verdict, isUnicode()));
  if (svg) {
    std::string picture = to_svg(verdict.plan);
    AMPC_TRY(svg->write(std::as_bytes(std::span(picture))));
    AMPC_TRY(svg->commit());
  }
  return verdict.fits ? rt::Code::Ok : rt::Code::DoesNotFit;
}

} // namespace

Action addPlan(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "plan", "Memory before running: will it fit, and if not, what to change");
  command->footer("Example: ampc plan gpt.amp --precision bf16 --device-memory "
                  "8GiB\n\nExit code 3: it does not fit.");
  auto options = std::make_shared<PlanCommand>();
  addModelOptions(*command, options->model);
  addStepOptions(*command, options->model);
  rt::addCount(*command, "--accumulate", options->model.run.accumulate,
               "Micro-batches of a window (default: the model's)", 1,
               rt::kMostMicroBatches);
  command->add_option(
      "--entry", options->entry,
      "train, eval, infer, separated by commas (default: all, as "
      "`ampc train` opens)");
  command->add_option("--device-memory", options->device_memory,
                      "SIZE of the device: 8GiB, 512MiB, 75% (default: what is "
                      "available here)");
  CLI::Option *swept = command->add_option(
      "--sweep", options->sweep,
      "KEY=V1,V2,...: how memory grows with a setting, and from which line");
  command
      ->add_option("--svg", options->svg,
                   "Draw the memory over the step to FILE.svg")
      ->excludes(swept);
  return [options] { return execute(*options); };
}

} // namespace ampc

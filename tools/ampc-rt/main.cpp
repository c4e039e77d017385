// ampc-rt: trains, evaluates or runs a compiled plan, with no compiler in the
// process.
#include "tools/ampc-rt/Interrupt.h"
#include "tools/ampc-rt/RunCommands.h"

#include <fmt/format.h>

using namespace ampc::rt;

/// Opens the plan and does what `command` says.
static Expected<Code> execute(const std::string &command,
                              const std::string &path,
                              const RunOptions &options) {
  AMPC_ASSIGN(Plan plan, Plan::load(path));
  SessionOptions sessionOptions;
  sessionOptions.seed = options.seed;
  sessionOptions.threads = options.threads;
  sessionOptions.device = options.device;
  sessionOptions.note = note;
  AMPC_ASSIGN(Session session, Session::open(plan, sessionOptions));
  AMPC_TRY(loadWeights(session, options));
  ModelSettings settings = settingsOf(plan);
  settings.path = path;
  if (command == "train" && isChecked(plan))
    settings.open_checked =
        [plan, sessionOptions]() -> Expected<std::shared_ptr<Stepper>> {
      AMPC_ASSIGN(Session checked, Session::open(plan, sessionOptions));
      return std::make_shared<Session>(std::move(checked));
    };
  if (command == "train")
    return runTrain(session, settings, options);
  if (command == "eval")
    return runEval(session, settings, options);
  return runInfer(session, options);
}

int main(int argc, char **argv) {
  ignoreFileSizeLimit();
  CLI::App app("Trains, evaluates or runs a plan that `ampc compile` made.");
  app.set_version_flag("--version",
                       std::string("ampc-rt ") + runtime_version());
  app.require_subcommand(1);
  RunOptions options;
  std::string path;
  auto add = [&](const char *name, const char *text, const char *example,
                 CommandUse use = {}) {
    CLI::App *command = app.add_subcommand(name, text);
    command->footer(fmt::format("Example: ampc-rt {}", example));
    command->add_option("plan", path, "A plan (.ampx)")->required();
    addCommonOptions(*command, options, use);
    return command;
  };
  addTrainOptions(*add("train", "Train", "train mlp.ampx --steps 20 --out run"),
                  options);
  CLI::App *eval =
      add("eval", "Losses and metrics on a data set",
          "eval mlp.ampx --weights run/last --data x,y=normal:2 --steps 4",
          {.writesFiles = false});
  addDataOptions(*eval, options);
  addCount(*eval, "--steps", options.steps, "Batches (default: one epoch)", 1);
  addInferOptions(
      *add("infer", "One forward pass", "infer mlp.ampx --input x=x.npy"),
      options);
  if (std::optional<int> code = parseCommand(app, argc, argv))
    return finishOutput(*code);
  Expected<Code> code =
      execute(app.get_subcommands().front()->get_name(), path, options);
  return finishOutput(code ? int(*code) : report(code.error()));
}

// `ampc train` and `ampc eval`.
#include "tools/ampc/Commands.h"
#include "tools/ampc/ModelCommand.h"

namespace ampc {

/// The settings of an opened model.
static rt::ModelSettings settingsOf(const OpenedModel &opened) {
  rt::ModelSettings settings = rt::settingsOf(opened.plan);
  settings.compile_seconds = opened.compile_seconds;
  return settings;
}

Action addTrain(CLI::App &app) {
  CLI::App *command = app.add_subcommand("train", "Compile and train");
  command->footer("Example: ampc train mlp.amp --steps 20 --out run");
  auto options = std::make_shared<ModelCommand>();
  addModelOptions(*command, *options);
  addStepOptions(*command, *options);
  rt::addTrainOptions(*command, options->run);
  return [options]() -> rt::Expected<rt::Code> {
    AMPC_ASSIGN(OpenCommand open,
                openModel(*options, {"train_step", "eval_step"}));
    return rt::runTrain(*open.opened.stepper, settingsOf(open.opened),
                        options->run);
  };
}

Action addEval(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("eval", "Losses and metrics on a data set");
  command->footer("Example: ampc eval mlp.amp --weights run/last --steps 4");
  auto options = std::make_shared<ModelCommand>();
  addModelOptions(*command, *options);
  rt::addDataOptions(*command, options->run);
  rt::addCount(*command, "--steps", options->run.steps,
               "Batches (default: one epoch)", 1);
  return [options]() -> rt::Expected<rt::Code> {
    AMPC_ASSIGN(OpenCommand open, openModel(*options, {"eval_step"}));
    return rt::runEval(*open.opened.stepper, settingsOf(open.opened),
                       options->run);
  };
}

} // namespace ampc

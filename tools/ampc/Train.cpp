// `ampc train` and `ampc eval`.
#include "tools/ampc/Commands.h"
#include "tools/ampc/ModelCommand.h"

#include "runtime/plan/FileIO.h"

#include <fmt/format.h>

namespace ampc {

/// The settings of an opened model.
static rt::ModelSettings settingsOf(const OpenedModel &opened,
                                    const std::string &path) {
  rt::ModelSettings settings = rt::settingsOf(opened.plan);
  settings.path = path;
  settings.compile_seconds = opened.compile_seconds;
  return settings;
}

/// Whether `model` came with its entries built.
static bool hasEntries(const Model &model) {
  return model.stage() != "model" && model.stage() != "typed";
}

/// Opens the same model again with finite checks of all its ops.
static rt::Expected<std::shared_ptr<rt::Stepper>>
openChecked(ModelCommand command, bool hasEntries) {
  // Entries that are built already stay as they are.
  if (!command.model.ends_with(".ampx") && !hasEntries)
    command.finite_checks = "all";
  command.remarks.clear();
  command.dump_after.clear();
  command.time_report = false;
  command.run.weights.clear();
  AMPC_ASSIGN(OpenCommand open, openModel(command, {"train_step"}));
  auto kept = std::make_shared<OpenCommand>(std::move(open));
  return std::shared_ptr<rt::Stepper>(kept, kept->opened.stepper.get());
}

/// A report must have a place before a run of hours begins.
static rt::Expected<void> checkReport(const ModelCommand &command,
                                      const std::string &path) {
  if (path.empty())
    return {};
  if (command.model.ends_with(".ampx"))
    return rt::fail(rt::Code::Usage, "--precision-report",
                    "a plan has one precision; give the model itself");
  return checkPlace(path, command.run.force);
}

/// Writes the report of the window after the last one of `stepper`.
static rt::Expected<void> writeReport(const ModelCommand &command,
                                      const Model &model,
                                      const rt::Stepper &stepper,
                                      const rt::ModelSettings &settings,
                                      const std::string &path) {
  AMPC_ASSIGN(std::unique_ptr<rt::DataSource> data,
              rt::openTrainingData(stepper, settings, command.run));
  AMPC_ASSIGN(const rt::Batch *batch,
              data->batch(uint64_t(stepper.iteration())));
  AMPC_ASSIGN(CompileOptions compile, compileOptions(command));
  AMPC_ASSIGN(PrecisionReport report,
              precision_report(model, compile, stepper, *batch));
  AMPC_ASSIGN(rt::AtomicFile file,
              rt::AtomicFile::create(path, command.run.force));
  std::string page = to_html(report);
  AMPC_TRY(file.write(std::as_bytes(std::span(page))));
  return file.commit();
}

Action addTrain(CLI::App &app) {
  CLI::App *command = app.add_subcommand("train", "Compile and train");
  command->footer("Example: ampc train mlp.amp --steps 20 --out run");
  auto options = std::make_shared<ModelCommand>();
  addModelOptions(*command, *options, {});
  addStepOptions(*command, *options);
  rt::addTrainOptions(*command, options->run);
  auto report = std::make_shared<std::string>();
  command->add_option(
      "--precision-report", *report,
      "At the end write FILE.html: a step's values by exponent, "
      "and beside those of f32");
  return [options, report]() -> rt::Expected<rt::Code> {
    AMPC_TRY(checkReport(*options, *report));
    options->train_steps = options->run.steps;
    AMPC_ASSIGN(OpenCommand open,
                openModel(*options, {"train_step", "eval_step"}));
    if (!report->empty() && open.model->stage() != "model")
      return rt::fail(rt::Code::Usage, "--precision-report",
                      fmt::format("compares two precisions, and '{}' is in "
                                  "stage {} already; give the model itself",
                                  options->model, open.model->stage()));
    rt::ModelSettings settings = settingsOf(open.opened, options->model);
    if (open.model || rt::isChecked(open.opened.plan))
      settings.open_checked = [&] {
        return openChecked(*options, open.model && hasEntries(*open.model));
      };
    if (open.times)
      settings.first_step = [&] { open.times->end("first step"); };
    rt::Stepper &stepper = *open.opened.stepper;
    rt::Expected<rt::Code> code = rt::runTrain(stepper, settings, options->run);
    finish(open, "training", options->run.json);
    // A run that the precision spoils needs it most.
    bool isTrained = code || code.error().code == rt::Code::TrainingFailed;
    if (report->empty() || !isTrained)
      return code;
    rt::Expected<void> written =
        writeReport(*options, *open.model, stepper, settings, *report);
    if (!written && code)
      return tl::unexpected(written.error());
    if (!written) {
      rt::Error both = code.error();
      both.message += "; no report: " + written.error().text();
      return tl::unexpected(both);
    }
    return code;
  };
}

Action addEval(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("eval", "Losses and metrics on a data set");
  command->footer("Example: ampc eval mlp.amp --weights run/last --steps 4");
  auto options = std::make_shared<ModelCommand>();
  addModelOptions(*command, *options, {.writesFiles = false});
  rt::addDataOptions(*command, options->run);
  rt::addCount(*command, "--steps", options->run.steps,
               "Batches (default: one epoch)", 1);
  return [options]() -> rt::Expected<rt::Code> {
    AMPC_ASSIGN(OpenCommand open, openModel(*options, {"eval_step"}));
    rt::Expected<rt::Code> code =
        rt::runEval(*open.opened.stepper,
                    settingsOf(open.opened, options->model), options->run);
    finish(open, "evaluation", options->run.json);
    return code;
  };
}

} // namespace ampc

// The training loop.
#include "runtime/train/Trainer.h"
#include "runtime/core/SystemMemory.h"
#include "runtime/train/Checkpoint.h"
#include "runtime/train/Diagnosis.h"
#include "runtime/train/Evaluation.h"
#include "runtime/train/MemoryWatch.h"
#include "runtime/train/Metrics.h"
#include "runtime/train/Windows.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <unistd.h>

namespace ampc::rt {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A number as messages have it: a NaN has no sign.
std::string numberText(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

/// Whether the quoted names of `message`, of which there are some, are all
/// those of an optimizer's state.
bool namesOptimizersAlone(std::string_view message) {
  bool isInside = false, hasAny = false;
  for (size_t at = 0; (at = message.find('\'', at)) != message.npos; ++at) {
    isInside = !isInside;
    std::string_view name = message.substr(at + 1);
    if (isInside && !name.starts_with("ampc.exp_avg") &&
        !name.starts_with("ampc.momentum"))
      return false;
    hasAny = true;
  }
  return hasAny;
}

/// One run; members are what the parts of the loop share.
class Run {
public:
  Run(Stepper &stepper, DataSource &data, const TrainOptions &options,
      const RowCallback &row)
      : stepper(stepper), data(data), windows(data, stepper.accumulate()),
        options(options), row(row), names(stepper.extra_names()) {
    stepper.stop_at(options.interrupt);
  }
  Run(const Run &) = delete;
  ~Run() { stepper.stop_at(nullptr); }

  Expected<TrainSummary> train();

private:
  Expected<void> checkResume();
  Expected<void> prepare();
  Expected<void> openMetrics(const std::string &path);
  Expected<void> take();
  Expected<void> judge(const StepResult &result);
  std::string place() const;
  void tell(const StepResult &result);
  void tellSkipped();
  void watchMemory(uint64_t step);
  tl::unexpected<Error> windowError(const StepResult &result,
                                    const std::string &what);
  Expected<void> report(const StepResult &result);
  Expected<void> save();
  Expected<void> validate();
  Expected<void> finish();

  Stepper &stepper;
  DataSource &data; ///< in micro-batches
  WindowedData windows;
  const TrainOptions &options;
  const RowCallback &row;
  std::vector<std::string> names;
  std::vector<MetricsFile> files;
  TrainSummary summary;
  StepResult lastResult;
  bool hasResult = false;
  Clock::time_point start = Clock::now(), lastRow = start, lastLine = start;
  MemoryWatch memoryWatch;
  uint64_t firstStep = 0;   ///< windows done before this run
  uint64_t rowStep = 0;     ///< window of the last printed row
  uint64_t rowSamples = 0;  ///< since that row
  uint64_t savedAt = 0;     ///< window of the last checkpoint
  uint64_t skipped = 0;     ///< windows that changed nothing
  uint64_t toldSkipped = 0; ///< those that were told as calibration
  uint64_t badInARow = 0;
  bool isCalibrating = true;  ///< no window of this run was applied yet
  std::set<std::string> told; ///< what finite checks found so far
  bool spoilt = false; ///< whether the last window wrote with a loss not finite
  std::optional<uint64_t> validatedAt; ///< window of the last evaluation
  double bestLoss = std::numeric_limits<double>::infinity(); ///< validation
  uint64_t notBetter = 0; ///< validations since that one
};

Expected<void> Run::openMetrics(const std::string &path) {
  AMPC_ASSIGN(MetricsFile file,
              MetricsFile::open(path, !options.resume.empty(), options.force));
  files.push_back(std::move(file));
  return {};
}

/// A run continues what was interrupted: the same draws and the same order of
/// samples. Other data is somebody's choice, and said.
Expected<void> Run::checkResume() {
  AMPC_ASSIGN(CheckpointInfo made, read_checkpoint_info(options.resume));
  if (options.seed && *options.seed != made.seed)
    return fail(Code::BadInput, options.resume,
                fmt::format("the checkpoint was made with seed {}, this run "
                            "has seed {}; give --seed {}",
                            made.seed, *options.seed, made.seed));
  if (options.warn && made.data != windows.describe())
    options.warn(fmt::format("{}: trained on '{}', this run reads '{}'",
                             options.resume, made.data, windows.describe()));
  return {};
}

Expected<void> Run::prepare() {
  if (!stepper.has_entry(EntryKind::TrainStep))
    return fail(Code::Usage, place(),
                "the model has no train_step to train with");
  if (!options.resume.empty()) {
    AMPC_TRY(checkResume());
    Expected<void> loaded = stepper.load(options.resume);
    if (!loaded && namesOptimizersAlone(loaded.error().message))
      loaded.error().message +=
          ": the optimizer is not the one the checkpoint was made with; "
          "--weights instead of --resume starts anew from its parameters";
    AMPC_TRY(loaded);
  }
  firstStep = uint64_t(stepper.iteration());
  if (firstStep >= options.steps && options.warn)
    options.warn(fmt::format("{}: made after step {}, and the run ends after "
                             "step {}: nothing is trained; give more --steps",
                             options.resume.empty() ? place() : options.resume,
                             firstStep, options.steps));
  rowStep = savedAt = firstStep;
  if (!options.out.empty()) {
    std::error_code error;
    fs::create_directories(options.out, error);
    if (error)
      return fail(
          Code::Environment, options.out,
          fmt::format("cannot make the directory: {}", error.message()));
    AMPC_TRY(openMetrics(options.out + "/metrics.jsonl"));
  }
  if (!options.metrics.empty())
    AMPC_TRY(openMetrics(options.metrics));
  if (uint64_t rest = data.left_over(); rest && options.warn)
    options.warn(fmt::format(
        "{}: {} of the {} samples of an epoch fill no batch of {} and are left "
        "out",
        data.describe(), rest,
        data.batches().value_or(0) * data.batch_size() + rest,
        data.batch_size()));
  start = lastRow = lastLine = Clock::now();
  return {};
}

std::string Run::place() const {
  return options.where.empty() ? stepper.model_name() : options.where;
}

/// The end of a run for its last window, in which `what` is not finite: says
/// which op overflows, where that can be found out.
tl::unexpected<Error> Run::windowError(const StepResult &result,
                                       const std::string &what) {
  Error error{Code::TrainingFailed,
              fmt::format("step {}: the loss is {}; {}", result.iteration,
                          numberText(result.loss), what),
              place()};
  if (!options.open_checked) {
    error.message += result.finding
                         ? "; " + result.finding->text
                         : "; compiled with --finite-checks all, the plan "
                           "tells which op gives it";
    return tl::unexpected(error);
  }
  Expected<std::shared_ptr<Stepper>> checked = options.open_checked();
  Expected<const Batch *> batch = windows.batch(uint64_t(result.iteration - 1));
  if (!checked || !batch) {
    const Error &cause = checked ? batch.error() : checked.error();
    error.message += "; which op gives it cannot be found out: " + cause.text();
    return tl::unexpected(error);
  }
  auto diagnosis = diagnose(stepper, **checked, **batch);
  if (diagnosis && *diagnosis) {
    if (!(*diagnosis)->finding.where.empty())
      error.where = (*diagnosis)->finding.where;
    error.message += "; " + text_of(**diagnosis);
  }
  return tl::unexpected(error);
}

/// Says what the finite checks of a window found, each finding once.
void Run::tell(const StepResult &result) {
  if (!result.finding || !options.warn)
    return;
  const Finding &finding = *result.finding;
  std::string what = finding.text.substr(0, finding.text.find(';'));
  if (told.insert(finding.where + what).second)
    options.warn(fmt::format("{}step {}: {}",
                             finding.where.empty() ? "" : finding.where + ": ",
                             result.iteration, finding.text));
}

/// Warns once where memory grows.
void Run::watchMemory(uint64_t step) {
  if (!options.warn || !memoryWatch.is_due(step))
    return;
  std::optional<std::string> warning = memoryWatch.see(
      {step, stepper.memory().current_bytes, residentMemory().value_or(0)});
  if (warning)
    options.warn(*warning);
}

/// Ends the run where losses or gradients stay non-finite.
Expected<void> Run::judge(const StepResult &result) {
  tell(result);
  spoilt = result.applied && !std::isfinite(result.loss);
  if (result.applied && !spoilt) {
    if (isCalibrating && skipped && result.scale && options.note)
      options.note(fmt::format(
          "the first {} left out while the loss scale "
          "came down to {} (calibration)",
          skipped == 1 ? "step was" : fmt::format("{} steps were", skipped),
          *result.scale));
    if (isCalibrating && result.scale)
      toldSkipped = skipped;
    isCalibrating = false;
    badInARow = 0;
    return {};
  }
  ++badInARow;
  if (options.nonfinite == Nonfinite::Ignore)
    return {};
  constexpr const char *kGradients = "the gradients are not finite";
  if (result.at_floor)
    return windowError(
        result, fmt::format("{} while the loss scale stands at its floor, {}",
                            kGradients, result.scale.value_or(0)));
  // An overflow that lowers the scale is the scaler's to answer.
  bool isLowered = !result.applied && result.scale;
  bool fails = options.nonfinite == Nonfinite::Fail && !isLowered;
  if (!fails && badInARow < options.max_skipped)
    return {};
  std::string count =
      badInARow > 1 ? fmt::format("; {} such steps in a row", badInARow) : "";
  return windowError(
      result, (result.applied ? "the run ends with it" : kGradients) + count);
}

Expected<void> Run::report(const StepResult &result) {
  auto step = uint64_t(result.iteration);
  double sinceLine = secondsSince(lastLine);
  lastLine = Clock::now();
  uint64_t samples = windows.samples(step - 1);
  rowSamples += samples;
  TrainRow line{result, names,  options.steps, double(samples) / sinceLine,
                0,      skipped};
  for (MetricsFile &file : files)
    AMPC_TRY(file.write(step_line(line)));
  bool due = (options.log_every && step % options.log_every == 0) ||
             step == options.steps;
  if (!due)
    return {};
  double sinceRow = secondsSince(lastRow);
  double perStep = sinceRow / double(step - rowStep);
  line.samples_per_second = double(rowSamples) / sinceRow;
  line.seconds_left = perStep * double(options.steps - step);
  if (row)
    row(line);
  lastRow = Clock::now();
  rowStep = step;
  rowSamples = 0;
  return {};
}

/// Takes every finished result.
Expected<void> Run::take() {
  for (;;) {
    AMPC_ASSIGN(std::optional<StepResult> result, stepper.poll());
    if (!result)
      return {};
    if (!hasResult && options.first_step)
      options.first_step();
    hasResult = true;
    summary.steps = uint64_t(result->iteration);
    summary.loss = result->loss;
    lastResult = *result;
    skipped += !result->applied;
    AMPC_TRY(report(*result));
    AMPC_TRY(judge(*result));
  }
}

Expected<void> Run::save() {
  if (options.out.empty() || savedAt == summary.steps)
    return {};
  std::string name = fmt::format("step-{:08}.safetensors", summary.steps);
  std::string path = options.out + "/" + name;
  AMPC_TRY(stepper.save(path, options.force || !options.resume.empty(),
                        windows.describe()));
  // The link is made beside and renamed over the old one: it never dangles.
  std::string link = options.out + "/last",
              fresh = link + fmt::format(".tmp-{}", ::getpid());
  std::error_code error;
  fs::remove(fresh, error);
  fs::create_symlink(name, fresh, error);
  if (!error)
    fs::rename(fresh, link, error);
  if (error)
    return fail(Code::Environment, link,
                fmt::format("cannot make the link: {}", error.message()));
  summary.checkpoint = path;
  savedAt = summary.steps;
  return {};
}

/// Evaluates the validation data; the time is not the training's. An evaluation
/// that is interrupted gives nothing.
Expected<void> Run::validate() {
  if (!options.validation)
    return {};
  auto begin = Clock::now();
  StoppableData held(*options.validation, options.interrupt);
  Expected<EvalResult> result = stepper.eval(held, options.validation_batches);
  if (!result && result.error().code == Code::Interrupted) {
    summary.interrupted = true;
    return {};
  }
  AMPC_ASSIGN(summary.validation, std::move(result));
  validatedAt = summary.steps;
  if (options.validated)
    options.validated(summary.steps, *summary.validation);
  for (MetricsFile &file : files)
    AMPC_TRY(file.write(validation_line(summary.steps, *summary.validation)));
  if (!std::isfinite(summary.validation->loss) &&
      options.nonfinite != Nonfinite::Ignore)
    return fail(Code::TrainingFailed, place(),
                fmt::format("step {}: the validation loss is {}", summary.steps,
                            numberText(summary.validation->loss)));
  bool better = summary.validation->loss < bestLoss;
  notBetter = better ? 0 : notBetter + 1;
  if (better)
    bestLoss = summary.validation->loss;
  auto took = Clock::now() - begin;
  lastRow += took;
  lastLine += took;
  return {};
}

/// Says how many windows were skipped, which the printed rows need not show. A
/// scaler that tries larger scales skips one now and then.
void Run::tellSkipped() {
  uint64_t count = skipped - toldSkipped, all = summary.steps - firstStep;
  auto &say = lastResult.scale && skipped < all ? options.note : options.warn;
  if (count && say)
    say(fmt::format("{} of {} steps changed nothing: their gradients were not "
                    "finite",
                    count, all));
}

Expected<void> Run::finish() {
  AMPC_TRY(stepper.sync());
  AMPC_TRY(take());
  tellSkipped();
  if (spoilt && !summary.interrupted && options.nonfinite != Nonfinite::Ignore)
    return windowError(lastResult, "the run ends with it");
  // Whatever the validation says, the run is saved.
  AMPC_TRY(save());
  bool fresh = validatedAt != summary.steps;
  if (!summary.interrupted && fresh)
    AMPC_TRY(validate());
  summary.trained = summary.steps - firstStep;
  summary.wall_seconds = secondsSince(start);
  summary.memory = stepper.memory();
  for (MetricsFile &file : files)
    AMPC_TRY(file.write(summary_line(summary, options.compile_seconds)));
  return {};
}

Expected<TrainSummary> Run::train() {
  AMPC_TRY(prepare());
  summary.steps = firstStep;
  for (uint64_t step = firstStep; step < options.steps; ++step) {
    if (options.interrupt &&
        options.interrupt->load(std::memory_order_relaxed)) {
      summary.interrupted = true;
      break;
    }
    if (options.time_limit > 0 && secondsSince(start) >= options.time_limit) {
      summary.stopped = fmt::format("time limit of {} s", options.time_limit);
      break;
    }
    AMPC_ASSIGN(const Batch *batch, windows.batch(step));
    Expected<void> stepped = stepper.step(*batch);
    if (!stepped && stepped.error().code == Code::Interrupted) {
      summary.interrupted = true;
      break;
    }
    AMPC_TRY(stepped);
    AMPC_TRY(take());
    watchMemory(step + 1);
    auto due = [&](uint64_t every) {
      return every && (step + 1) % every == 0 && step + 1 < options.steps;
    };
    if (due(options.save_every) || due(options.validate_every)) {
      AMPC_TRY(stepper.sync());
      AMPC_TRY(take());
    }
    if (due(options.save_every))
      AMPC_TRY(save());
    if (due(options.validate_every))
      AMPC_TRY(validate());
    if (options.early_stop && notBetter >= options.early_stop) {
      summary.stopped =
          fmt::format("no lower validation loss in {} evaluations", notBetter);
      break;
    }
  }
  AMPC_TRY(finish());
  return summary;
}

} // namespace

Expected<TrainSummary> train(Stepper &stepper, DataSource &data,
                             const TrainOptions &options,
                             const RowCallback &row) {
  return Run(stepper, data, options, row).train();
}

} // namespace ampc::rt

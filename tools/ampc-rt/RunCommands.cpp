// Training, evaluation and inference from the command line.
#include "tools/ampc-rt/RunCommands.h"
#include "runtime/train/Evaluation.h"
#include "runtime/train/Metrics.h"
#include "tools/ampc-rt/Interrupt.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

namespace ampc::rt {

namespace {

/// Batches of validation data that has no end.
constexpr uint64_t kEndlessValidation = 16;

/// `1:02:03` or `2:03`.
std::string clockText(double seconds) {
  auto whole = uint64_t(seconds + 0.5);
  uint64_t hours = whole / 3600, minutes = whole / 60 % 60;
  return hours ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
               : fmt::format("{}:{:02}", minutes, whole % 60);
}

/// A failure stays in the stream's error flag, which `finishOutput` looks at: a
/// run of hours is not lost for its rows.
void print(const std::string &line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

void warn(const std::string &text) {
  std::fputs(fmt::format("warning: {}\n", text).c_str(), stderr);
}

/// A NaN's sign says nothing.
double shown(double value) {
  return std::isnan(value) ? std::abs(value) : value;
}

std::string rowText(const TrainRow &row) {
  const StepResult &result = row.result;
  int width = int(fmt::format("{}", row.steps).size());
  std::string text = fmt::format("step {:>{}}/{}  loss {:<11.6g}  lr {:<10.4g}",
                                 result.iteration, width, row.steps,
                                 shown(result.loss), result.lr);
  if (result.scale)
    text += fmt::format("  scale {:g}", *result.scale);
  for (size_t i = 0; i < result.extras.size(); ++i)
    text += fmt::format("  {} {:.5g}", row.extra_names[i], result.extras[i]);
  if (result.grad_norm)
    text += fmt::format("  grad norm {:.4g}", *result.grad_norm);
  text += fmt::format("  {:.0f} samples/s  {} left", row.samples_per_second,
                      clockText(row.seconds_left));
  if (!result.applied)
    text += "  (skipped: gradients not finite)";
  return text;
}

/// ` (the last 7 left out: WHY)`, empty where none is.
std::string leftOverText(const EvalResult &result) {
  if (!result.left_over)
    return "";
  std::string reason = result.left_over_reason.empty()
                           ? "a plan takes whole batches only"
                           : result.left_over_reason;
  return fmt::format(" (the last {} left out: {})", result.left_over, reason);
}

std::string validationText(uint64_t step, uint64_t steps,
                           const EvalResult &result) {
  int width = int(fmt::format("{}", steps).size());
  std::string text = fmt::format("step {:>{}}/{}  validation: loss {:<11.6g}",
                                 step, width, steps, result.loss);
  for (auto &[name, value] : result.values)
    if (name != "loss")
      text += fmt::format("  {} {:.5g}", name, value);
  return text +
         fmt::format("  {} samples{}", result.samples, leftOverText(result));
}

/// A line of `--data`. Its file is relative to where the user stands, the
/// model's files are to the model.
Expected<DataLine> givenLine(const std::string &text) {
  AMPC_ASSIGN(DataLine line, parse_data_line(text));
  Expected<DataSpec> spec = parseDataSpec(line.spec);
  if (!spec)
    return fail(Code::Usage, "--data " + text, spec.error().message);
  if (!spec->isFile())
    return line;
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(spec->rest, error);
  if (error)
    return fail(Code::Environment, "--data " + text,
                fmt::format("no current directory: {}", error.message()));
  line.spec = spec->kind + ":" + path.string() +
              (spec->key.empty() ? "" : "#" + spec->key);
  return line;
}

/// The model's lines with the command line's on top, split by what they are
/// for.
Expected<std::vector<DataLine>> dataLines(const ModelSettings &settings,
                                          const RunOptions &options,
                                          bool validation) {
  std::vector<DataLine> given, chosen;
  for (const std::string &text : options.data) {
    AMPC_ASSIGN(DataLine line, givenLine(text));
    given.push_back(std::move(line));
  }
  for (DataLine &line : replace_lines(settings.lines, given))
    if (line.validation == validation)
      chosen.push_back(std::move(line));
  return chosen;
}

Expected<std::unique_ptr<DataSource>> openLines(std::span<const DataLine> lines,
                                                const ModelSettings &settings,
                                                const RunOptions &options,
                                                std::span<const Port> ports,
                                                DataPart part, bool training) {
  DataOptions data = settings.data;
  data.part = part;
  // An evaluation takes every sample once, in the files' order.
  data.shuffle = data.shuffle && training;
  data.wrap = data.wrap && training;
  if (options.seed)
    data.seed = *options.seed;
  return open_data(lines, ports, data);
}

TrainOptions trainOptions(const ModelSettings &settings,
                          const RunOptions &options) {
  TrainOptions train;
  train.steps = options.steps.value_or(settings.train.steps);
  train.log_every = options.log_every.value_or(settings.train.log_every);
  train.save_every = options.save_every.value_or(settings.train.save_every);
  train.validate_every =
      options.validate_every.value_or(settings.train.validate_every);
  train.early_stop = options.early_stop.value_or(0);
  train.time_limit = options.time_limit;
  train.seed = options.seed.value_or(settings.train.seed);
  train.warn = warn;
  train.note = note;
  train.where = settings.path;
  train.open_checked = settings.open_checked;
  train.first_step = settings.first_step;
  train.out = options.out;
  train.metrics = options.metrics;
  train.resume = options.resume;
  train.force = options.force;
  train.nonfinite = options.nonfinite == "error"    ? Nonfinite::Fail
                    : options.nonfinite == "ignore" ? Nonfinite::Ignore
                    : options.nonfinite == "skip"   ? Nonfinite::Skip
                                                    : settings.train.nonfinite;
  train.max_skipped = settings.train.max_skipped;
  train.compile_seconds = settings.compile_seconds;
  train.interrupt = &watchInterrupts();
  return train;
}

} // namespace

ModelSettings settingsOf(const Plan &plan) {
  ModelSettings settings;
  settings.train = plan.train_defaults();
  settings.lines = plan.data_lines();
  settings.data = plan.data_options();
  return settings;
}

bool isChecked(const Plan &plan) {
  return !ProbeReader(plan.outputs(EntryKind::TrainStep)).empty();
}

/// Whether a share of each file is for validation: lines for it stand for
/// themselves.
static bool holdsOut(const ModelSettings &settings,
                     const std::vector<DataLine> &held) {
  return held.empty() && settings.data.held_out > 0;
}

Expected<std::unique_ptr<DataSource>>
openTrainingData(const Stepper &stepper, const ModelSettings &settings,
                 const RunOptions &options) {
  AMPC_ASSIGN(std::vector<DataLine> lines, dataLines(settings, options, false));
  AMPC_ASSIGN(std::vector<DataLine> held, dataLines(settings, options, true));
  return openLines(
      lines, settings, options, stepper.inputs(EntryKind::TrainStep),
      holdsOut(settings, held) ? DataPart::Train : DataPart::All, true);
}

/// Whether a step with a gradient that is not finite is applied is part of the
/// plan; what its refusal means for the run is not.
static Expected<void> checkNonfinite(const ModelSettings &settings,
                                     const RunOptions &options) {
  bool applies = settings.train.nonfinite == Nonfinite::Ignore;
  if (options.nonfinite.empty() || (options.nonfinite == "ignore") == applies)
    return {};
  return fail(Code::Usage, "--nonfinite",
              fmt::format("'{}' needs another plan: this one {} steps with "
                          "gradients that are not finite; compile with --set "
                          "train.nonfinite={}",
                          options.nonfinite, applies ? "applies" : "skips",
                          options.nonfinite));
}

/// How many micro-batches a window has is part of the plan.
static Expected<void> checkAccumulate(const ModelSettings &settings,
                                      const RunOptions &options) {
  uint64_t own = settings.train.accumulate;
  if (options.accumulate.value_or(own) == own)
    return {};
  return fail(Code::Usage, "--accumulate",
              fmt::format("{} needs another plan: this one has windows of {}; "
                          "compile with --set train.accumulate={}",
                          *options.accumulate, own, *options.accumulate));
}

/// The names of the model's own variables: what `--weights` gives values to.
static std::vector<std::string> weightsOf(const Stepper &stepper) {
  std::vector<std::string> names = stepper.variables();
  std::erase_if(
      names, [](const std::string &name) { return name.starts_with("ampc."); });
  return names;
}

/// A pass without `--weights` is one of the initial values.
static void noteInitial(const Stepper &stepper, const RunOptions &options) {
  if (options.weights.empty() && !weightsOf(stepper).empty())
    note("no --weights: the parameters have their initial values");
}

/// A run's folder instead of a checkpoint in it is a likely slip.
static Expected<void> checkCheckpoint(const char *option,
                                      const std::string &path) {
  std::error_code ignored;
  if (path.empty() || !std::filesystem::is_directory(path, ignored))
    return {};
  std::string last = (std::filesystem::path(path) / "last").string();
  bool isRun = std::filesystem::exists(last, ignored);
  return fail(Code::BadInput, path,
              fmt::format("{} takes a file, this is a directory{}", option,
                          isRun ? "; its last checkpoint is " + last : ""));
}

Expected<void> loadWeights(Stepper &stepper, const RunOptions &options) {
  if (options.weights.empty())
    return {};
  AMPC_TRY(checkCheckpoint("--weights", options.weights));
  AMPC_TRY(stepper.load_weights(options.weights, options.partial));
  if (!options.partial)
    return {};
  AMPC_ASSIGN(Safetensors file, Safetensors::open(options.weights));
  std::vector<std::string> names = weightsOf(stepper);
  auto found =
      std::count_if(names.begin(), names.end(), [&](const std::string &name) {
        return std::any_of(
            file.tensors().begin(), file.tensors().end(),
            [&](const auto &entry) { return entry.name == name; });
      });
  std::string text = fmt::format("{}: holds {} of the model's {} variables",
                                 options.weights, found, names.size());
  found ? note(text) : warn(text);
  return {};
}

Expected<Code> runTrain(Stepper &stepper, const ModelSettings &settings,
                        const RunOptions &options) {
  AMPC_TRY(checkNonfinite(settings, options));
  AMPC_TRY(checkAccumulate(settings, options));
  AMPC_TRY(checkCheckpoint("--resume", options.resume));
  AMPC_ASSIGN(std::unique_ptr<DataSource> data,
              openTrainingData(stepper, settings, options));
  AMPC_ASSIGN(std::vector<DataLine> held, dataLines(settings, options, true));
  bool share = holdsOut(settings, held);
  if (share) {
    AMPC_ASSIGN(held, dataLines(settings, options, false));
  }
  TrainOptions train = trainOptions(settings, options);
  std::unique_ptr<DataSource> validation;
  if (!held.empty() && stepper.has_entry(EntryKind::EvalStep)) {
    AMPC_ASSIGN(validation,
                openLines(held, settings, options,
                          stepper.inputs(EntryKind::EvalStep),
                          share ? DataPart::Held : DataPart::All, false));
    train.validation = validation.get();
    train.validation_batches = validation->batches() ? 0 : kEndlessValidation;
  }
  if (options.early_stop && !validation)
    return fail(Code::Usage, "--early-stop",
                "there is no validation data to judge by: the data block has "
                "no line of it and holds out no share");
  RowCallback row;
  if (options.json)
    row = [](const TrainRow &row) { print(step_line(row)); };
  else if (options.progress != "none")
    row = [](const TrainRow &row) { print(rowText(row)); };
  if (options.json)
    train.validated = [](uint64_t step, const EvalResult &result) {
      print(validation_line(step, result));
    };
  else if (options.progress != "none")
    train.validated = [&](uint64_t step, const EvalResult &result) {
      print(validationText(step, train.steps, result));
    };
  // Said while there is time to begin again.
  if (options.out.empty())
    note("without --out DIR the trained weights are not kept");
  AMPC_ASSIGN(TrainSummary summary, rt::train(stepper, *data, train, row));
  if (options.json) {
    print(summary_line(summary, settings.compile_seconds));
  } else {
    if (!summary.checkpoint.empty())
      print(fmt::format("checkpoint {}", summary.checkpoint));
    if (!summary.stopped.empty())
      print(fmt::format("stopped after step {}: {}", summary.steps,
                        summary.stopped));
    if (summary.interrupted)
      print(fmt::format("interrupted after step {}", summary.steps));
    else if (summary.validation)
      print(fmt::format("validation loss {:.4f}", summary.validation->loss));
  }
  return summary.interrupted ? Code::Interrupted : Code::Ok;
}

/// A loss that is not finite ends an evaluation as it ends a run; a metric may
/// be what it is.
static Expected<Code> judge(const EvalResult &result, const Stepper &stepper,
                            const ModelSettings &settings) {
  if (std::isfinite(result.loss) ||
      settings.train.nonfinite == Nonfinite::Ignore)
    return Code::Ok;
  return fail(Code::TrainingFailed,
              settings.path.empty() ? stepper.model_name() : settings.path,
              fmt::format("the loss is {}", shown(result.loss)));
}

Expected<Code> runEval(Stepper &stepper, const ModelSettings &settings,
                       const RunOptions &options) {
  AMPC_ASSIGN(std::vector<DataLine> lines, dataLines(settings, options, true));
  bool share =
      lines.empty() && options.data.empty() && settings.data.held_out > 0;
  if (lines.empty() || !options.data.empty()) {
    AMPC_ASSIGN(lines, dataLines(settings, options, false));
  }
  AMPC_ASSIGN(std::unique_ptr<DataSource> data,
              openLines(lines, settings, options,
                        stepper.inputs(EntryKind::EvalStep),
                        share ? DataPart::Held : DataPart::All, false));
  noteInitial(stepper, options);
  StoppableData stoppable(*data, &watchInterrupts());
  Expected<EvalResult> evaluated =
      stepper.eval(stoppable, options.steps.value_or(0));
  if (!evaluated && evaluated.error().code == Code::Interrupted) {
    print("interrupted");
    return Code::Interrupted;
  }
  AMPC_ASSIGN(EvalResult result, std::move(evaluated));
  if (options.json) {
    std::string line = fmt::format("{{\"samples\":{},\"left_over\":{}",
                                   result.samples, result.left_over);
    for (auto &[name, value] : result.values)
      line += fmt::format(",{}:{}", json_string(name), json_number(value));
    print(line + "}");
    return judge(result, stepper, settings);
  }
  for (auto &[name, value] : result.values)
    print(fmt::format("{} {:.6g}", name, shown(value)));
  print(fmt::format("samples {}{}", result.samples, leftOverText(result)));
  return judge(result, stepper, settings);
}

Expected<std::vector<GivenTensor>> readInputs(const RunOptions &options) {
  std::vector<GivenTensor> tensors;
  for (const std::string &text : options.input) {
    size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      return fail(Code::Usage, "--input " + text, "expected NAME=FILE.npy");
    for (const GivenTensor &earlier : tensors)
      if (earlier.name == text.substr(0, equals))
        return fail(Code::Usage, "--input " + text,
                    fmt::format("'{}' is given twice", earlier.name));
    AMPC_ASSIGN(NpyFile file, NpyFile::open(text.substr(equals + 1)));
    AMPC_ASSIGN(Tensor tensor, Tensor::copy_of(file.view()));
    tensors.push_back(
        {text.substr(0, equals), std::move(tensor), "--input " + text});
  }
  if (!options.inputs.empty()) {
    AMPC_ASSIGN(Safetensors file, Safetensors::open(options.inputs));
    for (const Safetensors::Entry &entry : file.tensors()) {
      AMPC_ASSIGN(Tensor tensor, Tensor::copy_of(entry.view()));
      tensors.push_back({entry.name, std::move(tensor), options.inputs});
    }
  }
  return tensors;
}

/// Makes `given` what `port` takes: the shape must be the same, the element
/// type is converted as training data is.
static Expected<void> fitInput(GivenTensor &given, const Port &port) {
  DType from = given.tensor.dtype();
  std::span<const int64_t> shape = given.tensor.shape();
  if (!std::equal(shape.begin(), shape.end(), port.shape.begin(),
                  port.shape.end()) ||
      (info(from).isFloat && !info(port.dtype).isFloat))
    return fail(Code::BadInput, given.where,
                fmt::format("'{}' expects {}, the file holds {}", port.name,
                            typeText(port.dtype, port.shape),
                            typeText(from, shape)));
  if (from == port.dtype)
    return {};
  AMPC_ASSIGN(Tensor converted, Tensor::zeros(port.dtype, port.shape));
  Expected<void> done = convert(from, given.tensor.bytes().data(), port.dtype,
                                converted.bytes().data(), converted.count());
  if (!done)
    return fail(Code::BadInput, given.where,
                fmt::format("'{}': {}", port.name, done.error().message));
  given.tensor = std::move(converted);
  return {};
}

Expected<void> writeOutputs(const std::string &directory,
                            std::span<const NamedTensor> outputs,
                            bool overwrite) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    return fail(Code::Environment, directory,
                fmt::format("cannot make the directory: {}", error.message()));
  std::vector<NamedView> views;
  for (const NamedTensor &output : outputs) {
    views.push_back({output.name, output.tensor.view()});
    if (output.tensor.dtype() != DType::BF16 &&
        output.tensor.dtype() != DType::F8E4M3 &&
        output.tensor.dtype() != DType::F8E5M2)
      AMPC_TRY(write_npy(directory + "/" + output.name + ".npy",
                         output.tensor.view(), overwrite));
  }
  return write_safetensors(directory + "/outputs.safetensors", views, {},
                           overwrite);
}

Expected<Code> runInfer(Stepper &stepper, const RunOptions &options) {
  AMPC_ASSIGN(std::vector<GivenTensor> inputs, readInputs(options));
  return runEntry(stepper, EntryKind::Infer, std::move(inputs), options);
}

Expected<Code> runEntry(Stepper &stepper, EntryKind entry,
                        std::vector<GivenTensor> inputs,
                        const RunOptions &options) {
  std::vector<Port> ports = stepper.inputs(entry);
  for (const Port &port : ports) {
    bool given = false;
    for (GivenTensor &input : inputs)
      if (input.name == port.name) {
        given = true;
        AMPC_TRY(fitInput(input, port));
      }
    if (!given)
      return fail(Code::BadInput,
                  port.where.empty() ? stepper.model_name() : port.where,
                  fmt::format("'{0}' ({1}) is not given; expected --input "
                              "{0}=FILE.npy",
                              port.name, typeText(port.dtype, port.shape)));
  }
  // A file may hold more than the pass reads; a name that is written may be
  // a mistake.
  for (const GivenTensor &input : inputs)
    if (input.where != options.inputs &&
        std::none_of(ports.begin(), ports.end(),
                     [&](const Port &port) { return port.name == input.name; }))
      warn(fmt::format("{}: the pass reads no input '{}'", input.where,
                       input.name));
  Batch batch;
  for (const GivenTensor &input : inputs)
    batch.set(input.name, input.tensor);
  noteInitial(stepper, options);
  AMPC_ASSIGN(std::vector<NamedTensor> outputs, stepper.run(entry, batch));
  if (!options.output_dir.empty())
    AMPC_TRY(writeOutputs(options.output_dir, outputs, options.force));
  std::string json;
  for (const NamedTensor &output : outputs) {
    std::string type = typeText(output.tensor.dtype(), output.tensor.shape());
    if (options.json)
      json +=
          fmt::format("{}{{\"name\":{},\"type\":{}}}", json.empty() ? "" : ",",
                      json_string(output.name), json_string(type));
    else
      print(fmt::format("{}: {}", output.name, type));
  }
  if (options.json)
    print(fmt::format("{{\"outputs\":[{}]}}", json));
  return Code::Ok;
}

void put(std::FILE *to, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), to);
}

void note(const std::string &text) {
  std::fputs(fmt::format("note: {}\n", text).c_str(), stderr);
}

int finishOutput(int code) {
  std::cout.flush();
  bool failed = std::ferror(stdout) != 0;
  errno = 0;
  failed |= std::fflush(stdout) != 0;
  if (!failed)
    return code;
  int reported =
      report({Code::Environment,
              fmt::format("cannot write the output{}{}", errno ? ": " : "",
                          errno ? std::strerror(errno) : ""),
              "stdout"});
  return code == int(Code::Ok) ? reported : code;
}

/// The source line at `where`, FILE:LINE:COLUMN, with a caret below; empty
/// where there is no such place.
static std::string sourceText(const std::string &where) {
  size_t second = where.rfind(':');
  size_t first = second && second != std::string::npos
                     ? where.rfind(':', second - 1)
                     : std::string::npos;
  if (first == std::string::npos)
    return "";
  uint64_t line = 0, column = 0;
  auto number = [&](size_t begin, size_t end, uint64_t &to) {
    auto [stop, error] =
        std::from_chars(where.data() + begin, where.data() + end, to);
    return error == std::errc() && stop == where.data() + end && to > 0;
  };
  if (!number(first + 1, second, line) ||
      !number(second + 1, where.size(), column))
    return "";
  std::ifstream file(where.substr(0, first));
  std::string text;
  for (uint64_t i = 0; i < line; ++i)
    if (!std::getline(file, text))
      return "";
  if (column > text.size())
    return "";
  return fmt::format("  {}\n{:>{}}\n", text, '^', column + 2);
}

int report(const Error &error) {
  // The compiler's diagnostics come rendered, each with its place.
  if (error.where.empty() &&
      (error.message.starts_with("error: ") ||
       error.message.find(": error: ") != std::string::npos)) {
    std::fputs((error.message + "\n").c_str(), stderr);
    return int(error.code);
  }
  std::string where = error.where.empty() ? "" : error.where + ": ";
  std::fputs(fmt::format("{}error: {}\n{}", where, error.message,
                         sourceText(error.where))
                 .c_str(),
             stderr);
  return int(error.code);
}

} // namespace ampc::rt

// `ampc bench`: one model in several precisions, side by side.
#include "runtime/train/Metrics.h"
#include "runtime/train/Windows.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/ModelCommand.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace ampc {

namespace {

/// Steps before any is timed: caches fill, pages are touched.
constexpr uint64_t kWarmUp = 2;

/// One precision being measured.
struct Contender {
  std::string precision;
  OpenCommand open;
  std::vector<double> milliseconds;
  float loss = 0;

  double best() const {
    return *std::min_element(milliseconds.begin(), milliseconds.end());
  }
  double median() const {
    std::vector<double> sorted = milliseconds;
    std::sort(sorted.begin(), sorted.end());
    size_t middle = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[middle]
                             : (sorted[middle - 1] + sorted[middle]) / 2;
  }
  uint64_t peakBytes() const {
    return open.opened.stepper->memory().peak_bytes;
  }
};

rt::Expected<std::vector<std::string>>
splitPrecisions(const std::string &text) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string name = text.substr(begin, end - begin);
    if (name.empty() ||
        std::find(names.begin(), names.end(), name) != names.end())
      return rt::fail(rt::Code::Usage, "--compare",
                      "expected different precisions with commas between, as "
                      "f32,bf16,f16, got '" +
                          text + "'");
    names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

/// One window of `contender`, timed unless it warms up.
rt::Expected<void> runStep(Contender &contender, const rt::Batch &batch,
                           bool isTimed) {
  using Clock = std::chrono::steady_clock;
  rt::Stepper &stepper = *contender.open.opened.stepper;
  Clock::time_point start = Clock::now();
  AMPC_TRY(stepper.step(batch));
  AMPC_TRY(stepper.sync());
  std::chrono::duration<double, std::milli> time = Clock::now() - start;
  AMPC_ASSIGN(std::optional<rt::StepResult> result, stepper.poll());
  if (isTimed)
    contender.milliseconds.push_back(time.count());
  if (result)
    contender.loss = result->loss;
  return {};
}

void printTable(const std::vector<Contender> &contenders, double samples) {
  rt::put(
      stdout,
      fmt::format("{:<10} {:>12} {:>12} {:>8} {:>11} {:>12} {:>12} {:>10}\n",
                  "precision", "best ms", "median ms", "speed", "samples/s",
                  "peak MiB", "loss", "compile s"));
  for (const Contender &c : contenders)
    rt::put(stdout, fmt::format("{:<10} {:>12.3f} {:>12.3f} {:>7.2f}x "
                                "{:>11.1f} {:>12.1f} {:>12.6g} "
                                "{:>10.2f}\n",
                                c.precision, c.best(), c.median(),
                                contenders[0].best() / c.best(),
                                samples / c.best() * 1000,
                                double(c.peakBytes()) / (1 << 20), c.loss,
                                c.open.opened.compile_seconds));
}

void printJson(const std::vector<Contender> &contenders) {
  std::string rows;
  for (const Contender &c : contenders)
    rows += fmt::format(
        "{}{{\"precision\":{},\"step_ms\":{{\"best\":{},\"median\":{}}},"
        "\"peak_bytes\":{},\"final_loss\":{},\"compile_s\":{}}}",
        rows.empty() ? "" : ",", rt::json_string(c.precision),
        rt::json_number(c.best()), rt::json_number(c.median()), c.peakBytes(),
        rt::json_number(c.loss),
        rt::json_number(c.open.opened.compile_seconds));
  rt::put(stdout,
          fmt::format(
              "{{\"model\":{},\"device\":{},\"rows\":[{}]}}\n",
              rt::json_string(contenders[0].open.opened.stepper->model_name()),
              rt::json_string(contenders[0].open.opened.plan.target_kind()),
              rows));
}

/// Every precision takes the same batches, one after the other: what slows the
/// machine down for a while slows all of them.
rt::Expected<rt::Code> bench(const ModelCommand &options,
                             const std::string &compare) {
  if (!options.precision.empty())
    return rt::fail(rt::Code::Usage, "--precision",
                    "bench compares precisions; give --compare " +
                        options.precision);
  if (options.run.steps == 0)
    return rt::fail(rt::Code::Usage, "--steps", "expected at least 1, got 0");
  AMPC_ASSIGN(std::vector<std::string> names, splitPrecisions(compare));
  std::vector<Contender> contenders;
  for (std::string &name : names) {
    ModelCommand one = options;
    one.precision = name;
    rt::Expected<OpenCommand> opened = openModel(one, {"train_step"});
    if (!opened) {
      rt::Error error = opened.error();
      if (error.where == "--precision")
        error.where = "--compare";
      return tl::unexpected(error);
    }
    OpenCommand open = std::move(*opened);
    if (open.times)
      open.times->print(options.run.json);
    if (!open.opened.stepper->has_entry(rt::EntryKind::TrainStep))
      return rt::fail(rt::Code::BadInput, options.model,
                      "the model has no loss to train with");
    contenders.push_back({std::move(name), std::move(open), {}, 0});
  }
  const OpenedModel &first = contenders[0].open.opened;
  AMPC_ASSIGN(std::unique_ptr<rt::DataSource> data,
              rt::openTrainingData(*first.stepper, rt::settingsOf(first.plan),
                                   options.run));
  rt::WindowedData windows(*data, first.stepper->accumulate());
  uint64_t steps = options.run.steps.value_or(20) + kWarmUp;
  for (uint64_t step = 0; step < steps; ++step) {
    AMPC_ASSIGN(const rt::Batch *batch, windows.batch(step));
    for (Contender &contender : contenders)
      AMPC_TRY(runStep(contender, *batch, step >= kWarmUp));
  }
  if (options.run.json)
    printJson(contenders);
  else
    printTable(contenders, double(windows.batch_size()));
  return rt::Code::Ok;
}

} // namespace

Action addBench(CLI::App &app) {
  CLI::App *command = app.add_subcommand(
      "bench", "The same model in several precisions side by side");
  command->footer("Example: ampc bench mlp.amp --compare f32,bf16,f16");
  auto options = std::make_shared<ModelCommand>();
  auto compare = std::make_shared<std::string>("f32,bf16,f16");
  addModelOptions(*command, *options, {.writesFiles = false});
  addStepOptions(*command, *options);
  rt::addDataOptions(*command, options->run);
  rt::addCount(*command, "--steps", options->run.steps,
               "Timed steps of each, after 2 to warm up (default: 20)");
  command->add_option("--compare", *compare,
                      "Precisions with commas between (default: f32,bf16,f16)");
  rt::addReserved(*command, {"--tune"});
  return [options, compare] { return bench(*options, *compare); };
}

} // namespace ampc

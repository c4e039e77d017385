// What every command that takes a MODEL shares; see ModelCommand.h.
#include "tools/ampc/ModelCommand.h"

#include "runtime/core/SystemMemory.h"
#include "runtime/plan/FileIO.h"
#include "runtime/train/Metrics.h"
#include "tools/ampc/Size.h"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

namespace ampc {

void addModelOptions(CLI::App &command, ModelCommand &options,
                     rt::CommandUse use) {
  command
      .add_option("model", options.model,
                  "A model (.amp), IR (.mlir) or a plan (.ampx)")
      ->required();
  command
      .add_option("--set", options.set,
                  "KEY=VALUE: a dim, a const or train.KEY (may be repeated)")
      ->allow_extra_args(false);
  command.add_option("--precision", options.precision,
                     "auto, f32, tf32, bf16 or f16 (default: the model's)");
  command.add_option("--target", options.target,
                     "cpu[:avx2|avx512|amx] or cuda[:sm_NN]: what to generate "
                     "code for (default: "
                     "the device)");
  command
      .add_option("--opt-level", options.opt_level,
                  "0: the reference evaluator; 1: a kernel an op; 2: ops share "
                  "kernels")
      ->check(CLI::Range(0, 2));
  // A flag with a value takes `--remarks=fusion` and leaves what follows a bare
  // `--remarks` alone.
  command
      .add_flag(
          "--remarks{all}", options.remarks,
          "Print decisions: --remarks=precision, =fusion, =memory or =all "
          "(--remarks alone: all)")
      ->check(CLI::IsMember({"precision", "fusion", "memory", "all"}));
  command
      .add_option("--dump-after", options.dump_after,
                  "Print the IR of a stage on stderr")
      ->check(CLI::IsMember({"model", "typed", "step", "fused", "placed"}));
  rt::addCommonOptions(command, options.run, use);
  command.add_flag("--time-report", options.time_report,
                   "Print the seconds of each phase on stderr, and what was "
                   "kept from before");
  command.add_flag("--no-cache", options.no_cache,
                   "Compile anew, and keep nothing (as AMPC_CACHE=off)");
  rt::addReserved(command, {"--fast-math"});
}

void addStepOptions(CLI::App &command, ModelCommand &options) {
  command.add_option("--loss-scale", options.loss_scale,
                     "dynamic, off or a number (default: the model's)");
  command.add_option("--memory-budget", options.memory_budget,
                     "SIZE to stay within, as 512MiB, 75% (of what is "
                     "available) or bytes (default: the model's)");
  command.add_flag("--unsafe-precision", options.unsafe_precision,
                   "Allow f16 gradients without a scaled loss");
  command
      .add_option("--finite-checks", options.finite_checks,
                  "Name the op that first gives a number that is not finite: "
                  "off, boundary (between calls of the model) or all")
      ->check(CLI::IsMember({"off", "boundary", "all"}));
}

/// Seconds since the process started, to the hundredth; nothing where the
/// system does not say.
static std::optional<double> secondsOfProcess() {
  std::ifstream file("/proc/self/stat");
  std::string text(std::istreambuf_iterator<char>(file), {});
  // The second field, a name in parentheses, may hold anything; the start is
  // the 22nd.
  size_t name = text.rfind(')');
  std::istringstream fields(name == text.npos ? "" : text.substr(name + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i)
    fields >> field;
  double ticks = 0;
  timespec now{};
  if (!CLI::detail::lexical_cast(field, ticks) ||
      ::clock_gettime(CLOCK_BOOTTIME, &now) != 0)
    return std::nullopt;
  double seconds = double(now.tv_sec) + double(now.tv_nsec) * 1e-9 -
                   ticks / double(::sysconf(_SC_CLK_TCK));
  return std::max(seconds, 0.0);
}

TimeReport::TimeReport() : began(Clock::now()), last(began) {
  static bool isFirst = true;
  std::optional<double> start = isFirst ? secondsOfProcess() : std::nullopt;
  isFirst = false;
  if (!start)
    return;
  began -= std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(*start));
  phases.emplace_back("start", *start);
}

void TimeReport::add(std::string_view phase, double seconds) {
  phases.emplace_back(phase, seconds);
  last = Clock::now();
}

void TimeReport::end(std::string_view phase) {
  add(phase, std::chrono::duration<double>(Clock::now() - last).count());
}

void TimeReport::listen(CompileOptions &compile) {
  compile.time = [this](std::string_view phase, double seconds) {
    add(phase, seconds);
  };
  compile.kept = [this](std::string_view kind, size_t needed, size_t kept) {
    counts.push_back({std::string(kind), needed, kept});
  };
}

void TimeReport::print(bool json) const {
  double total = std::chrono::duration<double>(Clock::now() - began).count();
  double other = total;
  for (const auto &[phase, seconds] : phases)
    other -= seconds;
  std::vector<std::pair<std::string, double>> rows = phases;
  rows.emplace_back("other", std::max(other, 0.0));
  std::string text, separator, keptText;
  for (const auto &[phase, seconds] : rows) {
    if (json)
      text += fmt::format("{}{{\"phase\":{},\"seconds\":{:.6f}}}", separator,
                          rt::json_string(phase), seconds);
    else
      text += fmt::format("{:<10}{:>10.3f} s {:>4.0f} %\n", phase, seconds,
                          total > 0 ? seconds / total * 100 : 0);
    separator = ",";
  }
  for (const Kept &row : counts)
    keptText +=
        json ? fmt::format(",{}:{{\"needed\":{},\"kept\":{}}}",
                           rt::json_string(row.kind), row.needed, row.kept)
             : fmt::format("{:<10}{:>10} of {} kept from before\n", row.kind,
                           row.kept, row.needed);
  if (json)
    text = fmt::format("{{\"phases\":[{}],\"total_s\":{:.6f}{}}}\n", text,
                       total, keptText);
  else
    text += fmt::format("{:<10}{:>10.3f} s\n{}", "total", total, keptText);
  std::fputs(text.c_str(), stderr);
}

rt::Expected<std::string> entryByName(const std::string &name) {
  if (name == "train")
    return "train_step";
  if (name == "eval")
    return "eval_step";
  if (name == "infer")
    return "infer";
  return rt::fail(rt::Code::Usage, "--entry",
                  "expected train, eval or infer, got '" + name + "'");
}

rt::Expected<std::vector<std::string>> entriesByName(const std::string &names) {
  std::vector<std::string> entries;
  if (names.empty())
    return entries;
  for (const std::string &name : CLI::detail::split(names, ',')) {
    AMPC_ASSIGN(std::string entry, entryByName(name));
    entries.push_back(std::move(entry));
  }
  return entries;
}

rt::Expected<void> checkPlace(const std::string &path, bool force) {
  if (path.empty())
    return {};
  // A file that is not committed leaves nothing.
  AMPC_ASSIGN(rt::AtomicFile file, rt::AtomicFile::create(path, force));
  return {};
}

rt::Expected<std::string> targetOf(const ModelCommand &options) {
  AMPC_ASSIGN(rt::DeviceName device, rt::parse_device(options.run.device));
  if (!options.target.empty())
    return options.target;
  // The reference evaluator is the host's.
  if (device.kind == "cpu" || (device.kind == "auto" && options.opt_level == 0))
    return "cpu";
  auto devices = rt::cuda_devices();
  if (devices && size_t(device.number) < devices->size())
    return fmt::format("cuda:sm_{}", (*devices)[size_t(device.number)].arch);
  if (device.kind == "auto")
    return "cpu";
  return rt::fail(rt::Code::Environment, "--device " + options.run.device,
                  devices
                      ? fmt::format("there is no such device; the last is {}",
                                    devices->back().id)
                      : devices.error().message);
}

std::optional<uint64_t> memoryThere(const ModelCommand &options) {
  rt::Expected<std::string> target = targetOf(options);
  if (!target || !target->starts_with("cuda"))
    return rt::availableMemory();
  auto device = rt::parse_device(options.run.device);
  auto devices = rt::cuda_devices();
  if (!device || !devices || size_t(device->number) >= devices->size())
    return std::nullopt;
  return (*devices)[size_t(device->number)].memory_bytes;
}

namespace {

/// The settings that options make of a model, and which option each is.
struct NamedSettings {
  ModelOptions settings;
  std::vector<std::pair<std::string, std::string>> named; ///< option -> key
};

rt::Expected<NamedSettings> settingsOf(const ModelCommand &options) {
  NamedSettings out;
  for (const std::string &text : options.set) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return rt::fail(rt::Code::Usage, "--set",
                      "expected KEY=VALUE, got '" + text + "'");
    out.settings.sets.emplace_back(text.substr(0, equals),
                                   text.substr(equals + 1));
  }
  // Options that say what a key of the train block says.
  auto set = [&](const char *option, const char *key, std::string value) {
    out.named.emplace_back(option, key);
    out.settings.sets.emplace_back(key, std::move(value));
  };
  if (!options.loss_scale.empty())
    set("--loss-scale", "train.loss_scale", options.loss_scale);
  if (!options.memory_budget.empty()) {
    AMPC_ASSIGN(uint64_t budget,
                sizeOption("--memory-budget", options.memory_budget,
                           memoryThere(options)));
    set("--memory-budget", "train.memory_budget", std::to_string(budget));
  }
  if (!options.run.nonfinite.empty())
    set("--nonfinite", "train.nonfinite", options.run.nonfinite);
  if (options.run.accumulate)
    set("--accumulate", "train.accumulate",
        std::to_string(*options.run.accumulate));
  if (options.train_steps && options.model.ends_with(".amp"))
    set("--steps", "train.steps", std::to_string(*options.train_steps));
  if (options.train_seed)
    set("--seed", "train.seed", std::to_string(*options.train_seed));
  return out;
}

} // namespace

rt::Error asWritten(rt::Error error, const ModelCommand &options) {
  rt::Expected<NamedSettings> settings = settingsOf(options);
  if (!settings)
    return error;
  for (const auto &[option, key] : settings->named) {
    std::string spelt = "--set " + key;
    for (size_t at; (at = error.message.find(spelt)) != std::string::npos;)
      error.message.replace(at, spelt.size(), option);
    if (error.message.starts_with(option + ":"))
      error.code = rt::Code::Usage; // not the model's
  }
  return error;
}

rt::Expected<Model> deferModel(const ModelCommand &options) {
  AMPC_ASSIGN(NamedSettings settings, settingsOf(options));
  rt::Expected<Model> model = Model::defer(options.model, settings.settings);
  if (!model)
    return tl::unexpected(asWritten(model.error(), options));
  return model;
}

rt::Expected<Model> loadModel(const ModelCommand &options) {
  AMPC_ASSIGN(Model model, deferModel(options));
  if (rt::Expected<void> read = model.read(); !read)
    return tl::unexpected(asWritten(read.error(), options));
  return model;
}

rt::Expected<CompileOptions> compileOptions(const ModelCommand &options) {
  CompileOptions compile;
  if (options.precision.starts_with("f8"))
    return rt::fail(rt::Code::Usage, "--precision",
                    "'" + options.precision +
                        "' is no policy: no target multiplies 8-bit floats; "
                        "they are types to cast to. Expected auto, f32, tf32, "
                        "bf16 or f16");
  constexpr std::string_view known[] = {"",     "auto", "f32",
                                        "tf32", "bf16", "f16"};
  if (std::find(std::begin(known), std::end(known), options.precision) ==
      std::end(known))
    return rt::fail(rt::Code::Usage, "--precision",
                    "expected auto, f32, tf32, bf16 or f16, got '" +
                        options.precision + "'");
  compile.precision = options.precision;
  compile.unsafe_precision = options.unsafe_precision;
  compile.finite_checks = options.finite_checks;
  compile.opt_level = options.opt_level;
  compile.threads = options.run.threads;
  if (options.no_cache)
    compile.cache = "off";
  AMPC_ASSIGN(compile.target, targetOf(options));
  compile.dump_after = options.dump_after;
  auto toStderr = [](std::string_view text) { rt::put(stderr, text); };
  if (!options.dump_after.empty())
    compile.dump = toStderr;
  // A command may compile more than once; it says a thing once.
  compile.warn = [](std::string_view text) {
    static std::set<std::string> said;
    if (said.emplace(text).second)
      rt::put(stderr, text);
  };
  if (!options.remarks.empty()) {
    compile.remark = toStderr;
    compile.remark_category = options.remarks;
  }
  return compile;
}

/// A plan is compiled already: what would change that is refused.
static rt::Expected<void> checkPlanOptions(const ModelCommand &options) {
  const char *given = !options.set.empty()             ? "--set"
                      : !options.precision.empty()     ? "--precision"
                      : !options.loss_scale.empty()    ? "--loss-scale"
                      : options.unsafe_precision       ? "--unsafe-precision"
                      : !options.memory_budget.empty() ? "--memory-budget"
                      : options.finite_checks != "off" ? "--finite-checks"
                      : !options.target.empty()        ? "--target"
                      : options.opt_level != 2         ? "--opt-level"
                      : !options.remarks.empty()       ? "--remarks"
                      : !options.dump_after.empty()    ? "--dump-after"
                      : options.time_report            ? "--time-report"
                      : options.no_cache               ? "--no-cache"
                                                       : nullptr;
  if (given)
    return rt::fail(rt::Code::Usage, given,
                    "has no effect on '" + options.model +
                        "', which is compiled already");
  return {};
}

rt::Expected<OpenCommand> openModel(const ModelCommand &options,
                                    std::vector<std::string> entries,
                                    std::string gradientOf, std::string mode) {
  rt::SessionOptions session;
  session.device = options.run.device;
  session.seed = options.run.seed;
  session.threads = options.run.threads;
  session.note = rt::note;
  std::optional<OpenCommand> command;
  if (options.model.ends_with(".ampx")) {
    AMPC_TRY(checkPlanOptions(options));
    if (mode != "infer")
      return rt::fail(rt::Code::Usage, "--mode",
                      "a plan is compiled for one mode; give the model itself");
    if (!gradientOf.empty())
      return rt::fail(rt::Code::Usage, "--grad",
                      "a plan has the entries it was compiled with; give the "
                      "model itself");
    AMPC_ASSIGN(rt::Plan plan, rt::Plan::load(options.model));
    AMPC_ASSIGN(rt::Session opened, rt::Session::open(plan, session));
    command.emplace(OpenCommand{
        nullptr, {plan, std::make_unique<rt::Session>(std::move(opened)), 0}});
  } else {
    auto times = options.time_report ? std::make_unique<TimeReport>() : nullptr;
    AMPC_ASSIGN(Model model, deferModel(options));
    AMPC_ASSIGN(CompileOptions compile, compileOptions(options));
    compile.entries = std::move(entries);
    compile.gradient_of = std::move(gradientOf);
    compile.mode = std::move(mode);
    if (times)
      times->listen(compile);
    auto kept = std::make_unique<Model>(std::move(model));
    rt::Expected<OpenedModel> opened = open_stepper(*kept, compile, session);
    if (!opened)
      return tl::unexpected(asWritten(opened.error(), options));
    command.emplace(
        OpenCommand{std::move(kept), std::move(*opened), std::move(times)});
  }
  AMPC_TRY(rt::loadWeights(*command->opened.stepper, options.run));
  if (command->times && !options.run.weights.empty())
    command->times->end("weights");
  return std::move(*command);
}

void finish(const OpenCommand &command, std::string_view phase, bool json) {
  if (!command.times)
    return;
  command.times->end(phase);
  command.times->print(json);
}

} // namespace ampc

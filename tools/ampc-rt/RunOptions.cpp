// Command line options.
#include "tools/ampc-rt/RunOptions.h"

#include <charconv>
#include <fmt/format.h>

namespace ampc::rt {

CLI::Option *addCount(CLI::App &command, const std::string &name,
                      std::optional<uint64_t> &to, const std::string &text,
                      uint64_t least) {
  auto parse = [name, &to, least](const std::string &given) {
    uint64_t value = 0;
    const char *end = given.data() + given.size();
    auto [stop, error] = std::from_chars(given.data(), end, value);
    if (error != std::errc() || stop != end || value < least)
      throw CLI::ValidationError(
          name, fmt::format("expected a whole number from {} to {}, got '{}'",
                            least, UINT64_MAX, given));
    to = value;
  };
  return command.add_option_function<std::string>(name, parse, text)
      ->type_name("UINT");
}

void addReserved(CLI::App &command, std::initializer_list<const char *> names) {
  for (const char *name : names)
    command
        .add_option_function<std::string>(
            name,
            [name](const std::string &) {
              throw CLI::ValidationError(name, "is not available yet");
            },
            "Not available yet")
        ->expected(0, 1)
        ->group("");
}

void addCommonOptions(CLI::App &command, RunOptions &options) {
  command.add_option("--device", options.device, "auto, cpu or cuda[:N]");
  addCount(command, "--seed", options.seed,
           "Seed of initialisers and random ops");
  command
      .add_option("--threads", options.threads,
                  "Threads (0: one per processor)")
      ->check(CLI::Range(0, 1024));
  command.add_option("--weights", options.weights,
                     "Read weights from FILE.safetensors");
  command.add_flag("--partial", options.partial,
                   "Allow missing and extra names in --weights");
  command.add_flag("--force", options.force, "Replace existing files");
  command.add_flag("--json", options.json, "Print JSON");
}

void addDataOptions(CLI::App &command, RunOptions &options) {
  command
      .add_option(
          "--data", options.data,
          "NAMES=SPEC, as in x,y=normal:1 or x=npy:x.npy (may be repeated)")
      ->allow_extra_args(false);
}

void addTrainOptions(CLI::App &command, RunOptions &options) {
  addDataOptions(command, options);
  addCount(command, "--steps", options.steps,
           "Windows in all, those before a resume included", 1);
  addCount(command, "--accumulate", options.accumulate,
           "Micro-batches of a window (default: the model's)", 1);
  CLI::Option *out = command.add_option(
      "--out", options.out, "Directory of checkpoints and metrics.jsonl");
  addCount(command, "--save-every", options.save_every,
           "Steps between checkpoints (0: the end); needs --out")
      ->needs(out);
  addCount(command, "--log-every", options.log_every, "Steps between rows");
  addCount(command, "--validate-every", options.validate_every,
           "Steps between validations (0: the end)");
  addCount(command, "--early-stop", options.early_stop,
           "End after N validations without a lower loss", 1);
  command
      .add_option("--time-limit", options.time_limit,
                  "Begin no step after that many seconds")
      ->check([](const std::string &text) {
        double seconds = 0;
        return CLI::detail::lexical_cast(text, seconds) && seconds > 0
                   ? std::string()
                   : "expected a number of seconds above 0, got '" + text + "'";
      });
  command.add_option("--resume", options.resume, "Continue from a checkpoint");
  command.add_option("--metrics", options.metrics,
                     "Write metrics to FILE.jsonl");
  command
      .add_option("--nonfinite", options.nonfinite,
                  "On a loss that is not finite")
      ->check(CLI::IsMember({"skip", "error", "ignore"}));
  command
      .add_option("--progress", options.progress, "Rows: auto, plain or none")
      ->check(CLI::IsMember({"auto", "plain", "none"}));
}

void addInferOptions(CLI::App &command, RunOptions &options) {
  command
      .add_option("--input", options.input, "NAME=FILE.npy (may be repeated)")
      ->allow_extra_args(false);
  command.add_option("--inputs", options.inputs,
                     "FILE.safetensors with inputs by name");
  command.add_option(
      "--output-dir", options.output_dir,
      "Write NAME.npy per output, and outputs.safetensors with all");
}

} // namespace ampc::rt

// Command line options.
#include "tools/ampc-rt/RunOptions.h"

namespace ampc::rt {

void addCommonOptions(CLI::App &command, RunOptions &options) {
  command.add_option("--seed", options.seed,
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
  command.add_option("--steps", options.steps,
                     "Windows in all, those before a resume included");
  command.add_option("--out", options.out,
                     "Directory of checkpoints and metrics.jsonl");
  command.add_option("--save-every", options.save_every,
                     "Steps between checkpoints (0: the end)");
  command.add_option("--log-every", options.log_every, "Steps between rows");
  command.add_option("--validate-every", options.validate_every,
                     "Steps between validations (0: the end)");
  command.add_option("--resume", options.resume, "Continue from a checkpoint");
  command.add_option("--metrics", options.metrics,
                     "Write metrics to FILE.jsonl");
  command
      .add_option("--nonfinite", options.nonfinite,
                  "On gradients that are not finite")
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

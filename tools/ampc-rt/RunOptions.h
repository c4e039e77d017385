// The options of commands that run a model, shared by `ampc-rt` and `ampc`.
#pragma once

#include "runtime/api/Runtime.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ampc::rt {

/// What the user asked for; empty and `nullopt` mean the model's own.
struct RunOptions {
  std::vector<std::string> data; ///< `NAMES=SPEC`
  std::optional<uint64_t> steps, seed, log_every, save_every, validate_every;
  std::optional<uint64_t> accumulate; ///< micro-batches of a window
  int threads = 0;                    ///< 0: one per processor
  std::string device = "auto";        ///< auto, cpu or cuda[:N]
  std::string out, resume, metrics, weights;
  std::optional<uint64_t> early_stop; ///< validations without a lower loss
  double time_limit = 0;              ///< seconds; 0: none
  std::string nonfinite;              ///< skip, error, ignore
  std::string progress = "auto"; ///< auto, plain: a row a line; none: no rows
  bool partial = false, force = false, json = false;
  std::vector<std::string> input; ///< `NAME=FILE.npy`
  std::string inputs;             ///< a safetensors file
  std::string output_dir;
};

/// Parses a command line of subcommands. An exit code where the process is to
/// end: after help, or an error that names what is not known and what it may
/// have been meant to be.
std::optional<int> parseCommand(CLI::App &app, int argc, char **argv);

/// The most micro-batches of a window: their number is 16 bits of a random
/// counter (N17).
inline constexpr uint64_t kMostMicroBatches = 65536;

/// Adds an option of a whole number from `least` to `most`. What is none (a
/// sign, a fraction, more than 64 bits) is refused with the option's name and
/// the value.
CLI::Option *addCount(CLI::App &command, const std::string &name,
                      std::optional<uint64_t> &to, const std::string &text,
                      uint64_t least = 0, uint64_t most = UINT64_MAX);
/// Reserves options of the contract whose feature is not there yet: given, they
/// are said to be missing rather than unknown.
void addReserved(CLI::App &command, std::initializer_list<const char *> names);
/// Hides options that other commands take and that change nothing in this one:
/// given, they are refused rather than ignored.
void addWithoutEffect(CLI::App &command,
                      std::initializer_list<const char *> names);
/// What a command does, as far as its common options depend on it.
struct CommandUse {
  bool draws = true;       ///< `--seed`
  bool hasWeights = true;  ///< `--weights`, `--partial`
  bool writesFiles = true; ///< `--force`
};
/// `--device --seed --threads --weights --partial --force --json`, those that
/// `use` has no use for refused.
void addCommonOptions(CLI::App &command, RunOptions &options,
                      CommandUse use = {});
/// `--data`.
void addDataOptions(CLI::App &command, RunOptions &options);
/// `--steps --out --save-every --log-every ...`.
void addTrainOptions(CLI::App &command, RunOptions &options);
/// `--input --inputs --output-dir`.
void addInferOptions(CLI::App &command, RunOptions &options);

} // namespace ampc::rt

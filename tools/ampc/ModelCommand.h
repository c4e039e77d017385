// What every command that takes a MODEL shares: its options, and turning them
// into a compiled model.
#pragma once

#include "tools/ampc-rt/RunCommands.h"
#include "tools/libampc/Ampc.h"

namespace ampc {

/// The MODEL argument and the options that every such command takes.
struct ModelCommand {
  std::string model;
  std::vector<std::string> set; ///< `KEY=VALUE`
  std::string precision;        ///< empty: the model's
  std::string loss_scale; ///< off, dynamic or a number; empty: the model's
  bool unsafe_precision = false;
  std::string memory_budget;         ///< SIZE; empty: the model's
  std::string finite_checks = "off"; ///< off, boundary or all
  std::string target;                ///< empty: the device's
  int opt_level = 2;
  std::string remarks; ///< category; empty: none
  std::string dump_after;
  bool time_report = false;
  rt::RunOptions run;
  /// What `--steps` and `--seed` say about the model itself, where they do.
  std::optional<uint64_t> train_steps, train_seed;
};

/// The seconds of a compilation's phases.
struct TimeReport {
  std::vector<std::pair<std::string, double>> phases;

  /// Has `compile` fill it.
  void listen(CompileOptions &compile);
  /// Prints a table, or JSON, on stderr: results have stdout.
  void print(bool json) const;
};

/// Adds MODEL and the common options.
void addModelOptions(CLI::App &command, ModelCommand &options,
                     rt::CommandUse use = {.draws = false,
                                           .hasWeights = false});

/// Adds the options of `train` that shape the step.
void addStepOptions(CLI::App &command, ModelCommand &options);

/// The entry that `train`, `eval` or `infer` names.
[[nodiscard]] rt::Expected<std::string> entryByName(const std::string &name);

/// Those of a list with commas between; none for an empty one.
[[nodiscard]] rt::Expected<std::vector<std::string>>
entriesByName(const std::string &names);

/// A file that is written at the end must have a place before the work begins.
[[nodiscard]] rt::Expected<void> checkPlace(const std::string &path,
                                            bool force);

/// What to generate code for: `--target`, else the device of `--device`, which
/// must be here (Code Environment). `auto` is a CUDA device where one runs
/// plans, else the CPU.
[[nodiscard]] rt::Expected<std::string> targetOf(const ModelCommand &options);

/// Reads MODEL with its `--set` values.
[[nodiscard]] rt::Expected<Model> loadModel(const ModelCommand &options);

/// How to compile, from the options; dumps and remarks go to stderr.
[[nodiscard]] rt::Expected<CompileOptions>
compileOptions(const ModelCommand &options);

/// A model that is open: the plan, and what trains or runs it.
struct OpenCommand {
  std::unique_ptr<Model> model; ///< null for a plan file
  OpenedModel opened;
};

/// Compiles MODEL, or loads it when it is a plan (.ampx), opens it and reads
/// `--weights`. `entries`, `gradientOf` and `mode`
/// as in CompileOptions.
[[nodiscard]] rt::Expected<OpenCommand>
openModel(const ModelCommand &options, std::vector<std::string> entries = {},
          std::string gradientOf = "", std::string mode = "infer");

} // namespace ampc

// What every command that takes a MODEL shares: its options, and turning them
// into a compiled model.
#pragma once

#include "tools/ampc-rt/RunCommands.h"
#include "tools/libampc/Ampc.h"

#include <chrono>

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
  bool no_cache = false;
  rt::RunOptions run;
  /// What `--steps` and `--seed` say about the model itself, where they do.
  std::optional<uint64_t> train_steps, train_seed;
};

/// The seconds of a command's phases, from the start of the process on, and
/// what of its work was kept from an earlier one.
class TimeReport {
public:
  /// Begins with the phase `start`, from the process's start until now.
  TimeReport();

  /// Has `compile` fill it.
  void listen(CompileOptions &compile);
  /// The phase that began where the one before ended.
  void end(std::string_view phase);
  /// Prints a table, or JSON, on stderr: results have stdout. What no phase
  /// took is `other`.
  void print(bool json) const;

private:
  using Clock = std::chrono::steady_clock;

  struct Kept {
    std::string kind;
    size_t needed, kept;
  };
  void add(std::string_view phase, double seconds);

  Clock::time_point began; ///< the process
  Clock::time_point last;  ///< where the last phase ended
  std::vector<std::pair<std::string, double>> phases;
  std::vector<Kept> counts;
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

/// The bytes that there are where the model is to run: of the CUDA device, else
/// what is available here; none where nobody says.
std::optional<uint64_t> memoryThere(const ModelCommand &options);

/// Reads MODEL with its `--set` values.
[[nodiscard]] rt::Expected<Model> loadModel(const ModelCommand &options);
/// The same, but what MODEL says is read by what works on it (Model::defer).
[[nodiscard]] rt::Expected<Model> deferModel(const ModelCommand &options);
/// `error` with the options of `options` instead of the settings that they
/// became.
rt::Error asWritten(rt::Error error, const ModelCommand &options);

/// How to compile, from the options; dumps and remarks go to stderr.
[[nodiscard]] rt::Expected<CompileOptions>
compileOptions(const ModelCommand &options);

/// A model that is open: the plan, and what trains or runs it.
struct OpenCommand {
  std::unique_ptr<Model> model; ///< null for a plan file
  OpenedModel opened;
  /// With `--time-report`; what is left to do ends it.
  std::unique_ptr<TimeReport> times = nullptr;
};

/// Compiles MODEL, or loads it when it is a plan (.ampx), opens it and reads
/// `--weights`. `entries`, `gradientOf` and `mode`
/// as in CompileOptions.
[[nodiscard]] rt::Expected<OpenCommand>
openModel(const ModelCommand &options, std::vector<std::string> entries = {},
          std::string gradientOf = "", std::string mode = "infer");

/// With `--time-report`: what came after opening is `phase`; prints the report.
void finish(const OpenCommand &command, std::string_view phase, bool json);

} // namespace ampc

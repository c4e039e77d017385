// What `train`, `eval` and `infer` do once there is a stepper, shared by
// `ampc-rt` and `ampc`: results on stdout, nothing else printed here. Errors go
// back to the caller.
#pragma once

#include "tools/ampc-rt/RunOptions.h"

#include <vector>

namespace ampc::rt {

/// The model's own settings, which the options override.
struct ModelSettings {
  std::string path; ///< of its file, for messages
  TrainDefaults train;
  std::vector<DataLine> lines;
  DataOptions data;
  double compile_seconds = 0;
  /// These see TrainOptions.
  std::function<Expected<std::shared_ptr<Stepper>>()> open_checked = {};
  std::function<void()> first_step = {};
};

/// Whether the plan's step shows the ranges of its values.
bool isChecked(const Plan &plan);

/// The settings a plan carries.
ModelSettings settingsOf(const Plan &plan);

/// The training data of `stepper`: the model's lines with those of the options
/// on top, less what is held out for validation.
[[nodiscard]] Expected<std::unique_ptr<DataSource>>
openTrainingData(const Stepper &stepper, const ModelSettings &settings,
                 const RunOptions &options);

/// Trains and prints rows; Code Interrupted after Ctrl-C, with everything
/// saved.
[[nodiscard]] Expected<Code> runTrain(Stepper &stepper,
                                      const ModelSettings &settings,
                                      const RunOptions &options);

/// Evaluates one epoch (`--steps` batches) and prints the means.
[[nodiscard]] Expected<Code> runEval(Stepper &stepper,
                                     const ModelSettings &settings,
                                     const RunOptions &options);

/// Reads `--weights`; with `--partial` says how many it found.
[[nodiscard]] Expected<void> loadWeights(Stepper &stepper,
                                         const RunOptions &options);

/// A tensor the user gave for an input.
struct GivenTensor {
  std::string name;
  Tensor tensor;
  std::string where; ///< the option or the file, for errors
};

/// Runs `infer` on given tensors, writes and lists the outputs.
[[nodiscard]] Expected<Code> runInfer(Stepper &stepper,
                                      const RunOptions &options);

/// Runs an entry that writes no variable on `inputs`, writes and lists its
/// outputs. An input of another shape, or of floats for integers: Code
/// BadInput; other element types are converted.
[[nodiscard]] Expected<Code> runEntry(Stepper &stepper, EntryKind entry,
                                      std::vector<GivenTensor> inputs,
                                      const RunOptions &options);

/// Writes named tensors to `directory`: NAME.npy for each that NumPy can hold,
/// and outputs.safetensors with all.
[[nodiscard]] Expected<void> writeOutputs(const std::string &directory,
                                          std::span<const NamedTensor> outputs,
                                          bool overwrite);

/// The tensors named by `--input` and `--inputs`, checked against nothing yet.
[[nodiscard]] Expected<std::vector<GivenTensor>>
readInputs(const RunOptions &options);

/// Writes `text`. Unlike fmt::print it does not throw where that fails: the
/// stream's error flag tells.
void put(std::FILE *to, std::string_view text);

/// Prints `note: text` on stderr.
void note(const std::string &text);

/// Flushes stdout at the end of a command. Where a write to it failed: says so
/// on stderr and turns `code` 0 into Code Environment.
int finishOutput(int code);

/// Prints `where: error: message` on stderr, and the source line where `where`
/// is a place in a file; gives the exit code.
int report(const Error &error);

} // namespace ampc::rt

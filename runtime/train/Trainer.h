// The training loop, over any stepper: steps, rows, checkpoints, metrics,
// resume, interruption.
#pragma once

#include "runtime/train/Stepper.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace ampc::rt {

/// How to train.
struct TrainOptions {
  uint64_t steps = 1000;   ///< windows in all, those before a resume included
  uint64_t log_every = 10; ///< windows between rows; 0: the last only
  uint64_t save_every = 0; ///< windows between checkpoints; 0: at the end only
  std::string out; ///< directory of checkpoints and metrics.jsonl; empty: none
  std::string metrics; ///< a second metrics file; empty: none
  std::string resume;  ///< checkpoint to continue from; empty: start anew
  bool force = false;  ///< replace files of an earlier run
  Nonfinite nonfinite = Nonfinite::Skip;
  uint64_t max_skipped = 100; ///< that many in a row end the run
  double compile_seconds = 0; ///< for the summary
  DataSource *validation =
      nullptr; ///< evaluated at the end, and between; null: none
  uint64_t validate_every =
      0; ///< windows between evaluations; 0: at the end only
  uint64_t validation_batches = 0; ///< 0: one epoch
  uint64_t early_stop =
      0; ///< ends after that many validations without a lower loss; 0: never
  double time_limit = 0; ///< seconds after which no window begins; 0: none
  /// The model's file, for messages; empty: its name.
  std::string where = {};
  /// Of draws and data order; a checkpoint of another seed is refused.
  std::optional<uint64_t> seed = std::nullopt;
  /// Opens the same model with finite checks of all its ops, to say which op
  /// spoils a run that ends for it; empty: nobody can.
  std::function<Expected<std::shared_ptr<Stepper>>()> open_checked = {};
  /// Called when the first window of the run is done; empty: nobody.
  std::function<void()> first_step = {};
  /// Told what does not end the run; empty: nobody.
  std::function<void(const std::string &)> warn = {};
  /// Told what is worth knowing and as it should be; empty: nobody.
  std::function<void(const std::string &)> note = {};
  /// Told every evaluation and the window it came after; empty: nobody.
  std::function<void(uint64_t step, const EvalResult &result)> validated = {};
  /// Set from a signal handler; looked at between windows, and between the
  /// batches of an evaluation.
  const std::atomic<bool> *interrupt = nullptr;
};

/// One printed row.
struct TrainRow {
  const StepResult &result;
  const std::vector<std::string> &extra_names;
  uint64_t steps;            ///< windows in all
  double samples_per_second; ///< since the row before
  double seconds_left;
  uint64_t skipped; ///< windows so far that changed nothing
};

/// How it went.
struct TrainSummary {
  uint64_t steps = 0;   ///< windows done, those before a resume included
  uint64_t trained = 0; ///< windows of this run; 0: its checkpoint was the end
  float loss = 0;       ///< of the last window of this run, if there is one
  double wall_seconds = 0;
  MemoryReport memory;
  std::string checkpoint;   ///< the last one that this run wrote; empty: none
  bool interrupted = false; ///< stopped by `interrupt`, with everything saved
  std::optional<EvalResult> validation; ///< the last evaluation
  /// Why the run ended before its steps were done (`no lower validation loss in
  /// 3 evaluations`, `time limit of 60 s`), else empty.
  std::string stopped;
};

/// The JSON line of one evaluation after window `step`.
[[nodiscard]] AMPC_API std::string validation_line(uint64_t step,
                                                   const EvalResult &result);

/// Called for each row, on the training thread.
using RowCallback = std::function<void(const TrainRow &)>;

/// The JSON line of one window, as `metrics.jsonl` has it.
[[nodiscard]] AMPC_API std::string step_line(const TrainRow &row);
/// The JSON line that ends a run.
[[nodiscard]] AMPC_API std::string summary_line(const TrainSummary &summary,
                                                double compile_seconds);

/// Trains. On interruption the state is that after the last whole window, and
/// is saved. A loss that stays non-finite: Code TrainingFailed.
[[nodiscard]] AMPC_API Expected<TrainSummary> train(Stepper &stepper,
                                                    DataSource &data,
                                                    const TrainOptions &options,
                                                    const RowCallback &row);

} // namespace ampc::rt

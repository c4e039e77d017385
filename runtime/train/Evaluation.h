// Losses and metrics of a data set. eval_step gives sums and counts, which are
// added up in f64 over the batches; eval_finish turns the totals into the
// values.
#pragma once

#include "runtime/train/Stepper.h"

#include <functional>

namespace ampc::rt {

/// The two entries of an evaluation.
struct EvalRun {
  std::vector<Port> partials; ///< what eval_step gives
  std::vector<Port> totals;   ///< what eval_finish takes: partials by name
  std::vector<Port> values;   ///< what eval_finish gives
  /// Runs eval_step on a batch and its number and writes one number a partial.
  std::function<Expected<void>(const Batch &, uint64_t, std::span<double>)>
      step;
  /// Runs eval_finish and writes one number for each of its outputs.
  std::function<Expected<void>(const Batch &, std::span<double>)> finish;
  /// Runs eval_step of a program compiled for the data's last incomplete batch;
  /// empty: there is none, and those samples are left over.
  std::function<Expected<void>(const Batch &, uint64_t, std::span<double>)>
      remainder = {};
};

/// Evaluates on the batches of `data` in order (`batches`; 0: one epoch, its
/// last incomplete batch included where `run.remainder` takes it).
[[nodiscard]] AMPC_API Expected<EvalResult>
evaluate(DataSource &data, uint64_t batches, const EvalRun &run);

} // namespace ampc::rt

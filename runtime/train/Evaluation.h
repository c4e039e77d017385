// Losses and metrics of a data set. eval_step gives sums and counts, which are
// added up in f64 over the batches; eval_finish turns the totals into the
// values.
#pragma once

#include "runtime/train/Stepper.h"

#include <atomic>
#include <functional>

namespace ampc::rt {

/// The two entries of an evaluation.
struct EvalRun {
  std::vector<Port> partials; ///< what eval_step gives
  std::vector<Port> totals;   ///< what eval_finish takes: partials by name
  std::vector<Port> values;   ///< what eval_finish gives
  /// Runs eval_step on a batch and its number and writes one number a partial.
  using Step =
      std::function<Expected<void>(const Batch &, uint64_t, std::span<double>)>;
  Step step;
  /// Runs eval_finish and writes one number for each of its outputs.
  std::function<Expected<void>(const Batch &, std::span<double>)> finish;
  /// Gives what runs eval_step on batches as short as the data's last one. An
  /// error says why there is nothing: those samples are left over then, as they
  /// are where this is empty.
  std::function<Expected<Step>(const Batch &)> remainder = {};
};

/// Evaluates on the batches of `data` in order (`batches`; 0: one epoch, its
/// last incomplete batch included where `run.remainder` takes it).
[[nodiscard]] AMPC_API Expected<EvalResult>
evaluate(DataSource &data, uint64_t batches, const EvalRun &run);

/// The batches of another source, until a flag is set: then Code Interrupted.
class AMPC_API StoppableData final : public DataSource {
public:
  /// Both must outlive this; a null flag is never set.
  StoppableData(DataSource &data, const std::atomic<bool> *stop)
      : data(data), stop(stop) {}

  [[nodiscard]] Expected<const Batch *> batch(uint64_t index) override;
  std::optional<uint64_t> batches() const override { return data.batches(); }
  uint64_t left_over() const override { return data.left_over(); }
  [[nodiscard]] Expected<const Batch *> remainder() override;
  uint64_t batch_size() const override { return data.batch_size(); }
  std::string describe() const override { return data.describe(); }

private:
  Expected<void> check() const;

  DataSource &data;
  const std::atomic<bool> *stop;
};

} // namespace ampc::rt

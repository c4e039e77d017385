// What trains: a compiled session, or the reference evaluator behind the same
// interface. The training loop, the commands and the checkpoints know nothing
// else.
#pragma once

#include "runtime/data/Batch.h"
#include "runtime/train/Probes.h"

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ampc::rt {

/// What to do about windows whose gradients are not finite; the numbers are
/// those of `fb::Nonfinite`.
enum class Nonfinite : uint8_t { Skip = 0, Fail, Ignore };

/// Which program of a model. Where gradients accumulate, `TrainStep` stands for
/// the three that a step is made of.
enum class EntryKind : uint8_t {
  TrainStep = 0,
  EvalStep,
  Infer,
  Gradient,
  EvalFinish,
  Window,
  MicroStep,
  ApplyStep
};

/// Number of kinds.
inline constexpr size_t kEntryKinds = 8;

/// `train_step`, `eval_step`, `infer`, `gradient`, `eval_finish`, `window`,
/// `micro_step`, `apply_step`.
constexpr const char *name_of(EntryKind kind) {
  constexpr const char *names[] = {"train_step", "eval_step",   "infer",
                                   "gradient",   "eval_finish", "window",
                                   "micro_step", "apply_step"};
  return names[static_cast<size_t>(kind)];
}

/// Whether an entry of the kind writes variables.
constexpr bool writes_variables(EntryKind kind) {
  return kind == EntryKind::TrainStep || kind == EntryKind::Window ||
         kind == EntryKind::MicroStep || kind == EntryKind::ApplyStep;
}

/// What one window gave.
struct StepResult {
  int64_t iteration = 0; ///< windows begun, this one included: 1 for the first
  bool applied = true;   ///< false: skipped because a gradient was not finite
  float loss = 0;
  float lr = 0;               ///< rate of this window
  std::optional<float> scale; ///< loss scale of the next window, when scaling
  bool at_floor = false; ///< an overflow while the scale stands at its floor
  std::optional<float> grad_norm; ///< before clipping, when computed
  /// The first value that is not finite, where the step is compiled with finite
  /// checks.
  std::optional<Finding> finding;
  /// The losses where there are several, and metrics; `Stepper::extra_names`
  /// has their names.
  std::vector<float> extras;
};

/// Means over a data set.
struct EvalResult {
  double loss = 0;        ///< the sum of all losses
  uint64_t samples = 0;   ///< counted in the means
  uint64_t left_over = 0; ///< of a last incomplete batch, not counted
  /// Why they are not counted; empty: the plan has no program for them.
  std::string left_over_reason;
  /// By name: `loss` where there are several losses, each loss, each metric.
  std::vector<std::pair<std::string, double>> values;
};

/// Bytes the runtime obtained (variables, arena, workspaces, batches).
struct MemoryReport {
  uint64_t peak_bytes = 0;
  uint64_t planned_peak_bytes = 0;
  uint64_t current_bytes = 0; ///< held now
};

/// One model being trained or run. One thread at a time.
class AMPC_API Stepper {
public:
  virtual ~Stepper();

  /// Name of the model.
  virtual std::string model_name() const = 0;
  /// Whether the model has the entry.
  virtual bool has_entry(EntryKind entry) const = 0;
  /// What an entry takes; empty if there is no such entry.
  virtual std::vector<Port> inputs(EntryKind entry) const = 0;
  /// What an entry gives.
  virtual std::vector<Port> outputs(EntryKind entry) const = 0;
  /// Names of `StepResult::extras`, in order.
  virtual std::vector<std::string> extra_names() const = 0;

  /// Enqueues one window. The batch's pointers may be reused when it returns.
  /// Where gradients accumulate, each of its tensors holds 1 to `accumulate()`
  /// micro-batches one after the other, so that its first axis is that many
  /// times as long.
  [[nodiscard]] virtual Expected<void> step(const Batch &batch) = 0;
  /// Micro-batches of a whole window.
  virtual uint64_t accumulate() const { return 1; }
  /// Lets `step` look at `stop` between micro-batches: once it is set, the
  /// window is abandoned as if it had not begun, Code Interrupted. Null: never.
  virtual void stop_at(const std::atomic<bool> *stop) { (void)stop; }
  /// The oldest finished result not yet taken, without waiting.
  [[nodiscard]] virtual Expected<std::optional<StepResult>> poll() = 0;
  /// Waits for everything enqueued.
  [[nodiscard]] virtual Expected<void> sync() = 0;
  /// Runs an entry that writes no variable; its outputs in order.
  [[nodiscard]] virtual Expected<std::vector<NamedTensor>>
  run(EntryKind entry, const Batch &batch) = 0;
  /// Runs `infer`; the declared outputs in order.
  [[nodiscard]] Expected<std::vector<NamedTensor>> infer(const Batch &batch) {
    return run(EntryKind::Infer, batch);
  }
  /// Runs `eval_step` over `batches` batches of `data`; 0: one epoch (endless
  /// data: Code Usage).
  [[nodiscard]] virtual Expected<EvalResult> eval(DataSource &data,
                                                  uint64_t batches) = 0;

  /// Writes a checkpoint; `data` says what it was trained on. An existing file:
  /// Code Usage unless `overwrite`.
  [[nodiscard]] virtual Expected<void>
  save(const std::string &path, bool overwrite, const std::string &data) = 0;
  /// Continues from a checkpoint: everything it holds, the seed too.
  [[nodiscard]] virtual Expected<void> load(const std::string &path) = 0;
  /// Reads weights alone, by name or alias. Missing or extra names are an error
  /// that lists them, unless `partial`.
  [[nodiscard]] virtual Expected<void> load_weights(const std::string &path,
                                                    bool partial) = 0;

  /// Names of the variables.
  [[nodiscard]] virtual std::vector<std::string> variables() const = 0;
  /// A copy of a variable.
  [[nodiscard]] virtual Expected<Tensor>
  read(const std::string &name) const = 0;
  /// Replaces a variable; type and shape must be its own. A variable that
  /// follows another one: Code Usage.
  [[nodiscard]] virtual Expected<void> write(const std::string &name,
                                             const TensorView &value) = 0;
  /// The outputs of kind Probe of the last window.
  [[nodiscard]] virtual Expected<std::vector<NamedTensor>> probes() const = 0;

  /// Windows begun.
  virtual int64_t iteration() const = 0;
  /// Bytes held and planned.
  virtual MemoryReport memory() const = 0;
};

} // namespace ampc::rt

// What is behind a session: its executor, its variables, the results on their
// way. Private to runtime/api.
#pragma once

#include "runtime/api/ResultRing.h"
#include "runtime/api/Session.h"
#include "runtime/api/Variables.h"
#include "runtime/train/Evaluation.h"
#include "runtime/train/Windows.h"

#include <array>

namespace ampc::rt {

/// An entry with its ports, as a step needs them.
struct EntryState {
  bool present = false;
  size_t number = 0;
  std::vector<Port> inputs, outputs;
  std::optional<Port> fault; ///< the output after `outputs`
};

/// The variables whose values a result tells, in the executor's order; what a
/// plan lacks is nobody's.
enum class Watched : uint8_t { Iteration = 0, Update, Rate, Scale };
inline constexpr size_t kWatched = 4;

struct Session::Impl {
  Impl(Plan plan, const SessionOptions &options)
      : plan(std::move(plan)), options(options),
        allocator(options.memory_limit) {}

  EntryState &entry(EntryKind kind) {
    return entries[static_cast<size_t>(kind)];
  }
  const EntryState &entry(EntryKind kind) const {
    return entries[static_cast<size_t>(kind)];
  }
  /// The entry whose outputs are the step's results.
  EntryKind reporting() const {
    return accumulates ? EntryKind::ApplyStep : EntryKind::TrainStep;
  }
  /// The entry that has the step's probes.
  EntryKind probed() const {
    return accumulates ? EntryKind::MicroStep : EntryKind::TrainStep;
  }

  /// Opens the executor that the plan's target and the options name.
  Expected<void> openExecutor();
  /// Finds the entries, the results and the variables.
  Expected<void> prepare();

  /// Copies the batch into the entry's input buffers.
  Expected<void> feed(EntryKind kind, const Batch &batch, MicroBatch micro);
  /// Begins a run of an entry on `batch`, or on one of the micro-batches in it.
  /// An entry that checks what it computes is waited for: its fault is an
  /// error.
  Expected<Executor::Run> begin(EntryKind kind, const Batch &batch,
                                MicroBatch micro = {});
  /// The same, and waits.
  Expected<Executor::Run> run(EntryKind kind, const Batch &batch);
  /// Begins the entries of one step; the last of them.
  Expected<Executor::Run> window(const Batch &batch);
  /// Begins a step and notes that its result is to come.
  Expected<void> step(const Batch &batch);
  /// Lets the next micro-batch begin a window.
  Expected<void> abandonWindow();

  /// Takes the results of steps that are done into the ring, in order; with
  /// `all`, waits for every one of them.
  Expected<void> collect(bool all);
  /// Results not yet polled, those of steps under way included.
  size_t waiting() const { return ring->size() + underWay; }
  /// Writes the result of a step that is done into the ring.
  void record(const Executor::Run &run);
  /// Forgets every result.
  void dropResults();

  /// Value of a scalar output as the entry gave it.
  double output(const Executor::Run &run, const EntryState &entry,
                size_t index) const;
  /// What the probes of the step, or of its last micro-batch, tell.
  std::optional<Finding> firstNotFinite(const Executor::Run &run) const;
  /// A copy of output `index` of an entry.
  Expected<Tensor> outputCopy(const Executor::Run &run, const EntryState &entry,
                              size_t index) const;
  /// Runs an entry of numbers that writes no variable.
  Expected<void> numbers(EntryKind kind, const Batch &batch,
                         std::span<double> values);
  /// Runs eval_step on evaluation batch `index`.
  Expected<void> evalStep(const Batch &batch, uint64_t index,
                          std::span<double> values);
  /// What runs eval_step on batches as short as `batch`.
  Expected<EvalRun::Step> remainderStep(const Batch &batch);
  /// Takes the values of `other`'s variables of the same names.
  Expected<void> adopt(const Impl &other);
  /// The variable that random ops read, where the plan has it.
  uint64_t currentSeed() const {
    return uint64_t(variables->integer(state::kSeed, int64_t(seed)));
  }

  Plan plan;
  SessionOptions options;
  bool accumulates = plan.accumulates();
  const std::atomic<bool> *stop = nullptr; ///< between micro-batches
  Allocator allocator;
  std::unique_ptr<Executor> executor;
  std::optional<Variables> variables;
  std::array<EntryState, kEntryKinds> entries;
  /// Place of each watched variable among the executor's, if the plan has it.
  std::array<std::optional<size_t>, kWatched> watched;
  std::unique_ptr<ResultRing> ring;
  /// Steps begun whose results are not in the ring yet, oldest at `oldest`.
  std::array<Executor::Run, kRunsKept> runs;
  size_t oldest = 0, underWay = 0;
  uint64_t seed = 0;      ///< of a plan without a seed variable
  StepOutputs outputs;    ///< of a step
  ProbeReader probes{{}}; ///< of a step
  std::optional<Executor::Run> lastProbed; ///< the run that showed them last
  std::optional<Finding> finding;          ///< the first of the window
  std::optional<Error> fault; ///< of a window: no later one runs (N32)
  int64_t windows = 0;        ///< counted here for plans without counters
  int64_t lastUpdate = 0;     ///< to see whether a window was applied
  /// Of the last incomplete batch that was evaluated; made when it is needed.
  std::unique_ptr<Session> remainder;
};

} // namespace ampc::rt

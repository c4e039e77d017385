// A plan being trained or run: its variables, its buffers, its counters.
//
// Misuse is an error value, never a crash; nothing throws. One session is used
// by one thread at a time; several sessions by any threads (those on the CPU
// queue for the process's one thread pool).
#pragma once

#include "runtime/api/Plan.h"
#include "runtime/core/CpuFeatures.h"

#include <functional>
#include <memory>
#include <optional>

namespace ampc::rt {

/// How to open a session.
struct SessionOptions {
  /// Of initialisers and random ops; none: the plan's.
  std::optional<uint64_t> seed = std::nullopt;
  /// `auto`, `cpu` or `cuda[:N]`; the plan is compiled for one of the two,
  /// which `auto` takes (of CUDA `cuda:0`).
  std::string device = "auto";
  /// Threads of the process's pool, callers included; 0: as it stands, one per
  /// processor if nobody has set it. It is one pool: the last session to open
  /// with a number sets it.
  int threads = 0;
  /// Bytes of variables, arena, workspaces and batches on the device; 0: no
  /// limit.
  uint64_t memory_limit = 0;
  /// Hides what the processor can above this level (for tests).
  CpuLevel cpu_level_limit = CpuLevel::Amx;
  /// Folder of compiled CUDA kernels; empty: the user's own.
  std::string kernel_cache = {};
  /// Whether each entry is launched on a CUDA device as one graph; the bits are
  /// the same.
  bool cuda_graphs = true;
  /// Called with a line that the user should see: that the algorithms of matrix
  /// products are chosen anew, and why.
  std::function<void(const std::string &)> note = {};
  /// Gives a plan of the same model whose `eval_step` takes inputs as long as
  /// this batch's: a data set's last samples, which fill no batch. Empty, or an
  /// error: they are left out.
  std::function<Expected<Plan>(const Batch &)> plan_for = {};
};

/// Counts of a session.
struct SessionCounters {
  int64_t iteration = 0; ///< windows begun
  int64_t update = 0;    ///< windows applied
  int64_t micro = 0;     ///< position in the window
  uint64_t waiting = 0;  ///< results not yet taken by `poll`
};

/// Results a session keeps for `poll`.
inline constexpr size_t kResultRing = 256;

/// See the top of the file. Move-only; a session that was moved from answers
/// with errors.
class AMPC_API Session final : public Stepper {
public:
  /// Opens `plan`: loads its kernels, allocates everything a step will need,
  /// initialises the variables from the seed. Not enough memory: Code
  /// DoesNotFit; no device of the plan's kind: Code Environment.
  [[nodiscard]] static Expected<Session>
  open(const Plan &plan, const SessionOptions &options = {});

  Session(Session &&) noexcept;
  Session &operator=(Session &&) noexcept;
  ~Session() override;

  std::string model_name() const override;
  bool has_entry(EntryKind entry) const override;
  std::vector<Port> inputs(EntryKind entry) const override;
  std::vector<Port> outputs(EntryKind entry) const override;
  std::vector<std::string> extra_names() const override;

  /// Trains on one window. Every input of the step must be in `batch` with its
  /// type and shape, as many times as there are micro-batches; other names are
  /// passed over. A label or index out of range is Code BadInput, the state is
  /// as before the window, and later ones are refused with the same error until
  /// `load`. With 256 results waiting
  /// it is refused (Code Usage): `poll` takes them. On the CPU the work is done
  /// when it returns; on a CUDA device it is enqueued, unless the step checks
  /// what it computes. Allocates nothing of its own.
  [[nodiscard]] Expected<void> step(const Batch &batch) override;
  uint64_t accumulate() const override;
  void stop_at(const std::atomic<bool> *stop) override;
  [[nodiscard]] Expected<std::optional<StepResult>> poll() override;
  [[nodiscard]] Expected<void> sync() override;
  [[nodiscard]] Expected<std::vector<NamedTensor>>
  run(EntryKind entry, const Batch &batch) override;
  [[nodiscard]] Expected<EvalResult> eval(DataSource &data,
                                          uint64_t batches = 0) override;

  [[nodiscard]] Expected<void> save(const std::string &path,
                                    bool overwrite = false,
                                    const std::string &data = "") override;
  [[nodiscard]] Expected<void> load(const std::string &path) override;
  [[nodiscard]] Expected<void> load_weights(const std::string &path,
                                            bool partial = false) override;

  /// In the plan's order.
  [[nodiscard]] std::vector<std::string> variables() const override;
  [[nodiscard]] Expected<Tensor> read(const std::string &name) const override;
  [[nodiscard]] Expected<void> write(const std::string &name,
                                     const TensorView &value) override;
  [[nodiscard]] Expected<std::vector<NamedTensor>> probes() const override;

  /// Sets the base rate; the schedule multiplies it. Takes effect with the next
  /// step.
  [[nodiscard]] Expected<void> set_learning_rate(float rate);

  SessionCounters counters() const;
  int64_t iteration() const override;
  MemoryReport memory() const override;
  /// The seed in force.
  uint64_t seed() const;

private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace ampc::rt

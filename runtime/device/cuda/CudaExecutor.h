// Executes a plan on a CUDA device. Opening compiles or finds every kernel,
// chooses every product's algorithm, allocates every byte and captures each
// entry in a graph; running an entry enqueues one copy of its inputs, the
// graph, and one copy of its outputs, and waits for nothing.
//
// Inputs go through two host buffers an entry, so that the next batch is
// written while the device still reads the last. Those of a step go to the
// device on a stream of their own, to memory beside that which the step reads,
// while the step before is at work; where there is no room for that, behind it.
// Outputs come back with the
// watched variables behind them, to as many host buffers as runs are kept.
#pragma once

#include "runtime/device/Executor.h"
#include "runtime/device/cuda/Contraction.h"
#include "runtime/device/cuda/Kernels.h"
#include "runtime/device/cuda/Memory.h"

#include <array>
#include <memory>

namespace ampc::rt::cuda {

/// How to open a plan on a device.
struct CudaOptions {
  int device = 0;          ///< N of `cuda:N`
  bool graphs = true;      ///< launch each entry as one graph; same bits
  std::string cache = {};  ///< folder of compiled kernels; empty: the user's
  std::string tuning = {}; ///< the plan's tuning record; empty: none is kept
  TuningRecord::Note note = {};
};

class CudaExecutor final : public Executor {
public:
  /// Prepares every entry of `file`, which must outlive the executor. A device
  /// that is not there, older than the plan's target, or whose driver or
  /// libraries are missing: Code Environment. Memory over the allocator's limit
  /// or more than the device has left: Code DoesNotFit.
  [[nodiscard]] static Expected<std::unique_ptr<CudaExecutor>>
  create(const PlanFile &file, std::span<const size_t> watched,
         Allocator &allocator, const CudaOptions &options);
  ~CudaExecutor() override;

  Expected<std::byte *> input(size_t entry, size_t index) override;
  Expected<Run> begin(size_t entry) override;
  Expected<bool> isDone(const Run &run) override;
  Expected<void> wait(const Run &run) override;
  const std::byte *output(const Run &run, size_t index) const override;
  const std::byte *watched(const Run &run, size_t index) const override;
  Expected<void> look(size_t index, const Look &look) const override;
  Expected<void> fill(size_t index, const Fill &fill) override;
  uint64_t plannedBytes() const override;

  /// Whether every entry runs as a graph.
  bool usesGraphs() const;
  /// How many sources were compiled when it was opened, rather than found in
  /// the cache.
  size_t compiled() const { return kernels.compiled(); }
  /// How many products of all entries do the launch behind them too.
  size_t epilogues() const { return epiloguesTaken; }
  /// Seconds that each instruction of an entry takes on its own, the mean of
  /// `repeats`, each after the last: after a run, for its inputs to be there.
  /// What it leaves in variables has no meaning.
  [[nodiscard]] Expected<std::vector<double>>
  timeInstructions(size_t entry, int repeats) const;

private:
  enum class Kind : uint8_t { Launch, Contraction, Copy, Fill };
  struct Step {
    Kind kind;
    uint8_t width;     ///< of a fill's pattern: 1, 2 or 4
    uint32_t index;    ///< of a kernel or contraction
    unsigned blocks;   ///< of a launch
    void **parameters; ///< of a launch: the addresses of its arguments
    Address from, to;
    uint64_t bytes;
    uint32_t pattern;
    unsigned instruction; ///< of the entry, for messages
  };
  /// Places of an entry's ports in a block, padded, one after the other.
  struct Ports {
    std::vector<uint64_t> offsets;
    uint64_t begin = 0; ///< in the device's block
    uint64_t bytes = 0;
  };
  struct Entry {
    std::string name;
    Ports inputs, outputs; ///< the watched variables stand behind the outputs
    uint64_t watchedOffset = 0;
    std::vector<Step> steps;
    std::vector<Address> arguments; ///< of all launches, one after the other
    std::vector<void *> parameters; ///< their addresses
    Owned<GraphExec> graph;
    /// Host buffers of inputs, and when the device has read them.
    std::array<HostBlock, 2> given;
    std::array<Owned<Event>, 2> taken;
    size_t nextInput = 0;
    /// Where inputs arrive, none where there was no room, and when they have
    /// gone on from there.
    DeviceBlock arrived;
    Owned<Event> moved;
    bool isFree = false; ///< the next one was waited for
    /// Host buffers of outputs, and when they hold them.
    std::vector<HostBlock> results;
    std::vector<Owned<Event>> done;
    size_t nextResult = 0;
  };

  CudaExecutor(const PlanFile &file, std::span<const size_t> watched,
               std::unique_ptr<Context> context)
      : Executor(file, watched), context(std::move(context)) {}

  Expected<void> checkTarget() const;
  Expected<void> openBlas(const CudaOptions &options);
  Expected<void> makeStream(Owned<Stream> &to);
  Expected<void> makeEvent(Owned<Event> &to);
  /// Takes memory for inputs to arrive in, as far as there is room, within the
  /// budget that the plan was made for.
  Expected<void> allocateArrivals(Allocator &allocator);
  /// Enqueues the copy of an entry's inputs to where its steps read them.
  Result sendInputs(Entry &entry);
  uint64_t watchedBytes() const { return padded(8 * watchedVariables.size()); }
  /// Of the inputs and outputs of all entries, and the watched variables.
  uint64_t batchBytes() const;
  /// Where each port stands in its block.
  void layOutPorts();
  Expected<void> allocateBuffers(Allocator &allocator);
  Expected<void> makeHostBuffers(const fb::Entry &source, Entry &entry);
  Address address(const Entry &entry, const fb::Place &place) const;
  Expected<void> prepare(const fb::Entry &source, Entry &entry);
  unsigned blocksOf(const fb::Launch &op) const;
  void addLaunch(const fb::Launch &op, Entry &entry, Step step);
  ContractionSpec specificationOf(const fb::Contraction &op) const;
  Operands operandsOf(const Entry &entry, const fb::Contraction &op) const;
  /// Says whether the product does the launch `behind` it (or null) too.
  Expected<bool> addContraction(const fb::Contraction &op,
                                const fb::Launch *behind, Entry &entry,
                                Step step, const std::string &where);
  void addFill(Entry &entry, Step step, uint64_t pattern, unsigned width);
  /// Tries for each product that may do the launch behind it whether the
  /// library gives the same bits, and notes in the tuning record what is not
  /// there. Runs before anything else is allocated, in memory that it gives
  /// back: no more than what the session then has for the same tensors.
  Expected<void> tryEpilogues(Allocator &allocator);
  /// `places`: where the operands will stand in their blocks.
  Expected<void> tryEpilogue(const fb::Contraction &op,
                             const fb::Launch &behind, const Operands &places,
                             Allocator &allocator);
  /// `product` with the launch behind it, if that is known to give the same
  /// bits.
  std::optional<Contraction> withKnownEpilogue(const Contraction &product,
                                               const fb::Contraction &op,
                                               const fb::Launch &behind) const;
  /// Captures the entry's steps; leaves it without a graph where the driver
  /// does not capture them.
  void capture(Entry &entry);
  Expected<void> enqueue(const Entry &entry) const;
  Expected<void> enqueue(const Entry &entry, const Step &step) const;
  Expected<void> synchronize() const;
  /// Nothing where `result` is success; else the failure of `run`.
  Expected<void> reached(const Run &run, Result result);
  /// Notes the first failure after which nothing runs, and answers with it from
  /// then on.
  Expected<void> hold(Expected<void> done);

  std::unique_ptr<Context> context;
  Owned<Stream> stream, copies; ///< of steps; of their inputs
  Kernels kernels;
  Blas blas;
  TuningRecord tuning;
  DeviceBlock variables, constants, arena, batches, workspace;
  std::vector<Contraction> contractions;
  std::vector<Entry> entries;
  std::optional<Error> lost;
  uint64_t workspaceBytes = 0;
  size_t epiloguesTaken = 0;
};

} // namespace ampc::rt::cuda

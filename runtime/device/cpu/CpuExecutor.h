// Executes a plan on the CPU. Opening resolves every kernel, allocates every
// byte and writes every pointer table; running an entry then walks a list.
#pragma once

#include "runtime/core/CpuFeatures.h"
#include "runtime/device/Executor.h"
#include "runtime/device/cpu/Contraction.h"
#include "runtime/device/cpu/KernelObject.h"
#include "runtime/device/cpu/SliceLoop.h"

#include <memory>
#include <vector>

namespace ampc::rt {

class CpuExecutor final : public Executor {
public:
  /// Prepares every entry of `file`, which must outlive the executor, for the
  /// pool's present number of threads. A plan for instructions this processor
  /// (as seen by `features`) lacks: Code BadInput. Memory over the allocator's
  /// limit, or more than the system has: Code DoesNotFit.
  [[nodiscard]] static Expected<std::unique_ptr<CpuExecutor>>
  create(const PlanFile &file, std::span<const size_t> watched,
         Allocator &allocator, const CpuFeatures &features);

  Expected<std::byte *> input(size_t entry, size_t index) override {
    return entries[entry].inputs[index];
  }
  /// Waits for the pool if another session has it. A failing library: Code
  /// Environment.
  Expected<Run> begin(size_t entry) override;
  Expected<bool> isDone(const Run &) override { return true; }
  Expected<void> wait(const Run &) override { return {}; }
  const std::byte *output(const Run &run, size_t index) const override {
    return entries[run.entry].outputs[index];
  }
  const std::byte *watched(const Run &, size_t index) const override {
    return variable(watchedVariables[index]);
  }
  Expected<void> look(size_t index, const Look &look) const override {
    return look({variable(index), valueBytes(index)});
  }
  Expected<void> fill(size_t index, const Fill &fill) override {
    return fill({variable(index), valueBytes(index)});
  }
  uint64_t plannedBytes() const override;

private:
  enum class Kind : uint8_t { Launch, Contraction, Copy, Fill, Loop };
  struct Step {
    Kind kind;
    uint32_t index; ///< into `contractions` or `loops`
    KernelFunction kernel;
    int64_t tiles, grain; ///< of a launch; the least tiles of a call
    const void *const *args;
    const std::byte *a, *b, *init; ///< operands; `a`: a copy's source
    std::byte *to;
    uint64_t bytes, pattern;
    uint8_t width;
  };
  struct Entry {
    std::vector<std::byte *> inputs, outputs;
    std::vector<Step> steps;
    std::vector<const void *> args; ///< of all launches, one after the other
  };

  using Executor::Executor;
  std::byte *variable(size_t index) const {
    return variables.data() + variableOffset(index);
  }
  std::byte *address(const Entry &entry, const fb::Place &place) const;
  Expected<void> checkTarget(const CpuFeatures &features) const;
  Expected<void> loadKernels();
  Expected<void> allocateBuffers(Allocator &allocator);
  Expected<void> prepare(const fb::Entry &source, const CpuFeatures &features,
                         Entry &entry);

  KernelObject object;
  std::vector<KernelFunction> kernels;
  std::unique_ptr<MatmulCache> matmuls;
  std::vector<Contraction> contractions;
  std::vector<SliceLoop> loops;
  std::vector<Entry> entries;
  Block variables, arena, workspace, batches;
  uint64_t workspaceBytes = 0;
  int threads = 1;
};

} // namespace ampc::rt

// Executes a plan on the CPU. Opening resolves every kernel, allocates every
// byte and writes every pointer table; running an entry then walks a list and
// allocates nothing of its own.
#pragma once

#include "runtime/core/Allocator.h"
#include "runtime/core/CpuFeatures.h"
#include "runtime/device/cpu/Contraction.h"
#include "runtime/device/cpu/KernelObject.h"
#include "runtime/plan/PlanFile.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace ampc::rt {

class CpuExecutor {
public:
  /// Prepares every entry of `file`, which must outlive the executor, for the
  /// pool's present number of threads. A plan for another target, or for
  /// instructions this processor (as seen by `features`) lacks: Code BadInput.
  /// Memory over the allocator's limit, or more than the system has: Code
  /// DoesNotFit.
  [[nodiscard]] static Expected<std::unique_ptr<CpuExecutor>>
  create(const PlanFile &file, Allocator &allocator,
         const CpuFeatures &features);

  /// Number of the entry called `name`, if the plan has it.
  std::optional<size_t> entry(std::string_view name) const;

  /// Runs an entry from its input buffers to its output buffers; waits for the
  /// pool if another session has it. A failing library: Code Environment.
  [[nodiscard]] Expected<void> run(size_t entry);

  /// Bytes this plan needs by its own account: the variables, the largest
  /// arena, the buffers of inputs and outputs, the largest workspace. What the
  /// allocator counted is to agree.
  uint64_t plannedBytes() const;

  /// Bytes of variable `index` (of the plan's list).
  std::byte *variable(size_t index) const {
    return variables.data() + variableOffset(index);
  }
  /// Buffer of an entry's input.
  std::byte *input(size_t entry, size_t index) const {
    return entries[entry].inputs[index];
  }
  /// Buffer of an entry's output.
  std::byte *output(size_t entry, size_t index) const {
    return entries[entry].outputs[index];
  }

private:
  enum class Kind : uint8_t { Launch, Contraction, Copy, Fill };
  struct Step {
    Kind kind;
    uint32_t index; ///< into `contractions`
    KernelFunction kernel;
    int64_t tiles; ///< of a launch
    const void *const *args;
    const std::byte *a, *b; ///< operands; a copy's source
    std::byte *to;
    uint64_t bytes, pattern;
    uint8_t width;
  };
  struct Entry {
    std::vector<std::byte *> inputs, outputs;
    std::vector<Step> steps;
    std::vector<const void *> args; ///< of all launches, one after the other
  };

  explicit CpuExecutor(const PlanFile &file) : file(file) {}
  uint64_t variableOffset(size_t index) const;
  std::byte *address(const Entry &entry, const fb::Place &place) const;
  Expected<void> checkTarget(const CpuFeatures &features) const;
  Expected<void> loadKernels();
  /// Of the largest entry.
  uint64_t arenaBytes() const;
  /// Of the inputs and outputs of all entries, each padded to 64.
  uint64_t batchBytes() const;
  Expected<void> allocateBuffers(Allocator &allocator);
  Expected<void> prepare(const fb::Entry &source, const CpuFeatures &features,
                         Entry &entry);

  const PlanFile &file;
  KernelObject object;
  std::vector<KernelFunction> kernels;
  std::unique_ptr<MatmulCache> matmuls;
  std::vector<Contraction> contractions;
  std::vector<Entry> entries;
  Block variables, arena, workspace, batches;
  uint64_t workspaceBytes = 0;
  int threads = 1;
};

} // namespace ampc::rt

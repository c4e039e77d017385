// Executes a plan on one device: what a session asks of it, whatever the device
// is. Opening takes every byte a run needs; a run allocates nothing of its own.
//
// The host never sees a variable's bytes but through `look` and `fill`, and an
// entry's inputs and outputs but through host buffers: on the CPU those are the
// bytes the kernels use, elsewhere they are copied when a run begins and when
// it ends.
#pragma once

#include "runtime/core/Allocator.h"
#include "runtime/plan/PlanFile.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace ampc::rt {

/// Runs of an entry whose outputs the host can still look at: the outputs of a
/// run are lost when so many more of its entry have begun. Of an entry that
/// writes no variable only those of the last run are kept.
inline constexpr size_t kRunsKept = 4;

class Executor {
public:
  /// A run of an entry.
  struct Run {
    size_t entry = 0;
    size_t slot = 0; ///< of the runs kept
  };
  using Look = std::function<Expected<void>(std::span<const std::byte>)>;
  using Fill = std::function<Expected<void>(std::span<std::byte>)>;

  virtual ~Executor();

  /// Number of the entry called `name`, if the plan has it.
  std::optional<size_t> entry(std::string_view name) const;

  /// Where the next run of `entry` finds its input `index`: host memory that
  /// the caller fills before `begin`. May wait for an earlier run that still
  /// reads it.
  [[nodiscard]] virtual Expected<std::byte *> input(size_t entry,
                                                    size_t index) = 0;
  /// Begins a run of `entry` after all that was begun before. On the CPU it is
  /// done when this returns.
  [[nodiscard]] virtual Expected<Run> begin(size_t entry) = 0;
  /// Whether `run` is done, without waiting.
  [[nodiscard]] virtual Expected<bool> isDone(const Run &run) = 0;
  /// Waits until `run` is done.
  [[nodiscard]] virtual Expected<void> wait(const Run &run) = 0;

  /// What `run`, which is done, gave as output `index`.
  virtual const std::byte *output(const Run &run, size_t index) const = 0;
  /// The value that variable `watched()[index]` had when `run`, which is done,
  /// ended. Until the next run begins on the CPU.
  virtual const std::byte *watched(const Run &run, size_t index) const = 0;

  /// Hands the bytes of variable `index`, as all that was begun left them, to
  /// `look`.
  [[nodiscard]] virtual Expected<void> look(size_t index,
                                            const Look &look) const = 0;
  /// Hands `fill` bytes to write the whole new value of variable `index` to.
  [[nodiscard]] virtual Expected<void> fill(size_t index, const Fill &fill) = 0;

  /// Bytes this plan needs by its own account: the variables, the largest
  /// arena, the buffers of inputs and outputs, the largest workspace. What the
  /// allocator counted is to agree.
  virtual uint64_t plannedBytes() const = 0;

protected:
  /// Of `file`, which must outlive the executor. `watched` are the variables
  /// whose values a run keeps.
  Executor(const PlanFile &file, std::span<const size_t> watched)
      : file(file), watchedVariables(watched.begin(), watched.end()) {}

  uint64_t variableOffset(size_t index) const;
  /// Bytes of a variable's value: the plan may pad its place.
  size_t valueBytes(size_t index) const;
  /// Of the largest entry.
  uint64_t arenaBytes() const;
  /// Of the inputs and outputs of all entries, each padded to 64.
  uint64_t portBytes() const;

  const PlanFile &file;
  const std::vector<size_t> watchedVariables;
};

/// `bytes` padded to the alignment of buffers.
constexpr uint64_t padded(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

} // namespace ampc::rt

// A session's variables: where they stand, how they start, which are saved, and
// the copies that follow a write.
#pragma once

#include "runtime/device/cpu/Executor.h"
#include "runtime/train/Checkpoint.h"

#include <map>
#include <string>
#include <vector>

namespace ampc::rt {

/// Names the runtime knows; each may be absent from a plan.
namespace state {
inline constexpr const char *kIteration = "ampc.state/iteration";
inline constexpr const char *kUpdate = "ampc.state/update";
inline constexpr const char *kMicro = "ampc.state/micro";
inline constexpr const char *kSeed = "ampc.state/seed";
inline constexpr const char *kRate = "ampc.state/lr";
inline constexpr const char *kScale = "ampc.state/scale";
inline constexpr const char *kEvalIndex = "ampc.state/eval_index";
/// A 16-bit working copy of NAME is called so, then NAME.
inline constexpr std::string_view kCopyPrefix = "ampc.copy16/";
} // namespace state

class Variables {
public:
  /// Finds the variables of `file` in `executor`; both must outlive this. State
  /// variables of a wrong type, and 16-bit copies of nothing: Code BadInput.
  [[nodiscard]] static Expected<Variables> create(const PlanFile &file,
                                                  CpuExecutor &executor);

  /// Gives every variable its first value; the seed variable gets `seed`.
  [[nodiscard]] Expected<void> initialise(uint64_t seed);

  /// The variable called `name`, or null.
  const VariableSlot *find(std::string_view name) const;
  /// All, in the plan's order.
  const std::vector<VariableSlot> &all() const { return slots; }
  /// What a checkpoint holds: not copies, accumulators, rates, seed or the
  /// evaluation index.
  std::vector<VariableSlot> saved() const;
  /// What a weights file holds: the model's own.
  std::vector<VariableSlot> weights() const;

  /// Brings the 16-bit copies up to date after variables were written from
  /// outside.
  [[nodiscard]] Expected<void> refreshCopies();

  /// Value of an i64 scalar; `otherwise` where the plan has none of that name.
  int64_t integer(std::string_view name, int64_t otherwise) const;
  /// Sets an i64 scalar, if the plan has it.
  void setInteger(std::string_view name, int64_t value);

private:
  explicit Variables(const PlanFile &file) : file(&file) {}
  fb::Role role(size_t index) const;

  const PlanFile *file;
  std::vector<VariableSlot> slots;
  std::map<std::string, size_t, std::less<>> index;
};

} // namespace ampc::rt

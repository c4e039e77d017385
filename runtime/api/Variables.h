// A session's variables: where they stand, how they start, which are saved, and
// the copies that follow a write.
#pragma once

#include "runtime/device/cpu/Executor.h"
#include "runtime/train/Checkpoint.h"
#include "runtime/train/StepRules.h"

#include <map>
#include <string>
#include <vector>

namespace ampc::rt {

class Variables {
public:
  /// Finds the variables of `file` in `executor`; both must outlive this. State
  /// variables of a wrong type: Code BadInput.
  [[nodiscard]] static Expected<Variables> create(const PlanFile &file,
                                                  CpuExecutor &executor);

  /// Gives every variable its first value; the seed variable gets `seed`.
  [[nodiscard]] Expected<void> initialise(uint64_t seed);

  /// The variable called `name`, or null.
  const VariableSlot *find(std::string_view name) const;
  /// All, in the plan's order.
  const std::vector<VariableSlot> &all() const { return slots; }
  /// What a checkpoint holds; see `is_saved`.
  std::vector<VariableSlot> saved() const;
  /// What a weights file holds; see `is_weight`.
  std::vector<VariableSlot> weights() const;

  /// The variable that `slot` is the 16-bit copy of, or null.
  const VariableSlot *sourceOf(const VariableSlot &slot) const;
  /// Brings the 16-bit copies up to date after variables were written from
  /// outside; with `written`, only the copies of that one.
  [[nodiscard]] Expected<void>
  refreshCopies(const VariableSlot *written = nullptr);

  /// Value of an i64 scalar; `otherwise` where the plan has none of that name.
  int64_t integer(std::string_view name, int64_t otherwise) const;
  /// Sets an i64 scalar, if the plan has it.
  void setInteger(std::string_view name, int64_t value);

private:
  explicit Variables(const PlanFile &file) : file(&file) {}
  VariableRole role(size_t index) const;
  /// Index of the variable that variable `index` is the 16-bit copy of, or -1.
  int copyOf(size_t index) const;

  const PlanFile *file;
  std::vector<VariableSlot> slots;
  std::map<std::string, size_t, std::less<>> index;
};

} // namespace ampc::rt

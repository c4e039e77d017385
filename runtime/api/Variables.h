// A session's variables: what they are, how they start, which are saved, and
// the copies that follow a write. Their values stand in the executor's device.
#pragma once

#include "runtime/device/Executor.h"
#include "runtime/train/Checkpoint.h"
#include "runtime/train/StepRules.h"

#include <map>
#include <string>
#include <vector>

namespace ampc::rt {

class Variables final : public VariableStore {
public:
  /// The variables of `file` in `executor`; both must outlive this. State
  /// variables of a wrong type: Code BadInput.
  [[nodiscard]] static Expected<Variables> create(const PlanFile &file,
                                                  Executor &executor);

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

  Expected<void> look(const VariableSlot &slot,
                      const Look &look) const override {
    return executor->look(slot.number, look);
  }
  Expected<void> fill(const VariableSlot &slot, const Fill &fill) override {
    return executor->fill(slot.number, fill);
  }
  /// Copies the value of `slot` from `bytes`, which are as many.
  [[nodiscard]] Expected<void> write(const VariableSlot &slot,
                                     std::span<const std::byte> bytes);

  /// The variable that `slot` is the 16-bit copy of, or null.
  const VariableSlot *sourceOf(const VariableSlot &slot) const;
  /// Brings the 16-bit copies up to date after variables were written from
  /// outside; with `written`, only the copies of that one.
  [[nodiscard]] Expected<void>
  refreshCopies(const VariableSlot *written = nullptr);

  /// Value of an i64 scalar; `otherwise` where the plan has none of that name,
  /// or the device does not answer.
  int64_t integer(std::string_view name, int64_t otherwise) const;
  /// Sets an i64 scalar, if the plan has it.
  [[nodiscard]] Expected<void> setInteger(std::string_view name, int64_t value);

private:
  Variables(const PlanFile &file, Executor &executor)
      : file(&file), executor(&executor) {}
  VariableRole role(size_t index) const;
  Expected<void> startValue(const VariableSlot &slot, uint64_t seed,
                            std::span<std::byte> to) const;

  const PlanFile *file;
  Executor *executor;
  std::vector<VariableSlot> slots;
  std::map<std::string, size_t, std::less<>> index;
};

} // namespace ampc::rt

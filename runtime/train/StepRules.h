// What the names and roles of a plan mean to whatever trains: which outputs of
// a step are the loss, the rate and so on, and which variables a checkpoint
// holds. One rule for every stepper.
#pragma once

#include "runtime/plan/Export.h"
#include "runtime/train/Stepper.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ampc::rt {

/// Names of variables the runtime knows; each may be absent from a plan.
namespace state {
inline constexpr const char *kIteration = "ampc.state/iteration";
inline constexpr const char *kUpdate = "ampc.state/update";
inline constexpr const char *kMicro = "ampc.state/micro";
inline constexpr const char *kSeed = "ampc.state/seed";
inline constexpr const char *kRate = "ampc.state/lr";
inline constexpr const char *kScale = "ampc.state/scale";
inline constexpr const char *kEvalIndex = "ampc.state/eval_index";
inline constexpr const char *kMicros = "ampc.window/micros";
/// Of the 16-bit copies of parameters.
inline constexpr const char *kCopyPrefix = "ampc.copy16/";
} // namespace state

/// What a variable is for; numbers are those of `Role` in plan.fbs.
enum class VariableRole : uint8_t {
  Parameter = 0,
  Master,
  Copy16,
  Moment,
  Statistic,
  Accumulator,
  Scaler,
  Counter,
  Rate
};

/// Whether a checkpoint holds a variable: not copies, accumulators, rates, the
/// seed (it stands beside them) or the evaluation index.
AMPC_API bool is_saved(VariableRole role, std::string_view name);
/// Whether a weights file holds it: saved, and the model's own.
AMPC_API bool is_weight(VariableRole role, std::string_view name);

/// Which outputs of a step are what, by index into its ports.
struct StepOutputs {
  /// Losses; their sum is what is trained, and the loss of the step.
  std::vector<size_t> losses;
  std::optional<size_t> applied;   ///< `ampc.applied`: 0 for a skipped window
  std::optional<size_t> rate;      ///< `ampc.lr`
  std::optional<size_t> grad_norm; ///< `ampc.grad_norm`
  std::optional<size_t> at_floor;  ///< `ampc.at_floor`
  /// The losses where there are several, metrics, and their names.
  std::vector<size_t> extras;
  std::vector<std::string> extra_names;

  /// Fills what the outputs tell into `result`; `value(index)` is an output's
  /// value. What they do not tell stays. Allocates only where `result.extras`
  /// has not yet its size.
  template <class Value>
  void fill(StepResult &result, Value value) const {
    if (applied)
      result.applied = value(*applied) != 0;
    result.loss = 0.0f;
    for (size_t port : losses)
      result.loss += value(port);
    if (rate)
      result.lr = value(*rate);
    result.grad_norm =
        grad_norm ? std::optional<float>(value(*grad_norm)) : std::nullopt;
    result.at_floor = at_floor && value(*at_floor) != 0;
    result.extras.resize(extras.size());
    for (size_t i = 0; i < extras.size(); ++i)
      result.extras[i] = value(extras[i]);
  }
};

/// Sorts the outputs of a step. A loss or metric of an 8-bit float type:
/// Code BadInput at `where`.
[[nodiscard]] AMPC_API Expected<StepOutputs>
classify_outputs(std::span<const Port> ports, const std::string &where);

} // namespace ampc::rt

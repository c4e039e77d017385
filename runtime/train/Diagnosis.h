// Why a window was left out: the op that overflows, and the loss scale at which
// it would not (N26).
#pragma once

#include "runtime/train/Stepper.h"

namespace ampc::rt {

/// The first value of a window that is not finite.
struct Diagnosis {
  Finding finding;
  std::optional<float> scale; ///< of the loss, where it is a variable
  /// `scale` halved as often as it takes for every value of the window to be
  /// finite; none: at any scale one is not.
  std::optional<float> fits;
};

/// Runs the last window of `stepper` again in `checked`, the same model with
/// finite checks of all its ops, on `batch`; with a loss scale also at lower
/// ones. `stepper` stays as it is. Nothing where every value is finite.
[[nodiscard]] AMPC_API Expected<std::optional<Diagnosis>>
diagnose(const Stepper &stepper, Stepper &checked, const Batch &batch);

/// `linear (fc1) gives inf, ...; it overflows at loss scale 65536, fits at
/// 1024`.
AMPC_API std::string text_of(const Diagnosis &diagnosis);

/// Gives `to` the variables of `from`, which has them all.
[[nodiscard]] AMPC_API Expected<void> copy_state(const Stepper &from,
                                                 Stepper &to);

} // namespace ampc::rt

// What a precision makes of the values of one training step: how far they
// reach, what of it the format holds, and how far they are from those of f32.
#pragma once

#include "tools/libampc/Compile.h"

#include <map>

namespace ampc {

/// Where the magnitudes of a tensor lie.
struct ExponentHistogram {
  std::map<int, uint64_t> counts; ///< elements by floor(log2 |x|)
  uint64_t zeros = 0, not_finite = 0, elements = 0;

  /// Share of the elements, zeros and what is not finite aside, below `limit`.
  double below(double limit) const;
  /// Share of all elements at or above `limit`, infinities and NaN included.
  /// Both limits are powers of two.
  double from(double limit) const;
};

/// One value of the step.
struct ReportedValue {
  std::string op, path; ///< as `rt::Probe`
  std::string where;    ///< its place in the model, or empty
  std::string type;     ///< `f16[32, 8]`
  bool backward = false;
  /// Of the f32 run's value, gradients scaled as the step's are: what the
  /// format was asked to hold. Of the step's own value where `error` is
  /// missing.
  ExponentHistogram histogram;
  /// |value - f32 value| / |f32 value|, Euclidean norms over all elements;
  /// nothing where the f32 run has no such value.
  std::optional<double> error;
};

/// A training step in one precision beside the same step in f32.
struct PrecisionReport {
  std::string model, precision;
  int64_t window = 0;         ///< of the run, from 1
  std::optional<float> scale; ///< of the loss, where it is a variable
  double loss = 0, f32_loss = 0;
  std::vector<ReportedValue> values; ///< in the order of the step
};

/// Runs the window that `stepper` would run next on `batch`, as compiled by
/// `options` and again in f32, from its state; `stepper` stays as it is. What
/// one call of the model hands to another is reported (`amp-probe-values`,
/// boundary).
[[nodiscard]] AMPC_API rt::Expected<PrecisionReport>
precision_report(const Model &model, const CompileOptions &options,
                 const rt::Stepper &stepper, const rt::Batch &batch);

/// One HTML page that needs nothing beside itself.
AMPC_API std::string to_html(const PrecisionReport &report);

} // namespace ampc

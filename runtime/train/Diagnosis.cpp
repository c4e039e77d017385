// Runs a window again to see where it overflows.
#include "runtime/train/Diagnosis.h"

#include "runtime/train/StepRules.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ampc::rt {

namespace {

/// Halvings of the scale after which a gradient that overflows still is one of
/// the model, not of the scale: f16 spans 40 powers of two, f32 254.
constexpr int kMostHalvings = 64;
/// Doublings that take back what one window lowers the scale by.
constexpr int kMostDoublings = 8;

bool has(const Stepper &stepper, const char *name) {
  std::vector<std::string> names = stepper.variables();
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Writes a scalar variable, if `stepper` has it.
template <class Number>
Expected<void> set(Stepper &stepper, const char *name, DType type,
                   Number value) {
  if (!has(stepper, name))
    return {};
  return stepper.write(name,
                       {type, {}, std::as_bytes(std::span(&value, size_t(1)))});
}

/// One window of `checked` from the state of `stepper` before its last one.
Expected<std::optional<Finding>> rerun(const Stepper &stepper, Stepper &checked,
                                       const Batch &batch,
                                       std::optional<float> scale) {
  AMPC_TRY(copy_state(stepper, checked));
  AMPC_TRY(set(checked, state::kIteration, DType::I64,
               std::max<int64_t>(stepper.iteration() - 1, 0)));
  if (scale)
    AMPC_TRY(set(checked, state::kScale, DType::F32, *scale));
  AMPC_TRY(checked.step(batch));
  AMPC_TRY(checked.sync());
  AMPC_ASSIGN(std::optional<StepResult> result, checked.poll());
  return result ? result->finding : std::nullopt;
}

} // namespace

Expected<void> copy_state(const Stepper &from, Stepper &to) {
  for (const std::string &name : to.variables()) {
    if (name.starts_with(state::kCopyPrefix))
      continue; // it follows its parameter
    AMPC_ASSIGN(Tensor value, from.read(name));
    AMPC_TRY(to.write(name, value.view()));
  }
  return {};
}

Expected<std::optional<Diagnosis>>
diagnose(const Stepper &stepper, Stepper &checked, const Batch &batch) {
  Diagnosis diagnosis;
  if (has(stepper, state::kScale)) {
    AMPC_ASSIGN(Tensor scale, stepper.read(state::kScale));
    diagnosis.scale = *reinterpret_cast<const float *>(scale.bytes().data());
  }
  AMPC_ASSIGN(std::optional<Finding> found,
              rerun(stepper, checked, batch, diagnosis.scale));
  // The window itself may have lowered the scale that it ran with.
  for (int i = 0; !found && diagnosis.scale && i < kMostDoublings; ++i) {
    *diagnosis.scale *= 2;
    AMPC_ASSIGN(found, rerun(stepper, checked, batch, diagnosis.scale));
  }
  if (!found)
    return std::nullopt;
  diagnosis.finding = std::move(*found);
  if (!diagnosis.scale)
    return diagnosis;
  auto fitsAt = [&](int halvings) -> Expected<bool> {
    AMPC_ASSIGN(std::optional<Finding> finding,
                rerun(stepper, checked, batch,
                      std::ldexp(*diagnosis.scale, -halvings)));
    return !finding;
  };
  AMPC_ASSIGN(bool fits, fitsAt(kMostHalvings));
  if (!fits)
    return diagnosis;
  int bad = 0, good = kMostHalvings;
  while (good - bad > 1) {
    int middle = (bad + good) / 2;
    AMPC_ASSIGN(bool isGood, fitsAt(middle));
    (isGood ? good : bad) = middle;
  }
  diagnosis.fits = std::ldexp(*diagnosis.scale, -good);
  return diagnosis;
}

std::string text_of(const Diagnosis &diagnosis) {
  std::string text = diagnosis.finding.text;
  if (!diagnosis.scale)
    return text;
  if (!diagnosis.fits)
    return text + "; it does at any loss scale";
  return text + fmt::format("; it overflows at loss scale {}, fits at {}",
                            *diagnosis.scale, *diagnosis.fits);
}

} // namespace ampc::rt

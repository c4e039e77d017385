// Compares the values of a step with those of f32; see PrecisionReport.h.
#include "tools/libampc/PrecisionReport.h"

#include "passes/precision/Policy.h"
#include "runtime/train/Diagnosis.h"
#include "runtime/train/StepRules.h"
#include "tools/libampc/Lower.h"
#include "tools/libampc/Target.h"

#include <cmath>
#include <fmt/format.h>

namespace ampc {

namespace {

/// A value that a step showed.
struct Shown {
  rt::Probe probe;
  std::string where;
  std::vector<double> elements;
};

/// One step and what it showed.
struct ShownStep {
  std::vector<Shown> values;
  double loss = 0;
  std::optional<float> scale;
};

rt::Expected<std::vector<double>> elementsOf(const rt::Tensor &tensor) {
  std::vector<double> elements(tensor.count());
  AMPC_TRY(rt::convert(tensor.dtype(), tensor.bytes().data(), rt::DType::F64,
                       reinterpret_cast<std::byte *>(elements.data()),
                       elements.size()));
  return elements;
}

/// Compiles the step so that it shows its values, and runs it from the state of
/// `from`.
rt::Expected<ShownStep> runShown(const Model &model, CompileOptions options,
                                 const rt::Stepper &from,
                                 const rt::Batch &batch) {
  options.entries = {"train_step"};
  options.finite_checks = "boundary";
  options.show_values = true;
  options.dump = {};
  options.remark = {};
  options.time = {};
  AMPC_ASSIGN(OpenedModel opened, open_stepper(model, options));
  rt::Stepper &stepper = *opened.stepper;
  AMPC_TRY(rt::copy_state(from, stepper));
  ShownStep step;
  for (const std::string &name : stepper.variables())
    if (name == rt::state::kScale) {
      AMPC_ASSIGN(rt::Tensor scale, stepper.read(name));
      AMPC_ASSIGN(std::vector<double> value, elementsOf(scale));
      step.scale = static_cast<float>(value.front());
    }
  AMPC_TRY(stepper.step(batch));
  AMPC_TRY(stepper.sync());
  AMPC_ASSIGN(std::optional<rt::StepResult> result, stepper.poll());
  step.loss = result ? result->loss : 0;
  AMPC_ASSIGN(std::vector<rt::NamedTensor> tensors, stepper.probes());
  size_t next = 0;
  for (const rt::Port &port : stepper.outputs(rt::EntryKind::TrainStep)) {
    if (!port.probe)
      continue;
    AMPC_ASSIGN(std::vector<double> elements,
                elementsOf(tensors[next++].tensor));
    step.values.push_back({*port.probe, port.where, std::move(elements)});
  }
  return step;
}

/// Names every value by what it is, with a number where several are alike.
class Keys {
public:
  std::string of(const Shown &value) {
    std::string key =
        fmt::format("{} {} {} {}", value.probe.op, value.probe.path,
                    value.where, value.probe.backward);
    return fmt::format("{} {}", key, seen[key]++);
  }

private:
  std::map<std::string, int> seen;
};

ExponentHistogram histogramOf(const std::vector<double> &elements) {
  ExponentHistogram histogram;
  histogram.elements = elements.size();
  constexpr int kLeast = -1074; // of f64, subnormal numbers included
  std::vector<uint64_t> counts(1024 - kLeast);
  for (double value : elements) {
    if (!std::isfinite(value))
      ++histogram.not_finite;
    else if (value == 0)
      ++histogram.zeros;
    else
      ++counts[size_t(std::ilogb(value) - kLeast)];
  }
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i])
      histogram.counts[int(i) + kLeast] = counts[i];
  return histogram;
}

/// The distance of `elements` from `exact`, over the size of that.
double relativeError(const std::vector<double> &elements,
                     const std::vector<double> &exact) {
  double distance = 0, size = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    double difference = elements[i] - exact[i];
    distance += difference * difference;
    size += exact[i] * exact[i];
  }
  if (size == 0)
    return distance == 0 ? 0 : INFINITY;
  return std::sqrt(distance / size);
}

/// The format of the policy; what auto chooses on the target.
std::string formatOf(const Model &model, const CompileOptions &options) {
  Model::Impl &impl = model.impl();
  std::string precision = precisionOf(*impl.module, options);
  std::optional<Policy> policy =
      policyFor(precision, targetFor(impl.context, options), &impl.context);
  return policy && policy->narrow ? policy->format.str() : "f32";
}

} // namespace

double ExponentHistogram::below(double limit) const {
  uint64_t count = 0, all = 0;
  for (auto [exponent, elements] : counts) {
    all += elements;
    count += exponent < std::ilogb(limit) ? elements : 0;
  }
  return all ? double(count) / double(all) : 0;
}

double ExponentHistogram::from(double limit) const {
  uint64_t count = not_finite;
  for (auto [exponent, number] : counts)
    count += exponent >= std::ilogb(limit) ? number : 0;
  return elements ? double(count) / double(elements) : 0;
}

rt::Expected<PrecisionReport> precision_report(const Model &model,
                                               const CompileOptions &options,
                                               const rt::Stepper &stepper,
                                               const rt::Batch &batch) {
  AMPC_TRY(model.read());
  CompileOptions wide = options;
  wide.precision = "f32";
  AMPC_ASSIGN(ShownStep own, runShown(model, options, stepper, batch));
  // Gradients are compared at one scale.
  wide.scale_loss = own.scale.has_value();
  AMPC_ASSIGN(ShownStep exact, runShown(model, wide, stepper, batch));
  std::map<std::string, const Shown *> byKey;
  Keys exactKeys, ownKeys;
  for (const Shown &value : exact.values)
    byKey[exactKeys.of(value)] = &value;

  PrecisionReport report;
  report.model = stepper.model_name();
  if (stepper.accumulate() > 1) // what is shown is that of a window's last run
    report.model += ", the last micro-batch of a window";
  report.precision = formatOf(model, options);
  report.window = stepper.iteration() + 1;
  report.scale = own.scale;
  report.loss = own.loss;
  report.f32_loss = exact.loss;
  for (const Shown &value : own.values) {
    if (value.probe.path.starts_with("ampc.")) // the state of the training
      continue;
    ReportedValue line{value.probe.op,
                       value.probe.path,
                       value.where,
                       rt::typeText(value.probe.dtype, value.probe.shape),
                       value.probe.backward,
                       {},
                       std::nullopt};
    auto found = byKey.find(ownKeys.of(value));
    bool matches =
        found != byKey.end() && found->second->probe.shape == value.probe.shape;
    if (matches)
      line.error = relativeError(value.elements, found->second->elements);
    line.histogram =
        histogramOf(matches ? found->second->elements : value.elements);
    report.values.push_back(std::move(line));
  }
  return report;
}

} // namespace ampc

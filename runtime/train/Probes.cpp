// Reads probes.
#include "runtime/train/Probes.h"

#include <cmath>
#include <fmt/format.h>

namespace ampc::rt {

namespace {

/// `'x'`, `variable 'fc1.weight'`, `linear (fc1)`.
std::string nameOf(const Probe &probe) {
  if (probe.op == "input")
    return fmt::format("input '{}'", probe.path);
  if (probe.op == "read")
    return fmt::format("variable '{}'", probe.path);
  if (probe.op == "gradient")
    return fmt::format("the gradient of '{}'", probe.path);
  bool isNamed = !probe.path.empty() && probe.path != probe.op;
  std::string call = isNamed ? fmt::format(" ({})", probe.path) : "";
  return fmt::format("{}{}{}", probe.op, call,
                     probe.backward ? " of the backward pass" : "");
}

bool isGiven(const Probe &probe) {
  return probe.op == "input" || probe.op == "read";
}

/// What is not finite in `range`.
const char *faultOf(const ProbeReader::Range &range) {
  if (std::isnan(range[0]) || std::isnan(range[1]))
    return "nan";
  return range[1] == INFINITY ? "inf" : "-inf";
}

bool isBad(const Probe &probe, const ProbeReader::Range &range) {
  if (probe.infinite)
    return std::isnan(range[0]) || std::isnan(range[1]);
  return !std::isfinite(range[0]) || !std::isfinite(range[1]);
}

} // namespace

ProbeReader::ProbeReader(std::span<const Port> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Port &port = outputs[i];
    if (!port.probe)
      continue;
    // Values that show themselves have other shapes than a range.
    if (port.shape != std::vector<int64_t>{2} ||
        (port.dtype != DType::F32 && port.dtype != DType::F64)) {
      probes.clear();
      return;
    }
    probes.push_back({i, port});
  }
}

std::string ProbeReader::describe(const Item &item, const Range &range) const {
  const Probe &probe = *item.port.probe;
  return fmt::format("{} {} {}, {}", nameOf(probe),
                     isGiven(probe) ? "holds" : "gives", faultOf(range),
                     typeText(probe.dtype, probe.shape));
}

std::optional<Finding> ProbeReader::first_not_finite(
    const std::function<Range(size_t)> &rangeAt) const {
  for (const Item &item : probes) {
    Range range = rangeAt(item.output);
    if (!isBad(*item.port.probe, range))
      continue;
    Finding finding{item.port.where, describe(item, range)};
    const char *separator = "; made of ";
    for (uint32_t input : item.port.probe->inputs) {
      const Item &source = probes[input];
      Range given = rangeAt(source.output);
      finding.text +=
          fmt::format("{}{} in [{:.4g}, {:.4g}]", separator,
                      nameOf(*source.port.probe), given[0], given[1]);
      separator = ", ";
    }
    return finding;
  }
  return std::nullopt;
}

} // namespace ampc::rt

// The rules of outputs and variables.
#include "runtime/train/StepRules.h"

#include "runtime/train/Checkpoint.h"

#include <fmt/format.h>

namespace ampc::rt {

bool is_saved(VariableRole role, std::string_view name) {
  return role != VariableRole::Copy16 && role != VariableRole::Accumulator &&
         role != VariableRole::Rate && name != state::kSeed &&
         name != state::kEvalIndex;
}

bool is_weight(VariableRole role, std::string_view name) {
  return is_saved(role, name) && !name.starts_with(kStatePrefix);
}

Expected<StepOutputs> classify_outputs(std::span<const Port> ports,
                                       const std::string &where) {
  StepOutputs outputs;
  for (size_t i = 0; i < ports.size(); ++i) {
    const Port &port = ports[i];
    if (port.kind != PortKind::Loss && port.kind != PortKind::Metric)
      continue;
    if (sizeOf(port.dtype) == 1 && info(port.dtype).isFloat)
      return fail(
          Code::BadInput, where,
          fmt::format("output '{}' is of {}", port.name, name_of(port.dtype)));
    if (port.name == "ampc.applied")
      outputs.applied = i;
    else if (port.name == "ampc.lr")
      outputs.rate = i;
    else if (port.name == "ampc.grad_norm")
      outputs.grad_norm = i;
    else if (port.name == "ampc.at_floor")
      outputs.at_floor = i;
    else {
      if (port.kind == PortKind::Loss)
        outputs.losses.push_back(i);
      outputs.extras.push_back(i);
    }
  }
  // A single loss is the total, whatever its name.
  if (outputs.losses.size() == 1)
    std::erase(outputs.extras, outputs.losses[0]);
  for (size_t i : outputs.extras)
    outputs.extra_names.push_back(ports[i].name);
  return outputs;
}

} // namespace ampc::rt

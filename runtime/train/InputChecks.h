// Checks of what ops look up, before an entry writes anything (N11, N32).
#pragma once

#include "runtime/data/Batch.h"
#include "runtime/plan/Export.h"

#include <array>

namespace ampc::rt {

/// Refuses `value`, the tensor for `port`, where an element breaks one of the
/// port's checks: Code BadInput at the op's place in the model, with the
/// element, its position and the range. The tensor has the port's type and
/// shape. Allocates only for the message.
[[nodiscard]] AMPC_API Expected<void> check_input(const Port &port,
                                                  const TensorView &value);

/// What an entry says of the tensors that it computes: number of the check that
/// failed first, or -1, position of the element, and the element.
using FaultRecord = std::array<int64_t, 3>;

/// Refuses `record`, the value of `fault`, where a check failed: Code BadInput
/// as above. Allocates only for the message.
[[nodiscard]] AMPC_API Expected<void> check_fault(const Port &fault,
                                                  const FaultRecord &record);

/// What a stepper answers from window `iteration` on, whose batch was refused
/// with `error`: no later window may run as if it had been (N32).
AMPC_API Error fault_of(Error error, int64_t iteration);

} // namespace ampc::rt

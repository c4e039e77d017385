// Means over a data set: the sum of an entry's sums over the sum of their
// divisors.
#pragma once

#include "runtime/train/Stepper.h"

#include <functional>

namespace ampc::rt {

/// Runs `run` on the batches of `data` in order (`batches`; 0: one epoch) and
/// adds up. `run` gets a batch and its number and writes one value for each
/// loss or metric of `ports`, in their order.
[[nodiscard]] AMPC_API Expected<EvalResult>
evaluate(DataSource &data, uint64_t batches, std::span<const Port> ports,
         const std::function<Expected<void>(const Batch &, uint64_t,
                                            std::span<double>)> &run);

} // namespace ampc::rt

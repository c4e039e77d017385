// Whether a plan's memory can be had, asked before any of it is taken.
#pragma once

#include "runtime/core/Status.h"
#include "runtime/plan/PlanFile.h"

#include <cstdint>
#include <optional>

namespace ampc::rt {

/// Bytes of a plan's blocks, and the threads that each have scratch memory for
/// its loops over slices.
struct PlannedBytes {
  uint64_t variables = 0, arena = 0, batches = 0;
  int threads = 0;
};

/// Fails with Code DoesNotFit where `planned`, and the scratch memory of the
/// plan's loops on so many threads, is more than `available` bytes (nothing:
/// not known): at the place of the plan's largest tensor, which the
/// message names, with both numbers; `device`, where it is not empty, is where
/// they are available.
[[nodiscard]] Expected<void> checkFit(const PlanFile &file,
                                      const PlannedBytes &planned,
                                      std::optional<uint64_t> available,
                                      const std::string &device = "");

} // namespace ampc::rt

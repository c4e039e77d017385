// What memory the products of a plan need beside its arena, asked before there
// is a plan: a planner says what a session will obtain.
#pragma once

#include "runtime/core/Status.h"
#include "runtime/device/cpu/Contraction.h"
#include "runtime/plan/Export.h"

#include <span>

namespace ampc::rt {

/// A workspace, and the contraction that asks for that much.
struct ContractionWorkspace {
  uint64_t bytes = 0;
  int threads = 0;    ///< that share it
  size_t largest = 0; ///< index; of none where `bytes` is 0
};

/// The workspace that a session on this processor obtains for `contractions`
/// at `threads` threads (0: one per processor). It is what opening computes, by
/// the same code: the cut of a product depends on its shape alone, but the
/// library's share depends on the processor and the library's version. About
/// 30 us for each shape; nothing is compiled.
[[nodiscard]] AMPC_API Expected<ContractionWorkspace>
contraction_workspace(std::span<const ContractionSpec> contractions,
                      int threads);

} // namespace ampc::rt

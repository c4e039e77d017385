// What a session on a CUDA device obtains beside variables, arena, ports and
// the workspace of products.
#ifndef AMPC_TOOLS_LIBAMPC_DEVICEBUFFERS_H
#define AMPC_TOOLS_LIBAMPC_DEVICEBUFFERS_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// Bytes; all 0 for other targets.
struct DeviceBuffers {
  uint64_t constants = 0; ///< the plan's constant section
  uint64_t watched = 0;   ///< variables that come back behind outputs
  uint64_t total() const { return constants + watched; }
};

/// Of `module` in stage fused or placed.
DeviceBuffers deviceBuffersOf(mlir::ModuleOp module);

/// Bytes that a step's inputs arrive in while the step before runs, where
/// `others` bytes are taken already of `budget` (0: there is none). Entries for
/// which there is no room copy behind the step.
uint64_t arrivalBytes(mlir::ModuleOp module, uint64_t others, uint64_t budget);

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_DEVICEBUFFERS_H

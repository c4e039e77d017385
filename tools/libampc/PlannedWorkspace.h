// The workspace that products and loops over slices of a module take when it
// runs.
#ifndef AMPC_TOOLS_LIBAMPC_PLANNEDWORKSPACE_H
#define AMPC_TOOLS_LIBAMPC_PLANNEDWORKSPACE_H

#include "ir/dialect/Dialect.h"
#include "runtime/core/Status.h"

namespace ampc {

/// Bytes of a workspace, and the product or the loop over slices that asks for
/// that many.
struct PlannedWorkspace {
  uint64_t bytes = 0;
  int threads = 0;                    ///< that share it; 0: a device has it
  mlir::Operation *largest = nullptr; ///< null where nothing asks for any
};

/// The workspace of all entries of `module`, in stage fused or placed: what a
/// session obtains on this processor at `threads` threads (0: one per
/// processor), or on a CUDA device. It depends on shapes and element types, not
/// on where tensors stand.
rt::Expected<PlannedWorkspace> workspaceOf(mlir::ModuleOp module, int threads);

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_PLANNEDWORKSPACE_H

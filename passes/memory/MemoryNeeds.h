// Bytes that a module needs outside of its arenas.
#ifndef AMPC_PASSES_MEMORY_MEMORYNEEDS_H
#define AMPC_PASSES_MEMORY_MEMORYNEEDS_H

#include "mlir/IR/BuiltinOps.h"

namespace ampc {

/// Bytes of the block of all variables, as plans lay them out.
int64_t variableBytes(mlir::ModuleOp module);

/// Bytes of the buffers for the inputs and outputs of all entries, as the
/// runtime allocates them.
int64_t batchBytes(mlir::ModuleOp module);

/// Bytes of the largest arena of a module of stage placed: entries take turns
/// in one.
int64_t largestArena(mlir::ModuleOp module);

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_MEMORYNEEDS_H

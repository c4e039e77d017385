// A loop over slices without some of its results.
#ifndef AMPC_PASSES_MEMORY_PRUNELOOP_H
#define AMPC_PASSES_MEMORY_PRUNELOOP_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// Builds, at the builder's insertion point, a loop that gives the results
/// `kept` (ascending numbers) of `loop`, from `inputs` in the place of its
/// operands. Groups of the body stay whole. Discardable attributes come along.
amp::ForeachOp pruneLoop(mlir::OpBuilder &builder, amp::ForeachOp loop,
                         mlir::ValueRange inputs,
                         llvm::ArrayRef<unsigned> kept);

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_PRUNELOOP_H

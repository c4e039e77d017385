// Where the values of a loop over slices stand.
#ifndef AMPC_PASSES_MEMORY_PLACESLICES_H
#define AMPC_PASSES_MEMORY_PLACESLICES_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// Gives the values in the body of `loop` their places: what the body yields in
/// the slices of the results, the rest in the scratch memory of a thread, whose
/// bytes `amp.scratch_bytes` says. `constantOffset`: where a constant stands in
/// the plan's constant section.
void placeSlices(
    amp::ForeachOp loop,
    llvm::function_ref<int64_t(mlir::ElementsAttr)> constantOffset);

/// The bytes of scratch memory that a thread takes for `loop`, placed or not.
int64_t scratchBytes(amp::ForeachOp loop);

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_PLACESLICES_H

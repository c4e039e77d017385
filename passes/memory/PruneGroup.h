// A group without some of its results.
#ifndef AMPC_PASSES_MEMORY_PRUNEGROUP_H
#define AMPC_PASSES_MEMORY_PRUNEGROUP_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// Erases the ops of `body` that nothing uses, and its arguments without a use,
/// of which it tells the numbers, the last first.
void eraseUnused(mlir::Block &body, llvm::function_ref<void(unsigned)> erased);

/// Whether results of `group` may go: what remains is a group then.
bool isPrunable(amp::GroupOp group);

/// Builds, at the builder's insertion point, a group that gives the results
/// `kept` (ascending numbers) of `group` and computes nothing else, from
/// `inputs` in the place of its operands. No bit of a result changes: types say
/// where values are rounded (N3) and reductions carry their order (N10).
/// Discardable attributes come along.
amp::GroupOp pruneGroup(mlir::OpBuilder &builder, amp::GroupOp group,
                        mlir::ValueRange inputs, llvm::ArrayRef<unsigned> kept);

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_PRUNEGROUP_H

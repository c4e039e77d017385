// Which variable updates may overwrite the variable's bytes while they are
// computed.
#ifndef AMPC_PASSES_MEMORY_INPLACE_H
#define AMPC_PASSES_MEMORY_INPLACE_H

#include "passes/memory/LiveRanges.h"

namespace ampc {

/// Whether an update is in place, and if not what blocks it.
struct InPlaceDecision {
  bool allowed = false;
  std::string reason;
};

/// Whether `group` reads operand `operand` only at the element it is computing,
/// so that a result of the same type may share its bytes: a map over the
/// operand's shape, or the part of a row or column group that follows the
/// reduction.
bool readsPointwise(amp::GroupOp group, unsigned operand);

/// Decides whether the value of `write` may be computed into the variable's
/// bytes.
InPlaceDecision decideInPlace(amp::WriteOp write, const LiveRanges &ranges);

/// The position of each written variable after which its old bytes are gone.
llvm::StringMap<unsigned> clobberPositions(mlir::func::FuncOp func,
                                           const LiveRanges &ranges);

/// Copies to the arena every read whose value is needed after its variable's
/// bytes change.
void copyOutlivingReads(mlir::func::FuncOp func);

/// A map group that copies `value` to bytes of its own.
mlir::Value buildCopy(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value);

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_INPLACE_H

// Movements and lookups: elements of a group's operand read at indices that the
// body computes. A movement along the lanes is one vector load where its
// elements lie side by side, else a gather of lanes.
#ifndef AMPC_CODEGEN_KERNEL_GATHEREMITTER_H
#define AMPC_CODEGEN_KERNEL_GATHEREMITTER_H

#include "codegen/kernel/GroupSpace.h"

namespace ampc {

struct Point;

/// Whether `op` is a movement or a lookup.
bool isGather(mlir::Operation *op);

/// Whether dimensions `dim` and `next` of the result of `op` (all between have
/// extent 1) may be walked as one: the elements read are a linear function of
/// their joint index.
bool takesAsOne(mlir::Operation *op, int64_t dim, int64_t next);

/// The place of a movement or lookup in a body.
struct GatherSite {
  mlir::Operation *op;
  const AxisMap &map; ///< of its result
  /// The value of operand 1 of a lookup, a scalar where it does not vary along
  /// the lanes; null for movements.
  mlir::Value index;
  /// 1-D memref of operand i; null for those that are not read.
  llvm::SmallVector<mlir::Value> pointers;
};

/// The value of `site` at `point`, in compute form; a scalar where it does not
/// vary along the lanes. Reads no memory out of bounds.
mlir::Value emitGather(mlir::OpBuilder &builder, const GroupSpace &space,
                       const Point &point, const GatherSite &site);

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_GATHEREMITTER_H

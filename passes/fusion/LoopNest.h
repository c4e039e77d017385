// The loops an op or a group needs, and when two of them are one.
#ifndef AMPC_PASSES_FUSION_LOOPNEST_H
#define AMPC_PASSES_FUSION_LOOPNEST_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// The loops a group needs.
struct LoopNest {
  amp::GroupKind kind = amp::GroupKind::map;
  llvm::SmallVector<int64_t> space; // extents
  llvm::SmallVector<int64_t>
      reducedAxes; // axes of `space` that row and column groups reduce
  /// A product that nothing has joined: what makes its result of other extents,
  /// the last one kept, may bring its own space.
  bool isBareProduct = false;
  bool movesElements = false; // movements or lookups are among the ops
  bool isCostly = false; // functions, random numbers or lookups are among them

  /// What the reductions leave of the space.
  llvm::SmallVector<int64_t> keptSpace() const;
};

/// The kind of loops `op` needs; opaque where it is not fusible.
amp::FusionKind fusionKindOf(mlir::Operation *op);

/// The loop nest `op` needs when it stands alone.
LoopNest nestOfOne(mlir::Operation *op);

/// Whether the user reads the operand at other elements than its loop is at, so
/// that the value must stand in memory before.
bool isReadElsewhere(mlir::OpOperand &use);

/// One nest for the ops of both; why there is none in `reason` otherwise.
std::optional<LoopNest> joinNests(const LoopNest &a, const LoopNest &b,
                                  llvm::StringRef &reason);

/// Whether a loop over `nest` has `root`'s elements when it needs those of
/// `operand`, which broadcasts, views and casts make of it: at the same point,
/// or brought back over the row that they were reduced of.
bool isAtHand(mlir::Value operand, mlir::Value root, const LoopNest &nest);

/// Whether `operand` is `root` brought back over the space by broadcasts.
bool isSpread(mlir::Value operand, mlir::Value root);

/// Whether the kernel of `nest` has so few points of its own, each of them
/// long, that most threads would wait.
bool hasFewPoints(const LoopNest &nest);

/// Whether a row of `nest` is longer than what its kernel keeps of a row
/// between two passes over it.
bool hasLongRows(const LoopNest &nest);

} // namespace ampc

#endif // AMPC_PASSES_FUSION_LOOPNEST_H

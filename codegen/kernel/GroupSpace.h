// How the values of a group's body lie over its iteration space.
//
// Axes of extent 1 are left out. Every other axis of the space is an axis, and
// adjacent axes that every value takes or leaves together are joined into one
// *loop axis*: a bias add over [256, 4096] has two, an optimizer update of a
// matrix has one.
#ifndef AMPC_CODEGEN_KERNEL_GROUPSPACE_H
#define AMPC_CODEGEN_KERNEL_GROUPSPACE_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// A set of axes, one bit an axis.
using AxisSet = uint64_t;

/// Where a value of the body stands over the axes of the space.
struct AxisMap {
  /// The axis of each dimension, -1 for a dimension of extent 1. Meaningless
  /// when `flat`.
  llvm::SmallVector<int64_t, 4> dims;
  /// A reshape lies between value and space: the value's row-major order is
  /// that of the axes it covers, but its dimensions are not theirs.
  bool flat = false;
  /// The axes the value varies along.
  AxisSet covered = 0;

  bool operator<(const AxisMap &other) const {
    return std::tie(covered, flat, dims) <
           std::tie(other.covered, other.flat, other.dims);
  }
  bool operator==(const AxisMap &other) const = default;
};

/// The iteration space of one group. Built once; knows nothing of loops.
class GroupSpace {
public:
  /// Analyses the body. A body whose values cannot be placed over the space is
  /// an error at the op.
  static llvm::FailureOr<GroupSpace> create(amp::GroupOp group);

  /// Extents of the loop axes.
  llvm::ArrayRef<int64_t> extents() const { return loopExtents; }
  /// The loop axes that `axes` cover.
  AxisSet loopAxes(AxisSet axes) const;
  /// The loop axes that reductions remove (0 for a map).
  AxisSet reducedLoopAxes() const { return loopAxes(reduced); }
  /// Product of the extents of loop axes `loops`.
  int64_t count(AxisSet loops) const;

  /// The map of the i-th result of the group.
  const AxisMap &resultMap(unsigned i) const { return results[i]; }
  /// Every map by which the body reads block argument `i`.
  llvm::ArrayRef<AxisMap> argumentMaps(unsigned i) const {
    return arguments[i];
  }
  /// Whether the body reads block argument `i` at elements that it computes.
  bool isReadElsewhere(unsigned i) const { return readElsewhere[i]; }
  /// The loop axis of axis `axis`, which is not of extent 1.
  int64_t loopOf(int64_t axis) const { return loopOfAxis[axis]; }
  /// Whether `axis` is the last one of its loop axis.
  bool endsLoop(int64_t axis) const;
  /// Map of operand `i` of `op` when the op's result has `map`.
  llvm::FailureOr<AxisMap> operandMap(mlir::Operation *op, unsigned i,
                                      const AxisMap &map) const;
  /// The map of a value that has the space's own shape.
  AxisMap fullMap() const;
  /// The map of a reduction's result.
  AxisMap keptMap() const;

private:
  AxisMap mapOf(llvm::ArrayRef<int64_t> dimAxes,
                llvm::ArrayRef<int64_t> shape) const;
  void findReducedAxes(amp::GroupOp group);
  llvm::LogicalResult traceUses(amp::GroupOp group);
  /// Keeps axes apart that the movement or lookup `op`, whose result has `map`,
  /// does not take as one.
  llvm::LogicalResult splitAxes(mlir::Operation *op, const AxisMap &map);
  void joinAxes();

  llvm::SmallVector<int64_t> shape; ///< the group's space
  llvm::SmallVector<int64_t>
      keptDims; ///< dimensions of the space that reductions keep
  AxisSet reduced = 0;
  llvm::SmallVector<AxisMap> results;
  llvm::SmallVector<llvm::SmallVector<AxisMap, 1>> arguments;
  llvm::SmallVector<bool> readElsewhere; ///< per block argument
  llvm::SmallVector<AxisSet> uses; ///< sets that loop axes may not straddle
  llvm::SmallVector<int64_t> loopExtents;
  llvm::SmallVector<int64_t>
      loopOfAxis; ///< per dimension of the space, -1 for extent 1
};

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_GROUPSPACE_H

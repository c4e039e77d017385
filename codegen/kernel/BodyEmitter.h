// The values of a group's body at one point of its loops, as scalars or as
// vectors along the innermost loop axes (the lanes). Narrow floats are held as
// the f32 that equals them: each op computes in f32 and rounds once to its
// result type (N3).
#ifndef AMPC_CODEGEN_KERNEL_BODYEMITTER_H
#define AMPC_CODEGEN_KERNEL_BODYEMITTER_H

#include "codegen/kernel/GroupArguments.h"
#include "codegen/kernel/GroupSpace.h"

#include <map>

namespace ampc {

/// A place of the loops: coordinates of the loop axes that are not lanes, and
/// the lanes.
struct Point {
  /// One coordinate (index) a loop axis; null for lane axes.
  llvm::SmallVector<mlir::Value> coordinates;
  /// Loop axes that the lanes run over, the innermost ones; 0 outside vectors.
  AxisSet laneAxes = 0;
  /// Linear index of lane 0 over the lane axes.
  mlir::Value laneBase;
  /// Number of lanes.
  int64_t lanes = 1;
};

/// Emits body values on demand. A value that does not vary along the lanes is a
/// scalar.
class BodyEmitter {
public:
  /// `pointers[i]` is the 1-D memref of kernel argument i; those after the
  /// arguments hold the group's site words.
  BodyEmitter(amp::GroupOp group, const GroupSpace &space,
              llvm::ArrayRef<KernelArgument> arguments,
              mlir::ValueRange pointers);

  /// Starts a new point; what was computed for the last one is forgotten.
  void moveTo(Point point);
  /// The value of `op`, a reduction or a product, at the following points, in
  /// compute form.
  void setComplete(mlir::Operation *op, mlir::Value value) {
    completeValues[op] = value;
  }

  /// Keeps `value`, which has the space's shape, in `scratch` from `base` on
  /// (null: from its start), one element a lane index: the pass that first
  /// computes it stores it, later ones load it.
  void keep(mlir::Value value, mlir::Value scratch, mlir::Value base = {}) {
    keptValues[value] = {scratch, base, Kept::State::absent};
  }
  /// What the pass computed of the kept values is in memory now.
  void endPass();

  /// `value` at the point under `map`, in compute form (computeTypeFor its
  /// element type; i1 as i1).
  llvm::FailureOr<mlir::Value> compute(mlir::OpBuilder &builder,
                                       mlir::Value value, const AxisMap &map);
  /// Computes the given results of the group, then stores them at the point: an
  /// operand may share the bytes of any of them.
  llvm::LogicalResult storeResults(mlir::OpBuilder &builder,
                                   llvm::ArrayRef<unsigned> numbers);

  const GroupSpace &iterationSpace() const { return space; }
  /// The memory of the group's operand `i`.
  mlir::Value pointerOf(unsigned i) const { return operandPointers[i]; }
  mlir::Value resultPointerOf(unsigned i) const { return resultPointers[i]; }

private:
  mlir::Value load(mlir::OpBuilder &builder, mlir::BlockArgument argument,
                   const AxisMap &map);
  /// Index of the value's element at the point (of lane 0 when the lanes are
  /// contiguous).
  mlir::Value offset(mlir::OpBuilder &builder, mlir::Location loc, AxisSet axes,
                     llvm::ArrayRef<mlir::Value> coordinates);
  /// Coordinates with the lane axes filled in for lane `lane`.
  llvm::SmallVector<mlir::Value>
  laneCoordinates(mlir::OpBuilder &builder, mlir::Location loc, int64_t lane);
  /// Element numbers of all lanes, i64 scalar or vector.
  mlir::Value elementNumbers(mlir::OpBuilder &builder, mlir::Location loc,
                             AxisSet axes);
  /// `value` as a vector if `map` varies along the lanes and `value` does not.
  mlir::Value widen(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value value, const AxisMap &map);

  /// A splat constant in compute form.
  llvm::FailureOr<mlir::Value> emitConstant(mlir::OpBuilder &builder,
                                            amp::ConstantOp op,
                                            const AxisMap &map);
  /// The element numbers, in compute form.
  mlir::Value emitIota(mlir::OpBuilder &builder, amp::IotaOp op,
                       const AxisMap &map);
  /// The result of `op` under `map`, its computed operands being given.
  llvm::FailureOr<mlir::Value> emitOp(mlir::OpBuilder &builder,
                                      mlir::Operation *op,
                                      mlir::ValueRange operands,
                                      const AxisMap &map);

  /// A value in memory between passes.
  struct Kept {
    enum class State { absent, computed, stored };
    mlir::Value scratch, base;
    State state = State::absent;
  };
  /// Where the lanes of the point stand in the memory of `kept`.
  mlir::Value indexOf(mlir::OpBuilder &builder, mlir::Location loc,
                      const Kept &kept);
  /// The entry of `value` when lanes are at the point and `map` is the space's.
  Kept *keptAt(mlir::Value value, const AxisMap &map);

  amp::GroupOp group;
  const GroupSpace &space;
  llvm::SmallVector<mlir::Value> operandPointers; ///< per operand of the group
  llvm::SmallVector<mlir::Value> resultPointers;  ///< per result of the group
  llvm::DenseMap<mlir::Operation *, mlir::Value>
      sitePointers; ///< of random ops whose word is in memory
  Point point;
  std::map<std::pair<const void *, AxisMap>, mlir::Value> computed;
  llvm::DenseMap<mlir::Operation *, mlir::Value> completeValues;
  llvm::DenseMap<mlir::Value, Kept> keptValues;
};

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_BODYEMITTER_H

// The loop nests of the four kinds of groups in the form for the threads of a
// GPU: one scf.parallel around bodies that one thread runs, on scalars and on
// vectors of a few elements that lie side by side. Reductions keep the orders
// of N10: partials live in the lanes of a warp or in the threads of a block.
//
// Threads meet through the gpu dialect: gpu.lane_id, subgroup_id, thread_id,
// shuffle, barrier, and memory of the block (memref.alloca in the workgroup
// space, at the start of the function).
#ifndef AMPC_CODEGEN_KERNEL_THREADFORM_H
#define AMPC_CODEGEN_KERNEL_THREADFORM_H

#include "codegen/kernel/Kernels.h"

namespace ampc {

/// Who runs one point of the parallel loop together.
enum class PointUnit { thread, warp, block };

/// Attributes of a kernel's scf.parallel: its unit (i32, a PointUnit) and the
/// threads of a block (i32).
inline constexpr llvm::StringLiteral kUnitAttr = "unit";
inline constexpr llvm::StringLiteral kBlockThreadsAttr = "block_threads";

inline constexpr int64_t kWarpLanes = 32;
/// Shared memory that every device gives a block, in bytes.
inline constexpr int64_t kSharedBytes = 48 * 1024;

/// How a kernel is launched.
struct LaunchShape {
  PointUnit unit = PointUnit::thread;
  int64_t blockThreads = 0;
  llvm::SmallVector<int64_t> extents; ///< of the parallel loop
  int64_t points = 0;
  int64_t blocks = 0; ///< that give each thread its work once
};

/// The launch of a kernel built for threads; an error at the loop otherwise.
llvm::FailureOr<LaunchShape> launchShapeOf(mlir::scf::ParallelOp loop);

/// A parallel loop over `extents` (one point when empty), each point run by a
/// `unit` of blocks of `threads`. Leaves the builder inside the body and
/// returns the induction variables.
llvm::SmallVector<mlir::Value> beginPoints(mlir::OpBuilder &builder,
                                           mlir::Location loc,
                                           llvm::ArrayRef<int64_t> extents,
                                           PointUnit unit, int64_t threads);

/// An array of `count` elements at the start of the function around the
/// builder: of the block when `shared`, else one a thread.
mlir::Value allocateScratch(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Type element, int64_t count, bool shared);

/// Attribute of an scf.for (i32): bodies to lay out in a row, so that the loads
/// of several are in flight.
inline constexpr llvm::StringLiteral kUnrollAttr = "unroll";

/// Emits the loops of `group` at the builder's insertion point.
/// `elements` elements that lie side by side make a point of a map.
llvm::LogicalResult emitThreadMap(mlir::OpBuilder &builder, amp::GroupOp group,
                                  BodyEmitter &body, int64_t elements);
llvm::LogicalResult emitWarpRow(mlir::OpBuilder &builder, amp::GroupOp group,
                                BodyEmitter &body);
llvm::LogicalResult emitBlockColumn(mlir::OpBuilder &builder,
                                    amp::GroupOp group, BodyEmitter &body);
/// `pointers[i]` is the 1-D memref of kernel argument i.
llvm::LogicalResult emitThreadScatter(mlir::OpBuilder &builder,
                                      amp::GroupOp group,
                                      llvm::ArrayRef<KernelArgument> arguments,
                                      mlir::ValueRange pointers);

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_THREADFORM_H

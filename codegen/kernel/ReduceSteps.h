// What a reduction starts from, how two partial results join, and how the last
// becomes the result; on scalars and vectors alike, in the accumulation type
// (N6, N10, N18).
#ifndef AMPC_CODEGEN_KERNEL_REDUCESTEPS_H
#define AMPC_CODEGEN_KERNEL_REDUCESTEPS_H

#include "codegen/kernel/BodyEmitter.h"

namespace ampc {

/// The value that partial results start from, shaped like `like`: 0, 1, -inf or
/// inf, or the integer bounds.
mlir::Value reduceIdentity(mlir::OpBuilder &builder, amp::ReduceOp op,
                           mlir::Type like);

/// A prologue value (compute form) in the accumulation type.
mlir::Value toAccumulation(mlir::OpBuilder &builder, amp::ReduceOp op,
                           mlir::Value value);

/// Joins two partial results, `lhs` being the earlier.
mlir::Value joinPartials(mlir::OpBuilder &builder, amp::ReduceOp op,
                         mlir::Value lhs, mlir::Value rhs);

/// Divides (mean over `count` elements) and rounds once to the result type, in
/// compute form.
mlir::Value finishReduction(mlir::OpBuilder &builder, amp::ReduceOp op,
                            mlir::Value value, int64_t count);

/// The reductions that a group's results need, in passes over the reduced axes:
/// a pass computes the reductions whose inputs depend on those of earlier
/// passes only.
struct ReductionOrder {
  llvm::SmallVector<llvm::SmallVector<amp::ReduceOp>> passes;
  /// Results over the whole space, stored by the last pass, or by one more when
  /// `storesApart`: an operand may share their bytes, so no pass that reads may
  /// follow the one that stores.
  llvm::SmallVector<unsigned> fullResults;
  bool storesApart = false;
  /// Results over what the reductions keep.
  llvm::SmallVector<unsigned> keptResults;
};
/// `isFull(i)`: whether result i lies over the whole space.
ReductionOrder orderReductions(amp::GroupOp group,
                               llvm::function_ref<bool(unsigned)> isFull);

/// The values over the space that several passes need and that cost more to
/// compute than to read back: functions, random numbers, and elements that do
/// not lie side by side.
llvm::SmallVector<mlir::Value> valuesToKeep(amp::GroupOp group,
                                            const ReductionOrder &order);

/// Sets the reductions of kind first among `reductions` to their input at the
/// point that `moveToFirst` moves the body to; `joined`, what `reductions` then
/// refers to, are the others.
llvm::LogicalResult
setFirstElements(mlir::OpBuilder &builder, BodyEmitter &body,
                 llvm::ArrayRef<amp::ReduceOp> &reductions,
                 llvm::SmallVectorImpl<amp::ReduceOp> &joined,
                 llvm::function_ref<void()> moveToFirst);

/// Emits one pass over the reduced axes: computes the reductions, stores the
/// given results of the group on the way.
using EmitPass = llvm::function_ref<llvm::LogicalResult(
    llvm::ArrayRef<amp::ReduceOp>, llvm::ArrayRef<unsigned>)>;
/// Emits the passes of `order` in sequence, with the stores of its full results
/// where they belong.
llvm::LogicalResult emitPasses(const ReductionOrder &order, EmitPass emitPass);

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_REDUCESTEPS_H

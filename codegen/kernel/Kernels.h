// The loop nests of the kinds of groups, in the form that both targets share:
// one scf.parallel over independent points around scalar (map) or vector (row,
// column, scatter, contraction) bodies.
#ifndef AMPC_CODEGEN_KERNEL_KERNELS_H
#define AMPC_CODEGEN_KERNEL_KERNELS_H

#include "codegen/kernel/BodyEmitter.h"

namespace ampc {

/// Attribute of a kernel's scf.parallel: elements of the space that one point
/// visits (i64).
inline constexpr llvm::StringLiteral kWorkAttr = "work";

/// Attribute of a kernel's scf.parallel (i64): its last variable, of extent 1,
/// is no index but how many neighbouring points along the axis before it the
/// body takes at once, at most so many. What they share is done once.
inline constexpr llvm::StringLiteral kSpanAttr = "span";

/// A parallel loop over `extents` (one point when empty), `work` elements a
/// point. Leaves the builder inside the body and returns the induction
/// variables.
llvm::SmallVector<mlir::Value> beginParallel(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             llvm::ArrayRef<int64_t> extents,
                                             int64_t work);

/// Emits the loops of `group` at the builder's insertion point.
llvm::LogicalResult emitMapKernel(mlir::OpBuilder &builder, amp::GroupOp group,
                                  BodyEmitter &body);
llvm::LogicalResult emitRowKernel(mlir::OpBuilder &builder, amp::GroupOp group,
                                  BodyEmitter &body);
llvm::LogicalResult emitColumnKernel(mlir::OpBuilder &builder,
                                     amp::GroupOp group, BodyEmitter &body);
/// `target` (or null) tells the registers' width, which no bit depends on, and
/// whether a matrix unit multiplies.
llvm::LogicalResult emitContractionKernel(mlir::OpBuilder &builder,
                                          amp::GroupOp group, BodyEmitter &body,
                                          amp::TargetAttr target);
/// `pointers[i]` is the 1-D memref of kernel argument i.
llvm::LogicalResult emitScatterKernel(mlir::OpBuilder &builder,
                                      amp::GroupOp group,
                                      llvm::ArrayRef<KernelArgument> arguments,
                                      mlir::ValueRange pointers);

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_KERNELS_H

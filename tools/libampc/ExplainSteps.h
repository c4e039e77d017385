// The steps of explain that follow ops into kernels. Ops of stage step carry
// their number in their location, and what is made of them keeps it.
#ifndef AMPC_TOOLS_LIBAMPC_EXPLAINSTEPS_H
#define AMPC_TOOLS_LIBAMPC_EXPLAINSTEPS_H

#include "ir/dialect/Dialect.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "tools/libampc/Explain.h"

#include "llvm/ADT/SetVector.h"

namespace ampc {

using OpIds = llvm::SetVector<unsigned>;

/// Gives the ops of `func` their numbers.
void numberOps(mlir::func::FuncOp func);

/// Adds the numbers that `loc` carries.
void addIds(mlir::Location loc, OpIds &ids);

/// Adds the lines of the model's text that `loc` names; gives the first one's
/// file.
llvm::StringRef addLines(mlir::Location loc, llvm::SetVector<unsigned> &lines);

/// `f32[4, 3]`, of a tensor type.
std::string typeText(mlir::Type type);

/// `add` of `amp.add`.
std::string mnemonicOf(mlir::Operation *op);

/// Reads the plan of `entry`'s groups where amp-form-groups is about to follow
/// it; `fuse` as the pass has it.
std::unique_ptr<mlir::PassInstrumentation>
readFusion(llvm::StringRef entry, bool fuse, std::vector<UnfusedPair> &pairs);

/// Fills the kernels and the ops' details from an entry whose groups carry
/// their kernels' symbols.
llvm::LogicalResult readKernels(mlir::func::FuncOp func, Explanation &out);

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_EXPLAINSTEPS_H

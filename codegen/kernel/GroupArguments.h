// The arguments of a group's kernel: one a place, so that two names of the same
// bytes are never two pointers. Building the kernel and emitting its launch
// both use this order.
#ifndef AMPC_CODEGEN_KERNEL_GROUPARGUMENTS_H
#define AMPC_CODEGEN_KERNEL_GROUPARGUMENTS_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// Where `value` stands: the amp.place of its defining op or of its function
/// argument, or the slice that an argument of a loop's body is; null, with an
/// error at the value, when it has none.
amp::PlaceAttr placeOf(mlir::Value value);

/// One pointer argument of a kernel.
struct KernelArgument {
  amp::PlaceAttr place;
  mlir::Type element; ///< element type of the tensors
  int64_t count = 0;  ///< elements
  llvm::SmallVector<unsigned>
      operands; ///< operands of the group that are read from it
  llvm::SmallVector<unsigned>
      results; ///< results of the group that are written to it

  bool isWritten() const { return !results.empty(); }
};

/// Arguments in the order of their first use: operands, then results. Operands
/// and results that share a place share an argument; sharing it under different
/// element types or sizes is an error.
llvm::FailureOr<llvm::SmallVector<KernelArgument>>
kernelArguments(amp::GroupOp group);

/// A random op of a group and the word that tells its numbers from those of
/// others (N17): its mode and site. Kernels for threads read it from memory, so
/// that layers that differ in nothing else share them: an argument (1 x i32)
/// for each, after those of the places.
struct SiteWord {
  amp::RandomOp op;
  uint32_t word = 0;
};
llvm::SmallVector<SiteWord> siteWords(amp::GroupOp group);

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_GROUPARGUMENTS_H

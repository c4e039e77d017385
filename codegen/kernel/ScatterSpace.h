// What a scatter group adds where: updates [before, positions, after] go to
// result [before, extent, after].
#ifndef AMPC_CODEGEN_KERNEL_SCATTERSPACE_H
#define AMPC_CODEGEN_KERNEL_SCATTERSPACE_H

#include "codegen/kernel/GroupArguments.h"

namespace ampc {

struct ScatterSpace {
  mlir::Value index, updates, result; ///< 1-D memrefs
  bool indexPerElement = false;       ///< the index has the updates' shape
  int64_t before = 1, positions = 0, extent = 0, after = 1;
  std::optional<int64_t> padding; ///< an index that is skipped

  mlir::Type element() const {
    return mlir::cast<mlir::MemRefType>(result.getType()).getElementType();
  }

  /// Reads the group; `pointers[i]` is the memref of kernel argument i. A
  /// result that shares bytes with an operand, or whose elements are not summed
  /// as they are stored, is an error.
  static llvm::FailureOr<ScatterSpace>
  create(amp::GroupOp group, llvm::ArrayRef<KernelArgument> arguments,
         mlir::ValueRange pointers);
};

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_SCATTERSPACE_H

// Readable, unique names of kernels, and where an op comes from.
#ifndef AMPC_CODEGEN_KERNEL_KERNELNAMES_H
#define AMPC_CODEGEN_KERNEL_KERNELNAMES_H

#include "ir/dialect/Dialect.h"

#include "llvm/ADT/StringSet.h"

namespace ampc {

/// The name path of a location: names of its NameLocs, outermost first, joined
/// by dots; empty when it has none.
std::string namePathOf(mlir::Location loc);

/// `text` as a C identifier.
std::string identifierFrom(llvm::StringRef text);

/// Hands out names, each once.
class KernelNames {
public:
  /// A name for the kernel of `group`: the name path of its last named op, then
  /// up to four of its ops (`fc1_broadcast_add_maximum`), with a number where
  /// that is taken.
  std::string nameFor(amp::GroupOp group);

private:
  llvm::StringSet<> taken;
};

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_KERNELNAMES_H

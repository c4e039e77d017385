// Readable, unique names of kernels.
#ifndef AMPC_CODEGEN_KERNEL_KERNELNAMES_H
#define AMPC_CODEGEN_KERNEL_KERNELNAMES_H

#include "ir/dialect/Dialect.h"

#include "llvm/ADT/StringSet.h"

namespace ampc {

/// `text` as a C identifier.
std::string identifierFrom(llvm::StringRef text);

/// Hands out names, each once: a taken one gets the least number from 2 on that
/// makes it free.
class UniqueNames {
public:
  /// `name` is taken from now on.
  void reserve(llvm::StringRef name) { taken.insert(name); }
  std::string uniqueFor(llvm::StringRef base);

private:
  llvm::StringSet<> taken;
  llvm::StringMap<unsigned> nextNumber; ///< per base; lower ones are taken
};

/// Names of kernels, each once.
class KernelNames {
public:
  /// A name for the kernel of `group`: the name path of its last named op, then
  /// up to four of its ops (`fc1_broadcast_add_maximum`), with a number where
  /// that is taken.
  std::string nameFor(amp::GroupOp group);

private:
  UniqueNames names;
};

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_KERNELNAMES_H

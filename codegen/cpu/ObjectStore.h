// Where compiled kernels are kept between compilations, as code generation sees
// it.
#ifndef AMPC_CODEGEN_CPU_OBJECTSTORE_H
#define AMPC_CODEGEN_CPU_OBJECTSTORE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ampc {

/// Objects of kernels by what they are made from. Used by one thread at a time
/// in a compilation.
class ObjectStore {
public:
  virtual ~ObjectStore() = default;

  /// The object made from `source`, a kernel's loops with the level and the
  /// code generator that they are for; none where it is not kept.
  virtual std::optional<llvm::SmallVector<char, 0>>
  find(llvm::StringRef source) = 0;

  /// An object and what it was made from.
  struct Entry {
    llvm::StringRef source;
    llvm::ArrayRef<char> object;
  };
  /// Keeps the objects of one compilation, where that is possible.
  virtual void store(llvm::ArrayRef<Entry> entries) = 0;
};

} // namespace ampc

#endif // AMPC_CODEGEN_CPU_OBJECTSTORE_H

// Quoted patterns over parameter and path names: `*` any run of characters,
// dots included, `?` one.
#ifndef AMPC_IR_DIALECT_NAMEPATTERNS_H
#define AMPC_IR_DIALECT_NAMEPATTERNS_H

#include "llvm/ADT/StringRef.h"

namespace ampc::amp {

/// True if `pattern` matches all of `name`. Adds the characters looked at to
/// `steps`: at most their product, mostly few.
bool matchesPattern(llvm::StringRef pattern, llvm::StringRef name,
                    uint64_t &steps);
inline bool matchesPattern(llvm::StringRef pattern, llvm::StringRef name) {
  uint64_t steps = 0;
  return matchesPattern(pattern, name, steps);
}

} // namespace ampc::amp

#endif // AMPC_IR_DIALECT_NAMEPATTERNS_H

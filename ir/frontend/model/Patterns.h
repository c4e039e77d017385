// Quoted patterns over parameter and path names: `*` any run of characters,
// dots included, `?` one.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace ampc::model {

/// True if `pattern` matches all of `name`. Adds the characters looked at to
/// `steps`: at most their product, mostly few.
bool matchesPattern(llvm::StringRef pattern, llvm::StringRef name,
                    uint64_t &steps);
inline bool matchesPattern(llvm::StringRef pattern, llvm::StringRef name) {
  uint64_t steps = 0;
  return matchesPattern(pattern, name, steps);
}

} // namespace ampc::model

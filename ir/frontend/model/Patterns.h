// Quoted patterns over parameter and path names: `*` any run of characters,
// dots included, `?` one.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace ampc::model {

/// True if `pattern` matches all of `name`.
bool matchesPattern(llvm::StringRef pattern, llvm::StringRef name);

} // namespace ampc::model

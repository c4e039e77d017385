// What `explain` and `plan` say of products that are computed a chunk of rows
// at a time.
#pragma once

#include "ir/dialect/Dialect.h"

#include <string>
#include <vector>

namespace ampc {

/// A sentence for each product of `func` that `amp-chunk-rows` cut.
std::vector<std::string> chunkNotes(mlir::func::FuncOp func);

} // namespace ampc

// Which dims of a model say how many samples a batch has.
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace ampc::model {

/// The inputs and targets of the model in `text` whose axis 0 is written as the
/// name of a `dim` or `const` that `--set` can change, each with that name.
/// Empty where the text is no model.
llvm::StringMap<std::string> sampleDims(llvm::StringRef text);

} // namespace ampc::model

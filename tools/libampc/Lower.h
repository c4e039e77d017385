// Runs the passes of a compilation, one stage at a time.
#ifndef AMPC_TOOLS_LIBAMPC_LOWER_H
#define AMPC_TOOLS_LIBAMPC_LOWER_H

#include "tools/libampc/Compile.h"
#include "tools/libampc/ModelImpl.h"

namespace ampc {

/// A copy of the model's module, lowered to `stage`. A model that stands behind
/// `stage` already is an error (Code BadInput).
rt::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
lowerTo(amp::Stage stage, const Model &model, const CompileOptions &options);

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_LOWER_H

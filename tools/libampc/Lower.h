// Runs the passes of a compilation, one stage at a time.
#ifndef AMPC_TOOLS_LIBAMPC_LOWER_H
#define AMPC_TOOLS_LIBAMPC_LOWER_H

#include "mlir/Pass/PassManager.h"
#include "tools/libampc/Compile.h"
#include "tools/libampc/ModelImpl.h"

namespace ampc {

/// The precision in force: the caller's, else the model's, else f32.
std::string precisionOf(mlir::ModuleOp module, const CompileOptions &options);

/// The model's `memory_budget` in bytes, 0 where it has none.
int64_t memoryBudgetOf(mlir::ModuleOp module);

/// A copy of the model's module, lowered to `stage`. A model that stands behind
/// `stage` already is an error (Code BadInput).
rt::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
lowerTo(amp::Stage stage, const Model &model, const CompileOptions &options);

/// Lowers `module`, which came from `model`, on to `stage`; `prepare` sees each
/// stage's passes before they run.
rt::Expected<void>
continueTo(amp::Stage stage, mlir::ModuleOp module, const Model &model,
           const CompileOptions &options,
           llvm::function_ref<void(mlir::PassManager &)> prepare = {});

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_LOWER_H

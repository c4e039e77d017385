// What passes may know of the machine a model is compiled for.
#ifndef AMPC_TOOLS_LIBAMPC_TARGET_H
#define AMPC_TOOLS_LIBAMPC_TARGET_H

#include "codegen/emit/EmitPlan.h"
#include "ir/dialect/Dialect.h"
#include "tools/libampc/Compile.h"

namespace ampc {

/// The facts of `options.target`: of this machine for `cpu`, of the level alone
/// for `cpu:LEVEL`, which has no 16-bit products. bf16 is fast where there is
/// AMX: the runtime multiplies it in nothing else (docs/performance.md).
amp::TargetAttr targetFor(mlir::MLIRContext &context,
                          const CompileOptions &options);

/// What codegen needs to know of the target `cpu` or `cpu:LEVEL`. Another
/// target: Code Usage; a processor that no code is generated for: Code
/// Environment.
rt::Expected<EmitOptions> emitOptions(const CompileOptions &options);

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_TARGET_H

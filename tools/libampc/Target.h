// What passes may know of the machine a model is compiled for.
#ifndef AMPC_TOOLS_LIBAMPC_TARGET_H
#define AMPC_TOOLS_LIBAMPC_TARGET_H

#include "codegen/emit/EmitPlan.h"
#include "ir/dialect/Dialect.h"
#include "tools/libampc/Compile.h"

namespace ampc {

/// The least level that CUDA text is written for: sm_75.
inline constexpr unsigned kLeastCudaLevel = 75;

/// The level of a target `cuda` or `cuda:sm_NN`; none for any other text.
std::optional<unsigned> cudaLevel(llvm::StringRef target);

/// The facts of `options.target`: of this machine for `cpu`, of the level alone
/// for `cpu:LEVEL`. bf16 is fast where there is AMX: it is multiplied in
/// nothing else (docs/performance.md). Of CUDA typical facts of the level.
amp::TargetAttr targetFor(mlir::MLIRContext &context,
                          const CompileOptions &options);

/// What codegen needs to know of the target `cpu`, `cpu:LEVEL`, `cuda` or
/// `cuda:sm_NN`. Another target: Code Usage; a processor that no code is
/// generated for: Code Environment.
rt::Expected<EmitOptions> emitOptions(const CompileOptions &options);

} // namespace ampc

#endif // AMPC_TOOLS_LIBAMPC_TARGET_H

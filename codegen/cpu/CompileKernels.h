// Kernels as one shared object for the CPU, in process: MLIR, LLVM and LLD as
// libraries.
#ifndef AMPC_CODEGEN_CPU_COMPILEKERNELS_H
#define AMPC_CODEGEN_CPU_COMPILEKERNELS_H

#include "codegen/cpu/CpuLevel.h"
#include "codegen/cpu/PhaseClock.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ampc {

/// Prefix of a kernel's symbol in the object: kernel `fc1_add` is
/// `ampc_fc1_add`.
inline constexpr llvm::StringLiteral kSymbolPrefix = "ampc_";

/// Compiles the functions of `kernels` (the nested module that BuildKernels
/// makes; it stays as it is) for `level`. The shared object exports `void
/// ampc_NAME(const void *const *args, int64_t begin, int64_t end)` per kernel
/// and imports nothing; the same input gives the same bytes. Errors are
/// reported at `kernels`. Threads may call this at the same time (on modules of
/// different contexts). `time` takes the phases lower, optimize, object and
/// link.
llvm::FailureOr<std::vector<uint8_t>>
compileKernels(mlir::ModuleOp kernels, const CpuLevel &level,
               const PhaseSink &time = {});

/// The optimised LLVM IR of the kernels, as text.
llvm::FailureOr<std::string> kernelsAsLlvmText(mlir::ModuleOp kernels,
                                               const CpuLevel &level);

} // namespace ampc

#endif // AMPC_CODEGEN_CPU_COMPILEKERNELS_H

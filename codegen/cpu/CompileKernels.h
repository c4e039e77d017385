// Kernels as one shared object for the CPU, in process: MLIR, LLVM and LLD as
// libraries.
#ifndef AMPC_CODEGEN_CPU_COMPILEKERNELS_H
#define AMPC_CODEGEN_CPU_COMPILEKERNELS_H

#include "codegen/cpu/CpuLevel.h"
#include "codegen/cpu/ObjectStore.h"
#include "codegen/cpu/PhaseClock.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ampc {

/// Prefix of a kernel's symbol in the object: kernel `fc1_add` is
/// `ampc_fc1_add`.
inline constexpr llvm::StringLiteral kSymbolPrefix = "ampc_";

/// How kernels are compiled; nothing of it changes a byte of the result.
struct CompileSettings {
  /// Takes the phases find (what the store has), lower, optimize, object and
  /// link. Optimize and object run on several threads: they get the seconds on
  /// the clock, shared out by what the threads worked.
  PhaseSink time = {};
  /// Threads that compile; 0: one per processor.
  unsigned threads = 0;
  /// Where objects are kept; none: nowhere.
  ObjectStore *store = nullptr;
  /// Takes how many kernels there are and how many of them were found.
  std::function<void(size_t kernels, size_t found)> counts = {};
};

/// Compiles the functions of `kernels` (the nested module that BuildKernels
/// makes; it stays as it is) for `level`. The shared object exports `void
/// ampc_NAME(const void *const *args, int64_t begin, int64_t end)` per kernel
/// and imports nothing; the same input gives the same bytes, whatever the
/// settings. Errors are reported at `kernels`. Threads may call this at the
/// same time (on modules of different contexts).
llvm::FailureOr<std::vector<uint8_t>>
compileKernels(mlir::ModuleOp kernels, const CpuLevel &level,
               const CompileSettings &settings = {});

/// The optimised LLVM IR of the kernels, as text.
llvm::FailureOr<std::string> kernelsAsLlvmText(mlir::ModuleOp kernels,
                                               const CpuLevel &level);

} // namespace ampc

#endif // AMPC_CODEGEN_CPU_COMPILEKERNELS_H

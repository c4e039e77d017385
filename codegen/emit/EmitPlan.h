// From a placed module to what leaves the compiler: a plan, LLVM IR text or
// CUDA C++ text.
#ifndef AMPC_CODEGEN_EMIT_EMITPLAN_H
#define AMPC_CODEGEN_EMIT_EMITPLAN_H

#include "codegen/cpu/ObjectStore.h"
#include "codegen/cpu/PhaseClock.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ampc {

/// What the outputs depend on beside the module. Threads are not among it: a
/// plan runs on any number of them with the same bits.
struct EmitOptions {
  /// Instruction-set level of the CPU kernels: `avx2`, `avx512`, `amx`, or
  /// `host` for the widest that this machine has.
  std::string level = "host";
  /// `cpu` or `cuda`: what the plan's kernels are for.
  std::string target = "cpu";
  /// Takes the seconds of emitPlan's phases: kernels, plan, write and, on the
  /// CPU, find, lower, optimize, object, link; for CUDA, print.
  PhaseSink time = {};
  /// Threads that compile, where compiled kernels are kept, and who is told how
  /// many were: see CompileSettings.
  unsigned threads = 0;
  ObjectStore *store = nullptr;
  std::function<void(size_t kernels, size_t found)> counts = {};
};

/// Compiles the kernels of `placed` (a module in stage placed; it stays as it
/// is), or prints them for CUDA, and writes the plan file's bytes: the same
/// module and options give the same bytes. Errors are reported as diagnostics
/// at the ops.
llvm::FailureOr<std::vector<uint8_t>> emitPlan(mlir::ModuleOp placed,
                                               const EmitOptions &options);

/// The optimised LLVM IR of the kernels of `placed`.
llvm::FailureOr<std::string> emitLlvmText(mlir::ModuleOp placed,
                                          const EmitOptions &options);

/// The kernels of `placed` as one self-contained CUDA C++ file.
llvm::FailureOr<std::string> emitCudaText(mlir::ModuleOp placed,
                                          const EmitOptions &options);

} // namespace ampc

#endif // AMPC_CODEGEN_EMIT_EMITPLAN_H

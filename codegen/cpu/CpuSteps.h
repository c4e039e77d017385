// The steps of CompileKernels: lower, optimise, link. Private to codegen/cpu.
#ifndef AMPC_CODEGEN_CPU_CPUSTEPS_H
#define AMPC_CODEGEN_CPU_CPUSTEPS_H

#include "codegen/cpu/CpuLevel.h"
#include "codegen/cpu/Linker.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ampc {

/// Lowers `kernels` to the LLVM dialect, in place: a function `ampc_NAME` and
/// its body `NAME.tiles` a kernel. Failure, with errors reported, where an op
/// has no lowering.
mlir::LogicalResult lowerKernels(mlir::ModuleOp kernels);

/// The LLVM module of all `kernels`, lowered before; null with errors reported.
std::unique_ptr<llvm::Module> translateAll(mlir::ModuleOp kernels,
                                           llvm::LLVMContext &context);

/// The LLVM module of the kernel `name` of `kernels`, lowered before, whose
/// functions leave it; null with errors reported.
std::unique_ptr<llvm::Module> translateKernel(mlir::ModuleOp kernels,
                                              llvm::StringRef name,
                                              llvm::LLVMContext &context);

/// A code generator for `level` on this system.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
targetMachineFor(const CpuLevel &level);

/// Gives every function the level's attributes and runs LLVM's pipeline. No
/// call of a library function is introduced.
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                    const CpuLevel &level);

/// Prefetches what loops read and write of large arguments, told by their
/// `dereferenceable` bytes. Runs last, on vector loops.
struct PrefetchStreams : llvm::PassInfoMixin<PrefetchStreams> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// Loads tiles of a matrix unit that come of large objects past the first level
/// of cache. Objects are arguments, told by their `dereferenceable` bytes, and
/// scratch memory. Runs last.
struct StreamTiles : llvm::PassInfoMixin<StreamTiles> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

/// The relocatable object of an optimised module.
llvm::Expected<llvm::SmallVector<char, 0>>
emitObject(llvm::Module &module, llvm::TargetMachine &machine);

/// Links relocatable objects, in their order, to a shared one that imports
/// nothing and exports the aliases alone. LLD keeps global state: one link at a
/// time, under a lock; and it resets every `cl::opt` of the process to its
/// default, so a program copies its options out before it compiles.
llvm::Expected<std::vector<uint8_t>>
linkShared(llvm::ArrayRef<llvm::ArrayRef<char>> objects,
           llvm::ArrayRef<Alias> aliases);

} // namespace ampc

#endif // AMPC_CODEGEN_CPU_CPUSTEPS_H

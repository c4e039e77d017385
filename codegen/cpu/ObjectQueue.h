// Kernels on their way to objects, compiled by several threads. Private to
// codegen/cpu.
#ifndef AMPC_CODEGEN_CPU_OBJECTQUEUE_H
#define AMPC_CODEGEN_CPU_OBJECTQUEUE_H

#include "codegen/cpu/CpuLevel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace ampc {

/// One kernel, from its loops to its object.
struct KernelObject {
  mlir::func::FuncOp func;
  std::string source; ///< what the object is made from
  std::string name;   ///< of the function in the object, told by the source
  bool isFound = false;
  llvm::SmallVector<char, 0> bytes; ///< empty: to be compiled
  // A context each: threads share nothing.
  std::unique_ptr<llvm::LLVMContext> context = nullptr;
  std::unique_ptr<llvm::Module> module = nullptr;
};

/// What the threads worked, added up.
struct ObjectSeconds {
  double optimize = 0;
  double object = 0;
};

/// Optimises the modules of `objects` and writes their objects, on at most
/// `threads` threads (0: one per processor); the modules are gone afterwards.
/// What a kernel becomes depends on it alone.
llvm::Error makeObjects(llvm::MutableArrayRef<KernelObject> objects,
                        const CpuLevel &level, unsigned threads,
                        ObjectSeconds &seconds);

} // namespace ampc

#endif // AMPC_CODEGEN_CPU_OBJECTQUEUE_H

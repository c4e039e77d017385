// Kernels as one CUDA C++ file.
#include "codegen/cuda/CudaText.h"

#include "codegen/cuda/KernelPrinter.h"
#include "codegen/cuda/Prelude.h"
#include "codegen/kernel/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace ampc;

FailureOr<std::string> ampc::kernelsAsCudaText(ModuleOp kernels) {
  for (auto func : kernels.getOps<func::FuncOp>()) {
    WalkResult vectors = func.walk([](Operation *op) {
      return llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (vectors.wasInterrupted())
      return emitError(func.getLoc())
             << "kernel '" << func.getName()
             << "' holds a reduction, which in CUDA text is not available yet";
  }
  OwningOpRef<ModuleOp> copy = kernels.clone();
  PassManager pm(kernels.getContext());
  pm.addPass(createExpandMath());
  pm.addPass(createCSEPass()); // one name a value; the loops stay as they are
  if (failed(pm.run(*copy)))
    return failure();
  std::string text = cudaPrelude().str();
  llvm::raw_string_ostream os(text);
  os << "\n";
  KernelPrinter printer(os);
  for (auto func : copy->getOps<func::FuncOp>())
    if (failed(printer.print(func)))
      return failure();
  return text;
}

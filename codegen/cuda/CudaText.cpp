// Kernels as CUDA C++ text.
#include "codegen/cuda/CudaText.h"

#include "codegen/cuda/KernelPrinter.h"
#include "codegen/cuda/Prelude.h"
#include "codegen/kernel/Passes.h"
#include "codegen/kernel/ThreadForm.h"
#include "codegen/kernel/Tiling.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace ampc;

std::string CudaText::joined() const {
  std::string text = prelude;
  for (const CudaKernel &kernel : kernels)
    text += kernel.text;
  return text;
}

/// Deletes what nobody reads, users before what they use.
static void eraseDead(func::FuncOp func) {
  func.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

FailureOr<CudaText> ampc::kernelsAsCudaText(ModuleOp kernels) {
  OwningOpRef<ModuleOp> copy = kernels.clone();
  PassManager pm(kernels.getContext());
  pm.addPass(createExpandMath());
  pm.addPass(createCSEPass()); // one name a value; the loops stay as they are
  if (failed(pm.run(*copy)))
    return failure();
  CudaText text;
  text.prelude = (cudaPrelude() + "\n").str();
  for (auto func : copy->getOps<func::FuncOp>()) {
    eraseDead(func);
    FailureOr<scf::ParallelOp> loop = parallelLoopOf(func);
    if (failed(loop))
      return failure();
    FailureOr<LaunchShape> shape = launchShapeOf(*loop);
    if (failed(shape))
      return failure();
    CudaKernel kernel{
        func.getName().str(), {}, shape->blockThreads, 0, shape->blocks};
    llvm::raw_string_ostream os(kernel.text);
    if (failed(KernelPrinter(os).print(func)))
      return failure();
    text.kernels.push_back(std::move(kernel));
  }
  return text;
}

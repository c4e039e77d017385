// A placed module's kernels as text: LLVM IR and CUDA C++.
#include "codegen/cpu/CompileKernels.h"
#include "codegen/cuda/CudaText.h"
#include "codegen/emit/EmitPlan.h"
#include "codegen/emit/PlanBuilder.h"

using namespace mlir;
using namespace ampc;

FailureOr<std::string> ampc::emitLlvmText(ModuleOp placed,
                                          const EmitOptions &options) {
  FailureOr<const CpuLevel *> level = levelNamed(placed, options.level);
  if (failed(level))
    return failure();
  FailureOr<BuiltKernels> built = buildKernelsOf(placed, /*threads=*/false);
  if (failed(built))
    return failure();
  return kernelsAsLlvmText(built->kernels, **level);
}

FailureOr<std::string> ampc::emitCudaText(ModuleOp placed,
                                          const EmitOptions &options) {
  FailureOr<BuiltKernels> built = buildKernelsOf(placed, /*threads=*/true);
  if (failed(built))
    return failure();
  FailureOr<CudaText> text = kernelsAsCudaText(built->kernels);
  if (failed(text))
    return failure();
  return text->joined();
}

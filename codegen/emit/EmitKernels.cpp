// Kernels of a plan, for the CPU and for CUDA.
#include "codegen/cpu/CompileKernels.h"
#include "codegen/emit/PlanBuilder.h"
#include "codegen/kernel/Tiling.h"

using namespace mlir;
using namespace ampc;

/// The least architecture that the text is written for.
static constexpr llvm::StringLiteral kCudaLevel = "sm_75";

rt::fb::KernelT &PlanBuilder::addKernel(func::FuncOp func, int64_t tiles) {
  kernelNumbers[func.getName()] = {plan.kernels.size(), tiles};
  auto kernel = std::make_unique<rt::fb::KernelT>();
  kernel->name = func.getName().str();
  kernel->tiles = tiles;
  // The whole of each argument may be touched; the launch says which of them
  // are written.
  for (Type type : func.getArgumentTypes()) {
    auto memory = cast<MemRefType>(type);
    kernel->arg_bytes.push_back(
        memory.getNumElements() *
        llvm::divideCeil(memory.getElementTypeBitWidth(), 8));
  }
  kernel->arg_written.assign(func.getNumArguments(), false);
  plan.kernels.push_back(std::move(kernel));
  return *plan.kernels.back();
}

LogicalResult PlanBuilder::addCpuKernels(const CpuLevel &level) {
  plan.target_kind = "cpu";
  plan.target_level = level.name.str();
  for (StringRef feature : level.features)
    plan.cpu_features.push_back(feature.str());
  for (auto func : kernels.getOps<func::FuncOp>()) {
    FailureOr<scf::ParallelOp> loop = parallelLoopOf(func);
    if (failed(loop))
      return failure();
    FailureOr<Tiling> tiling = tilingOf(*loop);
    if (failed(tiling))
      return failure();
    rt::fb::KernelT &kernel = addKernel(func, tiling->tiles);
    kernel.symbol = (kSymbolPrefix + func.getName()).str();
    kernel.shares = tiling->span > 1;
  }
  return success();
}

void PlanBuilder::addCudaKernels(CudaText text) {
  plan.target_kind = "cuda";
  plan.target_level = kCudaLevel.str();
  plan.prelude_bytes = text.prelude.size();
  sections.cudaText = std::move(text.prelude);
  for (auto [func, printed] :
       llvm::zip(kernels.getOps<func::FuncOp>(), text.kernels)) {
    rt::fb::KernelT &kernel = addKernel(func, printed.blocks);
    kernel.symbol = printed.symbol;
    kernel.text_offset = sections.cudaText.size();
    kernel.text_bytes = printed.text.size();
    kernel.block_threads = printed.blockThreads;
    kernel.shared_bytes = printed.sharedBytes;
    sections.cudaText += printed.text;
  }
}

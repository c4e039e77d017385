// Kernels as CUDA text on the standard output (Passes.td).
#include "codegen/cuda/CudaText.h"
#include "codegen/cuda/Passes.h"
#include "codegen/kernel/Passes.h"

#include "llvm/Support/raw_ostream.h"

namespace ampc {
#define GEN_PASS_DEF_PRINTCUDA
#include "codegen/cuda/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

namespace {

class PrintCudaPass : public ampc::impl::PrintCudaBase<PrintCudaPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    auto kernels = getOperation().lookupSymbol<ModuleOp>(kKernelsModule);
    if (!kernels) {
      getOperation().emitError() << "holds no module @" << kKernelsModule;
      return signalPassFailure();
    }
    FailureOr<CudaText> text = kernelsAsCudaText(kernels);
    if (failed(text))
      return signalPassFailure();
    if (!withPrelude)
      text->prelude.clear();
    llvm::outs() << text->joined();
    markAllAnalysesPreserved();
  }
};

} // namespace

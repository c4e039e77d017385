// Kernels as CUDA C++ text, header-free: a prelude, and what each kernel adds
// to it.
#ifndef AMPC_CODEGEN_CUDA_CUDATEXT_H
#define AMPC_CODEGEN_CUDA_CUDATEXT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace ampc {

/// One kernel: an `extern "C" __global__` function.
struct CudaKernel {
  std::string symbol;
  std::string text;         ///< to be compiled behind the prelude
  int64_t blockThreads = 0; ///< a multiple of the warp, at most 1024
  int64_t sharedBytes = 0;  ///< of dynamic shared memory
  /// Blocks that give each thread its work once; any other number of them does
  /// the same work.
  int64_t blocks = 0;
};

/// All kernels of a module.
struct CudaText {
  std::string prelude;
  std::vector<CudaKernel> kernels;

  /// One self-contained file.
  std::string joined() const;
};

/// The functions of `kernels` (the nested module that BuildKernels makes with
/// `threads`; it stays as it is) in its order. An op without a CUDA form is an
/// error at its location.
llvm::FailureOr<CudaText> kernelsAsCudaText(mlir::ModuleOp kernels);

} // namespace ampc

#endif // AMPC_CODEGEN_CUDA_CUDATEXT_H

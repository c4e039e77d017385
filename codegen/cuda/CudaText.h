// Kernels as CUDA C++ text: one self-contained file, header-free, with its
// prelude.
#ifndef AMPC_CODEGEN_CUDA_CUDATEXT_H
#define AMPC_CODEGEN_CUDA_CUDATEXT_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace ampc {

/// The functions of `kernels` (the nested module that BuildKernels makes; it
/// stays as it is) as `extern "C" __global__` functions that any grid of blocks
/// may run (grid-stride loops). An op without a CUDA form is an error at its
/// location.
llvm::FailureOr<std::string> kernelsAsCudaText(mlir::ModuleOp kernels);

} // namespace ampc

#endif // AMPC_CODEGEN_CUDA_CUDATEXT_H

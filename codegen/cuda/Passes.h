// The pass of the CUDA target (Passes.td).
#ifndef AMPC_CODEGEN_CUDA_PASSES_H
#define AMPC_CODEGEN_CUDA_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ampc {

#define GEN_PASS_DECL
#include "codegen/cuda/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/cuda/Passes.h.inc"

} // namespace ampc

#endif // AMPC_CODEGEN_CUDA_PASSES_H

// Registers the passes of codegen with MLIR's drivers.
#ifndef AMPC_CODEGEN_REGISTER_H
#define AMPC_CODEGEN_REGISTER_H

#include "codegen/cpu/Passes.h"
#include "codegen/cuda/Passes.h"
#include "codegen/kernel/Passes.h"

namespace ampc {

/// Registers the `amp-*` passes from groups to target code.
inline void registerCodegenPasses() {
  registerAmpcKernelPasses();
  registerAmpcCpuPasses();
  registerAmpcCudaPasses();
}

} // namespace ampc

#endif // AMPC_CODEGEN_REGISTER_H

// The passes of the CPU target (Passes.td).
#ifndef AMPC_CODEGEN_CPU_PASSES_H
#define AMPC_CODEGEN_CPU_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ampc {

#define GEN_PASS_DECL
#include "codegen/cpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/cpu/Passes.h.inc"

} // namespace ampc

#endif // AMPC_CODEGEN_CPU_PASSES_H

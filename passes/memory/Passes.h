// The memory phase's passes (Passes.td).
#ifndef AMPC_PASSES_MEMORY_PASSES_H
#define AMPC_PASSES_MEMORY_PASSES_H

#include "ir/dialect/Dialect.h"
#include "mlir/Pass/Pass.h"

namespace ampc {

#define GEN_PASS_DECL
#include "passes/memory/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/memory/Passes.h.inc"

} // namespace ampc

#endif // AMPC_PASSES_MEMORY_PASSES_H

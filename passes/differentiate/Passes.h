// The differentiate phase's passes (Passes.td).
#ifndef AMPC_PASSES_DIFFERENTIATE_PASSES_H
#define AMPC_PASSES_DIFFERENTIATE_PASSES_H

#include "ir/dialect/Dialect.h"
#include "mlir/Pass/Pass.h"

namespace ampc {

#define GEN_PASS_DECL
#include "passes/differentiate/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/differentiate/Passes.h.inc"

} // namespace ampc

#endif // AMPC_PASSES_DIFFERENTIATE_PASSES_H

// The fusion phase's passes (Passes.td).
#ifndef AMPC_PASSES_FUSION_PASSES_H
#define AMPC_PASSES_FUSION_PASSES_H

#include "ir/dialect/Dialect.h"
#include "mlir/Pass/Pass.h"
#include "passes/fusion/Limits.h"

namespace ampc {

#define GEN_PASS_DECL
#include "passes/fusion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/fusion/Passes.h.inc"

} // namespace ampc

#endif // AMPC_PASSES_FUSION_PASSES_H

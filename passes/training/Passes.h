// The training phase's passes (Passes.td).
#ifndef AMPC_PASSES_TRAINING_PASSES_H
#define AMPC_PASSES_TRAINING_PASSES_H

#include "ir/dialect/Dialect.h"
#include "mlir/Pass/Pass.h"

namespace ampc {

#define GEN_PASS_DECL
#include "passes/training/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/training/Passes.h.inc"

} // namespace ampc

#endif // AMPC_PASSES_TRAINING_PASSES_H

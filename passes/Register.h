// Registers every pass and pipeline of the compiler with MLIR's drivers.
#ifndef AMPC_PASSES_REGISTER_H
#define AMPC_PASSES_REGISTER_H

namespace ampc {

/// Registers the passes `amp-*` and the pipelines `ampc-to-*`.
void registerPasses();

} // namespace ampc

#endif // AMPC_PASSES_REGISTER_H

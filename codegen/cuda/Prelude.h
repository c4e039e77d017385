// The text that stands before generated CUDA kernels: types with narrow
// storage, conversions, arithmetic that C++ leaves undefined. Header-free,
// every name prefixed.
#ifndef AMPC_CODEGEN_CUDA_PRELUDE_H
#define AMPC_CODEGEN_CUDA_PRELUDE_H

#include "llvm/ADT/StringRef.h"

namespace ampc {

/// The prelude.
llvm::StringRef cudaPrelude();

} // namespace ampc

#endif // AMPC_CODEGEN_CUDA_PRELUDE_H

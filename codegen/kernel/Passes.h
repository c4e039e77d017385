// The passes from groups to loops (Passes.td).
#ifndef AMPC_CODEGEN_KERNEL_PASSES_H
#define AMPC_CODEGEN_KERNEL_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ampc {

/// Name of the nested module that holds the kernels.
inline constexpr llvm::StringLiteral kKernelsModule = "kernels";
/// Attribute of a group: symbol of its kernel, `@kernels::@NAME`.
inline constexpr llvm::StringLiteral kKernelAttr = "kernel";

#define GEN_PASS_DECL
#include "codegen/kernel/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/kernel/Passes.h.inc"

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_PASSES_H

//===- Passes.td - kernels as CUDA text --------------------------------------------------------===//
#ifndef AMPC_CODEGEN_CUDA_PASSES
#define AMPC_CODEGEN_CUDA_PASSES

include "mlir/Pass/PassBase.td"

def PrintCuda : Pass<"amp-print-cuda", "::mlir::ModuleOp"> {
  let summary = "print the kernels as CUDA C++ text";
  let description = [{
    Input: a module that holds the nested module `@kernels` (`amp-build-kernels`). Prints its
    functions to the standard output, without the prelude unless `prelude` is set, and changes
    nothing: the printer's tests look through this pass.

    Diagnosed: a module without `@kernels`; an op without a CUDA form, at its location.
  }];
  let options = [Option<"withPrelude", "prelude", "bool", "false",
                        "Also print the prelude: the text is then complete">];
}

#endif // AMPC_CODEGEN_CUDA_PASSES

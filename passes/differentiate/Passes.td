//===- Passes.td - differentiate: reverse mode over an entry ---------------------------------------===//
#ifndef AMPC_PASSES_DIFFERENTIATE
#define AMPC_PASSES_DIFFERENTIATE

include "mlir/Pass/PassBase.td"

def Differentiate : Pass<"amp-differentiate", "::mlir::ModuleOp"> {
  let summary = "append gradients to an entry";
  let description = [{
    Reverse-mode differentiation through the `Differentiable` interface. Input: entry `entry`.
    Output: the entry with one more result for each value differentiated for, in the order of
    the declarations: `amp.io = #amp.io<gradient>`, `amp.wrt = @variable` or the input's name.

    Without `output` the sum of the losses is differentiated, seeded with 1, or with the loss scale of
    `amp.train` (N24; the scaler's variables are declared here), for each variable of role parameter that
    it reaches and that no group of `amp.train` freezes. With `output` that result is differentiated,
    seeded with an added argument `grad.OUTPUT` of its type, for every parameter and every float input; what it
    does not reach has gradient zero. Losses and metrics beside it are dropped.

    Values with several uses sum their gradients in reverse program order; ops that no gradient passes
    are left alone. Slices of one value that lie apart along one axis (the parts of a chunk) give it one
    gradient, their concatenation, added last. Diagnosed: no such entry or output; losses that reach no
    trained parameter; an op on the path that has no derivative.

    ```mlir
    return %l : tensor<f32>                            // before
    return %l, %dw : tensor<f32>, tensor<4x3xf32>      // after, %dw {amp.wrt = @fc.weight}
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", "\"train_step\"",
           "the entry to extend: train_step (micro_step in its place where there is none) or gradient">,
    Option<"output", "output", "std::string", "\"\"",
           "name of the result to differentiate; empty: the sum of the losses">];
}

#endif // AMPC_PASSES_DIFFERENTIATE

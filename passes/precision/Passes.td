//===- Passes.td - precision: from model to typed, and the clean-up of the joint graph -----------===//
#ifndef AMPC_PASSES_PRECISION
#define AMPC_PASSES_PRECISION

include "mlir/Pass/PassBase.td"

def AssignPrecision : Pass<"amp-assign-precision", "::mlir::ModuleOp"> {
  let summary = "give every value its type under a precision policy";
  let description = [{
    Input: a module in stage model. Output: stage typed.

    Under policy f32 the types as written stand: no value is narrowed and no cast is inserted, so
    the pass only moves the stage. Any other policy is refused with an error that names it.

    ```mlir
    module attributes {amp.stage = #amp.stage<model>} { ... }   // before
    module attributes {amp.stage = #amp.stage<typed>} { ... }   // after
    ```
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"f32\"",
           "the policy: f32 (a name from the language; no unit)">];
}

#endif // AMPC_PASSES_PRECISION

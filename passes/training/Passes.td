//===- Passes.td - training: entries, optimizer, counters ----------------------------------------===//
#ifndef AMPC_PASSES_TRAINING
#define AMPC_PASSES_TRAINING

include "mlir/Pass/PassBase.td"

def BuildEntries : Pass<"amp-build-entries", "::mlir::ModuleOp"> {
  let summary = "split the forward graph into the entries of a program";
  let description = [{
    Input: stage typed, one function `@forward`. Output: the entries that `entries` names, each
    with what it reaches and asking for no other input; `@forward` is gone.

    - `train_step`: losses and metrics. Only when the module has a loss.
    - `eval_step`: every loss and metric; a mean becomes its sum with `amp.divisor` (the number of
      terms), anything else is reported with divisor 1.
    - `infer`: the outputs.
    - `gradient`: outputs, losses and metrics, for `amp-differentiate` to extend.

    The random ops of an entry get their key (seed, index, micro) from the state variables, which
    are made here when a random op needs them: train_step reads `ampc.state/iteration`, eval_step
    `ampc.state/eval_index`, infer and gradient index 0, or what train_step reads with `mode=train` (N17).

    Diagnosed: no forward function; an entry that has nothing to compute.

    ```mlir
    func.func @forward(%x: ...) -> (%p {amp.io = #amp.io<output>}, %l {amp.io = #amp.io<loss>})  // before
    func.func @train_step(%x: ...) -> (%l)    // after
    func.func @infer(%x: ...) -> (%p)
    ```
  }];
  let options = [
    ListOption<"entries", "entries", "std::string",
               "entries to build: train_step, eval_step, infer, gradient (default: the first three)">,
    Option<"mode", "mode", "std::string", "\"infer\"",
           "infer or train: how infer and gradient behave; train draws from the training stream">];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def BuildOptimizer : Pass<"amp-build-optimizer", "::mlir::ModuleOp"> {
  let summary = "update every parameter from its gradient";
  let description = [{
    Input: `@train_step` with a gradient result a trained parameter (`amp-differentiate`).
    Output: those results are gone; for each of them the optimizer op that `amp.train` names
    updates parameter and state, which `amp.write` stores; the state variables
    (`ampc.NAME/PARAMETER`, zeros), the learning rate `ampc.state/lr` and the counters
    `ampc.state/iteration` and `ampc.state/update` are declared, and the counters advance by one
    (N31). A parameter that the loss does not reach has no gradient and keeps its value.

    Diagnosed: a module with a loss but no optimizer; an optimizer op that is not registered or
    has no `OptimizerUpdate` interface.

    ```mlir
    return %loss, %g : ...              // before
    %p1, %m1, %v1 = amp.adam %p, %g state %m, %v update %t lr %r : tensor<4xf32>   // after
    amp.write @w, %p1 : tensor<4xf32>
    ```
  }];
}

def EraseDeadOps : Pass<"amp-erase-dead-ops", "::mlir::ModuleOp"> {
  let summary = "erase what nothing reads";
  let description = [{
    Erases the ops of entries that have no effect and whose results nothing reads, last op first, so
    that a dead chain goes in one sweep. Differentiation leaves such chains: gradients of operands
    that nothing differentiates for.

    ```mlir
    %0 = amp.exp %x : tensor<4xf32>     // before: %1 is not used
    %1 = amp.neg %0 : tensor<4xf32>
    return %x : tensor<4xf32>           // after
    ```
  }];
}

def VerifyStep : Pass<"amp-verify-step", "::mlir::ModuleOp"> {
  let summary = "refuse a module that is not a complete training step";
  let description = [{
    The verifier of stage step. Changes nothing.

    step_c1: the module is in stage step and has no `@forward`.
    step_c2: every function is an entry, each entry at most once.
    step_c3: every argument has a use, outside entry gradient.
    step_c4: only train_step writes variables.
    step_c5: in train_step every read stands before every write, and a variable is written at most once.
    step_c6: train_step advances `ampc.state/iteration` and `ampc.state/update`.
    step_c7: no gradient result is left outside entry gradient.
    step_c8: an optimizer's parameter is an f32 variable of role parameter or master that the step
    writes.
    step_c9: a loss is an f32 or f64 scalar; in eval_step it has a positive `amp.divisor`.
    step_c10: every random op has its key.
    step_c11: no op without effect is left.
  }];
}

#endif // AMPC_PASSES_TRAINING

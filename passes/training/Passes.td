//===- Passes.td - training: entries, optimizer, counters ----------------------------------------===//
#ifndef AMPC_PASSES_TRAINING
#define AMPC_PASSES_TRAINING

include "mlir/Pass/PassBase.td"

def BuildEntries : Pass<"amp-build-entries", "::mlir::ModuleOp"> {
  let summary = "split the forward graph into the entries of a program";
  let description = [{
    Input: stage typed, one function `@forward`. Output: the entries that `entries` names, each
    with what it reaches and asking for no other input; `@forward` is gone.

    - `train_step`: losses, and metrics that are not `amp.eval_only`. Only when the module has a loss.
    - `eval_step` and `eval_finish`, when there is a loss or a metric: each of them for a whole data set. Each is a formula over
      reductions of data. eval_step gives the sums and counts of these (amp.io partial), which are
      added up over the batches; eval_finish is run once on the totals, divides and applies the rest:
      scalar arithmetic on reductions, and what depends on parameters alone. A scalar of the data
      that is no sum and no mean counts as its mean over the batches.
    - `infer`: the outputs.
    - `gradient`: outputs, losses and metrics, for `amp-differentiate` to extend.

    `amp.if_training` gives way to the operand of the entry's mode. The random ops of an entry get its
    mode, and those that draw in it their key (seed, index, micro) from the state variables, which
    are made here when a random op needs them: train_step reads `ampc.state/iteration`, eval_step
    `ampc.state/eval_index`, infer and gradient index 0, or what train_step reads with `mode=train` (N17).

    Diagnosed: no forward function; an entry that has nothing to compute.

    ```mlir
    func.func @forward(%x: ...) -> (%p {amp.io = #amp.io<output>}, %l {amp.io = #amp.io<loss>})  // before
    func.func @train_step(%x: ...) -> (%l)    // after
    func.func @eval_step(%x: ...) -> (%sum, %count {amp.io = #amp.io<partial>})
    func.func @eval_finish(%sum, %count) -> (%l)
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

def SplitWindow : Pass<"amp-split-window", "::mlir::ModuleOp"> {
  let summary = "let several micro-batches make one step";
  let description = [{
    Input: `@train_step` before differentiation. Where `amp.train` has an `accumulate` above 1, three entries
    take its place (N14); else nothing changes.

    - `window` runs for each micro-batch of a window before any micro_step. It counts them in
      `ampc.window/micros` and adds up the denominators: the sums and counts of data that the losses divide by.
    - `micro_step` runs for each micro-batch: forward, and the losses of this micro-batch as its share of the
      window's. A loss is a sum of terms k * S, k * S / D or k, with k a scalar of parameters and constants,
      S a sum, a mean or a loss function, D a scalar of sums and means of inputs and targets alone: S is the
      micro-batch's, D the window's, and a term without data counts in the first micro-batch alone.
      Random ops draw from stream `ampc.state/micro` of the iteration (N17).
    - `apply_step` runs once: losses are the sums of the micro-batches', a metric is the formula over its
      totals (as in eval_finish).

    Sums are variables of role accumulator `ampc.window/loss.N`, `count.N` and `partial.N`. Those of window start
    from nothing where `ampc.window/micros` is 0, those of micro_step where `ampc.state/micro` is, whatever they
    hold: a window that was abandoned leaves nothing behind. micro_step keeps its sums as results for
    `amp-differentiate` and `amp-accumulate-gradients`; each has the name of its variable.

    Diagnosed: a loss of another form; a step that is differentiated already.

    ```mlir
    func.func @train_step(%x, %m) -> (%loss)   // before: %loss = sum(x * w * m) / sum(m)
    func.func @window(%m)                      // after: writes @"ampc.window/count.0"
    func.func @micro_step(%x, %m) -> (%share {amp.name = "ampc.window/loss.0", amp.io = #amp.io<loss>})
    func.func @apply_step() -> (%loss)         // reads @"ampc.window/loss.0"
    ```
  }];
}

def AccumulateGradients : Pass<"amp-accumulate-gradients", "::mlir::ModuleOp"> {
  let summary = "add the gradients of micro-batches up";
  let description = [{
    Input: `@micro_step` with a gradient result a trained parameter, and `@apply_step`; without them nothing
    changes. Output: micro_step has no results but probes. Each other was a sum that it adds to: a gradient to the f32
    variable `ampc.grad/PARAMETER` of role accumulator (N7, N14), any other to the variable of its name; the first
    micro-batch of a window adds to zeros. `ampc.state/micro` advances by one. apply_step gets one gradient
    result a parameter, the sum, for `amp-build-optimizer`.

    ```mlir
    return %l, %g : tensor<f32>, tensor<4xf32>         // before: micro_step; %g {amp.wrt = @w}
    %0 = amp.read @"ampc.grad/w" : tensor<4xf32>         // after
    %1 = amp.select %first, %zeros, %0 : tensor<4xf32>
    %2 = amp.add %1, %g : tensor<4xf32>
    amp.write @"ampc.grad/w", %2 : tensor<4xf32>
    ```
  }];
}

def BuildOptimizer : Pass<"amp-build-optimizer", "::mlir::ModuleOp"> {
  let summary = "update every parameter from its gradient";
  let description = [{
    Input: `@train_step`, or `@apply_step` where gradients accumulate, with a gradient result a trained
    parameter (`amp-differentiate`, `amp-accumulate-gradients`).
    Output: those results are gone; for each of them the optimizer op that `amp.train` names
    updates parameter and state, which `amp.write` stores; the state variables
    (`ampc.NAME/PARAMETER`, zeros), the learning rate `ampc.state/lr` and the counters
    `ampc.state/iteration` and `ampc.state/update` are declared, and the counters advance by one
    (N31); apply_step sets `ampc.state/micro` and `ampc.window/micros` to 0, applied or not. A parameter that
    the loss does not reach has no gradient and keeps its value.

    `amp.train` keys: `optimizer = {op, lr, ...}`; `groups = [{names, lr?, frozen?, ...} ...]`: hyper-parameters
    of some parameters, later groups over earlier ones key by key; `base_batch`: the base rate starts
    scaled by (batch * accumulate) / base_batch, batch being the first extent of the first input of the step.

    `schedule = {kind, warmup, ...}`: the base rate, a run-time scalar, is multiplied in f64 by a factor of
    the update u, from 0, and rounded to f32 once; the result `ampc.lr` reports it. With w = warmup and
    T = steps: for u < w it is u / w. Then constant 1; step gamma^k, k = floor(u / every) or the number of
    milestones <= u (StepLR, MultiStepLR: counted from the first update, warm-up included); linear
    1 + (final - 1) x and cosine final + (1 - final)(1 + cos pi x) / 2 with x = min((u - w) / (T - w), 1)
    (LinearLR, CosineAnnealingLR). A group's lr is its share of the base rate at every update.

    `loss_scale = {init, growth, backoff, interval, floor, hysteresis}` (dynamic) or a number: the gradients
    that come in are of the scaled loss (`amp-differentiate` starts from the scale); they are multiplied by
    1 / scale, computed in f64 and rounded to f32. `nonfinite`: under skip and error every variable but
    `ampc.state/iteration` keeps its value where the largest magnitude among the gradients, or their norm
    where that is taken, is not finite before or after unscaling; then the scaler's state moves (N24, N25). With a
    dynamic scale the result `ampc.at_floor` is 1 where such a gradient comes while the scale stands at its
    floor (N26).

    `clip_norm`: gradients are multiplied by min(clip_norm / (norm + 1e-6), 1), rounded to f32
    (clip_grad_norm_). The global norm is computed in f64: squares of widened elements; a gradient of rank
    2 and more along its last axis in the row order, then over its rows; gradients in the order of
    their declarations (N10, N25). The result `ampc.grad_norm` reports it, before clipping.

    Diagnosed: a module with a loss but no optimizer; an optimizer op that is not registered or
    has no `OptimizerUpdate` interface; a schedule, group or limit that makes no sense.

    ```mlir
    return %loss, %g : ...              // before
    %p1, %m1, %v1 = amp.adam %p, %g state %m, %v update %t lr %r : tensor<4xf32>   // after
    amp.write @w, %p1 : tensor<4xf32>
    ```
  }];
}

def HashModel : Pass<"amp-hash-model", "::mlir::ModuleOp"> {
  let summary = "name what the forward graph computes by a number";
  let description = [{
    Input: a module with `@forward` that has no `amp.model_hash` yet; any other stays as it is. Output:
    the attribute, a hash of the variables and of the ops with their operands, attributes and element
    types. Shapes of values stand outside: another batch is the same model. A checkpoint carries it,
    so that one of another graph with equal parameters is refused.

    ```mlir
    module attributes {amp.stage = #amp.stage<model>} {...}                                     // before
    module attributes {amp.model_hash = 42 : i64, amp.stage = #amp.stage<model>} {...}          // after
    ```
  }];
}

def ProbeValues : Pass<"amp-probe-values", "::mlir::ModuleOp"> {
  let summary = "show the values of the training step among its results";
  let description = [{
    Input: `@train_step`, or `@micro_step`, with its gradient results (`amp-differentiate`); a module without one stays as it
    is. Output: one result `ampc.probe.N` (amp.io probe, amp.probe) a probed value, in program order. What a
    probe is made of is found through values without one.

    `values`: `all` float inputs, variables and op results, but constants and what only moves or copies
    elements; `boundary`: of these, inputs, variables, results, and what one call of the model hands to
    another. Empty values have no probe.
    `show`: `range`, the smallest and the largest element as a tensor of two (f64 of f64, else f32), NaN
    where there is one; or `value`, the value itself.

    No other result changes.

    ```mlir
    return %l, %g : ...                                        // before
    %0 = amp.reduce min %x axes [0] : ...                      // after
    return %l, %g, %range : tensor<f32>, tensor<4xf32>, tensor<2xf32>
    ```
  }];
  let options = [
    Option<"values", "values", "std::string", "\"all\"", "all or boundary">,
    Option<"show", "show", "std::string", "\"range\"", "range or value">];
}

def CheckIndices : Pass<"amp-check-indices", "::mlir::ModuleOp"> {
  let summary = "let no entry write with an index or label out of range";
  let description = [{
    Input: entries whose ops are composites still. Output: whatever an op looks up (interface
    IndexBounds) is checked, once for all that ask the same (N11, N32):

    - An input, seen through reshapes, transposes, slices, broadcasts, detach and casts to wider
      integers, carries `amp.index_range`: the range, which elements, who asks and where. The runtime
      refuses a batch with an element out of range before it runs the entry.
    - A constant or an iota, seen through the same, is checked here.
    - What cannot leave the range (interface BoundedInteger) needs no check.
    - Anything else is checked as the entry runs: an amp.first_outside where the op stands, and a last
      result `ampc.fault` (amp.io fault) for all of them: which check failed first, or -1, the
      position and the element. Every amp.write then writes the old value where one failed.

    Diagnosed: a constant or an iota with an element out of range.

    ```mlir
    func.func @infer(%i: tensor<8xi32> {amp.name = "i", ...}) ...   // before: amp.take of a table of 10 rows
    func.func @infer(%i: tensor<8xi32> {amp.index_range = [#amp.index_range<low = 0, high = 10, ...>], ...})

    %1 = amp.take %w, %0 axis 0 : tensor<10xf32>, tensor<8xi32> -> tensor<8xf32>                    // before: %0 = amp.add ...
    %p, %e = amp.first_outside %0 low 0 high 10 : tensor<8xi32>                                  // after
    return %1, %fault : tensor<8xf32>, tensor<3xi64>
    ```
  }];
}

def EraseDeadOps : Pass<"amp-erase-dead-ops", "::mlir::ModuleOp"> {
  let summary = "erase what nothing reads";
  let description = [{
    Erases the ops of entries that have no effect and whose results nothing reads, last op first, so
    that a dead chain goes in one sweep, then the arguments that nothing reads. Differentiation leaves
    such chains: gradients of operands that nothing differentiates for.

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
    step_c3: every argument has a use.
    step_c4: only train_step, window, micro_step and apply_step write variables; window and micro_step write
    accumulators and `ampc.state/micro` alone.
    step_c5: every read stands before every write, and a variable is written at most once.
    step_c6: train_step and apply_step advance `ampc.state/iteration` and `ampc.state/update`.
    step_c7: no gradient result is left outside entry gradient.
    step_c8: an optimizer's parameter is an f32 variable of role parameter or master that the step
    writes, as it is or by a choice between it and the old value.
    step_c9: a loss is an f32 or f64 scalar.
    step_c10: every random op that draws in its mode has its key.
    step_c11: no op without effect is left.
    step_c12: eval_step gives partial results, scalars, and no other entry does.
    step_c13: a fault is an entry's last result, i64[3] with amp.index_range; the entry that has one
    writes a variable only by a choice between a new value and the old one.
    step_c14: a probe has amp.probe; its inputs are probes before it.
    step_c15: window, micro_step and apply_step stand together, and not beside train_step.
  }];
}

#endif // AMPC_PASSES_TRAINING

//===- Dialect.td - the amp dialect ------------------------------------------------------------===//
// The dataflow IR of a training step: tensors in SSA form, variables by symbol, one function an entry.
#ifndef AMPC_IR_DIALECT
#define AMPC_IR_DIALECT

include "mlir/IR/OpBase.td"

def Amp_Dialect : Dialect {
  let name = "amp";
  let summary = "A neural network's training step as static dataflow";
  let description = [{
    One module holds the variables (`amp.variable`) and the entries (`func.func` with an
    `amp.entry` attribute), which share the variables' storage. Values are builtin ranked tensors
    with static shapes; element types are f64 f32 f16 bf16 f8E4M3FN f8E5M2 i1 i8 i32 i64.

    Discardable attributes:

    | on | attribute | meaning |
    |---|---|---|
    | module | `amp.stage = #amp.stage<S>` | the stage the module is in: model, typed, step, fused, placed |
    | module | `amp.model = "name"` | the model's name |
    | module | `amp.train = {...}` | the train block (docs/language.md), `optimizer = {op = "amp.adam", lr = ..., ...}` |
    | module | `amp.data = [...]` | the data block's lines, kept for the plan |
    | module | `amp.data_shuffle = true` | whether files are read in a new order each epoch |
    | module | `amp.data_validation = 0.1` | share of each file, from its end, that is for validation |
    | module | `amp.precision = [...]` | the precision block's entries `{patterns = [...], type = f32}`, in its order |
    | module | `amp.model_hash = N : i64` | what the forward graph computes, as a number: checkpoints carry it |
    | module | `amp.target = #amp.target<...>` | what the passes may know of the machine |
    | func | `amp.entry = #amp.entry<E>` | a function of one block whose arguments and results all have amp.name and amp.io: forward (model and typed stage), train_step (or window, micro_step and apply_step, where gradients accumulate), eval_step, eval_finish, infer, gradient |
    | argument, result | `amp.name = "x"` | the tensor's name outside |
    | argument, result | `amp.io = #amp.io<K>` | input or target (arguments), output, loss, metric, gradient, partial, fault or probe (results) |
    | result | `amp.wrt = @w` or `"x"` | the variable, or the input, that a gradient result belongs to |
    | argument | `amp.index_range = [#amp.index_range<...>, ...]` | what the input's elements must be: checked before a step begins |
    | result | `amp.index_range = [#amp.index_range<...>, ...]` | of the fault (i64[3]: number in this list or -1, position, element): what the entry checks of tensors that it computes |
    | result | `amp.probe = #amp.probe<...>` | of a probe: the value that it shows |
    | op | `amp.checkpoint = N : i64` | made in the N-th `checkpoint { }` of the model: not kept for the backward |
    | op | `amp.recompute_ns = N : i64` | the op computes again what another one did; the time that this is predicted to take (placed stage) |
    | result | `amp.eval_only` | a metric of an `eval { }` block: computed in eval_step alone |
    | func | `amp.arena_bytes = N : i64` | size of the entry's arena (placed stage) |
    | func | `amp.chunks = [{path = "head", rows = N, chunk = N, bytes = N}, ...]` | what is computed a chunk of rows at a time: the product, its rows, those of a chunk, the bytes of the whole (fused stage) |
    | op | `amp.reason = #amp.reason<R>` | why the op's results have their precision; why a policy cast stands there |
    | op | `amp.place = [#amp.place<...>, ...]` | where each result stands (placed stage) |
  }];
  let cppNamespace = "::ampc::amp";
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // AMPC_IR_DIALECT

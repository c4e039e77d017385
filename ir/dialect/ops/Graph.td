//===- Graph.td - where gradients stop and training differs ------------------------------------===//
#ifndef AMPC_IR_OPS_GRAPH
#define AMPC_IR_OPS_GRAPH

include "ir/dialect/ops/Base.td"

def Amp_DetachOp : Amp_MapOp<"detach", [Amp_CostModel, Amp_BoundedInteger,
    DeclareOpInterfaceMethods<Amp_Differentiable>, DeclareOpInterfaceMethods<Amp_Decomposable>]> {
  let summary = "a value whose gradient stops here";
  let description = [{
    The input, bits unchanged. Gradient: none flows.

    Created by: the front end. Composite: decomposed before fusion, into its operand. Absent after:
    fused.

    ```mlir
    %b = amp.detach %a : tensor<4xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$input);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Amp_IfTrainingOp : Amp_MapOp<"if_training", [Amp_CostModel]> {
  let summary = "a choice between training and the rest";
  let description = [{
    `training` in the entry train_step, `otherwise` in eval_step and infer; in the entry gradient
    by its mode. The construction of the entries puts the chosen operand in its place, so the op has
    no value and no gradient of its own.

    Created by: the front end. Consumed by: amp-build-entries. Absent after: step.

    ```mlir
    %c = amp.if_training %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$training, Amp_Tensor:$otherwise);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$training `,` $otherwise attr-dict `:` type($result)";
}

#endif // AMPC_IR_OPS_GRAPH

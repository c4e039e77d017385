//===- Optimizer.td - optimizer updates --------------------------------------------------------===//
#ifndef AMPC_IR_OPS_OPTIMIZER
#define AMPC_IR_OPS_OPTIMIZER

include "ir/dialect/ops/Base.td"

class Amp_OptimizerOp<string mnemonic, list<Trait> traits = []>
    : Amp_PureOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<Amp_OptimizerUpdate>, DeclareOpInterfaceMethods<Amp_Decomposable>,
        Amp_Fusible, DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
        DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify"]>], traits)>;

def Amp_SgdOp : Amp_OptimizerOp<"sgd"> {
  let summary = "stochastic gradient descent (torch.optim.SGD)";
  let description = [{
    With t = update + 1 (this update's number), all in f32 (N22):
    `d = g + weight_decay * p`; with momentum: `b = t == 1 ? d : momentum * b + (1 - dampening) * d`,
    `d = nesterov ? d + momentum * b : b`; `p = p - lr * d`.

    sgd_c1: parameter, gradient, state and results have one f32 type.
    sgd_c2: one state tensor (momentum) when momentum is not 0, else none.
    sgd_c3: momentum >= 0, weight_decay >= 0; nesterov needs momentum > 0 and dampening 0.

    Created by: `amp-build-optimizer`. Composite: decomposed before fusion.
    Absent after: fused.

    ```mlir
    %p1 = amp.sgd %p, %g update %t lr %lr {dampening = 0.0 : f64, momentum = 0.0 : f64,
          weight_decay = 0.0 : f64} : tensor<4xf32> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Amp_F32Tensor:$parameter, Amp_F32Tensor:$gradient,
                       Variadic<Amp_F32Tensor>:$state, Amp_I64Scalar:$update, Amp_F32Scalar:$lr,
                       DefaultValuedAttr<F64Attr, "0.0">:$momentum,
                       DefaultValuedAttr<F64Attr, "0.0">:$dampening,
                       DefaultValuedAttr<F64Attr, "0.0">:$weight_decay, UnitAttr:$nesterov);
  let results = (outs Variadic<Amp_F32Tensor>:$new_values);
  let assemblyFormat = [{
    $parameter `,` $gradient (`state` $state^)? `update` $update `lr` $lr attr-dict
    `:` type($parameter) `,` type($gradient) (`,` type($state)^)? `->` type($new_values)
  }];
  let hasVerifier = 1;
}

def Amp_AdamOp : Amp_OptimizerOp<"adam", [
    AllTypesMatch<["parameter", "gradient", "exp_avg", "exp_avg_sq", "new_parameter",
                   "new_exp_avg", "new_exp_avg_sq"]>]> {
  let summary = "Adam and AdamW (torch.optim.Adam, torch.optim.AdamW)";
  let description = [{
    With t = update + 1; bias corrections in f64, the rest in f32 (N5, N22):
    `c1 = 1 - beta1^t; c2 = 1 - beta2^t`;
    `decoupled: p = p - lr * weight_decay * p; else g = g + weight_decay * p`;
    `m = m + (g - m) * (1 - beta1); v = v * beta2 + (1 - beta2) * g * g`;
    `p = p - (lr / c1) * (m / (sqrt(v) / sqrt(c2) + eps))`.

    adam_c1: parameter, gradient, exp_avg, exp_avg_sq and the results have one f32 type.
    adam_c2: 0 <= beta1 < 1, 0 <= beta2 < 1, eps >= 0, weight_decay >= 0.

    Created by: `amp-build-optimizer`. Composite: decomposed before fusion.
    Absent after: fused.

    ```mlir
    %p1, %m1, %v1 = amp.adam %p, %g state %m, %v update %t lr %lr {beta1 = 0.9 : f64, ...}
                  : tensor<4xf32>
    ```
  }];
  let arguments = (ins Amp_F32Tensor:$parameter, Amp_F32Tensor:$gradient,
                       Amp_F32Tensor:$exp_avg, Amp_F32Tensor:$exp_avg_sq,
                       Amp_I64Scalar:$update, Amp_F32Scalar:$lr,
                       DefaultValuedAttr<F64Attr, "0.9">:$beta1,
                       DefaultValuedAttr<F64Attr, "0.999">:$beta2,
                       DefaultValuedAttr<F64Attr, "1e-8">:$eps,
                       DefaultValuedAttr<F64Attr, "0.0">:$weight_decay, UnitAttr:$decoupled);
  let results = (outs Amp_F32Tensor:$new_parameter, Amp_F32Tensor:$new_exp_avg,
                      Amp_F32Tensor:$new_exp_avg_sq);
  let assemblyFormat = [{
    $parameter `,` $gradient `state` $exp_avg `,` $exp_avg_sq `update` $update `lr` $lr attr-dict
    `:` type($parameter)
  }];
  let hasVerifier = 1;
}

#endif // AMPC_IR_OPS_OPTIMIZER

//===- Cast.td - element type conversion -------------------------------------------------------===//
#ifndef AMPC_IR_OPS_CAST
#define AMPC_IR_OPS_CAST

include "ir/dialect/ops/Base.td"

def Amp_CastOp : Amp_PureOp<"cast", [
    DeclareOpInterfaceMethods<Amp_Differentiable>, Amp_Fusible, Amp_CostModel,
    DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify"]>, Amp_BoundedInteger,
    SameOperandsAndResultShape]> {
  let summary = "element type conversion";
  let description = [{
    Float to float rounds to nearest, ties to even; overflow gives inf (NaN for f8E4M3FN), NaN stays
    NaN (N1). Integer to float rounds to nearest even. Float to integer truncates toward zero;
    outside the range it gives the nearest bound and 0 for NaN. To i1: whether nonzero. i1 is
    0 or 1. `origin = user` is a barrier that no pass folds, merges or moves; `policy` casts may be
    (N2). Gradient: a cast of g back to the input's type, of the same origin; none for integers.

    cast_c1: input and result differ in element type.

    Created by: the front end (user), precision passes and differentiation (policy).
    Consumed by: fusion. Absent after: nothing.

    ```mlir
    %b = amp.cast %a origin policy : tensor<4xf32> -> tensor<4xbf16>
    ```
  }];
  let arguments = (ins Amp_Tensor:$input, Amp_CastOrigin:$origin);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$input `origin` $origin attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // AMPC_IR_OPS_CAST

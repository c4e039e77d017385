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

def Amp_ScaledCastOp : Amp_PureOp<"scaled_cast", [
    DeclareOpInterfaceMethods<Amp_Differentiable>, Amp_Fusible,
    DeclareOpInterfaceMethods<Amp_Decomposable>, Amp_CostModel,
    DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify"]>, SameOperandsAndResultShape]> {
  let summary = "conversion to or from an 8-bit float with a scale of the tensor";
  let description = [{
    An f8 tensor holds its numbers times `scale`, one for the tensor (FP8 Formats for Deep Learning, 2022):
    to f8 `result[i] = input[i] * scale`, from f8 `result[i] = input[i] / scale`, computed in f32 (f64
    beside f64) and rounded once; what f8E4M3FN does not hold becomes NaN, what f8E5M2 does not
    becomes an infinity (N1). No pass makes, folds or moves it. Gradient: to f8 g * scale, from f8 g / scale,
    in the input's type.
    Composite: decomposes into amp.cast and amp.mul or amp.div when it joins a group.

    scaled_cast_c1: one of input and result is an 8-bit float, the other a wider one.
    scaled_cast_c2: scale is a normal number above 0.

    Created by: the front end. Absent after: fused.

    ```mlir
    %b = amp.scaled_cast %a scale 1.600000e+01 : tensor<4xf32> -> tensor<4xf8E4M3FN>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$input, F32Attr:$scale);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = "$input `scale` $scale attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

#endif // AMPC_IR_OPS_CAST

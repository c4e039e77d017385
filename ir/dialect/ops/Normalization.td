//===- Normalization.td - softmax and the norms of layers ---------------------------------------===//
#ifndef AMPC_IR_OPS_NORMALIZATION
#define AMPC_IR_OPS_NORMALIZATION

include "ir/dialect/ops/Base.td"

// A composite over the last axes. It decomposes into reductions over them and values broadcast
// back, all over one iteration space, so that fusion makes one row kernel of it.
class Amp_NormOp<string mnemonic, list<Trait> traits = []>
    : Amp_PureOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<Amp_Decomposable>, Amp_DifferentiableMethods,
        DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>,
        DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
        DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify", "accumulationType", "keepsWide"]>],
        traits)> {
  let extraClassDefinition = [{
    ::ampc::amp::FusionKind $cppClass::fusionKind() {
      return ::ampc::amp::FusionKind::row_reduce;
    }
    ::ampc::amp::PrecisionClass $cppClass::classify() {
      return ::ampc::amp::PrecisionClass::f32_inside;
    }
    ::mlir::Type $cppClass::accumulationType() {
      return ::ampc::amp::computeTypeFor(::ampc::amp::tensorType(getInput()).getElementType());
    }
    bool $cppClass::keepsWide(unsigned operand) { return operand > 0; }
  }];
  let hasVerifier = 1;
}

class Amp_SoftmaxLikeOp<string mnemonic>
    : Amp_NormOp<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins Amp_FloatTensor:$input);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Amp_SoftmaxOp : Amp_SoftmaxLikeOp<"softmax"> {
  let summary = "softmax over the last axis (torch.softmax)";
  let description = [{
    `m = max x; e = exp(x - m); result = e / sum e` over the last axis, in f32 (f64 for f64), one
    rounding to the result's type (N6, N9). A row of -inf alone gives NaN (N13); so does a row that
    holds +inf or NaN. Gradient: y * (g - sum(g * y)) in f32, y the result, the one saved value.

    softmax_c1: the rank is at least 1.

    Created by: the front end, which moves another axis to the end. Composite: decomposed before
    fusion. Absent after: fused.

    ```mlir
    %y = amp.softmax %x : tensor<8x10xf32>
    ```
  }];
}

def Amp_LogSoftmaxOp : Amp_SoftmaxLikeOp<"log_softmax"> {
  let summary = "logarithm of softmax over the last axis (torch.log_softmax)";
  let description = [{
    `m = max x; result = (x - m) - log(sum exp(x - m))` over the last axis, in f32 (f64 for f64), one
    rounding to the result's type (N6, N9). Rows of -inf alone, or with +inf or NaN, give NaN.
    Gradient: g - exp(y) * sum g in f32, y the result, the one saved value.

    log_softmax_c1: the rank is at least 1.

    Lifetime as amp.softmax.

    ```mlir
    %y = amp.log_softmax %x : tensor<8x10xf32>
    ```
  }];
}

def Amp_LayerNormOp : Amp_NormOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "normalisation over the last axes (torch.nn.functional.layer_norm)";
  let description = [{
    Over the last `axes` axes, in f32 (f64 for f64): `d = x - first x; c = d - mean d;
    rstd = 1 / sqrt(mean(c*c) + eps); result = c * rstd * weight + bias`, one rounding to the
    result's type after the affine step (N6, N19). A constant row has c exactly 0 and gives exactly
    the bias (N8). Results: the value, mean = first x + mean d, rstd (one element a row).

    Gradients, with c = x - mean, n = (c - mean c) * rstd (the saved mean is rounded) and h = g * weight:
    x: rstd * (h - mean h - n * mean(h * n)); weight: the column sum of g * n; bias: the column sum of g.
    Saved: x, weight, mean, rstd. mean and rstd have no gradient of their own.

    layer_norm_c1: axes is from 1 to the input's rank.
    layer_norm_c2: weight and bias have the extents of these axes and the input's element type, or the
    type of mean and rstd.
    layer_norm_c3: eps is finite and at least 2^-126, a normal f32.
    layer_norm_c4: the result has the input's type; mean and rstd the leading extents, in f32 (f64
    for f64).

    Created by: the front end. Composite: decomposed before fusion. Absent after: fused.

    ```mlir
    %y, %m, %r = amp.layer_norm %x weight %w : tensor<64xf32> bias %b : tensor<64xf32> axes 1 eps 1.0e-5
       : tensor<8x64xf32> -> tensor<8x64xf32>, tensor<8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$input, Optional<Amp_FloatTensor>:$weight,
                       Optional<Amp_FloatTensor>:$bias, I64Attr:$axes, F64Attr:$eps);
  let results = (outs Amp_FloatTensor:$result, Amp_FloatTensor:$mean, Amp_FloatTensor:$rstd);
  let assemblyFormat = [{
    $input (`weight` $weight^ `:` type($weight))? (`bias` $bias^ `:` type($bias))?
    `axes` $axes `eps` $eps attr-dict `:` type($input) `->` type($result) `,` type($mean) `,` type($rstd)
  }];
  let builders = [
    // weight and bias may be null.
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$weight, "::mlir::Value":$bias,
                   "int64_t":$axes, "double":$eps)>];
}

def Amp_RmsNormOp : Amp_NormOp<"rms_norm"> {
  let summary = "division by the root mean square of the last axes (torch.nn.functional.rms_norm)";
  let description = [{
    Over the last `axes` axes, in f32 (f64 for f64): `rstd = 1 / sqrt(mean(x*x) + eps);
    result = x * rstd * weight`, one rounding to the result's type at the end (N6, N19). Results: the
    value, rstd (one element a row).

    Gradients, with n = x * rstd and h = g * weight: x: rstd * (h - n * mean(h * n)); weight: the column
    sum of g * n. Saved: x, weight, rstd. rstd has no gradient of its own.

    rms_norm_c1: axes is from 1 to the input's rank.
    rms_norm_c2: weight has the extents of these axes and the input's element type, or rstd's.
    rms_norm_c3: eps is finite and at least 2^-126, a normal f32.
    rms_norm_c4: the result has the input's type; rstd the leading extents, in f32 (f64 for f64).

    Created by: the front end. Composite: decomposed before fusion. Absent after: fused.

    ```mlir
    %y, %r = amp.rms_norm %x weight %w : tensor<64xf32> axes 1 eps 1.0e-6
       : tensor<8x64xf32> -> tensor<8x64xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$input, Optional<Amp_FloatTensor>:$weight, I64Attr:$axes,
                       F64Attr:$eps);
  let results = (outs Amp_FloatTensor:$result, Amp_FloatTensor:$rstd);
  let assemblyFormat = [{
    $input (`weight` $weight^ `:` type($weight))? `axes` $axes `eps` $eps attr-dict
    `:` type($input) `->` type($result) `,` type($rstd)
  }];
  let builders = [
    // weight may be null.
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$weight, "int64_t":$axes,
                   "double":$eps)>];
}

#endif // AMPC_IR_OPS_NORMALIZATION

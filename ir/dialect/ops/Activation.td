//===- Activation.td - composite maps of one tensor --------------------------------------------===//
#ifndef AMPC_IR_OPS_ACTIVATION
#define AMPC_IR_OPS_ACTIVATION

include "ir/dialect/ops/Base.td"

// Composite: decomposed before fusion. Values and derivatives of floats narrower than f32 are
// computed in f32 and rounded once (N3, N6).
class Amp_ActivationOp<string mnemonic>
    : Amp_UnaryOp<mnemonic, [DeclareOpInterfaceMethods<Amp_Decomposable>,
                             DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>]>;

def Amp_ReluOp : Amp_UnaryOp<"relu", [Amp_CostModel,
    DeclareOpInterfaceMethods<Amp_Decomposable>]> {
  let summary = "rectified linear unit";
  let description = [{
    `result[i] = maximum(input[i], 0)`: NaN propagates, relu(-0) is +0 (N4). Gradient: g where
    the result is not <= 0, else 0, so relu'(0) = 0 (N15); the result is the one saved operand.
    Composite: decomposes into amp.constant and amp.maximum when it joins a group.

    Created by: the front end. Absent after: fused.

    ```mlir
    %c = amp.relu %a : tensor<4xf32>
    ```
  }];
}

def Amp_RsqrtOp : Amp_ActivationOp<"rsqrt"> {
  let summary = "reciprocal square root";
  let description = [{
    `result[i] = 1 / sqrt(input[i])`: root, then quotient. +inf at +0, -inf at -0, NaN below zero.
    Gradient: -g*result*result*result/2, an exact zero where g is zero (N15). Lifetime as amp.relu.

    ```mlir
    %c = amp.rsqrt %a : tensor<4xf32>
    ```
  }];
  let extraClassDeclaration = Amp_F32Inside;
}

def Amp_SigmoidOp : Amp_ActivationOp<"sigmoid"> {
  let summary = "logistic function";
  let description = [{
    `result[i] = 1 / (1 + e^-input[i])`, from e = e^-|input[i]|, which never overflows: 1/(1 + e) for
    inputs not below zero, else e/(1 + e). Gradient: g*result*(1 - result), an exact zero where g is
    zero (N15). Lifetime as amp.relu.

    ```mlir
    %c = amp.sigmoid %a : tensor<4xf32>
    ```
  }];
}

def Amp_SiluOp : Amp_ActivationOp<"silu"> {
  let summary = "sigmoid linear unit (swish)";
  let description = [{
    `result[i] = input[i] * s`, s = sigmoid(input[i]) as amp.sigmoid computes it; -0 where s is 0,
    also at -inf. Gradient: g*(s + input*s*(1 - s)), with 0 for the second term where s*(1 - s) is
    0; an exact zero where g is zero (N15). Lifetime as amp.relu.

    ```mlir
    %c = amp.silu %a : tensor<4xf32>
    ```
  }];
}

def Amp_GeluOp : Amp_ActivationOp<"gelu"> {
  let summary = "Gaussian error linear unit";
  let description = [{
    `none`: `result[i] = input[i] * p`, p = (1 + erf(input[i]/sqrt(2)))/2.
    `tanh`: p = (1 + t)/2, t = tanh(sqrt(2/pi) * (x + 0.044715 x^3)).
    -0 where p is 0, also at -inf (N9).
    Gradients: `none` g*(p + x*d) with d = e^(-x*x/2)/sqrt(2 pi); `tanh` g*(p + x/2*d*u) with
    d = 1 - t*t and u = sqrt(2/pi)*(1 + 3*0.044715 x^2). The second term is 0 where d is 0; an exact
    zero where g is zero (N15). Lifetime as amp.relu.

    ```mlir
    %c = amp.gelu tanh %a : tensor<4xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$input, Amp_GeluApproximation:$approximate);
  let assemblyFormat = "$approximate $input attr-dict `:` type($result)";
}

def Amp_SoftplusOp : Amp_ActivationOp<"softplus"> {
  let summary = "smooth rectifier";
  let description = [{
    With z = beta * x: `result = (max(z, 0) + ln(1 + e^-|z|)) / beta`, and x itself where z is above
    `threshold`: no overflow anywhere (N9). Gradient: g*sigmoid(z), and g above the threshold; an
    exact zero where g is zero (N15).

    softplus_c1: beta is finite and above 0 in the compute type; threshold is not NaN.

    Lifetime as amp.relu.

    ```mlir
    %c = amp.softplus %a beta 1.0 threshold 20.0 : tensor<4xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$input, F64Attr:$beta, F64Attr:$threshold);
  let assemblyFormat = "$input `beta` $beta `threshold` $threshold attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Amp_ClipOp : Amp_NumberUnaryOp<"clip", [
    DeclareOpInterfaceMethods<Amp_Decomposable>, Amp_BoundedIntegerMethods]> {
  let summary = "elementwise restriction to an interval";
  let description = [{
    `result[i] = minimum(maximum(input[i], min), max)`, without the bound that is absent, each bound
    rounded to the compute type. NaN stays NaN. Where min is above max the result is max. Gradient: g
    where the input is in [min, max], bounds included, else 0 (N15); none for integers.

    clip_c1: a bound is present; none is NaN.
    clip_c2: the bounds of integers are whole and of their type.

    Lifetime as amp.relu.

    ```mlir
    %c = amp.clip %a min -1.0 max 1.0 : tensor<4xf32>
    ```
  }];
  let arguments = (ins Amp_NumberTensor:$input, OptionalAttr<F64Attr>:$min, OptionalAttr<F64Attr>:$max);
  let assemblyFormat = "$input (`min` $min^)? (`max` $max^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // AMPC_IR_OPS_ACTIVATION

//===- Transcendental.td - roots, exponentials and kin, one value an element -------------------===//
#ifndef AMPC_IR_OPS_TRANSCENDENTAL
#define AMPC_IR_OPS_TRANSCENDENTAL

include "ir/dialect/ops/Base.td"

class Amp_TranscendentalOp<string mnemonic>
    : Amp_UnaryOp<mnemonic, [DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>]>;

def Amp_ExpOp : Amp_TranscendentalOp<"exp"> {
  let summary = "elementwise exponential";
  let description = [{
    `result[i] = e^input[i]`, within 2 ulp in f32 and f64, subnormal results kept (N1); narrower
    floats compute in f32 and round once. Gradient: g*result, an exact zero where g is zero (N15).
    Lifetime as amp.add.

    ```mlir
    %c = amp.exp %a : tensor<4xf32>
    ```
  }];
  let extraClassDeclaration = Amp_F32Inside;
}

def Amp_SqrtOp : Amp_TranscendentalOp<"sqrt"> {
  let summary = "elementwise square root";
  let description = [{
    The correctly rounded root; NaN below zero, -0 at -0. Gradient: g/(2*result), +inf at 0,
    an exact zero where g is zero (N15).
    Lifetime as amp.add.

    ```mlir
    %c = amp.sqrt %a : tensor<4xf32>
    ```
  }];
}

def Amp_LogOp : Amp_TranscendentalOp<"log"> {
  let summary = "elementwise natural logarithm";
  let description = [{
    `result[i] = ln input[i]`, within 2 ulp in f32 and f64, subnormal inputs read as they are (N1);
    narrower floats compute in f32 and round once. -inf at either zero, NaN below.
    Gradient: g/input, an exact zero where g is zero (N15). Lifetime as amp.add.

    ```mlir
    %c = amp.log %a : tensor<4xf32>
    ```
  }];
  let extraClassDeclaration = Amp_F32Inside;
}

def Amp_Log1pOp : Amp_TranscendentalOp<"log1p"> {
  let summary = "elementwise ln(1 + x)";
  let description = [{
    `result[i] = ln(1 + input[i])`, within 2 ulp in f32 and f64, also near 0, where -0 stays -0;
    narrower floats compute in f32 and round once. -inf at -1, NaN below.
    Gradient: g/(1 + input), an exact zero where g is zero (N15). Lifetime as amp.add.

    ```mlir
    %c = amp.log1p %a : tensor<4xf32>
    ```
  }];
  let extraClassDeclaration = Amp_F32Inside;
}

def Amp_TanhOp : Amp_TranscendentalOp<"tanh"> {
  let summary = "elementwise hyperbolic tangent";
  let description = [{
    `result[i] = tanh input[i]`, within 2 ulp in f32 and f64, -0 at -0, 1 and -1 at the infinities;
    narrower floats compute in f32 and round once.
    Gradient: g*(1 - result*result), an exact zero where g is zero (N15). Lifetime as amp.add.

    ```mlir
    %c = amp.tanh %a : tensor<4xf32>
    ```
  }];
}

def Amp_ErfOp : Amp_TranscendentalOp<"erf"> {
  let summary = "elementwise error function";
  let description = [{
    `result[i] = 2/sqrt(pi) * integral from 0 to input[i] of e^(-t*t)`, within 2 ulp in f32 and f64,
    -0 at -0, 1 and -1 at the infinities; narrower floats compute in f32 and round once.
    Gradient: g * 2/sqrt(pi) * exp(-input*input), an exact zero where g is zero (N15).
    Lifetime as amp.add.

    ```mlir
    %c = amp.erf %a : tensor<4xf32>
    ```
  }];
}

def Amp_SinOp : Amp_TranscendentalOp<"sin"> {
  let summary = "elementwise sine";
  let description = [{
    `result[i] = sin input[i]` (radians), within 4 ulp in f32 and f64 for every finite input, -0 at
    -0, NaN at the infinities; narrower floats compute in f32 and round once.
    Gradient: g*cos(input), an exact zero where g is zero (N15). Lifetime as amp.add.

    ```mlir
    %c = amp.sin %a : tensor<4xf32>
    ```
  }];
}

def Amp_CosOp : Amp_TranscendentalOp<"cos"> {
  let summary = "elementwise cosine";
  let description = [{
    `result[i] = cos input[i]` (radians), within 4 ulp in f32 and f64 for every finite input, NaN at
    the infinities; narrower floats compute in f32 and round once.
    Gradient: -g*sin(input), an exact zero where g is zero (N15). Lifetime as amp.add.

    ```mlir
    %c = amp.cos %a : tensor<4xf32>
    ```
  }];
}

def Amp_PowOp : Amp_MapOp<"pow", [Amp_DifferentiableMethods,
    DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>]> {
  let summary = "elementwise power";
  let description = [{
    `result[i] = lhs[i]^rhs[i]` with the special values of C's `pow` (x^0 and 1^y are 1, also for
    NaN; a negative base needs a whole exponent, else NaN), within 4 ulp in f32 and f64; narrower
    floats compute in f32 and round once. Gradients (N15): g*rhs*lhs^(rhs - 1), 0 where rhs is 0;
    g*result*ln(lhs), 0 where lhs is 0 and rhs is not below 0; exact zeros where g is zero.
    Lifetime as amp.add.

    ```mlir
    %c = amp.pow %a, %b : tensor<4xf32>
    ```
  }];
  let extraClassDeclaration = Amp_F32Inside;
  let arguments = (ins Amp_FloatTensor:$lhs, Amp_FloatTensor:$rhs);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

#endif // AMPC_IR_OPS_TRANSCENDENTAL

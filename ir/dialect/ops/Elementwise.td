//===- Elementwise.td - arithmetic, one value an element ---------------------------------------===//
#ifndef AMPC_IR_OPS_ELEMENTWISE
#define AMPC_IR_OPS_ELEMENTWISE

include "ir/dialect/ops/Base.td"

def Amp_AddOp : Amp_BinaryOp<"add", [Commutative, Amp_BoundedIntegerMethods]> {
  let summary = "elementwise sum";
  let description = [{
    `result[i] = lhs[i] + rhs[i]`, rounded once to the result type (N3); integers wrap.
    Gradients: g and g.

    Created by: the front end, differentiation, decompositions. Consumed by: fusion (into groups).
    Absent after: nothing.

    ```mlir
    %c = amp.add %a, %b : tensor<4xf32>
    ```
  }];
}

def Amp_SubOp : Amp_BinaryOp<"sub", [Amp_BoundedIntegerMethods]> {
  let summary = "elementwise difference";
  let description = [{
    `result[i] = lhs[i] - rhs[i]`, rounded once to the result type; integers wrap.
    Gradients: g and -g. Lifetime as amp.add.

    ```mlir
    %c = amp.sub %a, %b : tensor<4xf32>
    ```
  }];
}

def Amp_MulOp : Amp_BinaryOp<"mul", [Commutative, Amp_BoundedIntegerMethods]> {
  let summary = "elementwise product";
  let description = [{
    `result[i] = lhs[i] * rhs[i]`, rounded once to the result type; integers wrap. Never contracted
    with a following sum (N4). Gradients: g*rhs and g*lhs, exactly 0 where g is 0 (N15). Lifetime as amp.add.

    ```mlir
    %c = amp.mul %a, %b : tensor<4xf32>
    ```
  }];
}

def Amp_DivOp : Amp_BinaryOp<"div"> {
  let summary = "elementwise quotient";
  let description = [{
    `result[i] = lhs[i] / rhs[i]` by IEEE 754 division, rounded once to the result type. Floats only.
    Gradients: g/rhs and -g*(lhs/rhs)/rhs, exact zeros where g is zero (N15). Lifetime as amp.add.

    ```mlir
    %c = amp.div %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$lhs, Amp_FloatTensor:$rhs);
  let results = (outs Amp_FloatTensor:$result);
}

def Amp_MaximumOp : Amp_BinaryOp<"maximum", [Commutative, Amp_BoundedIntegerMethods]> {
  let summary = "elementwise maximum";
  let description = [{
    The larger of lhs[i] and rhs[i]. A NaN of either gives the quiet NaN without a sign, whatever
    its bits; maximum(-0, +0) is +0 in either order (N4).
    Gradient: to the larger operand; a tie splits it equally (N15). Lifetime as amp.add.

    ```mlir
    %c = amp.maximum %a, %b : tensor<4xf32>
    ```
  }];
}

def Amp_MinimumOp : Amp_BinaryOp<"minimum", [Commutative, Amp_BoundedIntegerMethods]> {
  let summary = "elementwise minimum";
  let description = [{
    The smaller of lhs[i] and rhs[i]. A NaN of either gives the quiet NaN without a sign, whatever
    its bits; minimum(-0, +0) is -0 in either order (N4).
    Gradient: to the smaller operand; a tie splits it equally (N15). Lifetime as amp.add.

    ```mlir
    %c = amp.minimum %a, %b : tensor<4xf32>
    ```
  }];
}

def Amp_NegOp : Amp_UnaryOp<"neg", [Amp_CostModel]> {
  let summary = "elementwise negation";
  let description = [{
    `result[i] = -input[i]`: the sign bit flips, NaN and zero included. Gradient: -g.
    Lifetime as amp.add.

    ```mlir
    %c = amp.neg %a : tensor<4xf32>
    ```
  }];
}

def Amp_AbsOp : Amp_NumberUnaryOp<"abs"> {
  let summary = "elementwise absolute value";
  let description = [{
    `result[i] = |input[i]|`: the sign bit is cleared, NaN and zero included; integers wrap at the
    least one. Gradient: g*sign(input), so abs'(0) = 0 (N15), an exact zero where g is zero.
    Lifetime as amp.add.

    ```mlir
    %c = amp.abs %a : tensor<4xf32>
    ```
  }];
}

def Amp_SignOp : Amp_NumberUnaryOp<"sign"> {
  let summary = "elementwise sign";
  let description = [{
    -1 below zero, 1 above; +0, -0 and NaN stay what they are. Gradient: none flows (sign' = 0, N15).
    Lifetime as amp.add.

    ```mlir
    %c = amp.sign %a : tensor<4xf32>
    ```
  }];
}

def Amp_FloorOp : Amp_UnaryOp<"floor", [Amp_CostModel]> {
  let summary = "elementwise floor";
  let description = [{
    The largest integer not above input[i], exact in every format; zeros, infinities and NaN stay
    what they are. Gradient: none flows (floor' = 0). Lifetime as amp.add.

    ```mlir
    %c = amp.floor %a : tensor<4xf32>
    ```
  }];
}

def Amp_FloorDivOp : Amp_BinaryOp<"floor_div", [Amp_BoundedIntegerMethods]> {
  let summary = "elementwise quotient, rounded down";
  let description = [{
    Integers: the quotient rounded toward minus infinity; 0 where rhs is 0; the least integer by -1
    wraps. Floats: the floor of the exact quotient, as Python's `//`: with r = fmod(lhs, rhs), the
    integer nearest (lhs - r)/rhs, less 1 where r is not zero and differs from rhs in sign, in the
    compute type; a zero has the sign of lhs/rhs, and the result is lhs/rhs where rhs is 0. Exact
    below half the format's whole numbers (2^22 in f32), else within 2 ulp. Gradient: none flows.
    Lifetime as amp.add.

    ```mlir
    %c = amp.floor_div %a, %b : tensor<4xi32>
    ```
  }];
}

def Amp_RemainderOp : Amp_BinaryOp<"remainder", [Amp_BoundedIntegerMethods]> {
  let summary = "elementwise remainder with the divisor's sign";
  let description = [{
    `lhs - floor(lhs/rhs) * rhs`, as Python's `%`. Integers: 0 where rhs is 0. Floats: r = fmod(lhs,
    rhs), which is exact; r + rhs, rounded once, where r is not zero and differs from rhs in sign.
    NaN where rhs is 0 or lhs infinite. Gradients: g, and -g*floor_div(lhs, rhs), an exact zero
    where g is zero (N15). Lifetime as amp.add.

    ```mlir
    %c = amp.remainder %a, %b : tensor<4xf32>
    ```
  }];
}

#endif // AMPC_IR_OPS_ELEMENTWISE

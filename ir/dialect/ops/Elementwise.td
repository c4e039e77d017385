//===- Elementwise.td - scalar maps ------------------------------------------------------------===//
#ifndef AMPC_IR_OPS_ELEMENTWISE
#define AMPC_IR_OPS_ELEMENTWISE

include "ir/dialect/ops/Base.td"

// One value an element; operands and result have one type. Broadcasting is written out
// (amp.broadcast). f64 and f32 compute in their own type; narrower floats compute in f32 and round
// once to the result type.
class Amp_MapOp<string mnemonic, list<Trait> traits = []>
    : Amp_PureOp<mnemonic, !listconcat([
        SameOperandsAndResultType, Amp_Fusible, Amp_PrecisionRule], traits)>;

class Amp_UnaryOp<string mnemonic, list<Trait> traits = []>
    : Amp_MapOp<mnemonic, !listconcat([Amp_DifferentiableMethods], traits)> {
  let arguments = (ins Amp_FloatTensor:$input);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

class Amp_BinaryOp<string mnemonic, list<Trait> traits = []>
    : Amp_MapOp<mnemonic, !listconcat([Amp_CostModel, Amp_DifferentiableMethods], traits)> {
  let arguments = (ins Amp_NumberTensor:$lhs, Amp_NumberTensor:$rhs);
  let results = (outs Amp_NumberTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def Amp_AddOp : Amp_BinaryOp<"add", [Commutative]> {
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

def Amp_SubOp : Amp_BinaryOp<"sub"> {
  let summary = "elementwise difference";
  let description = [{
    `result[i] = lhs[i] - rhs[i]`, rounded once to the result type; integers wrap.
    Gradients: g and -g. Lifetime as amp.add.

    ```mlir
    %c = amp.sub %a, %b : tensor<4xf32>
    ```
  }];
}

def Amp_MulOp : Amp_BinaryOp<"mul", [Commutative]> {
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

def Amp_MaximumOp : Amp_BinaryOp<"maximum", [Commutative]> {
  let summary = "elementwise maximum";
  let description = [{
    The larger of lhs[i] and rhs[i]. NaN propagates; maximum(-0, +0) is +0 in either order (N4).
    Gradient: to the larger operand; a tie splits it equally (N15). Lifetime as amp.add.

    ```mlir
    %c = amp.maximum %a, %b : tensor<4xf32>
    ```
  }];
}

def Amp_MinimumOp : Amp_BinaryOp<"minimum", [Commutative]> {
  let summary = "elementwise minimum";
  let description = [{
    The smaller of lhs[i] and rhs[i]. NaN propagates; minimum(-0, +0) is -0 in either order (N4).
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

def Amp_ExpOp : Amp_UnaryOp<"exp", [DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>]> {
  let summary = "elementwise exponential";
  let description = [{
    `result[i] = e^input[i]`, within 2 ulp in f32 and f64, subnormal results kept (N1); narrower
    floats compute in f32 and round once. Gradient: g*result, an exact zero where g is zero (N15).
    Lifetime as amp.add.

    ```mlir
    %c = amp.exp %a : tensor<4xf32>
    ```
  }];
}

def Amp_SqrtOp : Amp_UnaryOp<"sqrt", [DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>]> {
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

def Amp_CompareOp : Amp_PureOp<"compare", [
    SameTypeOperands, Amp_Fusible, Amp_CostModel, Amp_PrecisionRule,
    TypesMatchWith<"result has the operands' shape and element type i1", "lhs", "result",
                   "::ampc::amp::withElementType($_self, ::mlir::IntegerType::get($_ctxt, 1))">]> {
  let summary = "elementwise comparison";
  let description = [{
    `result[i] = lhs[i] PREDICATE rhs[i]`, PREDICATE one of eq ne lt le gt ge. With a NaN every
    predicate but ne is false; -0 equals +0. Integers compare as signed. No gradient.
    Lifetime as amp.add.

    ```mlir
    %c = amp.compare lt %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Amp_ComparePredicate:$predicate, Amp_Tensor:$lhs, Amp_Tensor:$rhs);
  let results = (outs Amp_BoolTensor:$result);
  let assemblyFormat = "$predicate $lhs `,` $rhs attr-dict `:` type($lhs)";
}

def Amp_SelectOp : Amp_PureOp<"select", [
    Amp_DifferentiableMethods, Amp_Fusible, Amp_CostModel, Amp_PrecisionRule,
    AllTypesMatch<["on_true", "on_false", "result"]>,
    TypesMatchWith<"condition has the result's shape and element type i1", "result", "condition",
                   "::ampc::amp::withElementType($_self, ::mlir::IntegerType::get($_ctxt, 1))">]> {
  let summary = "elementwise choice";
  let description = [{
    `result[i] = condition[i] ? on_true[i] : on_false[i]`, bits unchanged. Gradients are selects
    too: the untaken side gets an exact zero (N15). Lifetime as amp.add.

    ```mlir
    %c = amp.select %p, %a, %b : tensor<4xf32>
    ```
  }];
  let arguments = (ins Amp_BoolTensor:$condition, Amp_Tensor:$on_true, Amp_Tensor:$on_false);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($result)";
}

#endif // AMPC_IR_OPS_ELEMENTWISE

//===- Logic.td - comparisons, truth values and choices, one value an element ------------------===//
#ifndef AMPC_IR_OPS_LOGIC
#define AMPC_IR_OPS_LOGIC

include "ir/dialect/ops/Base.td"

class Amp_LogicOp<string mnemonic> : Amp_MapOp<mnemonic, [Commutative, Amp_CostModel]> {
  let arguments = (ins Amp_BoolTensor:$lhs, Amp_BoolTensor:$rhs);
  let results = (outs Amp_BoolTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
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
    Amp_DifferentiableMethods, Amp_Fusible, Amp_CostModel, Amp_PrecisionRule, Amp_BoundedIntegerMethods,
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

def Amp_AndOp : Amp_LogicOp<"and"> {
  let summary = "elementwise conjunction";
  let description = [{
    True where both operands are. No gradient. Lifetime as amp.add.

    ```mlir
    %c = amp.and %a, %b : tensor<4xi1>
    ```
  }];
}

def Amp_OrOp : Amp_LogicOp<"or"> {
  let summary = "elementwise disjunction";
  let description = [{
    True where an operand is. No gradient. Lifetime as amp.add.

    ```mlir
    %c = amp.or %a, %b : tensor<4xi1>
    ```
  }];
}

def Amp_XorOp : Amp_LogicOp<"xor"> {
  let summary = "elementwise exclusive disjunction";
  let description = [{
    True where the operands differ. No gradient. Lifetime as amp.add.

    ```mlir
    %c = amp.xor %a, %b : tensor<4xi1>
    ```
  }];
}

def Amp_NotOp : Amp_MapOp<"not", [Amp_CostModel]> {
  let summary = "elementwise negation of truth values";
  let description = [{
    True where the operand is not. No gradient. Lifetime as amp.add.

    ```mlir
    %c = amp.not %a : tensor<4xi1>
    ```
  }];
  let arguments = (ins Amp_BoolTensor:$input);
  let results = (outs Amp_BoolTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

#endif // AMPC_IR_OPS_LOGIC

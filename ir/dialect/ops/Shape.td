//===- Shape.td - constants, views and broadcasts ----------------------------------------------===//
#ifndef AMPC_IR_OPS_SHAPE
#define AMPC_IR_OPS_SHAPE

include "ir/dialect/ops/Base.td"

def Amp_ConstantOp : Amp_PureOp<"constant", [
    ConstantLike, AllTypesMatch<["value", "result"]>, Amp_BoundedIntegerMethods, Amp_Fusible,
    Amp_CostModel]> {
  let summary = "a tensor known at compile time";
  let description = [{
    The elements attribute's value. +0 and -0 are distinct constants (N4).

    Created by: the front end, differentiation, decompositions. Splats are cloned into the groups
    that use them; others stand in the plan's constant section. Absent after: nothing.

    ```mlir
    %c = amp.constant dense<0.5> : tensor<4xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Amp_ReshapeOp : Amp_PureOp<"reshape", [
    DeclareOpInterfaceMethods<Amp_Differentiable>, Amp_CostModel, Amp_PrecisionRule,
    DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>, Amp_BoundedInteger,
    SameOperandsAndResultElementType]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    Elements keep their row-major order. A view: placement gives the result its input's bytes.
    Gradient: g under the input's shape.

    reshape_c1: input and result have as many elements.

    Created by: the front end, differentiation. Absent after: nothing.

    ```mlir
    %b = amp.reshape %a : tensor<2x6xf32> -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$input);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Amp_BroadcastOp : Amp_PureOp<"broadcast", [
    DeclareOpInterfaceMethods<Amp_Differentiable>, Amp_Fusible, Amp_CostModel,
    Amp_PrecisionRule, Amp_BoundedInteger, SameOperandsAndResultElementType]> {
  let summary = "repeats a tensor along new or unit axes";
  let description = [{
    Axis i of the input is axis `axes[i]` of the result; an input extent of 1 is repeated, and so
    are the result axes not named. Gradient: the sum of g over the repeated axes, in f32 (N7).

    broadcast_c1: axes has one entry an input axis, strictly increasing, each below the result's rank.
    broadcast_c2: an input extent is 1 or the extent of its result axis.

    Created by: the front end, differentiation. Consumed by: fusion (inside groups it costs
    nothing). Absent after: nothing.

    ```mlir
    %b = amp.broadcast %a along [1] : tensor<3xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$input `along` $axes attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Amp_IotaOp : Amp_PureOp<"iota", [
    Amp_Fusible, Amp_CostModel, DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify"]>,
    Amp_BoundedIntegerMethods]> {
  let summary = "0, 1, 2, ...";
  let description = [{
    `result[i] = i`, rounded to the element type (f32 holds every i up to 2^24). No gradient.

    iota_c1: the result has one axis; i32 holds the last element.

    Created by: the front end, decompositions. Consumed by: fusion. Absent after: nothing.

    ```mlir
    %i = amp.iota : tensor<4xi32>
    ```
  }];
  let results = (outs Amp_TensorOf<[I32, I64, F32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "int64_t":$extent, "::mlir::Type":$element)>];
  let hasVerifier = 1;
}

#endif // AMPC_IR_OPS_SHAPE

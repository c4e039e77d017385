//===- Movement.td - the same elements in other places -----------------------------------------===//
#ifndef AMPC_IR_OPS_MOVEMENT
#define AMPC_IR_OPS_MOVEMENT

include "ir/dialect/ops/Base.td"

// Elements of the input in other places, bits unchanged. A kernel that reads the result reads the
// input in those places, so the op itself runs only where its result is stored.
class Amp_MovementOp<string mnemonic, list<Trait> traits = []>
    : Amp_PureOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<Amp_Differentiable>, Amp_PrecisionRule,
        DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
        DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>,
        SameOperandsAndResultElementType], traits)>;

def Amp_TransposeOp : Amp_MovementOp<"transpose", [Amp_BoundedInteger]> {
  let summary = "the axes in another order";
  let description = [{
    Axis i of the result is axis `perm[i]` of the input. Gradient: g transposed back.

    transpose_c1: perm names each axis of the input once.
    transpose_c2: the result's extents are the input's in that order.

    Created by: the front end, differentiation, decompositions. Consumed by: fusion.
    Absent after: nothing.

    ```mlir
    %b = amp.transpose %a perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$input, DenseI64ArrayAttr:$perm);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$input `perm` $perm attr-dict `:` type($input) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$perm)>];
  let hasVerifier = 1;
}

def Amp_SliceOp : Amp_MovementOp<"slice", [Amp_BoundedInteger]> {
  let summary = "a box of a tensor, with steps";
  let description = [{
    `result[i, ..] = input[starts[0] + i * steps[0], ..]`; the extents are the result's. Gradient: g
    padded with zeros to the input's shape, steps[a] - 1 of them between its elements.

    slice_c1: the result has the input's rank; starts and steps have one entry an axis.
    slice_c2: starts are not negative, steps are at least 1.
    slice_c3: every element read is inside the input; an empty axis starts at most at its end.

    Lifetime as amp.transpose.

    ```mlir
    %b = amp.slice %a starts [0, 1] steps [1, 2] : tensor<2x6xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$input, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$steps);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = [{
    $input `starts` $starts `steps` $steps attr-dict `:` type($input) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$starts,
                   "::llvm::ArrayRef<int64_t>":$sizes, "::llvm::ArrayRef<int64_t>":$steps)>];
  let hasVerifier = 1;
}

def Amp_ConcatOp : Amp_MovementOp<"concat", [Amp_BoundedInteger]> {
  let summary = "tensors one after the other along an axis";
  let description = [{
    The inputs in operand order along `axis`. Gradients: the slices of g.

    concat_c1: there is an input; axis is below the rank, which all share with the result.
    concat_c2: the result's extent of axis is the sum of the inputs'; all others agree.

    Lifetime as amp.transpose.

    ```mlir
    %c = amp.concat %a, %b axis 0 : tensor<2x3xf32>, tensor<1x3xf32> -> tensor<3x3xf32>
    ```
  }];
  let arguments = (ins Variadic<Amp_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` type($inputs) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs, "int64_t":$axis)>];
  let hasVerifier = 1;
}

def Amp_PadOp : Amp_MovementOp<"pad"> {
  let summary = "a constant around and between the elements";
  let description = [{
    `low[a]` copies of `value` before the elements of axis a, `interior[a]` between neighbours,
    `high[a]` after them; `value` is rounded to the element type. Gradient: the slice of g that the
    input fills.

    pad_c1: low, high and interior have one entry an axis, not negative.
    pad_c2: the result's extents are low + n + (n - 1) * interior + high (n = 0: low + high).
    pad_c3: the value of an integer tensor is whole and of its type.

    Lifetime as amp.transpose.

    ```mlir
    %b = amp.pad %a low [0, 1] high [0, 2] interior [0, 1] value 0.0 : tensor<2x3xf32> -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$input, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       DenseI64ArrayAttr:$interior, F64Attr:$value);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = [{
    $input `low` $low `high` $high `interior` $interior `value` $value attr-dict
    `:` type($input) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$low,
                   "::llvm::ArrayRef<int64_t>":$high, "::llvm::ArrayRef<int64_t>":$interior,
                   "double":$value)>];
  let hasVerifier = 1;
}

#endif // AMPC_IR_OPS_MOVEMENT

//===- Indexing.td - elements chosen by index tensors ------------------------------------------===//
#ifndef AMPC_IR_OPS_INDEXING
#define AMPC_IR_OPS_INDEXING

include "ir/dialect/ops/Base.td"

// No op here touches memory out of bounds, whatever the indices. `IndexBounds` says which values
// are right; entries check every index against it (N11).
class Amp_LookupOp<string mnemonic>
    : Amp_PureOp<mnemonic, [
        Amp_DifferentiableMethods, Amp_PrecisionRule, DeclareOpInterfaceMethods<Amp_IndexBounds>,
        DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
        DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind", "readsElsewhere"]>,
        AllElementTypesMatch<["input", "result"]>]>;

class Amp_ScatterOp<string mnemonic>
    : Amp_PureOp<mnemonic, [
        Amp_DifferentiableMethods, Amp_CostModel, AllElementTypesMatch<["updates", "result"]>,
        DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify", "accumulationType"]>,
        DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>]>;

def Amp_TakeOp : Amp_LookupOp<"take"> {
  let summary = "slices of a tensor by index (torch.index_select; an embedding with axis 0)";
  let description = [{
    `result[.., j.., ..] = input[.., index[j..], ..]`: index's axes stand in the place of `axis`.
    Outside [0, extent) the result is NaN, 0 for integers. Gradient: amp.scatter_rows of g at index;
    the slice `padding_idx` gets none.

    take_c1: axis is below the input's rank.
    take_c2: the result's shape is the input's with index's shape in the place of axis.
    take_c3: padding_idx is in [0, extent).

    Created by: the front end, differentiation. Consumed by: fusion. Absent after: nothing.

    ```mlir
    %b = amp.take %table, %i axis 0 padding_idx 0 : tensor<100x8xf32>, tensor<2x3xi32> -> tensor<2x3x8xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$input, Amp_IndexTensor:$index, I64Attr:$axis,
                       OptionalAttr<I64Attr>:$padding_idx);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $index `axis` $axis (`padding_idx` $padding_idx^)? attr-dict
    `:` type($input) `,` type($index) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$index, "int64_t":$axis,
                   CArg<"::std::optional<int64_t>", "{}">:$paddingIdx)>];
  let hasVerifier = 1;
}

def Amp_GatherOp : Amp_LookupOp<"gather"> {
  let summary = "elements along an axis by index (torch.gather)";
  let description = [{
    `result[i, j, k] = input[i, index[i, j, k], k]` for axis 1. Outside [0, extent) the result is
    NaN, 0 for integers. Gradient: amp.scatter_add of g at index.

    gather_c1: axis is below the input's rank.
    gather_c2: index has the input's extents but in axis; the result has index's shape.

    Lifetime as amp.take.

    ```mlir
    %b = amp.gather %a, %i axis 1 : tensor<4x10xf32>, tensor<4x2xi64> -> tensor<4x2xf32>
    ```
  }];
  let arguments = (ins Amp_Tensor:$input, Amp_IndexTensor:$index, I64Attr:$axis);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $index `axis` $axis attr-dict `:` type($input) `,` type($index) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$index, "int64_t":$axis)>];
  let hasVerifier = 1;
}

def Amp_ScatterRowsOp : Amp_ScatterOp<"scatter_rows"> {
  let summary = "slices added at indices: the transpose of amp.take";
  let description = [{
    Zeros to which `updates[.., j.., ..]` is added at `[.., index[j..], ..]`: index's axes of updates
    become one axis. Sums are kept in f32 (f64 for f64, i64 for integers), in ascending row-major
    order of j, and rounded once (N7, N10). Updates outside [0, extent) and at `padding_idx` are
    dropped. Gradient: amp.take of g at index, an exact zero at padding_idx.

    scatter_rows_c1: axis is below the result's rank.
    scatter_rows_c2: updates has the result's shape with index's shape in the place of axis.
    scatter_rows_c3: padding_idx is in [0, extent).

    Created by: differentiation. Consumed by: fusion. Absent after: nothing.

    ```mlir
    %b = amp.scatter_rows %i, %g axis 0 : tensor<2x3xi32>, tensor<2x3x8xf32> -> tensor<100x8xf32>
    ```
  }];
  let arguments = (ins Amp_IndexTensor:$index, Amp_NumberTensor:$updates, I64Attr:$axis,
                       OptionalAttr<I64Attr>:$padding_idx);
  let results = (outs Amp_NumberTensor:$result);
  let assemblyFormat = [{
    $index `,` $updates `axis` $axis (`padding_idx` $padding_idx^)? attr-dict
    `:` type($index) `,` type($updates) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$index, "::mlir::Value":$updates, "int64_t":$axis,
                   "int64_t":$extent, CArg<"::std::optional<int64_t>", "{}">:$paddingIdx)>];
  let hasVerifier = 1;
}

def Amp_ScatterAddOp : Amp_ScatterOp<"scatter_add"> {
  let summary = "elements added at indices along an axis: the transpose of amp.gather";
  let description = [{
    Zeros to which `updates[i, j, k]` is added at `[i, index[i, j, k], k]` for axis 1. Sums as in
    amp.scatter_rows, in ascending j. Updates outside [0, extent) are dropped. Gradient: amp.gather
    of g at index.

    scatter_add_c1: axis is below the result's rank.
    scatter_add_c2: updates has index's shape; the result has it too but in axis.

    Lifetime as amp.scatter_rows.

    ```mlir
    %b = amp.scatter_add %i, %g axis 1 : tensor<4x2xi64>, tensor<4x2xf32> -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Amp_IndexTensor:$index, Amp_NumberTensor:$updates, I64Attr:$axis);
  let results = (outs Amp_NumberTensor:$result);
  let assemblyFormat = [{
    $index `,` $updates `axis` $axis attr-dict `:` type($index) `,` type($updates) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$index, "::mlir::Value":$updates, "int64_t":$axis, "int64_t":$extent)>];
  let hasVerifier = 1;
}

def Amp_OneHotOp : Amp_PureOp<"one_hot", [
    Amp_Fusible, Amp_CostModel, DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify"]>,
    DeclareOpInterfaceMethods<Amp_IndexBounds>, DeclareOpInterfaceMethods<Amp_Decomposable>]> {
  let summary = "indicator vectors of indices";
  let description = [{
    `result[j.., c] = (index[j..] == c) ? 1 : 0`: zeros where the index is outside [0, C). No
    gradient. Decomposes into iota, broadcast, compare and a cast.

    one_hot_c1: the result has index's shape and one more axis; index's type holds its extent.

    Created by: the front end. Composite: decomposed before fusion. Absent after: fused.

    ```mlir
    %b = amp.one_hot %i : tensor<4xi32> -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Amp_IndexTensor:$index);
  let results = (outs Amp_Tensor:$result);
  let assemblyFormat = "$index attr-dict `:` type($index) `->` type($result)";
  let builders = [
    OpBuilder<(ins "::mlir::Value":$index, "int64_t":$classes, "::mlir::Type":$element)>];
  let hasVerifier = 1;
}

def Amp_FirstOutsideOp : Amp_PureOp<"first_outside", [
    DeclareOpInterfaceMethods<Amp_Decomposable>, Amp_CostModel,
    DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>,
    DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify"]>]> {
  let summary = "the first index that is out of range";
  let description = [{
    In row-major order the position of the first element that is neither in [low, high) nor equal to
    `ignore`, and the element: -1 and 0 where there is none. No gradient. Decomposes into
    comparisons, the minimum of the positions that hit and a take.

    first_outside_c1: index has an element.

    Created by: amp-check-indices. Composite: decomposed before fusion. Absent after: fused.

    ```mlir
    %p, %e = amp.first_outside %i low 0 high 10 ignore -100 : tensor<2x3xi32>
    ```
  }];
  let arguments = (ins Amp_IndexTensor:$index, I64Attr:$low, I64Attr:$high,
                       OptionalAttr<I64Attr>:$ignore);
  let results = (outs Amp_I64Scalar:$position, Amp_I64Scalar:$element);
  let assemblyFormat = [{
    $index `low` $low `high` $high (`ignore` $ignore^)? attr-dict `:` type($index)
  }];
  let hasVerifier = 1;
}

#endif // AMPC_IR_OPS_INDEXING

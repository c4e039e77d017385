//===- Reduction.td - reductions ---------------------------------------------------------------===//
#ifndef AMPC_IR_OPS_REDUCTION
#define AMPC_IR_OPS_REDUCTION

include "ir/dialect/ops/Base.td"

def Amp_ReduceOp : Amp_PureOp<"reduce", [
    Amp_DifferentiableMethods, DeclareOpInterfaceMethods<Amp_MeanReduction>,
    DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>, Amp_CostModel,
    DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify", "accumulationType"]>]> {
  let summary = "sum, mean, max, min, product or first element over axes";
  let description = [{
    Removes `axes`. sum, mean and prod upcast each element to `accumulation`, accumulate there,
    divide there (mean), and round once to the result type (N6). Over no elements sum is 0, prod 1,
    mean NaN; max, min and first are refused (N18). max and min of a NaN are the quiet NaN without a
    sign. first is the element at index 0 of every reduced axis, its bits unchanged: the shift of a
    variance (N8).

    `order` fixes the order of additions, a function of the shape alone (N10):
    - `row` (the axes are the last ones): 64 interleaved partials, element i of the row in partial
      i mod 64, each partial in ascending i; then the partials in a binary tree: partial j plus
      partial j + 32, then j + 16, 8, 4, 2, 1.
    - `column` (any other axes): blocks of 32 rows summed in ascending order, then neighbouring
      blocks pairwise, level by level, an odd last block carried up.

    Gradients: sum g broadcast; mean g/n broadcast; max and min: g split equally among ties (N15);
    prod: g times the product of the others, exact where elements are zero; first: g at element 0,
    zeros elsewhere.

    reduce_c1: axes are in range, strictly increasing, at least one.
    reduce_c2: the result has the input's extents without axes.
    reduce_c3: order is `row` exactly when axes are the last ones.
    reduce_c4: accumulation is f32 for floats up to 32 bits, f64 for f64, i64 for integers.
    reduce_c5: max, min and first reduce at least one element.
    reduce_c6: mean takes floats.
    reduce_c7: input and result are both floats or both integers.

    Created by: the front end, differentiation, decompositions. Consumed by: fusion.
    Absent after: nothing.

    ```mlir
    %b = amp.reduce sum %a over [0] order column accumulate f32 : tensor<256x64xf32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Amp_ReduceKind:$kind, Amp_NumberTensor:$input, DenseI64ArrayAttr:$axes,
                       Amp_AccumulationOrder:$order, TypeAttr:$accumulation);
  let results = (outs Amp_NumberTensor:$result);
  let assemblyFormat = [{
    $kind $input `over` $axes `order` $order `accumulate` $accumulation attr-dict
    `:` type($input) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Number of elements that one result element reduces.
    int64_t reducedCount();
  }];
  let builders = [
    // Order, accumulation type and result shape follow from the input's type and the axes; the
    // result has `resultElement`, or the input's element type when null.
    OpBuilder<(ins "::ampc::amp::ReduceKind":$kind, "::mlir::Value":$input,
                   "::llvm::ArrayRef<int64_t>":$axes,
                   CArg<"::mlir::Type", "{}">:$resultElement)>];
  let hasVerifier = 1;
}

// A composite over axes; its result has the input's extents without them.
class Amp_CompositeReduction<string mnemonic, list<Trait> traits = []>
    : Amp_PureOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<Amp_Decomposable>,
        DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>,
        DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
        DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify", "accumulationType"]>], traits)>;

def Amp_ArgmaxOp : Amp_CompositeReduction<"argmax", [Amp_BoundedIntegerMethods]> {
  let summary = "index of the first maximum along an axis (torch.argmax)";
  let description = [{
    The smallest index along `axis` whose element is the maximum; a NaN is larger than every number,
    the first one wins. +0 and -0 are equal. No gradient. Decomposes into a maximum, a comparison
    and the minimum of the indices that hit: one row kernel over the last axis.

    argmax_c1: axis is below the input's rank and not empty.
    argmax_c2: the result is i64 with the input's extents without axis.

    Created by: the front end. Composite: decomposed before fusion. Absent after: fused.

    ```mlir
    %i = amp.argmax %x axis 1 : tensor<8x10xf32> -> tensor<8xi64>
    ```
  }];
  let arguments = (ins Amp_NumberTensor:$input, I64Attr:$axis);
  let results = (outs Amp_TensorOf<[I64]>:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` type($input) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "int64_t":$axis)>];
  let hasVerifier = 1;
}

def Amp_LogsumexpOp : Amp_CompositeReduction<"logsumexp", [Amp_DifferentiableMethods]> {
  let summary = "logarithm of the sum of exponentials over axes (torch.logsumexp)";
  let description = [{
    `m = max x; result = m + log(sum exp(x - m))`, with m = 0 where it is not finite, in f32 (f64
    for f64), one rounding to the result's type (N6, N9). All elements -inf, and no elements: -inf.
    A +inf gives +inf. Gradient: g * exp(x - result), 0 where the result is -inf.

    logsumexp_c1: axes are in range, strictly increasing, at least one.
    logsumexp_c2: the result has the input's element type and its extents without axes.

    Created by: the front end. Composite: decomposed before fusion. Absent after: fused.

    ```mlir
    %l = amp.logsumexp %x over [1] : tensor<8x10xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$input, DenseI64ArrayAttr:$axes);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = "$input `over` $axes attr-dict `:` type($input) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$axes)>];
  let hasVerifier = 1;
}

def Amp_VarianceOp : Amp_CompositeReduction<"variance", [Amp_DifferentiableMethods]> {
  let summary = "variance over axes (torch.var)";
  let description = [{
    With n elements under `axes`, all in f32 (f64 for f64), one rounding to the result's type:
    `d = x - first x; c = d - mean d; result = sum c*c / max(n - correction, 0)`: a constant row has
    variance exactly 0 (N8). No elements, and one element with correction 1: NaN.
    Gradient: g * 2 c / max(n - correction, 0).

    variance_c1: axes are in range, strictly increasing, at least one.
    variance_c2: the result has the input's element type and its extents without axes.
    variance_c3: correction is at least 0.

    Created by: the front end. Composite: decomposed before fusion. Absent after: fused.

    ```mlir
    %v = amp.variance %x over [1] correction 1 : tensor<8x10xf32> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$input, DenseI64ArrayAttr:$axes, I64Attr:$correction);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = [{
    $input `over` $axes `correction` $correction attr-dict `:` type($input) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$axes,
                                 "int64_t":$correction)>];
  let hasVerifier = 1;
}

#endif // AMPC_IR_OPS_REDUCTION

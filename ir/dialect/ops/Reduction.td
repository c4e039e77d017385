//===- Reduction.td - reductions ---------------------------------------------------------------===//
#ifndef AMPC_IR_OPS_REDUCTION
#define AMPC_IR_OPS_REDUCTION

include "ir/dialect/ops/Base.td"

def Amp_ReduceOp : Amp_PureOp<"reduce", [
    Amp_DifferentiableMethods, DeclareOpInterfaceMethods<Amp_MeanReduction>,
    DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>, Amp_CostModel,
    DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify", "accumulationType"]>]> {
  let summary = "sum, mean, max, min or product over axes";
  let description = [{
    Removes `axes`. sum, mean and prod upcast each element to `accumulation`, accumulate there,
    divide there (mean), and round once to the result type (N6). Over no elements sum is 0, prod
    1, mean NaN; max and min are refused (N18). max and min propagate NaN.

    `order` fixes the order of additions, a function of the shape alone (N10):
    - `row` (the axes are the last ones): 64 interleaved partials, element i of the row in partial
      i mod 64, each partial in ascending i; then the partials in a binary tree: partial j plus
      partial j + 32, then j + 16, 8, 4, 2, 1.
    - `column` (any other axes): blocks of 32 rows summed in ascending order, then neighbouring
      blocks pairwise, level by level, an odd last block carried up.

    Gradients: sum g broadcast; mean g/n broadcast; max and min: g split equally among ties (N15).
    prod has none yet.

    reduce_c1: axes are in range, strictly increasing, at least one.
    reduce_c2: the result has the input's extents without axes.
    reduce_c3: order is `row` exactly when axes are the last ones.
    reduce_c4: accumulation is f32 for floats up to 32 bits, f64 for f64, i64 for integers.
    reduce_c5: max and min reduce at least one element.
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

#endif // AMPC_IR_OPS_REDUCTION

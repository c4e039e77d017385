//===- Loss.td - losses ------------------------------------------------------------------------===//
#ifndef AMPC_IR_OPS_LOSS
#define AMPC_IR_OPS_LOSS

include "ir/dialect/ops/Base.td"

def Amp_MseOp : Amp_PureOp<"mse", [SameTypeOperands,
    DeclareOpInterfaceMethods<Amp_Decomposable>, Amp_DifferentiableMethods,
    DeclareOpInterfaceMethods<Amp_MeanReduction>,
    DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>, DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
    DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify", "accumulationType"]>]> {
  let summary = "squared error (torch.nn.functional.mse_loss)";
  let description = [{
    `d = x - y; none: d*d; sum: sum of d*d; mean: sum / number of elements`. Operands narrower than
    f32 are upcast first (N6); sums are kept in f32 (f64 for f64) in the row order over all axes and
    divided there. Gradient of x: g * 2 * d (/ n for mean); of y: its negation.

    mse_c1: x and y have one type (trait).
    mse_c2: the result is f32 (f64 for f64): a scalar, or of x's shape for `none`.

    Created by: the front end. Composite: decomposed before fusion. Absent after: fused.

    ```mlir
    %l = amp.mse mean %x, %y : tensor<256x1024xf32> -> tensor<f32>
    ```
  }];
  let arguments = (ins Amp_LossReduction:$reduction, Amp_FloatTensor:$x, Amp_FloatTensor:$y);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = "$reduction $x `,` $y attr-dict `:` type($x) `->` type($result)";
  let builders = [
    OpBuilder<(ins "::ampc::amp::LossReduction":$reduction, "::mlir::Value":$x, "::mlir::Value":$y)>];
  let extraClassDeclaration = [{
    /// Number of terms under the sum.
    int64_t termCount();
  }];
  let hasVerifier = 1;
}

#endif // AMPC_IR_OPS_LOSS

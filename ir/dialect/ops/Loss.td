//===- Loss.td - losses of predicted numbers ----------------------------------------------------===//
#ifndef AMPC_IR_OPS_LOSS
#define AMPC_IR_OPS_LOSS

include "ir/dialect/ops/Base.td"

// A loss that is a sum or mean of one term an element, or the terms themselves. Operands have one
// type; operands narrower than f32 are upcast first (N6); sums are kept in f32 (f64 for f64) in the
// row order over all axes and divided there.
class Amp_TermLossOp<string mnemonic, list<Trait> traits = []>
    : Amp_PureOp<mnemonic, !listconcat([
        SameTypeOperands, DeclareOpInterfaceMethods<Amp_Decomposable>, Amp_DifferentiableMethods,
        DeclareOpInterfaceMethods<Amp_MeanReduction>,
        DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>,
        DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
        DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify", "accumulationType"]>], traits)> {
  let arguments = (ins Amp_LossReduction:$reduction, Amp_FloatTensor:$x, Amp_FloatTensor:$y);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = "$reduction $x `,` $y attr-dict `:` type($x) `->` type($result)";
  let builders = [
    OpBuilder<(ins "::ampc::amp::LossReduction":$reduction, "::mlir::Value":$x, "::mlir::Value":$y)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Number of terms under the sum.
    int64_t termCount() { return ::ampc::amp::tensorType(getX()).getNumElements(); }
  }];
  let extraClassDefinition = [{
    bool $cppClass::isMean() { return getReduction() == ::ampc::amp::LossReduction::mean; }
    ::mlir::Value $cppClass::buildSum(::mlir::OpBuilder &builder) {
      auto sum = ::llvm::cast<$cppClass>(builder.clone(*getOperation()));
      sum.setReduction(::ampc::amp::LossReduction::sum);
      return sum.getResult();
    }
    ::mlir::Value $cppClass::buildCount(::mlir::OpBuilder &builder) {
      return ::ampc::amp::splat(builder, getLoc(), getResult().getType(),
                                static_cast<double>(termCount()));
    }
    ::ampc::amp::FusionKind $cppClass::fusionKind() {
      return getReduction() == ::ampc::amp::LossReduction::none
                 ? ::ampc::amp::FusionKind::map
                 : ::ampc::amp::FusionKind::row_reduce;
    }
    ::ampc::amp::PrecisionClass $cppClass::classify() {
      return ::ampc::amp::PrecisionClass::f32_inside;
    }
    ::mlir::Type $cppClass::accumulationType() {
      return ::ampc::amp::computeTypeFor(::ampc::amp::tensorType(getX()).getElementType());
    }
  }];
}

def Amp_MseOp : Amp_TermLossOp<"mse"> {
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
}

def Amp_L1Op : Amp_TermLossOp<"l1"> {
  let summary = "absolute error (torch.nn.functional.l1_loss)";
  let description = [{
    Terms |x - y|, joined as in amp.mse. Gradient of x: g * sign(x - y) (/ n for mean), 0 where x
    equals y (N15); of y: its negation.

    l1_c1: x and y have one type (trait).
    l1_c2: the result is f32 (f64 for f64): a scalar, or of x's shape for `none`.

    Lifetime as amp.mse.

    ```mlir
    %l = amp.l1 sum %x, %y : tensor<256x1024xf32> -> tensor<f32>
    ```
  }];
}

def Amp_HuberOp : Amp_TermLossOp<"huber"> {
  let summary = "squared error near zero, absolute beyond (torch.nn.functional.huber_loss)";
  let description = [{
    `d = x - y; term = |d| <= delta ? 0.5 * d * d : delta * (|d| - 0.5 * delta)`, joined as in
    amp.mse. Gradient of x: g * (|d| <= delta ? d : delta * sign(d)) (/ n for mean); of y: its
    negation.

    huber_c1: x and y have one type (trait).
    huber_c2: the result is f32 (f64 for f64): a scalar, or of x's shape for `none`.
    huber_c3: delta is finite and above 0.

    Lifetime as amp.mse.

    ```mlir
    %l = amp.huber mean %x, %y delta 1.0 : tensor<256x1024xf32> -> tensor<f32>
    ```
  }];
  let arguments = (ins Amp_LossReduction:$reduction, Amp_FloatTensor:$x, Amp_FloatTensor:$y,
                       F64Attr:$delta);
  let assemblyFormat = [{
    $reduction $x `,` $y `delta` $delta attr-dict `:` type($x) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::ampc::amp::LossReduction":$reduction, "::mlir::Value":$x, "::mlir::Value":$y,
                   "double":$delta)>];
}

def Amp_BceWithLogitsOp : Amp_TermLossOp<"bce_with_logits", [AttrSizedOperandSegments]> {
  let summary = "binary cross entropy of logits (torch.nn.functional.binary_cross_entropy_with_logits)";
  let description = [{
    x holds logits, y probabilities (N12). With q = 1 + (pos_weight - 1) * y, or 1 without
    pos_weight: `term = weight * ((1 - y) * x + q * (max(-x, 0) + log1p(exp(-|x|))))`, joined as in
    amp.mse; a mean divides by the number of elements, whatever the weights. Gradients, with s the
    sigmoid of x: x: g * weight * ((1 - y) - q * (1 - s)); y: g * weight * ((pos_weight - 1) * (max(-x, 0) +
    log1p(exp(-|x|))) - x) (/ n for mean); none for the weights.

    bce_with_logits_c1: all operands have one type (trait).
    bce_with_logits_c2: the result is f32 (f64 for f64): a scalar, or of x's shape for `none`.

    Lifetime as amp.mse.

    ```mlir
    %l = amp.bce_with_logits mean %x, %y weight %w pos_weight %p : tensor<256x4xf32> -> tensor<f32>
    ```
  }];
  let arguments = (ins Amp_LossReduction:$reduction, Amp_FloatTensor:$x, Amp_FloatTensor:$y,
                       Optional<Amp_FloatTensor>:$weight, Optional<Amp_FloatTensor>:$pos_weight);
  let assemblyFormat = [{
    $reduction $x `,` $y (`weight` $weight^)? (`pos_weight` $pos_weight^)? attr-dict
    `:` type($x) `->` type($result)
  }];
  let builders = [
    // weight and posWeight may be null.
    OpBuilder<(ins "::ampc::amp::LossReduction":$reduction, "::mlir::Value":$x, "::mlir::Value":$y,
                   "::mlir::Value":$weight, "::mlir::Value":$posWeight)>];
}

#endif // AMPC_IR_OPS_LOSS

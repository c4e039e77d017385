//===- Classification.td - losses and metrics of labels -----------------------------------------===//
#ifndef AMPC_IR_OPS_CLASSIFICATION
#define AMPC_IR_OPS_CLASSIFICATION

include "ir/dialect/ops/Base.td"

// An op on rows of C numbers (the last axis) and one label a row. A row whose label is ignore_index
// is ignored: it adds nothing to sum and count and gets exactly zero gradient (N11). Any other label
// outside [0, C) is an error that the entries' checks find; the op itself then picks no class: the
// label's number, and its weight where there are weights, count as 0. Labels are compared as integers (N5).
class Amp_LabelOp<string mnemonic, list<Trait> traits = []>
    : Amp_PureOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<Amp_Decomposable>, DeclareOpInterfaceMethods<Amp_IndexBounds>,
        DeclareOpInterfaceMethods<Amp_MeanReduction, ["buildQuotient"]>,
        DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>,
        DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
        DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify", "accumulationType"]>], traits)> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    bool $cppClass::isMean() { return getReduction() == ::ampc::amp::LossReduction::mean; }
    ::mlir::Value $cppClass::buildSum(::mlir::OpBuilder &builder) {
      auto sum = ::llvm::cast<$cppClass>(builder.clone(*getOperation()));
      sum.setReduction(::ampc::amp::LossReduction::sum);
      return sum->getResult(0);
    }
    ::mlir::Value $cppClass::buildQuotient(::mlir::OpBuilder &builder, ::mlir::Value sum,
                                           ::mlir::Value count) {
      return ::ampc::amp::quotientOrZero(builder, getLoc(), sum, count);
    }
    ::llvm::SmallVector<::ampc::amp::IndexBound> $cppClass::indexBounds() {
      int64_t classes = ::ampc::amp::tensorType(getOperation()->getOperand(0)).getShape().back();
      return {{/*operand=*/1, 0, classes, static_cast<int64_t>(getIgnoreIndex()), "label"}};
    }
    ::ampc::amp::FusionKind $cppClass::fusionKind() {
      return ::ampc::amp::FusionKind::row_reduce;
    }
    ::ampc::amp::PrecisionClass $cppClass::classify() {
      return ::ampc::amp::PrecisionClass::f32_inside;
    }
    ::mlir::Type $cppClass::accumulationType() {
      return ::ampc::amp::tensorType(getOperation()->getResult(0)).getElementType();
    }
  }];
}

def Amp_CrossEntropyOp : Amp_LabelOp<"cross_entropy", [Amp_DifferentiableMethods]> {
  let summary = "cross entropy of logits and labels (torch.nn.functional.cross_entropy)";
  let description = [{
    A row, in f32 (f64 for f64), t its label, w the class weights (1 without), s = smoothing:
    `m = max x; d = x - m; l = log(sum exp d); term = (1 - s) * w[t] * (l - d[t]) +
    s / C * sum over c of w[c] * (l - d[c])` (N9), 0 for an ignored row; w[t] is 1 without weights.
    none: the terms; sum: their sum; mean: the sum divided by the sum of w[t] over the rows that are
    not ignored, and 0 where that is 0 (N11). Results: the loss, m and l (one element a row).

    Gradient of x, with p = exp((x - m) - l) and r = g, or g / count for mean: r * ((1 - s) * w[t] * (p -
    [c = t]) + s / C * (p * sum w - w[c])), an exact zero in ignored rows; none for the weights. Saved:
    x, labels, weight, m, l. m and l have no gradient of their own.

    cross_entropy_c1: x is [.., C], C at least 1; the labels have its leading extents.
    cross_entropy_c2: the weights are [C], of x's element type or the loss's.
    cross_entropy_c3: loss, row_max and log_sum are f32 (f64 for f64); the loss is a scalar, or of the
    labels' shape for `none`; the others have the labels' shape.
    cross_entropy_c4: smoothing is in [0, 1].

    Created by: the front end. Composite: decomposed before fusion (one row kernel: the label is
    picked by comparison with an iota, not by a gather). Absent after: fused.

    ```mlir
    %l, %m, %s = amp.cross_entropy mean %x, %t weight %w : tensor<10xf32> ignore -100 smoothing 0.0
       : tensor<64x10xf32>, tensor<64xi64> -> tensor<f32>, tensor<64xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Amp_LossReduction:$reduction, Amp_FloatTensor:$logits, Amp_IndexTensor:$labels,
                       Optional<Amp_FloatTensor>:$weight, I64Attr:$ignore_index, F64Attr:$smoothing);
  let results = (outs Amp_FloatTensor:$loss, Amp_FloatTensor:$row_max, Amp_FloatTensor:$log_sum);
  let assemblyFormat = [{
    $reduction $logits `,` $labels (`weight` $weight^ `:` type($weight))? `ignore` $ignore_index
    `smoothing` $smoothing attr-dict `:` type($logits) `,` type($labels)
    `->` type($loss) `,` type($row_max) `,` type($log_sum)
  }];
  let builders = [
    // weight may be null.
    OpBuilder<(ins "::ampc::amp::LossReduction":$reduction, "::mlir::Value":$logits,
                   "::mlir::Value":$labels, "::mlir::Value":$weight, "int64_t":$ignoreIndex,
                   "double":$smoothing)>];
}

def Amp_NllOp : Amp_LabelOp<"nll", [Amp_DifferentiableMethods]> {
  let summary = "negative log likelihood (torch.nn.functional.nll_loss)";
  let description = [{
    `term = -w[t] * x[t]` of a row of log probabilities x with label t, 0 for an ignored row; joined
    and weighted as in amp.cross_entropy. Gradient of x: -r * w[t] at t, zeros elsewhere, with r = g, or
    g / count for mean. Saved: labels, weight.

    nll_c1: x is [.., C], C at least 1; the labels have its leading extents.
    nll_c2: the weights are [C], of x's element type or the loss's.
    nll_c3: the loss is f32 (f64 for f64): a scalar, or of the labels' shape for `none`.

    Lifetime as amp.cross_entropy.

    ```mlir
    %l = amp.nll mean %x, %t ignore -100 : tensor<64x10xf32>, tensor<64xi64> -> tensor<f32>
    ```
  }];
  let arguments = (ins Amp_LossReduction:$reduction, Amp_FloatTensor:$log_probabilities,
                       Amp_IndexTensor:$labels, Optional<Amp_FloatTensor>:$weight,
                       I64Attr:$ignore_index);
  let results = (outs Amp_FloatTensor:$loss);
  let assemblyFormat = [{
    $reduction $log_probabilities `,` $labels (`weight` $weight^ `:` type($weight))?
    `ignore` $ignore_index attr-dict `:` type($log_probabilities) `,` type($labels)
    `->` type($loss)
  }];
  let builders = [
    // weight may be null.
    OpBuilder<(ins "::ampc::amp::LossReduction":$reduction, "::mlir::Value":$logProbabilities,
                   "::mlir::Value":$labels, "::mlir::Value":$weight, "int64_t":$ignoreIndex)>];
}

def Amp_AccuracyOp : Amp_LabelOp<"accuracy"> {
  let summary = "share of rows whose label is among the k largest numbers";
  let description = [{
    A row's rank is the number of classes that come before its label's: with a larger number, or an
    equal one and a smaller index; a NaN comes before every number, and before itself. `term = rank <
    k ? 1 : 0`, joined as in amp.cross_entropy without weights: the mean is over the rows that are not
    ignored, 0 where there are none. Ranks are counted as integers (N5), terms joined in f32. No
    gradient.

    accuracy_c1: x is [.., C], C at least 1; the labels have its leading extents.
    accuracy_c2: k is from 1 to C.
    accuracy_c3: the result is f32: a scalar, or of the labels' shape for `none`.

    Lifetime as amp.cross_entropy.

    ```mlir
    %a = amp.accuracy mean %x, %t k 1 ignore -100 : tensor<64x10xf32>, tensor<64xi64> -> tensor<f32>
    ```
  }];
  let arguments = (ins Amp_LossReduction:$reduction, Amp_FloatTensor:$logits, Amp_IndexTensor:$labels,
                       I64Attr:$k, I64Attr:$ignore_index);
  let results = (outs Amp_F32Tensor:$result);
  let assemblyFormat = [{
    $reduction $logits `,` $labels `k` $k `ignore` $ignore_index attr-dict
    `:` type($logits) `,` type($labels) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::ampc::amp::LossReduction":$reduction, "::mlir::Value":$logits,
                   "::mlir::Value":$labels, "int64_t":$k, "int64_t":$ignoreIndex)>];
}

#endif // AMPC_IR_OPS_CLASSIFICATION

//===- Contraction.td - matrix products --------------------------------------------------------===//
#ifndef AMPC_IR_OPS_CONTRACTION
#define AMPC_IR_OPS_CONTRACTION

include "ir/dialect/ops/Base.td"

def Amp_MatmulOp : Amp_PureOp<"matmul", [
    AttrSizedOperandSegments, Amp_DifferentiableMethods, DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind", "readsElsewhere"]>,
    DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
    DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify", "accumulationType"]>]> {
  let summary = "matrix product of the two last axes";
  let description = [{
    `result[.., i, j] = sum over k of A[.., i, k] * B[.., k, j]`, where A is lhs, or lhs with its
    last two axes exchanged under `transpose_a`; B likewise. Products and sums are kept in
    `accumulation`, K ascending (N10), one rounding to the result type. K = 0 gives zeros (N18).
    With `init`, the sums so far of a product cut along K, each sum begins from its element of init
    rather than from +0: part after part gives the bits of the whole. Gradients are matmuls of g with
    the other operand; init's is g.

    An epilogue follows the sums before that rounding: with `bias` the sum, rounded to `accumulation`,
    plus bias[j]; with `relu` the maximum of that and +0, as amp.maximum has it (a NaN stays, -0 gives +0).
    It is what separate ops would give, bit for bit (N4).

    matmul_c1: both operands have the result's rank, at least 2.
    matmul_c2: the leading (batch) extents of operands and result are equal.
    matmul_c3: the contracted extents are equal; the result is [.., m, n].
    matmul_c4: the operands have one element type; accumulation is f32 (f64 for f64); the result has
    either's elements.
    matmul_c5: init has the result's type, of `accumulation` elements.
    matmul_c6: bias has shape [n]; bias and result have `accumulation` elements.
    matmul_c7: a product with bias or relu has no init and one matrix.

    Created by: the front end, differentiation, the decomposition of amp.linear; init: `amp-chunk-rows`;
    bias and relu: `amp-form-epilogues`. Consumed by:
    codegen (a contraction instruction, or the kernel of a contraction group). Absent after: nothing.

    ```mlir
    %c = amp.matmul %a, %b transpose_b accumulate f32
       : tensor<256x1024xf32>, tensor<4096x1024xf32> -> tensor<256x4096xf32>
    %d = amp.matmul %g, %x from %d0 : tensor<512x64xf32> transpose_a accumulate f32
       : tensor<128x512xbf16>, tensor<128x64xbf16> -> tensor<512x64xf32>
    %e = amp.matmul %a, %b bias %v : tensor<4096xf32> transpose_b relu accumulate f32
       : tensor<256x1024xf32>, tensor<4096x1024xf32> -> tensor<256x4096xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$lhs, Amp_FloatTensor:$rhs, Optional<Amp_FloatTensor>:$init,
                       Optional<Amp_FloatTensor>:$bias, UnitAttr:$transpose_a, UnitAttr:$transpose_b,
                       UnitAttr:$relu, TypeAttr:$accumulation);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`from` $init^ `:` type($init))? (`bias` $bias^ `:` type($bias))?
    (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)? (`relu` $relu^)? `accumulate` $accumulation attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let builders = [
    // Infers shape and accumulation type; the result has the operands' element type.
    OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs, "bool":$transposeA,
                   "bool":$transposeB)>,
    // A product without an epilogue.
    OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$lhs, "::mlir::Value":$rhs,
                   "::mlir::Value":$init, "bool":$transposeA, "bool":$transposeB,
                   "::mlir::Type":$accumulation)>];
  let extraClassDeclaration = [{
    /// Whether anything follows the sums.
    bool hasEpilogue() { return getBias() || getRelu(); }

    /// Extents of the product: result [.., m, n], contracted k, product of the leading extents.
    struct Extents { int64_t batch, m, n, k; };
    Extents extents();
  }];
  let hasVerifier = 1;
}

def Amp_LinearOp : Amp_PureOp<"linear", [
    DeclareOpInterfaceMethods<Amp_Decomposable>, Amp_DifferentiableMethods,
    DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>, DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
    DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify", "accumulationType", "keepsWide"]>]> {
  let summary = "affine map of the last axis";
  let description = [{
    `result[.., o] = sum over i of input[.., i] * weight[o, i] + bias[o]` (torch.nn.Linear's layout).
    Accumulation in `accumulation`, in which the bias is added to the product; one rounding to the
    result's type (S1, N3). Decomposes into reshape to [rows, in], amp.matmul, reshape back, broadcast,
    add and, where a narrow type has a bias, a cast. Gradients: g * weight, g^T * input, column sums of
    g in the bias's type.

    linear_c1: weight is [out, in], bias (optional) is [out].
    linear_c2: the input's last extent is in; the result has the input's shape with out last.
    linear_c3: input, weight and result have one element type, the bias that or `accumulation`;
    accumulation is f32 (f64 for f64).

    Created by: the front end. Composite: decomposed before fusion. Absent after: fused.

    ```mlir
    %y = amp.linear %x, %w, %b accumulate f32 : tensor<256x1024xf32>, tensor<4096x1024xf32>,
         tensor<4096xf32> -> tensor<256x4096xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$input, Amp_FloatTensor:$weight,
                       Optional<Amp_FloatTensor>:$bias, TypeAttr:$accumulation);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? `accumulate` $accumulation attr-dict
    `:` type($input) `,` type($weight) (`,` type($bias)^)? `->` type($result)
  }];
  let builders = [
    // Infers the result's type and the accumulation type; bias may be null.
    OpBuilder<(ins "::mlir::Value":$input, "::mlir::Value":$weight, "::mlir::Value":$bias)>];
  let hasVerifier = 1;
}

#endif // AMPC_IR_OPS_CONTRACTION

//===- Attention.td - scaled dot-product attention and its gradients ----------------------------===//
#ifndef AMPC_IR_OPS_ATTENTION
#define AMPC_IR_OPS_ATTENTION

include "ir/dialect/ops/Base.td"

def Amp_AttentionOp : Amp_PureOp<"attention", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<Amp_RandomSite, ["drawsIn"]>,
    DeclareOpInterfaceMethods<Amp_Decomposable>, Amp_DifferentiableMethods,
    DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>,
    DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
    DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify", "accumulationType", "keepsWide"]>]> {
  let summary = "scaled dot-product attention (torch.nn.functional.scaled_dot_product_attention)";
  let description = [{
    q is [b, h, n, d], k is [b, kv, m, d], v is [b, kv, m, e], out is [b, h, n, e]; h is a multiple of
    kv and query head i reads key head i / (h / kv), which no one copies. For each query row:
    `s[j] = scale * sum over d of q * k[j]`, products and sums in f32 (f64 for f64) and left
    there: a float mask is added, a boolean mask or `causal` (key j is visible
    to query i where j <= i) sets hidden scores to -inf; `l = logsumexp s; p = exp(s - l)`, dropout
    of p as amp.dropout with key, mode and site over [b, h, n, m], one rounding to the type of v, and
    out = p * v. A row that sees no key gives 0, has l = -inf and gradient 0 (N13).

    Gradients: amp.attention_gradient. Saved: q, k, v, mask, out, l. l has no gradient of its own.

    attention_c1: q, k, v and out have rank 4 and one element type, and the extents above.
    attention_c2: h is a multiple of kv.
    attention_c3: the mask has rank 4, is i1 or a float, and has extent 1 or that of [b, h, n, m].
    attention_c4: logsumexp is [b, h, n] in f32 (f64 for f64).
    attention_c5: no key, or seed, index and micro; site is in [0, 2^30); 0 <= dropout <= 1.
    attention_c6: scale is finite.

    Created by: the front end. Composite: decomposed before fusion. Absent after: fused.

    ```mlir
    %o, %l = amp.attention %q, %k, %v causal scale 0.125 dropout 0.0 mode train site 0
       : tensor<2x8x16x64xf32>, tensor<2x2x16x64xf32>, tensor<2x2x16x64xf32>
       -> tensor<2x8x16x64xf32>, tensor<2x8x16xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$q, Amp_FloatTensor:$k, Amp_FloatTensor:$v,
                       Optional<Amp_TensorOf<[I1, Amp_Float]>>:$mask,
                       Variadic<Amp_I64Scalar>:$key, UnitAttr:$causal, F64Attr:$scale,
                       F64Attr:$dropout, Amp_RandomMode:$mode, I64Attr:$site);
  let results = (outs Amp_FloatTensor:$out, Amp_FloatTensor:$logsumexp);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^ `:` type($mask))? (`key` `(` $key^ `)`)? (`causal` $causal^)? `scale` $scale
    `dropout` $dropout `mode` $mode `site` $site attr-dict
    `:` type($q) `,` type($k) `,` type($v) `->` type($out) `,` type($logsumexp)
  }];
  let builders = [
    // Without a key, in mode train; mask may be null.
    OpBuilder<(ins "::mlir::Value":$q, "::mlir::Value":$k, "::mlir::Value":$v,
                   "::mlir::Value":$mask, "bool":$causal, "double":$scale, "double":$dropout,
                   "int64_t":$site)>];
  let extraClassDeclaration = [{
    AttentionExtents extents();
  }];
  let hasVerifier = 1;
}

def Amp_AttentionGradientOp : Amp_PureOp<"attention_gradient", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<Amp_RandomSite, ["drawsIn"]>,
    DeclareOpInterfaceMethods<Amp_Decomposable>,
    DeclareOpInterfaceMethods<Amp_Fusible, ["fusionKind"]>,
    DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
    DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify", "accumulationType", "keepsWide"]>]> {
  let summary = "gradients of amp.attention";
  let description = [{
    Operands: those of the amp.attention, its results out and logsumexp l, and the gradient g of
    out. The scores and p = exp(s - l) are computed again, so that nothing of the extents [b, h, n, m]
    is kept. With t = dropout(g v^T) and D = sum over e of g * out:
    ds = p * (t - D) * scale; q: ds k; k: ds^T q; v: dropout(p)^T g; a float mask: p * (t - D) summed
    over its unit axes. p and ds are rounded once to q's type before they are multiplied.

    Results, in this order: the gradients of q, k and v, and that of a float mask; each of its operand's
    type.

    attention_gradient_c1: the forward operands, out and logsumexp are those that amp.attention takes and
    gives (attention_c1 to attention_c6), and g has out's type.
    attention_gradient_c2: a result for q, k, v and a float mask, of its operand's type.

    Created by: differentiation. Composite: decomposed before fusion. Absent after: fused.

    ```mlir
    %dq, %dk, %dv = amp.attention_gradient %q, %k, %v, %o, %l, %g causal scale 0.125 dropout 0.0 mode train site 0
       : tensor<2x8x16x64xf32>, tensor<2x2x16x64xf32>, tensor<2x2x16x64xf32>, tensor<2x8x16x64xf32>,
         tensor<2x8x16xf32>, tensor<2x8x16x64xf32>
       -> tensor<2x8x16x64xf32>, tensor<2x2x16x64xf32>, tensor<2x2x16x64xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$q, Amp_FloatTensor:$k, Amp_FloatTensor:$v,
                       Amp_FloatTensor:$out, Amp_FloatTensor:$logsumexp, Amp_FloatTensor:$gradient,
                       Optional<Amp_TensorOf<[I1, Amp_Float]>>:$mask,
                       Variadic<Amp_I64Scalar>:$key, UnitAttr:$causal, F64Attr:$scale,
                       F64Attr:$dropout, Amp_RandomMode:$mode, I64Attr:$site);
  let results = (outs Variadic<Amp_FloatTensor>:$gradients);
  let assemblyFormat = [{
    $q `,` $k `,` $v `,` $out `,` $logsumexp `,` $gradient (`mask` $mask^ `:` type($mask))? (`key` `(` $key^ `)`)?
    (`causal` $causal^)? `scale` $scale `dropout` $dropout `mode` $mode `site` $site attr-dict
    `:` type($q) `,` type($k) `,` type($v) `,` type($out) `,` type($logsumexp) `,` type($gradient)
    `->` type($gradients)
  }];
  let builders = [
    // Of all operands of `forward` that have a gradient.
    OpBuilder<(ins "::ampc::amp::AttentionOp":$forward, "::mlir::Value":$gradient)>];
  let extraClassDeclaration = [{ AttentionExtents extents(); }];
  let hasVerifier = 1;
}

#endif // AMPC_IR_OPS_ATTENTION

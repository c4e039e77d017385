//===- Foreach.td - a body that runs slice by slice ----------------------------------------------===//
#ifndef AMPC_IR_OPS_FOREACH
#define AMPC_IR_OPS_FOREACH

include "ir/dialect/ops/Base.td"

def Amp_ForeachOp : Amp_Op<"foreach", [
    Pure, IsolatedFromAbove, SingleBlockImplicitTerminator<"::ampc::amp::YieldOp">]> {
  let summary = "a body for every slice of its operands";
  let description = [{
    Runs the body `count` times, for slice number i = 0, 1, ..., in any order or at once (jax.lax.map,
    torch.vmap). An operand is a row of slices of the body argument's type, one behind the other in
    row-major order; iteration i reads slice `i / divisors[a]` modulo the number of slices of operand a. A
    result is `count` slices of the type that the body yields. What the body makes for itself is
    scratch memory of the thread that runs it: only operands and results stand in the arena.

    The body holds ops of the stage that read and write no variable, groups from stage fused on. Each element
    is computed as in the op over all slices, so that a loop in the place of that op changes no bit (N3, N10).

    foreach_c1: a body argument is a plain tensor below 2^48 elements; its operand has a whole number of slices
    of that type, at least one, and its divisor is from 1 to 2^48.
    foreach_c2: a result has `count` slices of the yielded type.
    foreach_c3: count is from 1 to 2^48.
    foreach_c4: no op of the body has side effects.

    Created by: `amp-split-heads`. Consumed by: codegen, as one instruction. Absent after: nothing.

    ```mlir
    %o = amp.foreach 8 (%q, %k) divisors [1, 4] : (tensor<2x4x16x64xf32>, tensor<2x16x64xf32>)
         -> tensor<2x4x16x16xf32> {
    ^bb0(%q0: tensor<16x64xf32>, %k0: tensor<16x64xf32>):
      %s = amp.matmul %q0, %k0 transpose_b accumulate f32
         : tensor<16x64xf32>, tensor<16x64xf32> -> tensor<16x16xf32>
      amp.yield %s : tensor<16x16xf32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$count, Variadic<Amp_Tensor>:$inputs, DenseI64ArrayAttr:$divisors);
  let results = (outs Variadic<Amp_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $count `(` $inputs `)` `divisors` $divisors attr-dict `:` functional-type($inputs, $outputs) $body
  }];
  let extraClassDeclaration = [{
    /// Slices of operand `number`.
    int64_t slicesOf(unsigned number);
  }];
  // Runs after the body's own ops are verified, and may trust them.
  let hasRegionVerifier = 1;
}

#endif // AMPC_IR_OPS_FOREACH

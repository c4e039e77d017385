//===- Random.td - counter-based random numbers ------------------------------------------------===//
#ifndef AMPC_IR_OPS_RANDOM
#define AMPC_IR_OPS_RANDOM

include "ir/dialect/ops/Base.td"

def Amp_RandomOp : Amp_PureOp<"random", [Amp_Fusible, Amp_RandomSite, DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>,
    DeclareOpInterfaceMethods<Amp_PrecisionRule, ["classify"]>]> {
  let summary = "uniform or normal numbers by Philox4x32-10";
  let description = [{
    Element e of the result is a pure function of (seed, index, micro, mode, site, e): key = the
    64-bit seed; counter words = (low 32 bits of e/4; micro << 16 | bits 32-47 of e/4; index;
    mode << 30 | site); lane e mod 4. `uniform`: (word >> 8) * 2^-24 in [0, 1). `normal`:
    elements 2j and 2j+1 of a counter are Box-Muller of words (0, 1) and (2, 3): with
    u1 = ((word_a >> 8) + 1) * 2^-24 and u2 = (word_b >> 8) * 2^-24, r = sqrt(-2 ln u1),
    the pair is (r cos 2 pi u2, r sin 2 pi u2) in f32 math (N17). No gradient.

    random_c1: no operand (before the entries exist) or seed, index, micro, all i64 scalars.
    random_c2: site is in [0, 2^30).
    random_c3: the result is f32 or f64 (trait).

    Created by: the front end, without operands; the entries' construction supplies them.
    Consumed by: fusion. Absent after: nothing.

    ```mlir
    %u = amp.random uniform(%seed, %index, %micro) mode train site 3 : tensor<4096xf32>
    ```
  }];
  let arguments = (ins Amp_Distribution:$distribution, Variadic<Amp_I64Scalar>:$key,
                       Amp_RandomMode:$mode, I64Attr:$site);
  let results = (outs Amp_TensorOf<[F32, F64]>:$result);
  let assemblyFormat = [{
    $distribution `(` $key `)` `mode` $mode `site` $site attr-dict `:` type($result)
  }];
}

def Amp_DropoutOp : Amp_PureOp<"dropout", [
    DeclareOpInterfaceMethods<Amp_RandomSite, ["drawsIn"]>, AllTypesMatch<["input", "result"]>,
    DeclareOpInterfaceMethods<Amp_Decomposable>, Amp_DifferentiableMethods, Amp_Fusible,
    DeclareOpInterfaceMethods<Amp_CostModel, ["cost"]>, Amp_PrecisionRule]> {
  let summary = "zeroes elements at random while training (torch.nn.functional.dropout)";
  let description = [{
    In mode train, with u the uniform numbers of amp.random at this key, mode and site:
    `result[e] = u[e] >= p ? x[e] / (1 - p) : 0` (N17), the divisor rounded to f32 (f64 for f64), the
    quotient computed there and rounded once; a dropped element is an exact zero whatever x is; p = 1 gives zeros. In every other mode
    the result is x, and nothing is drawn. Gradient: the same dropout of g; nothing is saved.

    dropout_c1: no key (before the entries exist) or seed, index, micro; mode train is evaluated and
    decomposed with a key only.
    dropout_c2: site is in [0, 2^30).
    dropout_c3: 0 <= p <= 1.

    Created by: the front end, without a key; the entries' construction supplies key and mode.
    Composite: decomposed before fusion. Absent after: fused.

    ```mlir
    %d = amp.dropout %x key(%seed, %index, %micro) p 0.5 mode train site 3 : tensor<8x64xf32>
    ```
  }];
  let arguments = (ins Amp_FloatTensor:$input, Variadic<Amp_I64Scalar>:$key, F64Attr:$p,
                       Amp_RandomMode:$mode, I64Attr:$site);
  let results = (outs Amp_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`key` `(` $key^ `)`)? `p` $p `mode` $mode `site` $site attr-dict `:` type($result)
  }];
  let builders = [
    // Without a key, in mode train.
    OpBuilder<(ins "::mlir::Value":$input, "double":$p, "int64_t":$site)>];
  let hasVerifier = 1;
}

#endif // AMPC_IR_OPS_RANDOM

//===- Passes.td - fusion: from step to fused --------------------------------------------------------===//
#ifndef AMPC_PASSES_FUSION
#define AMPC_PASSES_FUSION

include "mlir/Pass/PassBase.td"

def Decompose : Pass<"amp-decompose", "::mlir::func::FuncOp"> {
  let summary = "spell composite ops in primitives";
  let description = [{
    Replaces every op with the `Decomposable` interface by its decomposition, to a fixed point.
    Input: stage step. Leaves primitives only. A reduction over axes that do not stand together
    reads a transpose that puts them first, which keeps the order of its additions. A scatter of
    floats below 32 bits sums in f32 and is rounded by a cast. A broadcast of a value to which a
    reshape only adds axes of extent 1 reads the value itself, so that fusion sees where it comes from.

    ```mlir
    %y = amp.relu %x : tensor<4xf32>                          // before
    %0 = amp.constant dense<0.0> : tensor<4xf32>              // after
    %y = amp.maximum %x, %0 : tensor<4xf32>
    ```
  }];
}

def SplitHeads : Pass<"amp-split-heads", "::mlir::func::FuncOp"> {
  let summary = "compute attention head by head";
  let description = [{
    Input: stage step, attention not yet decomposed. On a target that runs loops over slices (the CPU) an
    `amp.attention` or `amp.attention_gradient` becomes an `amp.foreach` over the key heads of all
    batches, whose body is the same op on one of them and the query heads that read it. Scores, probabilities
    and their gradients, whose bytes grow with the square of the sequence, are then scratch memory of a
    thread, which stands in its cache, and threads wait for one another once, not after each kernel. Every
    element is the same sum in the same order: no bit changes (N10).

    Left whole, with a remark: fewer heads than `least-heads`, too few to share among threads; dropout that is drawn,
    whose numbers count over all heads (N17); a float mask whose gradient is wanted, which is a sum over
    heads: its attention stays whole too, so that the two share their scores.

    Remarks, category fusion: `passed` with the bytes that are not stored; `missed` with the blocking fact.

    ```mlir
    %o, %l = amp.attention %q, %k, %v scale 0.125 dropout 0.0 mode train site 0               // before
       : tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>
       -> tensor<2x4x16x64xf32>, tensor<2x4x16xf32>
    %o, %l = amp.foreach 8 (%q, %k, %v) divisors [1, 1, 1] : ... {                            // after
    ^bb0(%q0: tensor<1x1x16x64xf32>, %k0: tensor<1x1x16x64xf32>, %v0: tensor<1x1x16x64xf32>):
      %o0, %l0 = amp.attention %q0, %k0, %v0 scale 0.125 dropout 0.0 mode train site 0
         : tensor<1x1x16x64xf32>, tensor<1x1x16x64xf32>, tensor<1x1x16x64xf32>
         -> tensor<1x1x16x64xf32>, tensor<1x1x16xf32>
      amp.yield %o0, %l0 : tensor<1x1x16x64xf32>, tensor<1x1x16xf32>
    }
    ```
  }];
  let options = [
    Option<"leastHeads", "least-heads", "int64_t", "kLeastHeads",
           "key heads of all batches from which on attention is computed head by head">];
}

def ChunkRows : Pass<"amp-chunk-rows", "::mlir::func::FuncOp"> {
  let summary = "compute wide products and what their rows give a chunk of rows at a time";
  let description = [{
    Input: stage step, primitives only. A product [rows, columns] of more than `limit-bytes`, whose rows
    are reduced (linear and cross entropy), is never stored whole: it, every
    value of its shape that is made of it, and what leads from one to another, forward and
    backward, are computed for a chunk of rows after the other (N28). A chunk has the most rows,
    a power of two of blocks of 32, that are within the limit, one block at least; the last one what is left. A function
    of the shape alone: no budget changes it.

    What the rest reads is put together: values of one element a row and products of each row by
    `amp.concat`; a product that sums over the rows goes on chunk by chunk from the sums so far
    (`init` of amp.matmul); sums of all rows are joined pairwise. Each has the order of additions of the
    whole, so that no bit changes (N10). Values from outside are sliced; wide ones are made again where they are
    read: constants, broadcasts and elementwise ops of such, other products.

    Refused, with a remark: a value of the region that the entry returns or that an op reads for all
    rows at once, a gradient that waits for all rows. `amp.chunks` on the entry lists what was cut.

    Remarks, category memory: `passed` for what is cut, with bytes, rows and chunks; `missed` with the
    blocking fact.

    ```mlir
    %l = amp.matmul %x, %w transpose_b accumulate f32                           // before
       : tensor<64x8xf32>, tensor<32x8xf32> -> tensor<64x32xf32>
    %m = amp.reduce max %l over [1] order row accumulate f32 : tensor<64x32xf32> -> tensor<64xf32>
    %x0 = amp.slice %x starts [0, 0] steps [1, 1] : tensor<64x8xf32> -> tensor<32x8xf32> // after
    %l0 = amp.matmul %x0, %w transpose_b accumulate f32
       : tensor<32x8xf32>, tensor<32x8xf32> -> tensor<32x32xf32>
    %m0 = amp.reduce max %l0 over [1] order row accumulate f32 : tensor<32x32xf32> -> tensor<32xf32>
    // and %x1, %l1, %m1 of the other rows
    %m = amp.concat %m0, %m1 axis 0 : tensor<32xf32>, tensor<32xf32> -> tensor<64xf32>
    ```
  }];
  let options = [
    Option<"limitBytes", "limit-bytes", "int64_t", "kChunkBytes",
           "bytes above which a product's rows are chunked; 0: never">];
}

def WidenProducts : Pass<"amp-widen-products", "::mlir::func::FuncOp"> {
  let summary = "compute products in f32 where the library has none of their format";
  let description = [{
    Input: stage step, primitives only. A product that is left to the target's library, of operands below
    32 bits that `#amp.target` does not name as fast (bf16 before sm_80), gets them as policy casts to
    its accumulation type, once for each value, and its result back in the type it had: products of
    the narrow values are exact in f32, so that the sums are those of the narrow product up to their
    order (N20). Others stay as they are.

    Remarks, category precision: `passed` for each product that is widened.

    ```mlir
    %c = amp.matmul %a, %b accumulate f32                        // before
       : tensor<8x4xbf16>, tensor<4x2xbf16> -> tensor<8x2xbf16>
    %0 = amp.cast %a origin policy : tensor<8x4xbf16> -> tensor<8x4xf32> // after
    %1 = amp.cast %b origin policy : tensor<4x2xbf16> -> tensor<4x2xf32>
    %2 = amp.matmul %0, %1 accumulate f32
       : tensor<8x4xf32>, tensor<4x2xf32> -> tensor<8x2xf32>
    %c = amp.cast %2 origin policy : tensor<8x2xf32> -> tensor<8x2xbf16>
    ```
  }];
}

def FormEpilogues : Pass<"amp-form-epilogues", "::mlir::func::FuncOp"> {
  let summary = "let the library's products add a bias and take relu";
  let description = [{
    Input: stage step, primitives only, before groups are formed. Where the target's library can, a
    product that it computes takes over what follows it: the sum with a row that is a parameter, the
    maximum with +0, or both, also behind reshapes that keep the columns. The product then carries `bias` and
    `relu`; the separate ops are gone, and with them one reading and one writing of the result.

    It changes no bit (N3, N4). The bias is added to f32 sums that would be stored as f32, and relu gives the same
    before and after a rounding. A runtime tries on the device whether the library does likewise, NaN
    and -0 included, and runs the separate kernel, which a plan always has, where it does not.

    Declined where the last value is not needed in memory, as the kernel that reads it then does
    the same while it has the sums at hand; where the row is no parameter; for bias sums that are then rounded to
    16 bits (the library takes a bias of its result's type alone), for f64, and for batches
    and parts of products.

    Remarks, category fusion: `passed` with the bytes saved; `missed` with the blocking fact.

    ```mlir
    %c = amp.matmul %x, %w transpose_b accumulate f32
       : tensor<8x4xf32>, tensor<6x4xf32> -> tensor<8x6xf32>
    %b = amp.broadcast %bias along [1] : tensor<6xf32> -> tensor<8x6xf32>
    %s = amp.add %c, %b : tensor<8x6xf32>
    %h = amp.maximum %s, %zero : tensor<8x6xf32>
    // becomes
    %h = amp.matmul %x, %w bias %bias : tensor<6xf32> transpose_b relu accumulate f32
       : tensor<8x4xf32>, tensor<6x4xf32> -> tensor<8x6xf32>
    ```
  }];
}

def FormGroups : Pass<"amp-form-groups", "::mlir::ModuleOp"> {
  let summary = "gather primitives into groups, one kernel each";
  let description = [{
    Input: stage step, primitives only. Output: stage fused; every map and reduction stands in an
    `amp.group`; contractions of the target's library, reads, writes, views and non-splat constants stay
    outside. The body of an `amp.foreach` is grouped likewise, all of its products included. Splat constants,
    iotas, broadcasts and casts to a wider float are cloned into each group that uses them, so that none
    is ever stored.

    Cheap arithmetic on constants, iotas and broadcasts that gives at least 16 times the bytes it reads is
    cloned likewise: a mask, a rate times a decay. Nothing that calls a function, draws random numbers or
    looks something up is ever computed twice.

    At first every op is a group. Two groups become one when they need the same loop nest: maps over one
    space; a reduction and the maps over its input; maps over the reduced shape; reductions of one
    order and axes; and in a row group maps and reductions over the space that read a reduced value
    broadcast back over it. Movements and lookups stand in the group of what reads them, but what they
    read stands before it. A scatter is a group of its own. A product that the target generates
    (GeneratedProducts.h) is a contraction group, which elementwise ops over its result join, also behind a
    reshape that keeps the last extent.

    A priority queue holds the pairs that may gain: producer and consumer, and readers of one value. A merge
    gains the bytes that are then neither written nor read, over the bandwidth of `#amp.target`, and a
    launch; the best is tried first, and its neighbours' gains are found anew. What is tried: whether the
    loops are one; whether either would wait for itself (the groups keep an order, and what lies between
    the two in it is searched, at most 256 edges each way); whether a variable could still be updated in
    place; and memory. First come merges that need no more bytes at any moment, as what they keep longer is
    no more than what they need not keep at all; then, in rounds, those that leave the peak of the whole
    entry as it is or lower, which a profile of live bytes over the order tells. The number of steps is near
    linear in the number of ops. Groups stand in that order. No bit of a result depends on the grouping
    (N3, N4, N10).

    Remarks, category fusion: `passed` for a group of several ops, with the bytes and the nanoseconds that
    it is predicted to save; `missed` for a producer and consumer in different groups, with the blocking
    fact.

    ```mlir
    %0 = amp.add %a, %b : tensor<4xf32>          // before
    %1 = amp.mul %0, %c : tensor<4xf32>
    %1 = amp.group map [4] (%a, %b, %c) : ... { ... }   // after
    ```
  }];
  let options = [
    Option<"fuse", "fuse", "bool", "true",
           "false: every op becomes a group of its own (opt level 1)">,
    Option<"products", "products", "bool", "true",
           "a product that the target generates is a group; false: all are the library's, but those in loops "
           "over slices, which run kernels alone">];
}

def VerifyFused : Pass<"amp-verify-fused", "::mlir::ModuleOp"> {
  let summary = "refuse a module that is not fused";
  let description = [{
    The verifier of stage fused. Changes nothing.

    fused_c1: the module is in stage fused.
    fused_c2: entries hold groups, contractions, views, reads, writes, constants and amp.foreach only; the body
    of that holds groups, views and constants only, as it runs kernels alone.
  }];
}

#endif // AMPC_PASSES_FUSION

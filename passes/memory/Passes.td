//===- Passes.td - memory: from fused to placed --------------------------------------------------------===//
#ifndef AMPC_PASSES_MEMORY
#define AMPC_PASSES_MEMORY

include "mlir/Pass/PassBase.td"

def OrderSchedule : Pass<"amp-order-schedule", "::mlir::ModuleOp"> {
  let summary = "move ops to where fewer bytes are needed at once";
  let description = [{
    Input and output: stage fused; the order of ops is the schedule. An op that makes more bytes than it
    ends goes down to its first reader, one that ends more than it makes up to its last operand, as
    long as the most bytes that are alive at once do not grow. Where they then are fewer, and an arena
    for them smaller, the block takes the new order, views, constants and reads of what the entry does
    not write each before their first reader; otherwise it stays as it was. Reads and writes of one variable keep
    their order, and what reads an old value stays before the update, so that it may be in place.
    O(n log n). No bit of a result depends on the order.

    Remark, category memory: `passed` for an entry with a new order, with the bytes.

    ```mlir
    %0 = amp.matmul %x, %x accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32> // before
    %1 = amp.group row [64, 64] (%y) : (tensor<64x64xf32>) -> tensor<64xf32> { ... }
    %2 = amp.group map [64, 64] (%0, %1) : ... { ... }
    %1 = amp.group row [64, 64] (%y) : (tensor<64x64xf32>) -> tensor<64xf32> { ... } // after
    %0 = amp.matmul %x, %x accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %2 = amp.group map [64, 64] (%0, %1) : ... { ... }
    ```
  }];
}

def PlaceBuffers : Pass<"amp-place-buffers", "::mlir::ModuleOp"> {
  let summary = "give every value its bytes";
  let description = [{
    Input: stage fused; the order of ops is the schedule. Output: stage placed: `amp.place` on
    every op result and argument, `amp.arena_bytes` on every entry.

    - A value that `amp.write` stores is produced in the variable's own bytes when no later op reads
      the old value (a map group over the variable's shape may itself read it); else the write copies.
    - A value that the entry returns is produced in the output's bytes where possible.
    - Views share their input's bytes; reads name the variable's. A product that goes on from sums
    that nothing else reads (`init`) is made in their bytes.
    - A read that outlives an overwrite of its variable is copied to the arena first.
    - Everything else stands in the entry's arena: best fit over the live ranges, swept forward
      and backward in O(n log n), then, where gaps are left, placed one by one in rounds; the smallest result is kept. Offsets are multiples of 64 bytes.

    What was made in a `checkpoint { }` and only the backward reads again is not kept for it but computed
    again before its first use there. With `memory-budget`, more is, until variables, the largest arena and
    the buffers of inputs and outputs have that many bytes: one decision after the other, each for the values that are only
    carried over the moment of the most bytes, those first that give the most bytes for the predicted time.
    The decisions and their order do not depend on the budget, which says how many are taken: a
    smaller one never needs more bytes, and a larger one, as no decision saves time, never more time. Ops that compute again carry
    `amp.recompute_ns`, their predicted time; the bits of every result are those without (N28). Where no plan is
    small enough the smallest is taken, for the caller to refuse.

    Remarks, category memory: arena bytes against the lower bound (the most bytes alive at once); `passed` for
    each value that is computed again, with its bytes and the time; `missed` for an
    update that is not in place, with the blocking op, and for a budget that cannot be kept.
  }];
  let options = [
    Option<"memoryBudget", "memory-budget", "int64_t", "0",
           "bytes of variables, the largest arena and the buffers of inputs and outputs; 0: no limit">];
}

def VerifyPlacement : Pass<"amp-verify-placement", "::mlir::ModuleOp"> {
  let summary = "refuse a placement in which bytes are clobbered";
  let description = [{
    The verifier of stage placed, independent of the planner. Changes nothing.

    placement_c1: the module is in stage placed; every entry has `amp.arena_bytes`.
    placement_c2: every argument and op result has a place of a space it may use.
    placement_c3: arena offsets are multiples of 64 and end within `amp.arena_bytes`.
    placement_c4: two values alive at the same time do not overlap in the arena or in an output; a
    product may take the bytes of the sums that it goes on from, when it is the last to read them.
    placement_c5: a variable's old value is not read after its bytes are overwritten.
    placement_c6: a view has its input's place, a read its variable's.
    placement_c7: a value written in a variable's bytes is the one that amp.write stores there.
    placement_c8: a group that updates in place is a map over the variable's shape, or reads it after
    its reduction.
    placement_c9: a value in an output's bytes is what the entry returns there.
    placement_c10: in the body of an amp.foreach what a group makes stands in the slice of the result that
    it is yielded as, or in the scratch memory.
    placement_c11: there it overlaps no value that the same or a later op reads.
  }];
}

#endif // AMPC_PASSES_MEMORY

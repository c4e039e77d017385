//===- Group.td - fusion groups ------------------------------------------------------------------===//
#ifndef AMPC_IR_OPS_GROUP
#define AMPC_IR_OPS_GROUP

include "ir/dialect/ops/Base.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Amp_GroupOp : Amp_Op<"group", [
    Pure, IsolatedFromAbove, SingleBlockImplicitTerminator<"::ampc::amp::YieldOp">]> {
  let summary = "primitives that become one kernel";
  let description = [{
    A region of primitives over tensors that is one loop nest over `space`: its results are written
    once, everything between stays in registers or in one row's scratch memory. Every tensor in the body
    has the shape of `space`, or a shape from which an amp.broadcast in the body brings it
    there, or (row, column) is what remains of `space` after the one set of reduced axes.

    - `map`: every op is elementwise over `space`.
    - `row`: the amp.reduce ops of the body have order row and reduce the same last axes of
      `space`; ops on the reduced shape follow them. A reduced value may be broadcast back over the
      space and feed further reductions: a row is walked once for each reduction that waits for
      another, and once more for what is stored after the last.
    - `column`: likewise with order column over one contiguous run of axes that does not reach the
      last axis of `space`.
    - `scatter`: one amp.scatter_rows or amp.scatter_add; `space` is the shape of its updates.
    - `contraction`: one amp.matmul of two operands of the group, and elementwise ops over its result
      (the epilogue: bias, activation, residual, dropout, casts) on the sums before they are stored.
      `space` is the shape of the product or, through an amp.reshape in the body that keeps the last
      extent, of what is made of it. Every element is one sum, K ascending (N10): the same bits
      whatever the epilogue.

    Movements and lookups read their input, an operand of the group, at elements that they compute.

    group_c1: block arguments have the operands' types, amp.yield's operands the results' types.
    group_c2: the body holds pure amp ops whose FusionKind is map, gather, view, row_reduce
    or column_reduce and no composite (scatter: group_c7; contraction: group_c8).
    group_c3: a map group holds no reduction; a row or column group holds at least one, all of its order
    and over the same axes of `space`.
    group_c4: a yielded value has as many elements as `space`, or as what the reductions leave of it.
    group_c5: the reduced axes are one contiguous run.
    group_c6: what an op reads at other elements than the loop is at is an operand of the group.
    group_c7: a scatter group holds one scatter, over updates of the space's shape, and yields it.
    group_c8: a contraction group holds one amp.matmul, whose result has as many elements as `space`
    and its last extent; its other ops are of FusionKind map or view: the product has no bias or relu itself.

    Created by: `amp-form-groups`. Consumed by: codegen.

    ```mlir
    %r = amp.group map [256, 4096] (%x, %b) : (tensor<256x4096xf32>, tensor<4096xf32>)
         -> tensor<256x4096xf32> {
    ^bb0(%x0: tensor<256x4096xf32>, %b0: tensor<4096xf32>):
      %0 = amp.broadcast %b0 along [1] : tensor<4096xf32> -> tensor<256x4096xf32>
      %1 = amp.add %x0, %0 : tensor<256x4096xf32>
      amp.yield %1 : tensor<256x4096xf32>
    }
    ```
  }];
  let arguments = (ins Amp_GroupKind:$kind, DenseI64ArrayAttr:$space, Variadic<Amp_Tensor>:$inputs);
  let results = (outs Variadic<Amp_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind $space `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs) $body
  }];
  // Runs after the body's own ops are verified, and may trust them.
  let hasRegionVerifier = 1;
}

def Amp_YieldOp : Amp_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["GroupOp", "ForeachOp"]>]> {
  let summary = "the results of a group or of a slice";
  let description = [{
    Ends the body of amp.group, whose results its operands are, or that of amp.foreach.

    ```mlir
    amp.yield %1 : tensor<256x4096xf32>
    ```
  }];
  let arguments = (ins Variadic<Amp_Tensor>:$values);
  let builders = [OpBuilder<(ins), [{ /* a body under construction ends in an empty yield */ }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // AMPC_IR_OPS_GROUP

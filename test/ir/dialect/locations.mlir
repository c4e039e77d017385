// RUN: %ampc-opt %s -mlir-print-debuginfo | %ampc-opt -mlir-print-debuginfo | FileCheck %s

// An argument's attribute names the place of an op: the text with aliases of
// locations reads back, as the attribute writes the place out.
// CHECK: amp.index_range = [#amp.index_range<{{.*}}op = "take", loc = loc("take"("m.amp":12:3))>]
// CHECK: amp.abs %{{.*}} loc(#[[PLACE:loc[0-9]*]])
// CHECK: #[[PLACE]] = loc("take"(
func.func @infer(%x: tensor<8xi32> {amp.name = "x", amp.io = #amp.io<input>,
      amp.index_range = [#amp.index_range<low = 0, high = 10, offset = 0,
                           extents = [8], strides = [1], noun = "index",
                           op = "take", loc = loc("take"("m.amp":12:3))>]})
    -> (tensor<8xi32> {amp.name = "y", amp.io = #amp.io<output>})
    attributes {amp.entry = #amp.entry<infer>} {
  %y = amp.abs %x : tensor<8xi32> loc("take"("m.amp":12:3))
  return %y : tensor<8xi32>
}

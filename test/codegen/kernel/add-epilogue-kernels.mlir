// RUN: %ampc-opt --amp-add-epilogue-kernels %s | FileCheck %s

// The kernel stands where the product does, and what follows reads what it
// gives.
module attributes {amp.stage = #amp.stage<placed>} {
  // CHECK-LABEL: func.func @infer
  func.func @infer(%x: tensor<8x4xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>},
                   %w: tensor<6x4xf32> {amp.name = "w", amp.io = #amp.io<input>, amp.place = #amp.place<input, 1>},
                   %b: tensor<6xf32> {amp.name = "b", amp.io = #amp.io<input>, amp.place = #amp.place<input, 2>})
      -> (tensor<8x8xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 512 : i64} {
    // CHECK: %[[C:.+]] = amp.matmul %arg0, %arg1 bias %arg2 : tensor<6xf32> transpose_b relu
    // CHECK: %[[H:.+]] = amp.group map [8, 6](%[[C]], %arg2) {amp.place = [#amp.place<arena, 0>]}
    // CHECK: %[[R:.+]] = amp.broadcast %{{.+}} along [1]
    // CHECK: %[[S:.+]] = amp.add %{{.+}}, %[[R]]
    // CHECK: %[[Z:.+]] = amp.constant dense<0.000000e+00>
    // CHECK: %[[M:.+]] = amp.maximum %[[S]], %[[Z]]
    // CHECK: amp.yield %[[M]]
    %h = amp.matmul %x, %w bias %b : tensor<6xf32> transpose_b relu accumulate f32 {amp.place = [#amp.place<arena, 0>]}
       : tensor<8x4xf32>, tensor<6x4xf32> -> tensor<8x6xf32>
    // CHECK: %[[Y:.+]] = amp.matmul %[[H]], %[[H]] transpose_b accumulate
    // CHECK-NOT: amp.group
    // CHECK: return %[[Y]]
    %y = amp.matmul %h, %h transpose_b accumulate f32 {amp.place = [#amp.place<output, 0>]}
       : tensor<8x6xf32>, tensor<8x6xf32> -> tensor<8x8xf32>
    return %y : tensor<8x8xf32>
  }
}

// RUN: %ampc-opt %s -amp-assign-precision=precision=bf16 --remarks-filter=precision --remark-format=emitRemark -verify-diagnostics=only-expected -o /dev/null

// Each decision is told, and why.

module attributes {amp.stage = #amp.stage<model>} {
  func.func @forward(%x: tensor<8x8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<8x8xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    // expected-remark @below {{matmul is in bf16: lower}}
    %0 = amp.matmul %x, %x accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    // expected-remark @below {{softmax stays in f32}}
    %1 = amp.softmax %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}

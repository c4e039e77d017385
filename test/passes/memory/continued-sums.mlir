// RUN: %ampc-opt %s -amp-place-buffers -amp-verify-placement | FileCheck %s

module attributes {amp.stage = #amp.stage<fused>} {
  // Sums that go on stand in the bytes of the first, which stay until the last reader.
  // CHECK-LABEL: @chain
  // CHECK-SAME: amp.arena_bytes = 2048 : i64
  func.func @chain(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>) -> tensor<16x16xf32> {
    // CHECK: amp.matmul %{{.+}}, %{{.+}} transpose_a {{.*}}#amp.place<arena, [[AT:[0-9]+]]>
    %0 = amp.matmul %a, %b transpose_a accumulate f32 : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
    // CHECK: amp.matmul {{.*}} from {{.*}}#amp.place<arena, [[AT]]>
    %1 = amp.matmul %b, %a from %0 : tensor<16x16xf32> transpose_a accumulate f32 : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
    // CHECK: amp.matmul {{.*}} from {{.*}}#amp.place<arena, [[AT]]>
    %2 = amp.matmul %a, %a from %1 : tensor<16x16xf32> transpose_a accumulate f32 : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
    %3 = amp.matmul %2, %2 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %4 = amp.matmul %2, %3 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    return %4 : tensor<16x16xf32>
  }

  // What an output is made of part after part stands there.
  // CHECK-LABEL: @output
  // CHECK-SAME: amp.arena_bytes = 0 : i64
  func.func @output(%a: tensor<8x16xf32>) -> tensor<16x16xf32> {
    // CHECK-COUNT-2: #amp.place<output, 0>
    %0 = amp.matmul %a, %a transpose_a accumulate f32 : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
    %1 = amp.matmul %a, %a from %0 : tensor<16x16xf32> transpose_a accumulate f32 : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }

  // CHECK-LABEL: @negative_read_later
  // CHECK-SAME: amp.arena_bytes = 2048 : i64
  func.func @negative_read_later(%a: tensor<8x16xf32>) -> tensor<16x16xf32> {
    // CHECK: #amp.place<arena, [[FIRST:[0-9]+]]>
    %0 = amp.matmul %a, %a transpose_a accumulate f32 : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
    // CHECK-NOT: #amp.place<arena, [[FIRST]]>
    %1 = amp.matmul %a, %a from %0 : tensor<16x16xf32> transpose_a accumulate f32 : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
    %2 = amp.matmul %0, %1 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }

  // An input's bytes are not ours.
  // CHECK-LABEL: @negative_input
  func.func @negative_input(%a: tensor<8x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
    // CHECK: from %{{.+}} : tensor<16x16xf32> {{.*}}#amp.place<arena, 0>
    %0 = amp.matmul %a, %a from %c : tensor<16x16xf32> transpose_a accumulate f32 : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
    %1 = amp.matmul %0, %0 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }

  // The kernel of a product with what follows it: its one result takes the bytes.
  // CHECK-LABEL: @group
  // CHECK-SAME: amp.arena_bytes = 1024 : i64
  func.func @group(%a: tensor<8x16xf32>) -> tensor<16x16xf32> {
    %0 = amp.matmul %a, %a transpose_a accumulate f32 : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
    %1 = amp.group contraction [16, 16] (%a, %0) : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32> {
    ^bb0(%x: tensor<8x16xf32>, %s: tensor<16x16xf32>):
      %3 = amp.matmul %x, %x from %s : tensor<16x16xf32> transpose_a accumulate f32 : tensor<8x16xf32>, tensor<8x16xf32> -> tensor<16x16xf32>
      %4 = amp.neg %3 : tensor<16x16xf32>
      amp.yield %4 : tensor<16x16xf32>
    }
    %2 = amp.matmul %1, %1 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    return %2 : tensor<16x16xf32>
  }
}

// RUN: %ampc-opt %s -amp-order-schedule | FileCheck %s
// RUN: %ampc-opt %s -amp-order-schedule --remarks-filter=memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

module attributes {amp.stage = #amp.stage<fused>} {
  amp.variable @w : tensor<64x64xf32> role parameter init zeros

  // A value is made where it is first read, behind what needs bytes meanwhile.
  // REMARK: remark: [Passed] order | Category:memory | Function=down | Remark="another order of the kernels needs 49152 bytes at once, not 65536"
  // CHECK-LABEL: @down
  // CHECK-NEXT: %[[A:.+]] = amp.matmul %arg0, %arg0 transpose_a
  // CHECK-NEXT: %[[B:.+]] = amp.matmul %[[A]], %[[A]]
  // CHECK-NEXT: %[[C:.+]] = amp.matmul %[[B]], %[[A]]
  // CHECK-NEXT: %[[L:.+]] = amp.matmul %arg0, %arg0 accumulate
  // CHECK-NEXT: amp.matmul %[[L]], %[[C]]
  func.func @down(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = amp.matmul %x, %x accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %1 = amp.matmul %x, %x transpose_a accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %2 = amp.matmul %1, %1 accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %3 = amp.matmul %2, %1 accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %4 = amp.matmul %0, %3 accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    return %4 : tensor<64x64xf32>
  }

  // What ends large values goes up to its operands: a product of two values goes before what is kept beside them.
  // REMARK: Function=up
  // CHECK-LABEL: @up
  // CHECK: %[[A:.+]] = amp.matmul %arg0, %arg0 accumulate
  // CHECK-NEXT: %[[B:.+]] = amp.matmul %arg0, %[[A]] transpose_a
  // CHECK-NEXT: %[[R:.+]] = amp.group map {{.*}}(%[[A]], %[[B]])
  // CHECK: amp.matmul %arg0, %arg0 transpose_b
  func.func @up(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = amp.matmul %x, %x accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %1 = amp.matmul %x, %0 transpose_a accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %2 = amp.matmul %x, %x transpose_b accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %3 = amp.matmul %2, %x accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %4 = amp.group map [64, 64] (%0, %1) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
    ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
      %n = amp.add %a, %b : tensor<64x64xf32>
      amp.yield %n : tensor<64x64xf32>
    }
    %5 = amp.matmul %4, %3 accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    return %5 : tensor<64x64xf32>
  }

  // What reads the old value of a variable stays before its update.
  // CHECK-LABEL: @negative_old_value
  // CHECK: %[[W:.+]] = amp.read @w
  // CHECK: %[[USE:.+]] = amp.matmul %[[W]], %arg0
  // CHECK: %[[NEW:.+]] = amp.group map
  // CHECK: amp.write @w, %[[NEW]]
  func.func @negative_old_value(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %w = amp.read @w : tensor<64x64xf32>
    %0 = amp.matmul %w, %x accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %1 = amp.matmul %x, %x transpose_a accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %2 = amp.matmul %1, %x accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    %3 = amp.group map [64, 64] (%w, %2) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> {
    ^bb0(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>):
      %n = amp.sub %a, %b : tensor<64x64xf32>
      amp.yield %n : tensor<64x64xf32>
    }
    amp.write @w, %3 : tensor<64x64xf32>
    %4 = amp.matmul %0, %0 accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
    return %4 : tensor<64x64xf32>
  }

  // No order needs less: the block stays as it is written.
  // CHECK-LABEL: @negative_no_gain
  // CHECK-NEXT: %[[C:.+]] = amp.constant
  // CHECK-NEXT: amp.matmul
  // CHECK-NEXT: amp.matmul %{{.+}}, %[[C]]
  // REMARK-NOT: negative_no_gain
  func.func @negative_no_gain(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %c = amp.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %0 = amp.matmul %x, %x accumulate f32 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %1 = amp.matmul %0, %c accumulate f32 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  }
}

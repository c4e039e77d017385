// RUN: %ampc-opt %s -amp-verify-fused | FileCheck %s

// CHECK: #amp.stage<fused>
module attributes {amp.stage = #amp.stage<fused>} {
  // CHECK-LABEL: @f
  func.func @f(%x: tensor<2x2xf32>) -> tensor<4xf32> {
    %0 = amp.matmul %x, %x accumulate f32 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %1 = amp.reshape %0 : tensor<2x2xf32> -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// RUN: %ampc-opt %s -amp-verify-fused | FileCheck %s

// CHECK: #amp.stage<fused>
module attributes {amp.stage = #amp.stage<fused>} {
  // CHECK-LABEL: @f
  func.func @f(%x: tensor<2x2xf32>) -> tensor<4xf32> {
    %0 = amp.matmul %x, %x accumulate f32 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %1 = amp.reshape %0 : tensor<2x2xf32> -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func @loop(%x: tensor<3x2x2xf32>) -> tensor<3x2x2xf32> {
    %0 = amp.foreach 3(%x) divisors [1] : (tensor<3x2x2xf32>) -> tensor<3x2x2xf32> {
    ^bb0(%x0: tensor<2x2xf32>):
      %c = amp.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %1 = amp.reshape %c : tensor<4xf32> -> tensor<2x2xf32>
      %2 = amp.group contraction [2, 2] (%x0, %1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
      ^bb0(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>):
        %3 = amp.matmul %a, %b accumulate f32 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
        amp.yield %3 : tensor<2x2xf32>
      }
      amp.yield %2 : tensor<2x2xf32>
    }
    return %0 : tensor<3x2x2xf32>
  }
}

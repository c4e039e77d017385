// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @heads(
// CHECK-SAME: %[[Q:.*]]: tensor<2x4x16x8xf32>, %[[K:.*]]: tensor<2x16x8xf32>, %[[S:.*]]: tensor<f32>
func.func @heads(%q: tensor<2x4x16x8xf32>, %k: tensor<2x16x8xf32>, %s: tensor<f32>) -> tensor<2x4x16x16xf32> {
  // CHECK: %[[R:.*]] = amp.foreach 8(%[[Q]], %[[K]], %[[S]]) divisors [1, 4, 1] : (tensor<2x4x16x8xf32>, tensor<2x16x8xf32>, tensor<f32>) -> tensor<2x4x16x16xf32> {
  // CHECK-NEXT: ^bb0(%[[QS:.*]]: tensor<16x8xf32>, %[[KS:.*]]: tensor<16x8xf32>, %{{.*}}: tensor<f32>):
  // CHECK-NEXT: %[[P:.*]] = amp.matmul %[[QS]], %[[KS]] transpose_b
  // CHECK-NEXT: amp.yield %[[P]] : tensor<16x16xf32>
  %r = amp.foreach 8(%q, %k, %s) divisors [1, 4, 1]
     : (tensor<2x4x16x8xf32>, tensor<2x16x8xf32>, tensor<f32>) -> tensor<2x4x16x16xf32> {
  ^bb0(%q0: tensor<16x8xf32>, %k0: tensor<16x8xf32>, %s0: tensor<f32>):
    %p = amp.matmul %q0, %k0 transpose_b accumulate f32 : tensor<16x8xf32>, tensor<16x8xf32> -> tensor<16x16xf32>
    amp.yield %p : tensor<16x16xf32>
  }
  // CHECK: return %[[R]]
  return %r : tensor<2x4x16x16xf32>
}

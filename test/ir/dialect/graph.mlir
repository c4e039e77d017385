// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @detach(
// CHECK-SAME: %[[A:.+]]: tensor<4xf32>, %[[I:.+]]: tensor<i64>
func.func @detach(%a: tensor<4xf32>, %i: tensor<i64>) {
  // CHECK: amp.detach %[[A]] : tensor<4xf32>
  %0 = amp.detach %a : tensor<4xf32>
  // CHECK: amp.detach %[[I]] : tensor<i64>
  %1 = amp.detach %i : tensor<i64>
  return
}

// CHECK-LABEL: func.func @if_training(
// CHECK-SAME: %[[A:.+]]: tensor<4xf32>, %[[B:.+]]: tensor<4xf32>
func.func @if_training(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: amp.if_training %[[A]], %[[B]] : tensor<4xf32>
  %0 = amp.if_training %a, %b : tensor<4xf32>
  return
}

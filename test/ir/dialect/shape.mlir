// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @constant(
func.func @constant() {
  // CHECK: amp.constant dense<5.000000e-01> : tensor<4xf32>
  %0 = amp.constant dense<0.5> : tensor<4xf32>
  // CHECK: amp.constant dense<-0.000000e+00> : tensor<f32>
  %1 = amp.constant dense<-0.0> : tensor<f32>
  // CHECK: amp.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi64>
  %2 = amp.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  // CHECK: amp.constant dense<true> : tensor<i1>
  %3 = amp.constant dense<true> : tensor<i1>
  // CHECK: amp.constant dense<> : tensor<0xf32>
  %4 = amp.constant dense<> : tensor<0xf32>
  // CHECK: amp.constant dense<0x7FC0> : tensor<bf16>
  %5 = amp.constant dense<0x7FC0> : tensor<bf16>
  return
}

// CHECK-LABEL: func.func @reshape(
// CHECK-SAME: %[[A:.+]]: tensor<2x6xf32>, %[[S:.+]]: tensor<f32>, %[[E:.+]]: tensor<0x3xi8>
func.func @reshape(%a: tensor<2x6xf32>, %s: tensor<f32>, %e: tensor<0x3xi8>) {
  // CHECK: amp.reshape %[[A]] : tensor<2x6xf32> -> tensor<3x4xf32>
  %0 = amp.reshape %a : tensor<2x6xf32> -> tensor<3x4xf32>
  // CHECK: amp.reshape %[[S]] : tensor<f32> -> tensor<1x1xf32>
  %1 = amp.reshape %s : tensor<f32> -> tensor<1x1xf32>
  // CHECK: amp.reshape %[[E]] : tensor<0x3xi8> -> tensor<5x0xi8>
  %2 = amp.reshape %e : tensor<0x3xi8> -> tensor<5x0xi8>
  return
}

// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME: %[[A:.+]]: tensor<3xf32>, %[[S:.+]]: tensor<f32>, %[[U:.+]]: tensor<2x1xi1>
func.func @broadcast(%a: tensor<3xf32>, %s: tensor<f32>, %u: tensor<2x1xi1>) {
  // CHECK: amp.broadcast %[[A]] along [1] : tensor<3xf32> -> tensor<2x3xf32>
  %0 = amp.broadcast %a along [1] : tensor<3xf32> -> tensor<2x3xf32>
  // CHECK: amp.broadcast %[[S]] along [] : tensor<f32> -> tensor<2x3xf32>
  %1 = amp.broadcast %s along [] : tensor<f32> -> tensor<2x3xf32>
  // CHECK: amp.broadcast %[[U]] along [0, 2] : tensor<2x1xi1> -> tensor<2x4x3xi1>
  %2 = amp.broadcast %u along [0, 2] : tensor<2x1xi1> -> tensor<2x4x3xi1>
  return
}

// CHECK-LABEL: func.func @iota(
func.func @iota() {
  // CHECK: amp.iota : tensor<4xi32>
  %0 = amp.iota : tensor<4xi32>
  // CHECK: amp.iota : tensor<0xf32>
  %1 = amp.iota : tensor<0xf32>
  return
}

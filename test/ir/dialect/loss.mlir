// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @mse(
// CHECK-SAME: %[[X:.+]]: tensor<2x3xf32>, %[[Y:.+]]: tensor<2x3xf32>
func.func @mse(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // CHECK: amp.mse mean %[[X]], %[[Y]] : tensor<2x3xf32> -> tensor<f32>
  %0 = amp.mse mean %x, %y : tensor<2x3xf32> -> tensor<f32>
  // CHECK: amp.mse sum %[[X]], %[[Y]] : tensor<2x3xf32> -> tensor<f32>
  %1 = amp.mse sum %x, %y : tensor<2x3xf32> -> tensor<f32>
  // CHECK: amp.mse none %[[X]], %[[Y]] : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = amp.mse none %x, %y : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @mse_types(
func.func @mse_types(%x: tensor<2x3xbf16>, %y: tensor<2x3xf64>) {
  // CHECK: amp.mse none {{.+}} : tensor<2x3xbf16> -> tensor<2x3xf32>
  %0 = amp.mse none %x, %x : tensor<2x3xbf16> -> tensor<2x3xf32>
  // CHECK: amp.mse mean {{.+}} : tensor<2x3xf64> -> tensor<f64>
  %1 = amp.mse mean %y, %y : tensor<2x3xf64> -> tensor<f64>
  return
}

// CHECK-LABEL: func.func @terms(
// CHECK-SAME: %[[X:.+]]: tensor<2x3xf32>, %[[Y:.+]]: tensor<2x3xf32>
func.func @terms(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // CHECK: amp.l1 mean %[[X]], %[[Y]] : tensor<2x3xf32> -> tensor<f32>
  %0 = amp.l1 mean %x, %y : tensor<2x3xf32> -> tensor<f32>
  // CHECK: amp.huber sum %[[X]], %[[Y]] delta 5.000000e-01 : tensor<2x3xf32> -> tensor<f32>
  %1 = amp.huber sum %x, %y delta 0.5 : tensor<2x3xf32> -> tensor<f32>
  // CHECK: amp.bce_with_logits none %[[X]], %[[Y]] : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = amp.bce_with_logits none %x, %y : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK: amp.bce_with_logits mean %[[X]], %[[Y]] weight %[[Y]] pos_weight %[[X]] : tensor<2x3xf32> -> tensor<f32>
  %3 = amp.bce_with_logits mean %x, %y weight %y pos_weight %x : tensor<2x3xf32> -> tensor<f32>
  // CHECK: amp.bce_with_logits mean %[[X]], %[[Y]] pos_weight %[[X]] : tensor<2x3xf32> -> tensor<f32>
  %4 = amp.bce_with_logits mean %x, %y pos_weight %x : tensor<2x3xf32> -> tensor<f32>
  return
}

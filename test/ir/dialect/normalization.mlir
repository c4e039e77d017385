// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.+]]: tensor<2x3xf32>
func.func @softmax(%x: tensor<2x3xf32>, %y: tensor<4x0xbf16>) {
  // CHECK: amp.softmax %[[X]] : tensor<2x3xf32>
  %0 = amp.softmax %x : tensor<2x3xf32>
  // CHECK: amp.log_softmax %[[X]] : tensor<2x3xf32>
  %1 = amp.log_softmax %x : tensor<2x3xf32>
  // CHECK: amp.softmax {{.+}} : tensor<4x0xbf16>
  %2 = amp.softmax %y : tensor<4x0xbf16>
  return
}

// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME: %[[X:.+]]: tensor<2x3x4xf32>, %[[W:.+]]: tensor<4xf32>, %[[B:.+]]: tensor<4xf32>
func.func @layer_norm(%x: tensor<2x3x4xf32>, %w: tensor<4xf32>, %b: tensor<4xf32>, %h: tensor<2x3x4xbf16>) {
  // CHECK: amp.layer_norm %[[X]] weight %[[W]] : tensor<4xf32> bias %[[B]] : tensor<4xf32> axes 1 eps 1.000000e-05 : tensor<2x3x4xf32> -> tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  %0:3 = amp.layer_norm %x weight %w : tensor<4xf32> bias %b : tensor<4xf32> axes 1 eps 1.0e-5
       : tensor<2x3x4xf32> -> tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  // CHECK: amp.layer_norm %[[X]] bias %[[B]] : tensor<4xf32> axes 1
  %1:3 = amp.layer_norm %x bias %b : tensor<4xf32> axes 1 eps 1.0e-5
       : tensor<2x3x4xf32> -> tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  // CHECK: amp.layer_norm %[[X]] axes 3 eps {{.+}} : tensor<2x3x4xf32> -> tensor<2x3x4xf32>, tensor<f32>, tensor<f32>
  %2:3 = amp.layer_norm %x axes 3 eps 1.0e-5
       : tensor<2x3x4xf32> -> tensor<2x3x4xf32>, tensor<f32>, tensor<f32>
  // CHECK: amp.layer_norm {{.+}} weight %[[W]] : tensor<4xf32> axes 1 eps {{.+}} : tensor<2x3x4xbf16> -> tensor<2x3x4xbf16>, tensor<2x3xf32>, tensor<2x3xf32>
  %3:3 = amp.layer_norm %h weight %w : tensor<4xf32> axes 1 eps 1.0e-5
       : tensor<2x3x4xbf16> -> tensor<2x3x4xbf16>, tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @rms_norm(
// CHECK-SAME: %[[X:.+]]: tensor<2x4xf64>, %[[W:.+]]: tensor<4xf64>
func.func @rms_norm(%x: tensor<2x4xf64>, %w: tensor<4xf64>) {
  // CHECK: amp.rms_norm %[[X]] weight %[[W]] : tensor<4xf64> axes 1 eps 9.9999999999999995E-7 : tensor<2x4xf64> -> tensor<2x4xf64>, tensor<2xf64>
  %0:2 = amp.rms_norm %x weight %w : tensor<4xf64> axes 1 eps 1.0e-6 : tensor<2x4xf64> -> tensor<2x4xf64>, tensor<2xf64>
  // CHECK: amp.rms_norm %[[X]] axes 2 eps {{.+}} : tensor<2x4xf64> -> tensor<2x4xf64>, tensor<f64>
  %1:2 = amp.rms_norm %x axes 2 eps 1.0e-6 : tensor<2x4xf64> -> tensor<2x4xf64>, tensor<f64>
  return
}

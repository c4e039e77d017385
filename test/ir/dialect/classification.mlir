// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @cross_entropy(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x3xf32>, %[[T:[^:]+]]: tensor<4xi64>, %[[W:[^:]+]]: tensor<3xf32>
func.func @cross_entropy(%x: tensor<4x3xf32>, %t: tensor<4xi64>, %w: tensor<3xf32>, %h: tensor<2x5x3xbf16>, %u: tensor<2x5xi32>) {
  // CHECK: amp.cross_entropy mean %[[X]], %[[T]] ignore -100 smoothing 0.000000e+00 : tensor<4x3xf32>, tensor<4xi64> -> tensor<f32>, tensor<4xf32>, tensor<4xf32>
  %0:3 = amp.cross_entropy mean %x, %t ignore -100 smoothing 0.0
       : tensor<4x3xf32>, tensor<4xi64> -> tensor<f32>, tensor<4xf32>, tensor<4xf32>
  // CHECK: amp.cross_entropy none %[[X]], %[[T]] weight %[[W]] : tensor<3xf32> ignore 0 smoothing 1.000000e-01 : tensor<4x3xf32>, tensor<4xi64> -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  %1:3 = amp.cross_entropy none %x, %t weight %w : tensor<3xf32> ignore 0 smoothing 0.1
       : tensor<4x3xf32>, tensor<4xi64> -> tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  // CHECK: amp.cross_entropy sum {{.+}} : tensor<2x5x3xbf16>, tensor<2x5xi32> -> tensor<f32>, tensor<2x5xf32>, tensor<2x5xf32>
  %2:3 = amp.cross_entropy sum %h, %u weight %w : tensor<3xf32> ignore -100 smoothing 0.0
       : tensor<2x5x3xbf16>, tensor<2x5xi32> -> tensor<f32>, tensor<2x5xf32>, tensor<2x5xf32>
  return
}

// CHECK-LABEL: func.func @nll(
// CHECK-SAME: %[[X:[^:]+]]: tensor<3xf64>, %[[T:[^:]+]]: tensor<i64>, %[[W:[^:]+]]: tensor<3xf64>
func.func @nll(%x: tensor<3xf64>, %t: tensor<i64>, %w: tensor<3xf64>) {
  // CHECK: amp.nll mean %[[X]], %[[T]] ignore -100 : tensor<3xf64>, tensor<i64> -> tensor<f64>
  %0 = amp.nll mean %x, %t ignore -100 : tensor<3xf64>, tensor<i64> -> tensor<f64>
  // CHECK: amp.nll none %[[X]], %[[T]] weight %[[W]] : tensor<3xf64> ignore 2 : tensor<3xf64>, tensor<i64> -> tensor<f64>
  %1 = amp.nll none %x, %t weight %w : tensor<3xf64> ignore 2 : tensor<3xf64>, tensor<i64> -> tensor<f64>
  return
}

// CHECK-LABEL: func.func @accuracy(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4x3xf16>, %[[T:[^:]+]]: tensor<4xi32>
func.func @accuracy(%x: tensor<4x3xf16>, %t: tensor<4xi32>) {
  // CHECK: amp.accuracy mean %[[X]], %[[T]] k 1 ignore -100 : tensor<4x3xf16>, tensor<4xi32> -> tensor<f32>
  %0 = amp.accuracy mean %x, %t k 1 ignore -100 : tensor<4x3xf16>, tensor<4xi32> -> tensor<f32>
  // CHECK: amp.accuracy none %[[X]], %[[T]] k 3 ignore 0 : tensor<4x3xf16>, tensor<4xi32> -> tensor<4xf32>
  %1 = amp.accuracy none %x, %t k 3 ignore 0 : tensor<4x3xf16>, tensor<4xi32> -> tensor<4xf32>
  return
}

// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @sgd(
// CHECK-SAME: %[[P:.+]]: tensor<4xf32>, %[[G:.+]]: tensor<4xf32>, %[[B:.+]]: tensor<4xf32>, %[[T:.+]]: tensor<i64>, %[[LR:.+]]: tensor<f32>
func.func @sgd(%p: tensor<4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>, %t: tensor<i64>,
               %lr: tensor<f32>) {
  // CHECK: amp.sgd %[[P]], %[[G]] update %[[T]] lr %[[LR]] : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %0 = amp.sgd %p, %g update %t lr %lr : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK: amp.sgd %[[P]], %[[G]] state %[[B]] update %[[T]] lr %[[LR]] {momentum = 9.000000e-01 : f64, nesterov, weight_decay = 1.000000e-02 : f64}
  // CHECK-SAME: : tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>, tensor<4xf32>
  %1:2 = amp.sgd %p, %g state %b update %t lr %lr
       {momentum = 0.9 : f64, nesterov, weight_decay = 0.01 : f64}
       : tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>, tensor<4xf32>
  // CHECK: {dampening = 5.000000e-01 : f64, momentum = 9.000000e-01 : f64}
  %2:2 = amp.sgd %p, %g state %b update %t lr %lr {dampening = 0.5 : f64, momentum = 0.9 : f64}
       : tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>, tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @adam(
// CHECK-SAME: %[[P:.+]]: tensor<2x3xf32>, %[[G:.+]]: tensor<2x3xf32>, %[[M:.+]]: tensor<2x3xf32>, %[[V:.+]]: tensor<2x3xf32>, %[[T:.+]]: tensor<i64>, %[[LR:.+]]: tensor<f32>
func.func @adam(%p: tensor<2x3xf32>, %g: tensor<2x3xf32>, %m: tensor<2x3xf32>,
                %v: tensor<2x3xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // CHECK: amp.adam %[[P]], %[[G]] state %[[M]], %[[V]] update %[[T]] lr %[[LR]] : tensor<2x3xf32>
  %0:3 = amp.adam %p, %g state %m, %v update %t lr %lr : tensor<2x3xf32>
  // CHECK: amp.adam
  // CHECK-SAME: {beta1 = 5.000000e-01 : f64, beta2 = 0.000000e+00 : f64, decoupled, eps = 1.000000e-03 : f64, weight_decay = 1.000000e-01 : f64}
  %1:3 = amp.adam %p, %g state %m, %v update %t lr %lr
       {beta1 = 0.5 : f64, beta2 = 0.0 : f64, decoupled, eps = 1.0e-3 : f64,
        weight_decay = 0.1 : f64} : tensor<2x3xf32>
  return
}

// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf16>
func.func @plain(%a: tensor<2x3xf16>) {
  // CHECK: amp.relu %[[A]] : tensor<2x3xf16>
  %0 = amp.relu %a : tensor<2x3xf16>
  // CHECK: amp.rsqrt %[[A]] : tensor<2x3xf16>
  %1 = amp.rsqrt %a : tensor<2x3xf16>
  // CHECK: amp.sigmoid %[[A]] : tensor<2x3xf16>
  %2 = amp.sigmoid %a : tensor<2x3xf16>
  // CHECK: amp.silu %[[A]] : tensor<2x3xf16>
  %3 = amp.silu %a : tensor<2x3xf16>
  // CHECK: amp.gelu none %[[A]] : tensor<2x3xf16>
  %4 = amp.gelu none %a : tensor<2x3xf16>
  // CHECK: amp.gelu tanh %[[A]] : tensor<2x3xf16>
  %5 = amp.gelu tanh %a : tensor<2x3xf16>
  return
}

// CHECK-LABEL: func.func @softplus(
// CHECK-SAME: %[[A:.+]]: tensor<4xf32>
func.func @softplus(%a: tensor<4xf32>) {
  // CHECK: amp.softplus %[[A]] beta 5.000000e-01 threshold 2.000000e+01 : tensor<4xf32>
  %0 = amp.softplus %a beta 0.5 threshold 20.0 : tensor<4xf32>
  // CHECK: amp.softplus %[[A]] beta 1.000000e+00 threshold 0x7FF0000000000000 : tensor<4xf32>
  %1 = amp.softplus %a beta 1.0 threshold 0x7FF0000000000000 : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @clip(
// CHECK-SAME: %[[A:.+]]: tensor<4xf32>, %[[I:.+]]: tensor<2xi8>
func.func @clip(%a: tensor<4xf32>, %i: tensor<2xi8>) {
  // CHECK: amp.clip %[[A]] min -1.000000e+00 max 1.000000e-01 : tensor<4xf32>
  %0 = amp.clip %a min -1.0 max 0.1 : tensor<4xf32>
  // CHECK: amp.clip %[[A]] min 0.000000e+00 : tensor<4xf32>
  %1 = amp.clip %a min 0.0 : tensor<4xf32>
  // CHECK: amp.clip %[[I]] max 1.270000e+02 : tensor<2xi8>
  %2 = amp.clip %i max 127.0 : tensor<2xi8>
  return
}

// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @random(
// CHECK-SAME: %[[S:.+]]: tensor<i64>, %[[I:.+]]: tensor<i64>, %[[M:.+]]: tensor<i64>
func.func @random(%seed: tensor<i64>, %index: tensor<i64>, %micro: tensor<i64>) {
  // CHECK: amp.random uniform(%[[S]], %[[I]], %[[M]]) mode train site 3 : tensor<8xf32>
  %0 = amp.random uniform(%seed, %index, %micro) mode train site 3 : tensor<8xf32>
  // CHECK: amp.random normal() mode eval site 0 : tensor<2x3xf64>
  %1 = amp.random normal() mode eval site 0 : tensor<2x3xf64>
  // CHECK: amp.random uniform() mode infer site 1073741823 : tensor<f32>
  %2 = amp.random uniform() mode infer site 1073741823 : tensor<f32>
  // CHECK: amp.random normal() mode init site 1 : tensor<0xf32>
  %3 = amp.random normal() mode init site 1 : tensor<0xf32>
  return
}

// CHECK-LABEL: func.func @dropout(
// CHECK-SAME: %[[X:.+]]: tensor<8xf32>, %[[S:.+]]: tensor<i64>
func.func @dropout(%x: tensor<8xf32>, %s: tensor<i64>, %h: tensor<2x3xbf16>) {
  // CHECK: amp.dropout %[[X]] key(%[[S]], %[[S]], %[[S]]) p 5.000000e-01 mode train site 3 : tensor<8xf32>
  %0 = amp.dropout %x key(%s, %s, %s) p 0.5 mode train site 3 : tensor<8xf32>
  // CHECK: amp.dropout {{.+}} p 1.000000e+00 mode eval site 0 : tensor<2x3xbf16>
  %1 = amp.dropout %h p 1.0 mode eval site 0 : tensor<2x3xbf16>
  return
}

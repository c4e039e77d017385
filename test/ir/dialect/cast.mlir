// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @origins(
// CHECK-SAME: %[[A:.+]]: tensor<4xf32>
func.func @origins(%a: tensor<4xf32>) -> tensor<4xbf16> {
  // CHECK: amp.cast %[[A]] origin user : tensor<4xf32> -> tensor<4xf16>
  %0 = amp.cast %a origin user : tensor<4xf32> -> tensor<4xf16>
  // CHECK: amp.cast %[[A]] origin policy : tensor<4xf32> -> tensor<4xbf16>
  %1 = amp.cast %a origin policy : tensor<4xf32> -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @kinds(
func.func @kinds(%a: tensor<i64>, %b: tensor<2x2xi1>, %c: tensor<3xf8E4M3FN>) {
  // CHECK: amp.cast {{.+}} origin policy : tensor<i64> -> tensor<f64>
  %0 = amp.cast %a origin policy : tensor<i64> -> tensor<f64>
  // CHECK: amp.cast {{.+}} origin user : tensor<2x2xi1> -> tensor<2x2xi8>
  %1 = amp.cast %b origin user : tensor<2x2xi1> -> tensor<2x2xi8>
  // CHECK: amp.cast {{.+}} origin user : tensor<3xf8E4M3FN> -> tensor<3xf8E5M2>
  %2 = amp.cast %c origin user : tensor<3xf8E4M3FN> -> tensor<3xf8E5M2>
  return
}

// CHECK-LABEL: func.func @scaled(
func.func @scaled(%a: tensor<4xf32>, %b: tensor<f8E5M2>) {
  // CHECK: amp.scaled_cast %arg0 scale 1.600000e+01 : tensor<4xf32> -> tensor<4xf8E4M3FN>
  %0 = amp.scaled_cast %a scale 1.600000e+01 : tensor<4xf32> -> tensor<4xf8E4M3FN>
  // CHECK: amp.scaled_cast %arg1 scale 2.500000e-01 : tensor<f8E5M2> -> tensor<bf16>
  %1 = amp.scaled_cast %b scale 0.25 : tensor<f8E5M2> -> tensor<bf16>
  return
}

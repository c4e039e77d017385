// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @unary(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf16>
func.func @unary(%a: tensor<2x3xf16>) {
  // CHECK: amp.exp %[[A]] : tensor<2x3xf16>
  %0 = amp.exp %a : tensor<2x3xf16>
  // CHECK: amp.sqrt %[[A]] : tensor<2x3xf16>
  %1 = amp.sqrt %a : tensor<2x3xf16>
  // CHECK: amp.log %[[A]] : tensor<2x3xf16>
  %2 = amp.log %a : tensor<2x3xf16>
  // CHECK: amp.log1p %[[A]] : tensor<2x3xf16>
  %3 = amp.log1p %a : tensor<2x3xf16>
  // CHECK: amp.tanh %[[A]] : tensor<2x3xf16>
  %4 = amp.tanh %a : tensor<2x3xf16>
  // CHECK: amp.erf %[[A]] : tensor<2x3xf16>
  %5 = amp.erf %a : tensor<2x3xf16>
  // CHECK: amp.sin %[[A]] : tensor<2x3xf16>
  %6 = amp.sin %a : tensor<2x3xf16>
  // CHECK: amp.cos %[[A]] : tensor<2x3xf16>
  %7 = amp.cos %a : tensor<2x3xf16>
  return
}

// CHECK-LABEL: func.func @pow(
// CHECK-SAME: %[[A:.+]]: tensor<f64>, %[[B:.+]]: tensor<f64>
func.func @pow(%a: tensor<f64>, %b: tensor<f64>) {
  // CHECK: amp.pow %[[A]], %[[B]] : tensor<f64>
  %0 = amp.pow %a, %b : tensor<f64>
  return
}

// CHECK-LABEL: func.func @element_types(
func.func @element_types(%a: tensor<1xbf16>, %b: tensor<0xf8E4M3FN>) {
  // CHECK: amp.log {{.+}} : tensor<1xbf16>
  %0 = amp.log %a : tensor<1xbf16>
  // CHECK: amp.erf {{.+}} : tensor<0xf8E4M3FN>
  %1 = amp.erf %b : tensor<0xf8E4M3FN>
  return
}

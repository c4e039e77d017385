// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @binary(
// CHECK-SAME: %[[A:.+]]: tensor<4xf32>, %[[B:.+]]: tensor<4xf32>
func.func @binary(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  // CHECK: amp.add %[[A]], %[[B]] : tensor<4xf32>
  %0 = amp.add %a, %b : tensor<4xf32>
  // CHECK: amp.sub %[[A]], %[[B]] : tensor<4xf32>
  %1 = amp.sub %a, %b : tensor<4xf32>
  // CHECK: amp.mul %[[A]], %[[B]] : tensor<4xf32>
  %2 = amp.mul %a, %b : tensor<4xf32>
  // CHECK: amp.div %[[A]], %[[B]] : tensor<4xf32>
  %3 = amp.div %a, %b : tensor<4xf32>
  // CHECK: amp.maximum %[[A]], %[[B]] : tensor<4xf32>
  %4 = amp.maximum %a, %b : tensor<4xf32>
  // CHECK: amp.minimum %[[A]], %[[B]] : tensor<4xf32>
  %5 = amp.minimum %a, %b : tensor<4xf32>
  // CHECK: amp.floor_div %[[A]], %[[B]] : tensor<4xf32>
  %6 = amp.floor_div %a, %b : tensor<4xf32>
  // CHECK: amp.remainder %[[A]], %[[B]] : tensor<4xf32>
  %7 = amp.remainder %a, %b : tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @unary(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf16>
func.func @unary(%a: tensor<2x3xf16>) {
  // CHECK: amp.neg %[[A]] : tensor<2x3xf16>
  %0 = amp.neg %a : tensor<2x3xf16>
  // CHECK: amp.abs %[[A]] : tensor<2x3xf16>
  %1 = amp.abs %a : tensor<2x3xf16>
  // CHECK: amp.sign %[[A]] : tensor<2x3xf16>
  %2 = amp.sign %a : tensor<2x3xf16>
  // CHECK: amp.floor %[[A]] : tensor<2x3xf16>
  %3 = amp.floor %a : tensor<2x3xf16>
  return
}

// Integers add, subtract, multiply and divide down; there is no integer quotient of div.
// CHECK-LABEL: func.func @integers(
func.func @integers(%a: tensor<4xi8>, %b: tensor<4xi32>, %c: tensor<i64>) {
  // CHECK: amp.add {{.+}} : tensor<4xi8>
  %0 = amp.add %a, %a : tensor<4xi8>
  // CHECK: amp.sub {{.+}} : tensor<4xi32>
  %1 = amp.sub %b, %b : tensor<4xi32>
  // CHECK: amp.mul {{.+}} : tensor<i64>
  %2 = amp.mul %c, %c : tensor<i64>
  // CHECK: amp.floor_div {{.+}} : tensor<4xi8>
  %3 = amp.floor_div %a, %a : tensor<4xi8>
  // CHECK: amp.remainder {{.+}} : tensor<4xi32>
  %4 = amp.remainder %b, %b : tensor<4xi32>
  // CHECK: amp.abs {{.+}} : tensor<i64>
  %5 = amp.abs %c : tensor<i64>
  // CHECK: amp.sign {{.+}} : tensor<4xi8>
  %6 = amp.sign %a : tensor<4xi8>
  return
}

// CHECK-LABEL: func.func @element_types(
func.func @element_types(%a: tensor<f64>, %b: tensor<1xbf16>, %c: tensor<0xf8E4M3FN>,
                         %d: tensor<2x0x3xf8E5M2>) {
  // CHECK: amp.add {{.+}} : tensor<f64>
  %0 = amp.add %a, %a : tensor<f64>
  // CHECK: amp.floor {{.+}} : tensor<1xbf16>
  %1 = amp.floor %b : tensor<1xbf16>
  // CHECK: amp.neg {{.+}} : tensor<0xf8E4M3FN>
  %2 = amp.neg %c : tensor<0xf8E4M3FN>
  // CHECK: amp.abs {{.+}} : tensor<2x0x3xf8E5M2>
  %3 = amp.abs %d : tensor<2x0x3xf8E5M2>
  return
}

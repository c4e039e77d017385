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
  return
}

// CHECK-LABEL: func.func @unary(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf16>
func.func @unary(%a: tensor<2x3xf16>) {
  // CHECK: amp.neg %[[A]] : tensor<2x3xf16>
  %0 = amp.neg %a : tensor<2x3xf16>
  // CHECK: amp.exp %[[A]] : tensor<2x3xf16>
  %1 = amp.exp %a : tensor<2x3xf16>
  // CHECK: amp.sqrt %[[A]] : tensor<2x3xf16>
  %2 = amp.sqrt %a : tensor<2x3xf16>
  // CHECK: amp.relu %[[A]] : tensor<2x3xf16>
  %3 = amp.relu %a : tensor<2x3xf16>
  return
}

// Integers add, subtract, multiply and compare; there is no integer quotient.
// CHECK-LABEL: func.func @integers(
func.func @integers(%a: tensor<4xi8>, %b: tensor<4xi32>, %c: tensor<i64>) {
  // CHECK: amp.add {{.+}} : tensor<4xi8>
  %0 = amp.add %a, %a : tensor<4xi8>
  // CHECK: amp.sub {{.+}} : tensor<4xi32>
  %1 = amp.sub %b, %b : tensor<4xi32>
  // CHECK: amp.mul {{.+}} : tensor<i64>
  %2 = amp.mul %c, %c : tensor<i64>
  return
}

// CHECK-LABEL: func.func @element_types(
func.func @element_types(%a: tensor<f64>, %b: tensor<1xbf16>, %c: tensor<0xf8E4M3FN>,
                         %d: tensor<2x0x3xf8E5M2>) {
  // CHECK: amp.add {{.+}} : tensor<f64>
  %0 = amp.add %a, %a : tensor<f64>
  // CHECK: amp.exp {{.+}} : tensor<1xbf16>
  %1 = amp.exp %b : tensor<1xbf16>
  // CHECK: amp.neg {{.+}} : tensor<0xf8E4M3FN>
  %2 = amp.neg %c : tensor<0xf8E4M3FN>
  // CHECK: amp.relu {{.+}} : tensor<2x0x3xf8E5M2>
  %3 = amp.relu %d : tensor<2x0x3xf8E5M2>
  return
}

// CHECK-LABEL: func.func @compare(
// CHECK-SAME: %[[A:.+]]: tensor<4xf32>, %[[B:.+]]: tensor<4xf32>, %[[P:.+]]: tensor<4xi1>
func.func @compare(%a: tensor<4xf32>, %b: tensor<4xf32>, %p: tensor<4xi1>) {
  // CHECK: amp.compare eq %[[A]], %[[B]] : tensor<4xf32>
  %0 = amp.compare eq %a, %b : tensor<4xf32>
  // CHECK: amp.compare ne %[[A]], %[[B]] : tensor<4xf32>
  %1 = amp.compare ne %a, %b : tensor<4xf32>
  // CHECK: amp.compare lt %[[A]], %[[B]] : tensor<4xf32>
  %2 = amp.compare lt %a, %b : tensor<4xf32>
  // CHECK: amp.compare le %[[A]], %[[B]] : tensor<4xf32>
  %3 = amp.compare le %a, %b : tensor<4xf32>
  // CHECK: amp.compare gt %[[A]], %[[B]] : tensor<4xf32>
  %4 = amp.compare gt %a, %b : tensor<4xf32>
  // CHECK: %[[GE:.+]] = amp.compare ge %[[A]], %[[B]] : tensor<4xf32>
  %5 = amp.compare ge %a, %b : tensor<4xf32>
  // CHECK: amp.compare eq %[[GE]], %[[P]] : tensor<4xi1>
  %6 = amp.compare eq %5, %p : tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @select(
// CHECK-SAME: %[[P:.+]]: tensor<4xi1>, %[[A:.+]]: tensor<4xi64>, %[[B:.+]]: tensor<4xi64>
func.func @select(%p: tensor<4xi1>, %a: tensor<4xi64>, %b: tensor<4xi64>) {
  // CHECK: amp.select %[[P]], %[[A]], %[[B]] : tensor<4xi64>
  %0 = amp.select %p, %a, %b : tensor<4xi64>
  // CHECK: amp.select %[[P]], %[[P]], %[[P]] : tensor<4xi1>
  %1 = amp.select %p, %p, %p : tensor<4xi1>
  return
}

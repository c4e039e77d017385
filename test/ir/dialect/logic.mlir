// RUN: %ampc-opt %s | FileCheck %s

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

// CHECK-LABEL: func.func @truth(
// CHECK-SAME: %[[P:.+]]: tensor<4xi1>, %[[Q:.+]]: tensor<4xi1>
func.func @truth(%p: tensor<4xi1>, %q: tensor<4xi1>) {
  // CHECK: amp.and %[[P]], %[[Q]] : tensor<4xi1>
  %0 = amp.and %p, %q : tensor<4xi1>
  // CHECK: amp.or %[[P]], %[[Q]] : tensor<4xi1>
  %1 = amp.or %p, %q : tensor<4xi1>
  // CHECK: amp.xor %[[P]], %[[Q]] : tensor<4xi1>
  %2 = amp.xor %p, %q : tensor<4xi1>
  // CHECK: amp.not %[[P]] : tensor<4xi1>
  %3 = amp.not %p : tensor<4xi1>
  return
}

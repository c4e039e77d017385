// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @take(
// CHECK-SAME: %[[A:.+]]: tensor<100x8xf32>, %[[I:.+]]: tensor<2x3xi32>, %[[S:.+]]: tensor<i64>
func.func @take(%a: tensor<100x8xf32>, %i: tensor<2x3xi32>, %s: tensor<i64>) {
  // CHECK: amp.take %[[A]], %[[I]] axis 0 padding_idx 99 : tensor<100x8xf32>, tensor<2x3xi32> -> tensor<2x3x8xf32>
  %0 = amp.take %a, %i axis 0 padding_idx 99 : tensor<100x8xf32>, tensor<2x3xi32> -> tensor<2x3x8xf32>
  // CHECK: amp.take %[[A]], %[[I]] axis 1 : tensor<100x8xf32>, tensor<2x3xi32> -> tensor<100x2x3xf32>
  %1 = amp.take %a, %i axis 1 : tensor<100x8xf32>, tensor<2x3xi32> -> tensor<100x2x3xf32>
  // CHECK: amp.take %[[A]], %[[S]] axis 0 : tensor<100x8xf32>, tensor<i64> -> tensor<8xf32>
  %2 = amp.take %a, %s axis 0 : tensor<100x8xf32>, tensor<i64> -> tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[A:.+]]: tensor<4x10xi1>, %[[I:.+]]: tensor<4x2xi64>
func.func @gather(%a: tensor<4x10xi1>, %i: tensor<4x2xi64>) {
  // CHECK: amp.gather %[[A]], %[[I]] axis 1 : tensor<4x10xi1>, tensor<4x2xi64> -> tensor<4x2xi1>
  %0 = amp.gather %a, %i axis 1 : tensor<4x10xi1>, tensor<4x2xi64> -> tensor<4x2xi1>
  return
}

// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[I:.+]]: tensor<2x3xi32>, %[[G:.+]]: tensor<2x3x8xbf16>, %[[U:.+]]: tensor<2x3xf32>
func.func @scatter(%i: tensor<2x3xi32>, %g: tensor<2x3x8xbf16>, %u: tensor<2x3xf32>) {
  // CHECK: amp.scatter_rows %[[I]], %[[G]] axis 0 padding_idx 0 : tensor<2x3xi32>, tensor<2x3x8xbf16> -> tensor<100x8xbf16>
  %0 = amp.scatter_rows %i, %g axis 0 padding_idx 0 : tensor<2x3xi32>, tensor<2x3x8xbf16> -> tensor<100x8xbf16>
  // CHECK: amp.scatter_rows %[[I]], %[[U]] axis 0 : tensor<2x3xi32>, tensor<2x3xf32> -> tensor<5xf32>
  %1 = amp.scatter_rows %i, %u axis 0 : tensor<2x3xi32>, tensor<2x3xf32> -> tensor<5xf32>
  // CHECK: amp.scatter_add %[[I]], %[[U]] axis 1 : tensor<2x3xi32>, tensor<2x3xf32> -> tensor<2x9xf32>
  %2 = amp.scatter_add %i, %u axis 1 : tensor<2x3xi32>, tensor<2x3xf32> -> tensor<2x9xf32>
  return
}

// CHECK-LABEL: func.func @one_hot(
// CHECK-SAME: %[[I:.+]]: tensor<4xi32>, %[[S:.+]]: tensor<i64>
func.func @one_hot(%i: tensor<4xi32>, %s: tensor<i64>) {
  // CHECK: amp.one_hot %[[I]] : tensor<4xi32> -> tensor<4x10xf16>
  %0 = amp.one_hot %i : tensor<4xi32> -> tensor<4x10xf16>
  // CHECK: amp.one_hot %[[S]] : tensor<i64> -> tensor<3xi1>
  %1 = amp.one_hot %s : tensor<i64> -> tensor<3xi1>
  return
}

// CHECK-LABEL: func.func @first_outside(
// CHECK-SAME: %[[I:.+]]: tensor<4xi32>, %[[S:.+]]: tensor<i64>
func.func @first_outside(%i: tensor<4xi32>, %s: tensor<i64>) {
  // CHECK: amp.first_outside %[[I]] low 0 high 10 ignore -100 : tensor<4xi32>
  %p, %e = amp.first_outside %i low 0 high 10 ignore -100 : tensor<4xi32>
  // CHECK: amp.first_outside %[[S]] low -2 high 3 : tensor<i64>
  %q, %f = amp.first_outside %s low -2 high 3 : tensor<i64>
  return
}

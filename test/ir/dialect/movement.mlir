// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @transpose(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf32>, %[[P:.+]]: tensor<1x0x2xi1>, %[[S:.+]]: tensor<f32>
func.func @transpose(%a: tensor<2x3xf32>, %p: tensor<1x0x2xi1>, %s: tensor<f32>) {
  // CHECK: amp.transpose %[[A]] perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %0 = amp.transpose %a perm [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  // CHECK: amp.transpose %[[P]] perm [2, 0, 1] : tensor<1x0x2xi1> -> tensor<2x1x0xi1>
  %1 = amp.transpose %p perm [2, 0, 1] : tensor<1x0x2xi1> -> tensor<2x1x0xi1>
  // CHECK: amp.transpose %[[S]] perm [] : tensor<f32> -> tensor<f32>
  %2 = amp.transpose %s perm [] : tensor<f32> -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @slice(
// CHECK-SAME: %[[A:.+]]: tensor<2x6xf32>
func.func @slice(%a: tensor<2x6xf32>) {
  // CHECK: amp.slice %[[A]] starts [0, 1] steps [1, 2] : tensor<2x6xf32> -> tensor<2x3xf32>
  %0 = amp.slice %a starts [0, 1] steps [1, 2] : tensor<2x6xf32> -> tensor<2x3xf32>
  // CHECK: amp.slice %[[A]] starts [2, 6] steps [1, 1] : tensor<2x6xf32> -> tensor<0x0xf32>
  %1 = amp.slice %a starts [2, 6] steps [1, 1] : tensor<2x6xf32> -> tensor<0x0xf32>
  // CHECK: amp.slice %[[A]] starts [1, 5] steps [9223372036854775807, 100] : tensor<2x6xf32> -> tensor<1x1xf32>
  %2 = amp.slice %a starts [1, 5] steps [9223372036854775807, 100] : tensor<2x6xf32> -> tensor<1x1xf32>
  return
}

// CHECK-LABEL: func.func @concat(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xi32>, %[[B:.+]]: tensor<2x0xi32>
func.func @concat(%a: tensor<2x3xi32>, %b: tensor<2x0xi32>) {
  // CHECK: amp.concat %[[A]], %[[B]], %[[A]] axis 1 : tensor<2x3xi32>, tensor<2x0xi32>, tensor<2x3xi32> -> tensor<2x6xi32>
  %0 = amp.concat %a, %b, %a axis 1 : tensor<2x3xi32>, tensor<2x0xi32>, tensor<2x3xi32> -> tensor<2x6xi32>
  // CHECK: amp.concat %[[A]] axis 0 : tensor<2x3xi32> -> tensor<2x3xi32>
  %1 = amp.concat %a axis 0 : tensor<2x3xi32> -> tensor<2x3xi32>
  return
}

// CHECK-LABEL: func.func @pad(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf32>, %[[I:.+]]: tensor<0xi8>
func.func @pad(%a: tensor<2x3xf32>, %i: tensor<0xi8>) {
  // CHECK: amp.pad %[[A]] low [0, 1] high [0, 2] interior [0, 1] value -0.000000e+00 : tensor<2x3xf32> -> tensor<2x8xf32>
  %0 = amp.pad %a low [0, 1] high [0, 2] interior [0, 1] value -0.0 : tensor<2x3xf32> -> tensor<2x8xf32>
  // CHECK: amp.pad %[[I]] low [1] high [2] interior [7] value -1.280000e+02 : tensor<0xi8> -> tensor<3xi8>
  %1 = amp.pad %i low [1] high [2] interior [7] value -128.0 : tensor<0xi8> -> tensor<3xi8>
  return
}

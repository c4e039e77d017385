// RUN: %ampc-opt %s -amp-decompose | FileCheck %s

// CHECK-LABEL: @relu
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[Z:.*]] = amp.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: %[[R:.*]] = amp.maximum %arg0, %[[Z]]
  // CHECK: return %[[R]]
  %0 = amp.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Leading axes are folded into rows around the product.
// CHECK-LABEL: @linear
func.func @linear(%x: tensor<2x5x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>) -> tensor<2x5x4xf32> {
  // CHECK: %[[X:.*]] = amp.reshape %arg0 : tensor<2x5x3xf32> -> tensor<10x3xf32>
  // CHECK: %[[P:.*]] = amp.matmul %[[X]], %arg1 transpose_b accumulate f32
  // CHECK: %[[Y:.*]] = amp.reshape %[[P]] : tensor<10x4xf32> -> tensor<2x5x4xf32>
  // CHECK: %[[B:.*]] = amp.broadcast %arg2 along [2]
  // CHECK: %[[R:.*]] = amp.add %[[Y]], %[[B]]
  // CHECK: return %[[R]]
  %0 = amp.linear %x, %w, %b accumulate f32 : tensor<2x5x3xf32>, tensor<4x3xf32>, tensor<4xf32> -> tensor<2x5x4xf32>
  return %0 : tensor<2x5x4xf32>
}

// 16-bit operands of a loss are upcast before the difference is taken.
// CHECK-LABEL: @mse
func.func @mse(%x: tensor<2x3xbf16>, %y: tensor<2x3xbf16>) -> tensor<f32> {
  // CHECK: %[[X:.*]] = amp.cast %arg0 origin policy : tensor<2x3xbf16> -> tensor<2x3xf32>
  // CHECK: %[[Y:.*]] = amp.cast %arg1 origin policy : tensor<2x3xbf16> -> tensor<2x3xf32>
  // CHECK: %[[D:.*]] = amp.sub %[[X]], %[[Y]]
  // CHECK: %[[S:.*]] = amp.mul %[[D]], %[[D]]
  // CHECK: amp.reduce mean %[[S]] over [0, 1] order row accumulate f32
  %0 = amp.mse mean %x, %y : tensor<2x3xbf16> -> tensor<f32>
  return %0 : tensor<f32>
}

// Scattered axes: a transpose puts them first, in their order.
// CHECK-LABEL: @scattered
func.func @scattered(%x: tensor<2x3x4x5xbf16>) -> tensor<3xbf16> {
  // CHECK: %[[T:.*]] = amp.transpose %arg0 perm [0, 2, 3, 1] : tensor<2x3x4x5xbf16> -> tensor<2x4x5x3xbf16>
  // CHECK: %[[C:.*]] = amp.reduce sum %[[T]] over [0, 1, 2] order column accumulate f32 : tensor<2x4x5x3xbf16> -> tensor<3xbf16>
  // CHECK: return %[[C]]
  %0 = amp.reduce sum %x over [0, 2, 3] order column accumulate f32 : tensor<2x3x4x5xbf16> -> tensor<3xbf16>
  return %0 : tensor<3xbf16>
}

// A scatter of 16-bit floats sums in f32.
// CHECK-LABEL: @narrow_scatter
func.func @narrow_scatter(%i: tensor<3xi32>, %g: tensor<3x4xbf16>) -> tensor<9x4xbf16> {
  // CHECK: %[[G:.*]] = amp.cast %arg1 origin policy : tensor<3x4xbf16> -> tensor<3x4xf32>
  // CHECK: %[[S:.*]] = amp.scatter_rows %arg0, %[[G]] axis 0 padding_idx 2 : tensor<3xi32>, tensor<3x4xf32> -> tensor<9x4xf32>
  // CHECK: amp.cast %[[S]] origin policy : tensor<9x4xf32> -> tensor<9x4xbf16>
  %0 = amp.scatter_rows %i, %g axis 0 padding_idx 2 : tensor<3xi32>, tensor<3x4xbf16> -> tensor<9x4xbf16>
  return %0 : tensor<9x4xbf16>
}

// Axes of extent 1 that a reshape adds are none to a broadcast.
// CHECK-LABEL: @kept_axis
func.func @kept_axis(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK: %[[M:.*]] = amp.reduce max
  // CHECK: amp.broadcast %[[M]] along [0] : tensor<3xf32> -> tensor<3x4xf32>
  %0 = amp.reduce max %x over [1] order row accumulate f32 : tensor<3x4xf32> -> tensor<3xf32>
  %1 = amp.reshape %0 : tensor<3xf32> -> tensor<3x1xf32>
  %2 = amp.broadcast %1 along [0, 1] : tensor<3x1xf32> -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// CHECK-LABEL: @negative_other_shape
func.func @negative_other_shape(%x: tensor<3x4xf32>) -> tensor<2x2x6xf32> {
  // CHECK: %[[R:.*]] = amp.reshape
  // CHECK: amp.broadcast %[[R]] along [1, 2]
  %0 = amp.reshape %x : tensor<3x4xf32> -> tensor<2x6xf32>
  %1 = amp.broadcast %0 along [1, 2] : tensor<2x6xf32> -> tensor<2x2x6xf32>
  return %1 : tensor<2x2x6xf32>
}

// CHECK-LABEL: @sgd
func.func @sgd(%p: tensor<4xf32>, %g: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = amp.broadcast %arg3 along []
  // CHECK: %[[D:.*]] = amp.mul %[[R]], %arg1
  // CHECK: %[[P:.*]] = amp.sub %arg0, %[[D]]
  // CHECK: return %[[P]]
  %0 = amp.sgd %p, %g update %t lr %lr : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The bias corrections of Adam are f64 scalars.
// CHECK-LABEL: @adam
func.func @adam(%p: tensor<4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) -> tensor<4xf32> {
  // CHECK: %[[N:.*]] = amp.add %arg4, %{{.*}} : tensor<i64>
  // CHECK: %[[T:.*]] = amp.cast %[[N]] origin policy : tensor<i64> -> tensor<f64>
  // CHECK: amp.exp %{{.*}} : tensor<f64>
  // CHECK: amp.sqrt %{{.*}} : tensor<4xf32>
  // CHECK-NOT: amp.adam
  %0, %1, %2 = amp.adam %p, %g state %m, %v update %t lr %lr : tensor<4xf32>
  return %0 : tensor<4xf32>
}

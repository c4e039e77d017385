// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @kinds(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf32>
func.func @kinds(%a: tensor<2x3xf32>) {
  // CHECK: amp.reduce sum %[[A]] over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
  %0 = amp.reduce sum %a over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK: amp.reduce mean %[[A]] over [0, 1] order row accumulate f32 : tensor<2x3xf32> -> tensor<f32>
  %1 = amp.reduce mean %a over [0, 1] order row accumulate f32 : tensor<2x3xf32> -> tensor<f32>
  // CHECK: amp.reduce max %[[A]] over [0] order column accumulate f32 : tensor<2x3xf32> -> tensor<3xf32>
  %2 = amp.reduce max %a over [0] order column accumulate f32 : tensor<2x3xf32> -> tensor<3xf32>
  // CHECK: amp.reduce min %[[A]] over [0] order column accumulate f32 : tensor<2x3xf32> -> tensor<3xf32>
  %3 = amp.reduce min %a over [0] order column accumulate f32 : tensor<2x3xf32> -> tensor<3xf32>
  // CHECK: amp.reduce prod %[[A]] over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
  %4 = amp.reduce prod %a over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @types(
func.func @types(%a: tensor<2x3x4xbf16>, %b: tensor<2x3xf64>, %c: tensor<2x0xi32>) {
  // CHECK: over [0, 2] order column accumulate f32 : tensor<2x3x4xbf16> -> tensor<3xf32>
  %0 = amp.reduce sum %a over [0, 2] order column accumulate f32
     : tensor<2x3x4xbf16> -> tensor<3xf32>
  // CHECK: over [1] order row accumulate f64 : tensor<2x3xf64> -> tensor<2xf64>
  %1 = amp.reduce mean %b over [1] order row accumulate f64 : tensor<2x3xf64> -> tensor<2xf64>
  // CHECK: over [1] order row accumulate i64 : tensor<2x0xi32> -> tensor<2xi32>
  %2 = amp.reduce sum %c over [1] order row accumulate i64 : tensor<2x0xi32> -> tensor<2xi32>
  return
}

// CHECK-LABEL: func.func @composites(
// CHECK-SAME: %[[A:.+]]: tensor<2x3xf32>, %[[B:.+]]: tensor<2x3x4xi32>
func.func @composites(%a: tensor<2x3xf32>, %b: tensor<2x3x4xi32>, %c: tensor<2x0xbf16>) {
  // CHECK: amp.reduce first %[[A]] over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
  %0 = amp.reduce first %a over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK: amp.argmax %[[A]] axis 1 : tensor<2x3xf32> -> tensor<2xi64>
  %1 = amp.argmax %a axis 1 : tensor<2x3xf32> -> tensor<2xi64>
  // CHECK: amp.argmax %[[B]] axis 0 : tensor<2x3x4xi32> -> tensor<3x4xi64>
  %2 = amp.argmax %b axis 0 : tensor<2x3x4xi32> -> tensor<3x4xi64>
  // CHECK: amp.logsumexp %[[A]] over [0, 1] : tensor<2x3xf32> -> tensor<f32>
  %3 = amp.logsumexp %a over [0, 1] : tensor<2x3xf32> -> tensor<f32>
  // CHECK: amp.logsumexp {{.+}} over [1] : tensor<2x0xbf16> -> tensor<2xbf16>
  %4 = amp.logsumexp %c over [1] : tensor<2x0xbf16> -> tensor<2xbf16>
  // CHECK: amp.variance %[[A]] over [0] correction 1 : tensor<2x3xf32> -> tensor<3xf32>
  %5 = amp.variance %a over [0] correction 1 : tensor<2x3xf32> -> tensor<3xf32>
  return
}

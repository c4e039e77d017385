// RUN: %ampc-opt %s -amp-chunk-rows=limit-bytes=2048 --remarks-filter=memory -split-input-file -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=IR < %t

// CHECK: remark: [Passed] chunk | Category:memory | Function=cut | Remark="4480 bytes of 70 rows are computed 32 rows at a time, 3 chunks"
// IR-LABEL: @cut
// IR: amp.slice
func.func @cut(%x: tensor<70x8xf32>, %w: tensor<8x16xf32>) -> tensor<70xf32> {
  %l = amp.matmul %x, %w accumulate f32 : tensor<70x8xf32>, tensor<8x16xf32> -> tensor<70x16xf32>
  %m = amp.reduce max %l over [1] order row accumulate f32 : tensor<70x16xf32> -> tensor<70xf32>
  return %m : tensor<70xf32>
}

// -----

// CHECK: remark: [Missed] chunk | Category:memory | Function=negative_returned | Reason="return: the entry returns it", Remark="4480 bytes of 70 rows are computed at once"
// IR-LABEL: @negative_returned
// IR-NOT: amp.slice
func.func @negative_returned(%x: tensor<70x8xf32>, %w: tensor<8x16xf32>) -> tensor<70x16xf32> {
  %l = amp.matmul %x, %w accumulate f32 : tensor<70x8xf32>, tensor<8x16xf32> -> tensor<70x16xf32>
  return %l : tensor<70x16xf32>
}

// -----

// CHECK: Function=negative_all_at_once | Reason="reduce: all rows are read at once"
// IR-LABEL: @negative_all_at_once
// IR-NOT: amp.slice
func.func @negative_all_at_once(%x: tensor<70x8xf32>, %w: tensor<8x16xf32>) -> (tensor<70xf32>, tensor<f32>) {
  %l = amp.matmul %x, %w accumulate f32 : tensor<70x8xf32>, tensor<8x16xf32> -> tensor<70x16xf32>
  %m = amp.reduce max %l over [1] order row accumulate f32 : tensor<70x16xf32> -> tensor<70xf32>
  %a = amp.reduce max %l over [0, 1] order row accumulate f32 : tensor<70x16xf32> -> tensor<f32>
  return %m, %a : tensor<70xf32>, tensor<f32>
}

// -----

// CHECK: Function=negative_waits | Reason="mul: it waits for all rows"
// IR-LABEL: @negative_waits
// IR-NOT: amp.slice
func.func @negative_waits(%x: tensor<70x8xf32>, %w: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %l = amp.matmul %x, %w accumulate f32 : tensor<70x8xf32>, tensor<8x16xf32> -> tensor<70x16xf32>
  %m = amp.reduce max %l over [1] order row accumulate f32 : tensor<70x16xf32> -> tensor<70xf32>
  %a = amp.reduce sum %m over [0] order row accumulate f32 : tensor<70xf32> -> tensor<f32>
  %b = amp.broadcast %a along [] : tensor<f32> -> tensor<70x16xf32>
  %g = amp.mul %l, %b : tensor<70x16xf32>
  %d = amp.matmul %x, %g transpose_a accumulate f32 : tensor<70x8xf32>, tensor<70x16xf32> -> tensor<8x16xf32>
  return %d : tensor<8x16xf32>
}

// -----

// Random numbers are drawn by their place in the whole.
// CHECK: Function=negative_random | Reason="add: what it reads besides stands for all rows"
// IR-LABEL: @negative_random
// IR-NOT: amp.slice
func.func @negative_random(%x: tensor<70x8xf32>, %w: tensor<8x16xf32>) -> tensor<70xf32> {
  %l = amp.matmul %x, %w accumulate f32 : tensor<70x8xf32>, tensor<8x16xf32> -> tensor<70x16xf32>
  %n = amp.random uniform() mode train site 0 : tensor<70x16xf32>
  %s = amp.add %l, %n : tensor<70x16xf32>
  %m = amp.reduce max %s over [1] order row accumulate f32 : tensor<70x16xf32> -> tensor<70xf32>
  return %m : tensor<70xf32>
}

// -----

// Nothing reduces the rows: a hidden layer. No remark either.
// CHECK-NOT: negative_rows_kept
// IR-LABEL: @negative_rows_kept
// IR-NOT: amp.slice
func.func @negative_rows_kept(%x: tensor<70x8xf32>, %w: tensor<8x16xf32>, %v: tensor<16x4xf32>) -> tensor<70x4xf32> {
  %l = amp.matmul %x, %w accumulate f32 : tensor<70x8xf32>, tensor<8x16xf32> -> tensor<70x16xf32>
  %y = amp.matmul %l, %v accumulate f32 : tensor<70x16xf32>, tensor<16x4xf32> -> tensor<70x4xf32>
  return %y : tensor<70x4xf32>
}

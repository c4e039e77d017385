// RUN: %ampc-opt %s -pass-pipeline='builtin.module(func.func(amp-form-epilogues))' --remarks-filter=fusion 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

#cuda = #amp.target<kind = "cuda", level = "sm_80", vector_bytes = 16, cache_bytes = 131072, bandwidth = 1500.0, launch_ns = 2500.0>
module attributes {amp.stage = #amp.stage<step>, amp.target = #cuda} {
  amp.variable @b : tensor<6xf32> role parameter init zeros
  amp.variable @wide : tensor<6xf64> role parameter init zeros

  // What relu gives is the next product's operand, and what the backward
  // compares stays an op of its own.
  // REMARK-DAG: [Passed] epilogue | Category:fusion | Function=bias_relu | Remark="the library's product does a bias and relu itself", bytes_saved=384
  // CHECK-LABEL: func.func @bias_relu(
  // CHECK-NEXT: %[[B:.+]] = amp.read @b
  // CHECK-NOT: amp.add
  // CHECK-NOT: amp.maximum
  // CHECK: %[[H:.+]] = amp.matmul %arg0, %arg1 bias %[[B]] : tensor<6xf32> transpose_b relu accumulate f32 : tensor<8x4xf32>, tensor<6x4xf32> -> tensor<8x6xf32>
  // CHECK: amp.compare le %[[H]]
  // CHECK: amp.matmul %[[H]], %arg1
  func.func @bias_relu(%x: tensor<8x4xf32>, %w: tensor<6x4xf32>) -> (tensor<8x4xf32>, tensor<8x6xi1>) {
    %b = amp.read @b : tensor<6xf32>
    %c = amp.matmul %x, %w transpose_b accumulate f32 : tensor<8x4xf32>, tensor<6x4xf32> -> tensor<8x6xf32>
    %r = amp.broadcast %b along [1] : tensor<6xf32> -> tensor<8x6xf32>
    %s = amp.add %c, %r : tensor<8x6xf32>
    %zero = amp.constant dense<0.0> : tensor<8x6xf32>
    %h = amp.maximum %s, %zero : tensor<8x6xf32>
    %m = amp.compare le %h, %zero : tensor<8x6xf32>
    %y = amp.matmul %h, %w accumulate f32 : tensor<8x6xf32>, tensor<6x4xf32> -> tensor<8x4xf32>
    return %y, %m : tensor<8x4xf32>, tensor<8x6xi1>
  }

  // Through reshapes that keep the columns; the operands of the sum exchanged.
  // REMARK-DAG: Function=bias_of_rows | Remark="the library's product does a bias itself", bytes_saved=384
  // CHECK-LABEL: func.func @bias_of_rows(
  // CHECK: %[[C:.+]] = amp.matmul %arg0, %arg1 bias %{{.+}} : tensor<6xf32> accumulate f32
  // CHECK: %[[S:.+]] = amp.reshape %[[C]] : tensor<8x6xf32> -> tensor<2x4x6xf32>
  // CHECK: return %[[S]]
  func.func @bias_of_rows(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<2x4x6xf32> {
    %b = amp.read @b : tensor<6xf32>
    %c = amp.matmul %x, %w accumulate f32 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
    %v = amp.reshape %c : tensor<8x6xf32> -> tensor<2x4x6xf32>
    %r = amp.broadcast %b along [2] : tensor<6xf32> -> tensor<2x4x6xf32>
    %s = amp.add %r, %v : tensor<2x4x6xf32>
    return %s : tensor<2x4x6xf32>
  }

  // relu gives the same before the rounding and after it.
  // CHECK-LABEL: func.func @narrow_relu(
  // CHECK: amp.matmul %arg0, %arg1 relu accumulate f32 : tensor<8x4xbf16>, tensor<4x6xbf16> -> tensor<8x6xbf16>
  func.func @narrow_relu(%x: tensor<8x4xbf16>, %w: tensor<4x6xbf16>) -> tensor<8x6xbf16> {
    %c = amp.matmul %x, %w accumulate f32 : tensor<8x4xbf16>, tensor<4x6xbf16> -> tensor<8x6xbf16>
    %zero = amp.constant dense<0.0> : tensor<8x6xbf16>
    %h = amp.maximum %c, %zero : tensor<8x6xbf16>
    return %h : tensor<8x6xbf16>
  }

  // What is computed again stays apart from what is kept.
  // REMARK-DAG: [Missed] epilogue | Category:fusion | Function=negative_checkpoint | Reason="one stands in a checkpoint block that the other is not in", Remark="the library's product does not do relu itself"
  // CHECK-LABEL: func.func @negative_checkpoint(
  // CHECK: amp.matmul %arg0, %arg1 accumulate
  // CHECK: amp.maximum
  func.func @negative_checkpoint(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
    %c = amp.matmul %x, %w accumulate f32 {amp.checkpoint = 0 : i64} : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
    %zero = amp.constant dense<0.0> : tensor<8x6xf32>
    %h = amp.maximum %c, %zero : tensor<8x6xf32>
    return %h : tensor<8x6xf32>
  }

  // The kernel of gelu has the sums at hand.
  // REMARK-DAG: [Missed] epilogue | Category:fusion | Function=negative_read_at_hand | Reason="the kernel of what reads it has it at hand", Remark="the library's product does not do a bias itself"
  // CHECK-LABEL: func.func @negative_read_at_hand(
  // CHECK-NOT: bias
  // CHECK: amp.add
  func.func @negative_read_at_hand(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
    %b = amp.read @b : tensor<6xf32>
    %c = amp.matmul %x, %w accumulate f32 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
    %r = amp.broadcast %b along [1] : tensor<6xf32> -> tensor<8x6xf32>
    %s = amp.add %c, %r : tensor<8x6xf32>
    %t = amp.tanh %s : tensor<8x6xf32>
    return %t : tensor<8x6xf32>
  }

  // Rounded once, from the sum with the bias: the library's bias would be bf16.
  // REMARK-DAG: Function=negative_rounded | Reason="the kernel of what reads it has it at hand"
  // CHECK-LABEL: func.func @negative_rounded(
  // CHECK-NOT: bias
  // CHECK: amp.add
  func.func @negative_rounded(%x: tensor<8x4xbf16>, %w: tensor<4x6xbf16>) -> tensor<8x6xbf16> {
    %b = amp.read @b : tensor<6xf32>
    %c = amp.matmul %x, %w accumulate f32 : tensor<8x4xbf16>, tensor<4x6xbf16> -> tensor<8x6xf32>
    %r = amp.broadcast %b along [1] : tensor<6xf32> -> tensor<8x6xf32>
    %s = amp.add %c, %r : tensor<8x6xf32>
    %t = amp.cast %s origin policy : tensor<8x6xf32> -> tensor<8x6xbf16>
    return %t : tensor<8x6xbf16>
  }

  // A second reader of the product needs it without the bias.
  // CHECK-LABEL: func.func @negative_product_read_twice(
  // CHECK-NOT: bias
  // CHECK: amp.add
  func.func @negative_product_read_twice(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
    %b = amp.read @b : tensor<6xf32>
    %c = amp.matmul %x, %w accumulate f32 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
    %r = amp.broadcast %b along [1] : tensor<6xf32> -> tensor<8x6xf32>
    %s = amp.add %c, %r : tensor<8x6xf32>
    return %s, %c : tensor<8x6xf32>, tensor<8x6xf32>
  }

  // A column, and a maximum with -0, are something else.
  // CHECK-LABEL: func.func @negative_other_ops(
  // CHECK-NOT: {{ (bias|relu) }}
  // CHECK: return
  func.func @negative_other_ops(%x: tensor<6x4xf32>, %w: tensor<4x6xf32>) -> (tensor<6x6xf32>, tensor<6x6xf32>) {
    %b = amp.read @b : tensor<6xf32>
    %c = amp.matmul %x, %w accumulate f32 : tensor<6x4xf32>, tensor<4x6xf32> -> tensor<6x6xf32>
    %r = amp.broadcast %b along [0] : tensor<6xf32> -> tensor<6x6xf32>
    %s = amp.add %c, %r : tensor<6x6xf32>
    %d = amp.matmul %x, %w accumulate f32 : tensor<6x4xf32>, tensor<4x6xf32> -> tensor<6x6xf32>
    %zero = amp.constant dense<-0.0> : tensor<6x6xf32>
    %m = amp.maximum %d, %zero : tensor<6x6xf32>
    return %s, %m : tensor<6x6xf32>, tensor<6x6xf32>
  }

  // REMARK-DAG: Function=negative_computed_row | Reason="what it adds is no parameter"
  // CHECK-LABEL: func.func @negative_computed_row(
  // CHECK-NOT: bias
  // CHECK: amp.add
  func.func @negative_computed_row(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>, %v: tensor<6xf32>) -> tensor<8x6xf32> {
    %b = amp.exp %v : tensor<6xf32>
    %c = amp.matmul %x, %w accumulate f32 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
    %r = amp.broadcast %b along [1] : tensor<6xf32> -> tensor<8x6xf32>
    %s = amp.add %c, %r : tensor<8x6xf32>
    return %s : tensor<8x6xf32>
  }

  // REMARK-DAG: Function=negative_wide | Reason="the library adds a bias of the result's type, f32 alone"
  // CHECK-LABEL: func.func @negative_wide(
  // CHECK-NOT: bias
  // CHECK: amp.add
  func.func @negative_wide(%x: tensor<8x4xf64>, %w: tensor<4x6xf64>) -> tensor<8x6xf64> {
    %b = amp.read @wide : tensor<6xf64>
    %c = amp.matmul %x, %w accumulate f64 : tensor<8x4xf64>, tensor<4x6xf64> -> tensor<8x6xf64>
    %r = amp.broadcast %b along [1] : tensor<6xf64> -> tensor<8x6xf64>
    %s = amp.add %c, %r : tensor<8x6xf64>
    return %s : tensor<8x6xf64>
  }

  // REMARK-DAG: Function=negative_batches | Reason="the library does so for one whole product alone"
  // CHECK-LABEL: func.func @negative_batches(
  // CHECK-NOT: relu
  // CHECK: amp.maximum
  func.func @negative_batches(%x: tensor<2x8x4xf32>, %w: tensor<2x4x6xf32>) -> tensor<2x8x6xf32> {
    %c = amp.matmul %x, %w accumulate f32 : tensor<2x8x4xf32>, tensor<2x4x6xf32> -> tensor<2x8x6xf32>
    %zero = amp.constant dense<0.0> : tensor<2x8x6xf32>
    %h = amp.maximum %c, %zero : tensor<2x8x6xf32>
    return %h : tensor<2x8x6xf32>
  }
}

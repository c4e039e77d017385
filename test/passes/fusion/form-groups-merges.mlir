// RUN: %ampc-opt %s -amp-form-groups -split-input-file | FileCheck %s
// RUN: %ampc-opt %s -amp-form-groups -split-input-file --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Which merges gain, and which the memory planner forbids.

module attributes {amp.stage = #amp.stage<step>} {
  // Reductions that read the same values walk them once.
  // CHECK-LABEL: @siblings
  func.func @siblings(%dy: tensor<64x32xf32>, %x: tensor<64x32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
    // CHECK-NEXT: %[[G:.*]]:2 = amp.group column [64, 32](%arg0, %arg1)
    // CHECK: amp.mul
    // CHECK: amp.reduce
    // CHECK: amp.reduce
    // CHECK-NOT: amp.group
    // CHECK: return
    // REMARK-DAG: Function=siblings | Remark="one column kernel of 3 ops: mul, reduce, reduce", bytes_saved=24576
    %0 = amp.mul %dy, %x : tensor<64x32xf32>
    %1 = amp.reduce sum %0 over [0] order column accumulate f32 : tensor<64x32xf32> -> tensor<32xf32>
    %2 = amp.reduce sum %dy over [0] order column accumulate f32 : tensor<64x32xf32> -> tensor<32xf32>
    return %1, %2 : tensor<32xf32>, tensor<32xf32>
  }

  // @negative_strangers: loops over one space that read nothing in common stay apart.
  // CHECK-LABEL: @negative_strangers
  func.func @negative_strangers(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK-COUNT-2: amp.group map
    %0 = amp.exp %x : tensor<8xf32>
    %1 = amp.exp %y : tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }

  // Cheap arithmetic on a scalar is no tensor: each group that reads it computes it again.
  // CHECK-LABEL: @decay
  func.func @decay(%rate: tensor<f32>, %w: tensor<64xf32>, %v: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
    // CHECK-NEXT: amp.group map [64](%arg1, %arg0)
    // CHECK: amp.mul
    // CHECK: amp.group map [64](%arg2, %arg0)
    // CHECK: amp.mul
    %0 = amp.constant dense<0.1> : tensor<64xf32>
    %1 = amp.broadcast %rate along [] : tensor<f32> -> tensor<64xf32>
    %2 = amp.mul %1, %0 : tensor<64xf32>
    %3 = amp.sub %w, %2 : tensor<64xf32>
    %4 = amp.sub %v, %2 : tensor<64xf32>
    return %3, %4 : tensor<64xf32>, tensor<64xf32>
  }

  // @negative_costly_twice: a function of a scalar is computed once and stored.
  // CHECK-LABEL: @negative_costly_twice
  func.func @negative_costly_twice(%rate: tensor<f32>, %w: tensor<64xf32>, %x: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
    // CHECK: amp.exp
    // CHECK-NOT: amp.exp
    // CHECK: return
    %1 = amp.broadcast %rate along [] : tensor<f32> -> tensor<64xf32>
    %2 = amp.exp %1 : tensor<64xf32>
    %3 = amp.sub %w, %2 : tensor<64xf32>
    %4 = amp.reduce sum %x over [1] order row accumulate f32 : tensor<64x64xf32> -> tensor<64xf32>
    %5 = amp.broadcast %2 along [1] : tensor<64xf32> -> tensor<64x64xf32>
    %6 = amp.add %5, %x : tensor<64x64xf32>
    %7 = amp.reduce max %6 over [1] order row accumulate f32 : tensor<64x64xf32> -> tensor<64xf32>
    %8 = amp.mul %7, %4 : tensor<64xf32>
    return %3, %8 : tensor<64xf32>, tensor<64xf32>
  }

  // What the backward pass needs of a value is computed where the value is, and stored instead.
  // CHECK-LABEL: @early
  func.func @early(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<32x32xf32> {
    // CHECK-NEXT: %[[P:.*]] = amp.matmul
    // CHECK-NEXT: %[[G:.*]]:2 = amp.group map [32, 32](%[[P]])
    // CHECK: amp.exp
    // CHECK: amp.add
    // CHECK: amp.yield
    // CHECK: %[[D:.*]] = amp.matmul
    // CHECK: amp.group map [32, 32](%[[D]], %[[G]]#{{[01]}})
    %0 = amp.matmul %x, %w accumulate f32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %1 = amp.neg %0 : tensor<32x32xf32>
    %2 = amp.erf %1 : tensor<32x32xf32>
    %3 = amp.mul %1, %2 : tensor<32x32xf32>
    %4 = amp.matmul %3, %w accumulate f32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %5 = amp.mul %1, %1 : tensor<32x32xf32>
    %6 = amp.exp %5 : tensor<32x32xf32>
    %7 = amp.mul %6, %1 : tensor<32x32xf32>
    %8 = amp.add %2, %7 : tensor<32x32xf32>
    %9 = amp.mul %4, %8 : tensor<32x32xf32>
    return %9 : tensor<32x32xf32>
  }

  // @negative_peak: the sum of two would wait for its reader; only one of them need be kept till then.
  // CHECK-LABEL: @negative_peak
  func.func @negative_peak(%a: tensor<32x32xf32>) -> tensor<32x32xf32> {
    // CHECK: amp.group map [32, 32]
    // CHECK: amp.add
    // CHECK: amp.matmul
    // CHECK: amp.group map [32, 32]
    // CHECK: amp.sub
    // REMARK-DAG: Function=negative_peak | Reason="more bytes would be needed at the peak", Remark="sub is not fused with add"
    %0 = amp.matmul %a, %a accumulate f32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %1 = amp.matmul %a, %0 accumulate f32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %2 = amp.add %0, %1 : tensor<32x32xf32>
    %3 = amp.matmul %a, %a transpose_b accumulate f32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %4 = amp.matmul %a, %3 transpose_a accumulate f32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %5 = amp.matmul %3, %4 accumulate f32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %6 = amp.sub %2, %5 : tensor<32x32xf32>
    return %6 : tensor<32x32xf32>
  }

  // @negative_circle: the map would wait for itself through the product.
  // CHECK-LABEL: @negative_circle
  func.func @negative_circle(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
    // CHECK: amp.group map
    // CHECK: amp.matmul
    // CHECK: amp.group map
    // REMARK-DAG: Function=negative_circle | Reason="one would wait for itself through another kernel", Remark="add is not fused with exp"
    %0 = amp.exp %x : tensor<32x32xf32>
    %1 = amp.matmul %0, %0 accumulate f32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
    %2 = amp.add %0, %1 : tensor<32x32xf32>
    return %2 : tensor<32x32xf32>
  }

  // @negative_few_columns: what is stored besides a sum of few columns has a loop that all threads share.
  // CHECK-LABEL: @negative_few_columns
  func.func @negative_few_columns(%x: tensor<4096x32xf32>) -> (tensor<4096x32xf32>, tensor<32xf32>) {
    // CHECK: amp.group map
    // CHECK: amp.group column
    // REMARK-DAG: Reason="the reduction has too few rows or columns for all threads", Remark="reduce is not fused with neg"
    %0 = amp.neg %x : tensor<4096x32xf32>
    %1 = amp.reduce sum %0 over [0] order column accumulate f32 : tensor<4096x32xf32> -> tensor<32xf32>
    return %0, %1 : tensor<4096x32xf32>, tensor<32xf32>
  }
}

// -----

// An update stands in a loop that reads the old value at the element it writes, so that it takes
// the variable's own bytes.

module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<32x32xf32> role parameter init zeros
  // CHECK-LABEL: @negative_update
  func.func @negative_update(%g: tensor<32x32xf32>) -> tensor<32xf32> {
    // CHECK: amp.group
    // CHECK: amp.group
    // REMARK-DAG: Reason="the variable is updated in place"
    %w = amp.read @w : tensor<32x32xf32>
    %0 = amp.exp %g : tensor<32x32xf32>
    %1 = amp.sub %w, %0 : tensor<32x32xf32>
    amp.write @w, %1 : tensor<32x32xf32>
    %2 = amp.reduce sum %0 over [1] order row accumulate f32 : tensor<32x32xf32> -> tensor<32xf32>
    return %2 : tensor<32xf32>
  }
}

// RUN: %ampc-opt %s -amp-form-groups=products=true -split-input-file | FileCheck %s
// RUN: %ampc-opt %s "-amp-form-groups=products=true fuse=false" -split-input-file | FileCheck %s --check-prefix=ALONE
// RUN: %ampc-opt %s -amp-form-groups=products=false -split-input-file | FileCheck %s --check-prefix=LIBRARY
// RUN: %ampc-opt %s -amp-form-groups=products=true -split-input-file --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

module attributes {amp.stage = #amp.stage<step>, amp.target = #amp.target<kind = "cpu", level = "avx512",
    vector_bytes = 64, cache_bytes = 1048576, bandwidth = 10.0 : f64, launch_ns = 2000.0 : f64>} {
  // Bias, residual and activation follow the product in its kernel.
  // CHECK-LABEL: @epilogue
  // ALONE-LABEL: @epilogue
  // LIBRARY-LABEL: @epilogue
  func.func @epilogue(%a: tensor<8x4xf32>, %b: tensor<6x4xf32>, %bias: tensor<6xf32>, %r: tensor<8x6xf32>)
      -> (tensor<8x6xf32>, tensor<8x6xf32>) {
    // CHECK-NEXT: %[[R:.*]]:2 = amp.group contraction [8, 6](%arg0, %arg1, %arg2, %arg3)
    // CHECK: amp.matmul
    // CHECK-NEXT: amp.broadcast
    // CHECK-NEXT: amp.add
    // CHECK-NEXT: amp.exp
    // CHECK-NEXT: amp.add
    // CHECK-NEXT: amp.yield
    // CHECK-NEXT: }
    // CHECK-NEXT: return
    // REMARK-DAG: one contraction kernel of 4 ops: matmul, add, exp, add
    // ALONE: amp.group contraction [8, 6](%arg0, %arg1)
    // ALONE-COUNT-3: amp.group map
    // ALONE: return
    // LIBRARY-NOT: amp.group contraction
    // LIBRARY: amp.matmul
    // LIBRARY: amp.group map
    %0 = amp.matmul %a, %b transpose_b accumulate f32 : tensor<8x4xf32>, tensor<6x4xf32> -> tensor<8x6xf32>
    %1 = amp.broadcast %bias along [1] : tensor<6xf32> -> tensor<8x6xf32>
    %2 = amp.add %0, %1 : tensor<8x6xf32>
    %3 = amp.exp %2 : tensor<8x6xf32>
    %4 = amp.add %3, %r : tensor<8x6xf32>
    return %2, %4 : tensor<8x6xf32>, tensor<8x6xf32>
  }

  // Other extents of the result, the last one kept, are the group's space.
  // CHECK-LABEL: @view
  func.func @view(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %bias: tensor<6xf32>) -> tensor<2x4x6xf32> {
    // CHECK-NEXT: amp.group contraction [2, 4, 6](%arg0, %arg1, %arg2)
    // CHECK: amp.matmul
    // CHECK-NEXT: amp.reshape
    // CHECK-NEXT: amp.broadcast
    // CHECK-NEXT: amp.add
    // CHECK-NEXT: amp.yield
    %0 = amp.matmul %a, %b accumulate f32 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
    %1 = amp.reshape %0 : tensor<8x6xf32> -> tensor<2x4x6xf32>
    %2 = amp.broadcast %bias along [2] : tensor<6xf32> -> tensor<2x4x6xf32>
    %3 = amp.add %1, %2 : tensor<2x4x6xf32>
    return %3 : tensor<2x4x6xf32>
  }

  // @negative_view: heads split the last extent.
  // CHECK-LABEL: @negative_view
  func.func @negative_view(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>) -> tensor<8x2x3xf32> {
    // CHECK-NEXT: %[[P:.*]] = amp.group contraction [8, 6](%arg0, %arg1)
    // CHECK: %[[V:.*]] = amp.reshape %[[P]]
    // CHECK: amp.group map [8, 2, 3](%[[V]])
    %0 = amp.matmul %a, %b accumulate f32 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
    %1 = amp.reshape %0 : tensor<8x6xf32> -> tensor<8x2x3xf32>
    %2 = amp.neg %1 : tensor<8x2x3xf32>
    return %2 : tensor<8x2x3xf32>
  }

  // @negative_prologue: an operand is read more than once and stands in memory before.
  // CHECK-LABEL: @negative_prologue
  func.func @negative_prologue(%a: tensor<8x4xbf16>, %b: tensor<4x8xf32>) -> tensor<8x8xf32> {
    // CHECK: %[[A:.*]] = amp.group map [8, 4]
    // CHECK: amp.group contraction [8, 8](%[[A]], %arg1)
    // REMARK-DAG: Reason="it is read at other elements than it is computed", Remark="matmul is not fused with exp"
    %0 = amp.cast %a origin policy : tensor<8x4xbf16> -> tensor<8x4xf32>
    %1 = amp.exp %0 : tensor<8x4xf32>
    %2 = amp.matmul %1, %b accumulate f32 : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }

  // @negative_reduction: row sums of the product are another kernel.
  // CHECK-LABEL: @negative_reduction
  func.func @negative_reduction(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) -> tensor<8xf32> {
    // CHECK: %[[P:.*]] = amp.group contraction [8, 8]
    // CHECK: amp.group row [8, 8](%[[P]])
    // REMARK-DAG: Reason="the kernel of a product holds elementwise ops alone", Remark="reduce is not fused with matmul"
    %0 = amp.matmul %a, %b accumulate f32 : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
    %1 = amp.reduce sum %0 over [1] order row accumulate f32 : tensor<8x8xf32> -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }

  // What only a reduction reads of a value that is stored anyway is not stored beside it.
  // CHECK-LABEL: @released
  func.func @released(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
    // CHECK: %[[P:.*]] = amp.group contraction [8, 8]
    // CHECK-NOT: amp.abs
    // CHECK: amp.group row [8, 8](%[[P]])
    // CHECK: amp.abs
    // CHECK-NEXT: amp.reduce
    %0 = amp.matmul %a, %b accumulate f32 : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
    %1 = amp.abs %0 : tensor<8x8xf32>
    %2 = amp.reduce sum %1 over [1] order row accumulate f32 : tensor<8x8xf32> -> tensor<8xf32>
    return %0, %2 : tensor<8x8xf32>, tensor<8xf32>
  }

  // Two products are two kernels; what reads both results follows the one that can wait.
  // CHECK-LABEL: @two
  func.func @two(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // CHECK-NEXT: %[[P:.*]] = amp.group contraction [8, 8](%arg1, %arg0)
    // CHECK: amp.group contraction [8, 8](%arg0, %arg1, %[[P]])
    // CHECK: amp.add
    // CHECK-NOT: amp.group
    // CHECK: return
    // REMARK-DAG: Reason="each product has a kernel of its own", Remark="add is not fused with matmul"
    %0 = amp.matmul %a, %b accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %1 = amp.matmul %b, %a accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %2 = amp.add %0, %1 : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }

  // The body of a loop is grouped as an entry is; its products are kernels whatever the entry's are. A constant
  // that is no splat stays outside of them.
  // CHECK-LABEL: @loop
  // LIBRARY-LABEL: @loop
  func.func @loop(%a: tensor<3x8x8xf32>) -> tensor<3x8x8xf32> {
    // CHECK: amp.foreach 3(%arg0)
    // CHECK-NEXT: ^bb0(%[[S:.*]]: tensor<8x8xf32>):
    // CHECK-NEXT: %[[C:.*]] = amp.constant
    // CHECK-NEXT: %[[Y:.*]] = amp.group contraction [8, 8](%[[S]], %[[C]])
    // CHECK: amp.matmul
    // CHECK-NEXT: amp.broadcast
    // CHECK-NEXT: amp.add
    // CHECK: amp.yield %[[Y]]
    // CHECK-NEXT: }
    // LIBRARY: amp.foreach
    // LIBRARY: amp.group contraction [8, 8]
    %r = amp.foreach 3(%a) divisors [1] : (tensor<3x8x8xf32>) -> tensor<3x8x8xf32> {
    ^bb0(%s: tensor<8x8xf32>):
      %c = amp.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32>
      %0 = amp.matmul %s, %s accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
      %1 = amp.broadcast %c along [1] : tensor<8xf32> -> tensor<8x8xf32>
      %2 = amp.add %0, %1 : tensor<8x8xf32>
      amp.yield %2 : tensor<8x8xf32>
    }
    return %r : tensor<3x8x8xf32>
  }

  // @negative_neighbour: what only shares an operand with a product has loops of its own.
  // CHECK-LABEL: @negative_neighbour
  func.func @negative_neighbour(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    // CHECK: amp.group contraction
    // CHECK: amp.group map
    %0 = amp.matmul %a, %a accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %1 = amp.neg %a : tensor<8x8xf32>
    return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}

// -----

// So in a matrix unit.

module attributes {amp.stage = #amp.stage<step>, amp.target = #amp.target<kind = "cpu", level = "amx",
    vector_bytes = 64, cache_bytes = 1048576, bandwidth = 10.0 : f64, launch_ns = 2000.0 : f64, fast = [bf16]>} {
  // CHECK-LABEL: @unit
  func.func @unit(%a: tensor<8x8xbf16>) -> tensor<8x8xbf16> {
    // CHECK-NEXT: amp.group contraction [8, 8](%arg0)
    %0 = amp.matmul %a, %a accumulate f32 : tensor<8x8xbf16>, tensor<8x8xbf16> -> tensor<8x8xbf16>
    return %0 : tensor<8x8xbf16>
  }
}

// -----

// A GPU has a library.

module attributes {amp.stage = #amp.stage<step>, amp.target = #amp.target<kind = "cuda", level = "sm_80",
    vector_bytes = 16, cache_bytes = 1048576, bandwidth = 10.0 : f64, launch_ns = 2000.0 : f64>} {
  // CHECK-LABEL: @negative_gpu
  func.func @negative_gpu(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // CHECK-NEXT: amp.matmul
    %0 = amp.matmul %a, %a accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

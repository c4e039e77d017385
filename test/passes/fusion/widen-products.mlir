// RUN: %ampc-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(amp-widen-products))' --remarks-filter=precision 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

#sm75 = #amp.target<kind = "cuda", level = "sm_75", vector_bytes = 16, cache_bytes = 131072, bandwidth = 1500.0, launch_ns = 2500.0, fast = [f16]>
module attributes {amp.stage = #amp.stage<step>, amp.target = #sm75} {
  // One cast for both readers of %x; the sums keep the type they had.
  // REMARK: [Passed] widen | Category:precision | Function=bf16 | Remark="bf16 operands are multiplied as f32: sm_75 has no products of bf16"
  // CHECK-LABEL: func.func @bf16(
  // CHECK-DAG: %[[X:.+]] = amp.cast %arg0 origin policy : tensor<8x4xbf16> -> tensor<8x4xf32>
  // CHECK-DAG: %[[W:.+]] = amp.cast %arg1 origin policy : tensor<4x8xbf16> -> tensor<4x8xf32>
  // CHECK-NOT: amp.cast %arg0
  // CHECK: %[[C:.+]] = amp.matmul %[[X]], %[[W]] accumulate f32 : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  // CHECK: %[[R:.+]] = amp.cast %[[C]] origin policy : tensor<8x8xf32> -> tensor<8x8xbf16>
  // CHECK: %[[D:.+]] = amp.matmul %[[X]], %[[X]] transpose_b accumulate f32 : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<8x8xf32>
  // CHECK: return %[[R]], %[[D]]
  func.func @bf16(%x: tensor<8x4xbf16>, %w: tensor<4x8xbf16>) -> (tensor<8x8xbf16>, tensor<8x8xf32>) {
    %c = amp.matmul %x, %w accumulate f32 : tensor<8x4xbf16>, tensor<4x8xbf16> -> tensor<8x8xbf16>
    %d = amp.matmul %x, %x transpose_b accumulate f32 : tensor<8x4xbf16>, tensor<8x4xbf16> -> tensor<8x8xf32>
    return %c, %d : tensor<8x8xbf16>, tensor<8x8xf32>
  }

  // CHECK-LABEL: func.func @negative_f16_is_fast(
  // CHECK-NOT: amp.cast
  // CHECK: amp.matmul %arg0, %arg1 accumulate f32 : tensor<8x4xf16>
  func.func @negative_f16_is_fast(%x: tensor<8x4xf16>, %w: tensor<4x8xf16>) -> tensor<8x8xf16> {
    %c = amp.matmul %x, %w accumulate f32 : tensor<8x4xf16>, tensor<4x8xf16> -> tensor<8x8xf16>
    return %c : tensor<8x8xf16>
  }
}

// -----

#sm80 = #amp.target<kind = "cuda", level = "sm_80", vector_bytes = 16, cache_bytes = 131072, bandwidth = 1500.0, launch_ns = 2500.0, fast = [f16, bf16]>
module attributes {amp.stage = #amp.stage<step>, amp.target = #sm80} {
  // CHECK-LABEL: func.func @negative_bf16_is_fast(
  // CHECK-NOT: amp.cast
  // CHECK: amp.matmul %arg0, %arg1 accumulate f32 : tensor<8x4xbf16>
  func.func @negative_bf16_is_fast(%x: tensor<8x4xbf16>, %w: tensor<4x8xbf16>) -> tensor<8x8xbf16> {
    %c = amp.matmul %x, %w accumulate f32 : tensor<8x4xbf16>, tensor<4x8xbf16> -> tensor<8x8xbf16>
    return %c : tensor<8x8xbf16>
  }
}

// -----

// A processor's products are generated, bf16 emulated in their kernels.
#cpu = #amp.target<kind = "cpu", level = "avx2", vector_bytes = 32, cache_bytes = 1048576, bandwidth = 12.0, launch_ns = 2000.0>
module attributes {amp.stage = #amp.stage<step>, amp.target = #cpu} {
  // CHECK-LABEL: func.func @negative_generated(
  // CHECK-NOT: amp.cast
  // CHECK: amp.matmul %arg0, %arg1 accumulate f32 : tensor<8x4xbf16>
  func.func @negative_generated(%x: tensor<8x4xbf16>, %w: tensor<4x8xbf16>) -> tensor<8x8xbf16> {
    %c = amp.matmul %x, %w accumulate f32 : tensor<8x4xbf16>, tensor<4x8xbf16> -> tensor<8x8xbf16>
    return %c : tensor<8x8xbf16>
  }
}

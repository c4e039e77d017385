// A target that generates its products has epilogues in their kernels.
// RUN: %ampc-opt %s -pass-pipeline='builtin.module(func.func(amp-form-epilogues))' | FileCheck %s

#cpu = #amp.target<kind = "cpu", level = "avx2", vector_bytes = 32, cache_bytes = 1048576, bandwidth = 12.0, launch_ns = 2000.0>
module attributes {amp.stage = #amp.stage<step>, amp.target = #cpu} {
  // CHECK-LABEL: func.func @f(
  // CHECK-NOT: relu
  // CHECK: amp.maximum
  func.func @f(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) -> tensor<8x6xf32> {
    %c = amp.matmul %x, %w accumulate f32 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
    %zero = amp.constant dense<0.0> : tensor<8x6xf32>
    %h = amp.maximum %c, %zero : tensor<8x6xf32>
    return %h : tensor<8x6xf32>
  }
}

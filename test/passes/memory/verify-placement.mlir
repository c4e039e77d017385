// RUN: %ampc-opt %s -amp-verify-placement | FileCheck %s

// CHECK: #amp.stage<placed>
module attributes {amp.stage = #amp.stage<placed>} {
  // CHECK-LABEL: @disjoint
  func.func @disjoint(%x: tensor<4x4xf32> {amp.place = #amp.place<input, 0>}) -> tensor<4x4xf32>
      attributes {amp.arena_bytes = 128 : i64} {
    %0 = amp.matmul %x, %x accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %1 = amp.matmul %0, %0 accumulate f32 {amp.place = [#amp.place<arena, 64>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %2 = amp.matmul %1, %1 accumulate f32 {amp.place = [#amp.place<arena, 0>]} : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
}

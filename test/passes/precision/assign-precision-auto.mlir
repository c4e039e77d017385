// RUN: %ampc-opt %s -amp-assign-precision=precision=auto -split-input-file | FileCheck %s
// RUN: %ampc-opt %s -amp-assign-precision=precision=tf32 -split-input-file -verify-diagnostics=only-expected | FileCheck %s --check-prefix=TF32

// auto: bf16 where the target has fast bf16 contractions, else f32. tf32 permits
// rounding and requires none.

// CHECK-LABEL: @fast
// CHECK: amp.matmul {{.*}} -> tensor<8x8xbf16>
// TF32-LABEL: @fast
// TF32: amp.matmul {{.*}} -> tensor<8x8xf32>
module attributes {amp.stage = #amp.stage<model>,
                   amp.target = #amp.target<kind = "cpu", level = "avx512", vector_bytes = 64, cache_bytes = 2097152,
                                            bandwidth = 12.0 : f64, launch_ns = 2000.0 : f64, fast = [bf16]>} {
  func.func @fast(%x: tensor<8x8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<8x8xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    %0 = amp.matmul %x, %x accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// -----

// CHECK-LABEL: @slow
// CHECK-NEXT: amp.matmul {{.*}} -> tensor<8x8xf32>
module attributes {amp.stage = #amp.stage<model>} {
  func.func @slow(%x: tensor<8x8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<8x8xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    %0 = amp.matmul %x, %x accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}

// RUN: %ampc-opt %s -amp-assign-precision=precision=f16 -split-input-file -verify-diagnostics | FileCheck %s

// A constant that f16 would make infinite or 0 keeps its op in f32 (N5); the
// target has no f16 products, which is said once.

// expected-warning @below {{f16 is emulated}}
module attributes {amp.stage = #amp.stage<model>} {
  // CHECK-LABEL: @range
  func.func @range(%x: tensor<8x8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<8x8xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    // CHECK: amp.mul {{.*}}<constant_range>} : tensor<8x8xf32>
    // CHECK: amp.add {{.*}}<constant_range>} : tensor<8x8xf32>
    // CHECK: amp.matmul {{.*}} -> tensor<8x8xf16>
    %0 = amp.matmul %x, %x accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %c = amp.constant dense<1.0e5> : tensor<8x8xf32>
    %d = amp.constant dense<1.0e-9> : tensor<8x8xf32>
    %1 = amp.mul %0, %c : tensor<8x8xf32>
    %2 = amp.add %0, %d : tensor<8x8xf32>
    %3 = amp.matmul %1, %2 accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}

// -----

// What such a constant is an element of stays f32 as long as ops follow: an
// additive mask reaches the softmax as the number it is.

// expected-warning @below {{f16 is emulated}}
module attributes {amp.stage = #amp.stage<model>} {
  // CHECK-LABEL: @mask
  func.func @mask(%x: tensor<8x8xf32> {amp.name = "x", amp.io = #amp.io<input>},
                  %k: tensor<8x8xi1> {amp.name = "k", amp.io = #amp.io<input>})
      -> (tensor<8x8xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    // CHECK: amp.select {{.*}}<constant_range>} : tensor<8x8xf32>
    // CHECK: amp.add {{.*}}<constant_range>} : tensor<8x8xf32>
    // CHECK: amp.softmax {{.*}} : tensor<8x8xf32>
    // CHECK: amp.matmul {{.*}} -> tensor<8x8xf16>
    %0 = amp.matmul %x, %x accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %z = amp.constant dense<0.0> : tensor<8x8xf32>
    %c = amp.constant dense<-1.0e9> : tensor<8x8xf32>
    %1 = amp.select %k, %z, %c : tensor<8x8xf32>
    %2 = amp.add %0, %1 : tensor<8x8xf32>
    %3 = amp.softmax %2 : tensor<8x8xf32>
    %4 = amp.matmul %3, %3 accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    return %4 : tensor<8x8xf32>
  }
}

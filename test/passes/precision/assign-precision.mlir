// RUN: %ampc-opt %s -amp-assign-precision | FileCheck %s

// Policy f32 moves the stage and touches no type.

// CHECK: module attributes {amp.stage = #amp.stage<typed>}
module attributes {amp.stage = #amp.stage<model>} {
  // CHECK-LABEL: @forward
  func.func @forward(%x: tensor<4xbf16> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    // CHECK-NEXT: amp.cast %{{.*}} origin user : tensor<4xbf16> -> tensor<4xf32>
    %0 = amp.cast %x origin user : tensor<4xbf16> -> tensor<4xf32>
    // CHECK-NEXT: return
    return %0 : tensor<4xf32>
  }
}

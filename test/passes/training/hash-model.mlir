// RUN: %ampc-opt %s -amp-hash-model -split-input-file | FileCheck %s

// Another batch is the same model; another activation is not.

// CHECK: amp.model_hash = [[HASH:-?[0-9]+]] : i64
module attributes {amp.stage = #amp.stage<model>} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  func.func @forward(%x: tensor<8x4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<8x4xf32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    %w = amp.read @w : tensor<4xf32>
    %b = amp.broadcast %w along [1] : tensor<4xf32> -> tensor<8x4xf32>
    %c = amp.constant dense<2.0> : tensor<8x4xf32>
    %0 = amp.mul %x, %b : tensor<8x4xf32>
    %1 = amp.mul %0, %c : tensor<8x4xf32>
    %2 = amp.relu %1 : tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
}

// -----

// CHECK: amp.model_hash = [[HASH]] : i64
module attributes {amp.stage = #amp.stage<model>} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  func.func @forward(%x: tensor<2x4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<2x4xf32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    %w = amp.read @w : tensor<4xf32>
    %b = amp.broadcast %w along [1] : tensor<4xf32> -> tensor<2x4xf32>
    %c = amp.constant dense<2.0> : tensor<2x4xf32>
    %0 = amp.mul %x, %b : tensor<2x4xf32>
    %1 = amp.mul %0, %c : tensor<2x4xf32>
    %2 = amp.relu %1 : tensor<2x4xf32>
    return %2 : tensor<2x4xf32>
  }
}

// -----

// CHECK-NOT: amp.model_hash = [[HASH]] : i64
// CHECK: amp.model_hash = {{-?[0-9]+}} : i64
module attributes {amp.stage = #amp.stage<model>} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  func.func @forward(%x: tensor<8x4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<8x4xf32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    %w = amp.read @w : tensor<4xf32>
    %b = amp.broadcast %w along [1] : tensor<4xf32> -> tensor<8x4xf32>
    %c = amp.constant dense<2.0> : tensor<8x4xf32>
    %0 = amp.mul %x, %b : tensor<8x4xf32>
    %1 = amp.mul %0, %c : tensor<8x4xf32>
    %2 = amp.tanh %1 : tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
}

// -----

// A number given stays; a module past its forward graph gets none.

// CHECK: amp.model_hash = 5 : i64
module attributes {amp.stage = #amp.stage<model>, amp.model_hash = 5 : i64} {
  func.func @forward() attributes {amp.entry = #amp.entry<forward>} {
    return
  }
}

// -----

// CHECK-NOT: amp.model_hash
module attributes {amp.stage = #amp.stage<step>} {
}

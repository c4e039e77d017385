// RUN: %ampc-opt %s -amp-check-indices -split-input-file -verify-diagnostics

module attributes {amp.stage = #amp.stage<step>} {
  func.func @infer(%x: tensor<2x5xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>} {
    %0 = amp.constant dense<[-100, 5]> : tensor<2xi32>
    // expected-error @below {{label 5 is outside [0, 5) and is not the ignored -100 (nll)}}
    %l = amp.nll sum %x, %0 ignore -100 : tensor<2x5xf32>, tensor<2xi32> -> tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// More positions than the table has rows.
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<3xf32> role parameter init ones
  func.func @infer()
      -> (tensor<4xf32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>} {
    %w = amp.read @w : tensor<3xf32>
    %0 = amp.iota : tensor<4xi64>
    // expected-error @below {{index 3 is outside [0, 3) (take)}}
    %1 = amp.take %w, %0 axis 0 : tensor<3xf32>, tensor<4xi64> -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

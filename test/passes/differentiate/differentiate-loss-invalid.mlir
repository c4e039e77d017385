// RUN: %ampc-opt %s -amp-differentiate -split-input-file -verify-diagnostics

module attributes {amp.stage = #amp.stage<typed>} {
  func.func @train_step(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    // expected-error @below {{the loss reaches no parameter that is trained}}
    %l = amp.reduce sum %x over [0] order row accumulate f32 : tensor<4xf32> -> tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {groups = [{names = ["w"], frozen = true}]}} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  func.func @train_step()
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    // expected-error @below {{the loss reaches no parameter that is trained}}
    %l = amp.reduce sum %w over [0] order row accumulate f32 : tensor<4xf32> -> tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// No gradient passes a comparison or an integer.

module attributes {amp.stage = #amp.stage<typed>} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  func.func @train_step(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    %c = amp.compare lt %w, %x : tensor<4xf32>
    %f = amp.cast %c origin user : tensor<4xi1> -> tensor<4xf32>
    // expected-error @below {{the loss reaches no parameter that is trained}}
    %l = amp.reduce sum %f over [0] order row accumulate f32 : tensor<4xf32> -> tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// A detached value hands no gradient on: the loss depends on the parameter, which learns nothing.

module attributes {amp.stage = #amp.stage<typed>} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  func.func @train_step() -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    %d = amp.detach %w : tensor<4xf32>
    // expected-error @below {{the loss reaches no parameter that is trained}}
    %l = amp.reduce sum %d over [0] order row accumulate f32 : tensor<4xf32> -> tensor<f32>
    return %l : tensor<f32>
  }
}

// RUN: %ampc-opt %s -amp-split-window -split-input-file -verify-diagnostics

// A root of a mean.

module attributes {amp.stage = #amp.stage<typed>, amp.train = {accumulate = 2 : i64}} {
  amp.variable @w : tensor<8xf32> role parameter init zeros
  func.func @train_step(%x: tensor<8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "a", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<8xf32>
    %h = amp.mul %w, %x : tensor<8xf32>
    %m = amp.reduce mean %h over [0] order row accumulate f32 : tensor<8xf32> -> tensor<f32>
    // expected-error @+1 {{loss 'a' cannot be accumulated: sqrt is not a sum, a mean or their quotient by inputs and targets}}
    %l = amp.sqrt %m : tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// A product of two sums of data.

module attributes {amp.stage = #amp.stage<typed>, amp.train = {accumulate = 2 : i64}} {
  amp.variable @w : tensor<8xf32> role parameter init zeros
  func.func @train_step(%x: tensor<8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "a", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<8xf32>
    %h = amp.mul %w, %x : tensor<8xf32>
    %m = amp.reduce sum %h over [0] order row accumulate f32 : tensor<8xf32> -> tensor<f32>
    // expected-error @+1 {{loss 'a' cannot be accumulated: mul is not a sum, a mean or their quotient by inputs and targets}}
    %l = amp.mul %m, %m : tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// A denominator of parameters and data.

module attributes {amp.stage = #amp.stage<typed>, amp.train = {accumulate = 2 : i64}} {
  amp.variable @w : tensor<8xf32> role parameter init zeros
  func.func @train_step(%x: tensor<8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "a", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<8xf32>
    %h = amp.mul %w, %x : tensor<8xf32>
    %m = amp.reduce sum %h over [0] order row accumulate f32 : tensor<8xf32> -> tensor<f32>
    // expected-error @+1 {{loss 'a' cannot be accumulated: reduce is not a sum, a mean or their quotient by inputs and targets}}
    %d = amp.reduce sum %h over [0] order row accumulate f32 : tensor<8xf32> -> tensor<f32>
    %l = amp.div %m, %d : tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// A denominator that is no sum and no mean.

module attributes {amp.stage = #amp.stage<typed>, amp.train = {accumulate = 2 : i64}} {
  amp.variable @w : tensor<8xf32> role parameter init zeros
  func.func @train_step(%x: tensor<8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "a", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<8xf32>
    %h = amp.mul %w, %x : tensor<8xf32>
    %m = amp.reduce sum %h over [0] order row accumulate f32 : tensor<8xf32> -> tensor<f32>
    // expected-error @+1 {{loss 'a' cannot be accumulated: reduce is not a sum, a mean or their quotient by inputs and targets}}
    %d = amp.reduce max %x over [0] order row accumulate f32 : tensor<8xf32> -> tensor<f32>
    %l = amp.div %m, %d : tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// A largest term.

module attributes {amp.stage = #amp.stage<typed>, amp.train = {accumulate = 2 : i64}} {
  amp.variable @w : tensor<8xf32> role parameter init zeros
  func.func @train_step(%x: tensor<8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "a", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<8xf32>
    %h = amp.mul %w, %x : tensor<8xf32>
    // expected-error @+1 {{loss 'a' cannot be accumulated: reduce is not a sum, a mean or their quotient by inputs and targets}}
    %l = amp.reduce max %h over [0] order row accumulate f32 : tensor<8xf32> -> tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// A number of each batch.

module attributes {amp.stage = #amp.stage<typed>, amp.train = {accumulate = 2 : i64}} {
  // expected-error @+1 {{loss 'a' cannot be accumulated: "l" is not a sum, a mean or their quotient by inputs and targets}}
  func.func @train_step(%l: tensor<f32> {amp.name = "l", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "a", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    return %l : tensor<f32>
  }
}

// -----

// Class weights that are trained.

module attributes {amp.stage = #amp.stage<typed>, amp.train = {accumulate = 2 : i64}} {
  amp.variable @w : tensor<3xf32> role parameter init ones
  func.func @train_step(%x: tensor<2x3xf32> {amp.name = "x", amp.io = #amp.io<input>},
                        %y: tensor<2xi64> {amp.name = "y", amp.io = #amp.io<target>})
      -> (tensor<f32> {amp.name = "a", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<3xf32>
    // expected-error @+1 {{loss 'a' cannot be accumulated: nll is not a sum, a mean or their quotient by inputs and targets}}
    %l = amp.nll mean %x, %y weight %w : tensor<3xf32> ignore -100 : tensor<2x3xf32>, tensor<2xi64> -> tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// A step that is differentiated.

module attributes {amp.stage = #amp.stage<typed>, amp.train = {accumulate = 2 : i64}} {
  amp.variable @w : tensor<8xf32> role parameter init zeros
  // expected-error @+1 {{amp-split-window expects a step before differentiation, got a result of kind gradient}}
  func.func @train_step(%x: tensor<8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "a", amp.io = #amp.io<gradient>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<8xf32>
    %h = amp.mul %w, %x : tensor<8xf32>
    %l = amp.reduce sum %h over [0] order row accumulate f32 : tensor<8xf32> -> tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// Another stage.

// expected-error @+1 {{amp-split-window expects stage typed}}
module attributes {amp.stage = #amp.stage<step>} {
}

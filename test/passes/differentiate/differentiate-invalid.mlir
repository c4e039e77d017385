// RUN: %ampc-opt %s "-amp-differentiate=entry=gradient output=p" -split-input-file -verify-diagnostics

// expected-error @below {{no entry 'gradient' to differentiate}}
module attributes {amp.stage = #amp.stage<typed>} {
}

// -----

module attributes {amp.stage = #amp.stage<typed>} {
  // expected-error @below {{the model has no result 'p' to differentiate}}
  func.func @gradient(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "q", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<gradient>} {
    return %x : tensor<f32>
  }
}

// -----

module attributes {amp.stage = #amp.stage<typed>} {
  // expected-error @below {{result 'p' has no gradient: it is 'tensor<i32>'}}
  func.func @gradient(%x: tensor<i32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<i32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<gradient>} {
    return %x : tensor<i32>
  }
}

// -----

module attributes {amp.stage = #amp.stage<typed>} {
  func.func @gradient(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<gradient>} {
    // expected-error @below {{result 1 has no derivative, but a gradient reaches it}}
    %0:2 = amp.rms_norm %x axes 1 eps 1.0 : tensor<4xf32> -> tensor<4xf32>, tensor<f32>
    return %0#1 : tensor<f32>
  }
}

// -----

module attributes {amp.stage = #amp.stage<typed>} {
  func.func @gradient(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<gradient>} {
    // expected-error @below {{has no derivative, but a gradient reaches it}}
    %0 = amp.group map [4](%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      amp.yield %a : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {amp.stage = #amp.stage<typed>} {
  func.func @gradient(%x: tensor<4x4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<4x4xf32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<gradient>} {
    // expected-error @below {{has an epilogue, which is formed after differentiation}}
    %0 = amp.matmul %x, %x relu accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// RUN: %ampc-opt %s -amp-build-entries=entries=infer -split-input-file -verify-diagnostics

// expected-error @below {{amp-build-entries expects a forward function}}
module attributes {amp.stage = #amp.stage<typed>} {
}

// -----

module attributes {amp.stage = #amp.stage<typed>} {
  // expected-error @below {{entry infer has nothing to compute: the model has no output}}
  func.func @forward(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<forward>} {
    return %x : tensor<f32>
  }
}

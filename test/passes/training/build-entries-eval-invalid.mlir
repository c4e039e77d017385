// RUN: %ampc-opt %s -amp-build-entries=entries=eval_step -verify-diagnostics

module attributes {amp.stage = #amp.stage<typed>} {
  // expected-error @below {{entry eval_step has nothing to compute: the model has no loss and no metric}}
  func.func @forward(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    return %x : tensor<f32>
  }
}

// RUN: %ampc-opt %s -amp-build-optimizer -split-input-file -verify-diagnostics

// expected-error @below {{the model has a loss but the train block names no optimizer}}
module attributes {amp.stage = #amp.stage<typed>} {
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

// expected-error @below {{amp.train: 'amp.exp' is not an optimizer op}}
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.exp", lr = 1.0e-1 : f64}}} {
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

// expected-error @below {{amp.train: optimizer needs `op` (a string) and `lr` (a float), got {op = "amp.sgd"}}}
module attributes {amp.stage = #amp.stage<typed>, amp.train = {optimizer = {op = "amp.sgd"}}} {
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 1.0e-1 : f64}}} {
  // expected-error @below {{gradient result 0 names no variable}}
  func.func @train_step(%g: tensor<4xf32> {amp.name = "g", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = "x"})
      attributes {amp.entry = #amp.entry<train_step>} {
    return %g : tensor<4xf32>
  }
}

// -----

// expected-error @below {{amp-build-optimizer expects stage typed}}
module attributes {amp.stage = #amp.stage<step>} {
}

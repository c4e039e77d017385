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

// -----

// expected-error @below {{amp.train: schedule must be constant, step, linear or cosine, got "often"}}
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 1.0e-1 : f64}, schedule = "often"}} {
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

// expected-error @below {{amp.train: warmup and every must be at least 0}}
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 1.0e-1 : f64}, schedule = {kind = "linear", warmup = -1 : i64}}} {
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

// expected-error @below {{amp.train: schedule step needs `every` above 0 or `milestones`}}
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 1.0e-1 : f64}, schedule = {kind = "step"}}} {
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

// expected-error @below {{amp.train: gamma must be above 0, got 0.000000e+00}}
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 1.0e-1 : f64}, schedule = {kind = "step", every = 3 : i64, gamma = 0.0 : f64}}} {
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

// expected-error @below {{amp.train: clip_norm must be above 0, got 0.000000e+00 : f64}}
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 1.0e-1 : f64}, clip_norm = 0.0 : f64}} {
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

// expected-error @below {{amp.train: base_batch must be at least 1, got 0 : i64}}
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 1.0e-1 : f64}, base_batch = 0 : i64}} {
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

// expected-error @below {{amp.train: a group needs `names`, got {lr = 1.000000e+00 : f64}}}
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 1.0e-1 : f64}, groups = [{lr = 1.0 : f64}]}} {
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

// expected-error @below {{amp.train: a group has lr 1.000000e+00, which needs an optimizer whose own lr is not 0}}
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 0.0 : f64}, groups = [{names = ["w"], lr = 1.0 : f64}]}} {
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// RUN: %ampc-opt %s -amp-verify-step -split-input-file -verify-diagnostics

// step_c1
// expected-error @below {{is not in stage step}}
module attributes {amp.stage = #amp.stage<typed>} {
}

// -----

// step_c1
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{is left from the model: stage step holds entries only}}
  func.func @forward() attributes {amp.entry = #amp.entry<forward>} {
    return
  }
}

// -----

// step_c2
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{is no entry}}
  func.func @helper() {
    return
  }
}

// -----

// step_c2
module attributes {amp.stage = #amp.stage<step>} {
  func.func @a() attributes {amp.entry = #amp.entry<infer>} {
    return
  }
  // expected-error @below {{is a second entry infer}}
  func.func @b() attributes {amp.entry = #amp.entry<infer>} {
    return
  }
}

// -----

// step_c3
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{argument 0 has no use}}
  func.func @infer(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<infer>} {
    return
  }
}

// -----

// step_c4
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<f32> role parameter init ones
  func.func @infer(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<infer>} {
    // expected-error @below {{cannot stand in infer: only the entries of a step write variables}}
    amp.write @w, %x : tensor<f32>
    return
  }
}

// -----

// step_c5
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<f32> role parameter init ones
  func.func @train_step(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    // expected-note @below {{the first write is here}}
    amp.write @w, %x : tensor<f32>
    // expected-error @below {{stands after a write}}
    %w = amp.read @w : tensor<f32>
    return %w : tensor<f32>
  }
}

// -----

// step_c5
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<f32> role parameter init ones
  func.func @train_step(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<train_step>} {
    // expected-note @below {{the first write is here}}
    amp.write @w, %x : tensor<f32>
    // expected-error @below {{writes 'w' a second time}}
    amp.write @w, %x : tensor<f32>
    return
  }
}

// -----

// step_c6
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{does not advance 'ampc.state/iteration'}}
  func.func @train_step(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    return %x : tensor<f32>
  }
}

// -----

// step_c7
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{result 0 is a gradient that nothing consumed}}
  func.func @train_step(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "grad.x", amp.io = #amp.io<gradient>, amp.wrt = "x"})
      attributes {amp.entry = #amp.entry<train_step>} {
    return %x : tensor<f32>
  }
}

// -----

// step_c8
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @m : tensor<f32> role moment init ones
  amp.variable @"ampc.state/iteration" : tensor<i64> role counter init zeros
  amp.variable @"ampc.state/update" : tensor<i64> role counter init zeros
  func.func @train_step(%g: tensor<f32> {amp.name = "g", amp.io = #amp.io<input>},
                        %i: tensor<i64> {amp.name = "i", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %m = amp.read @m : tensor<f32>
    // expected-error @below {{must update an f32 variable of role parameter or master}}
    %p = amp.sgd %m, %g update %i lr %g : tensor<f32>, tensor<f32> -> tensor<f32>
    amp.write @m, %p : tensor<f32>
    amp.write @"ampc.state/iteration", %i : tensor<i64>
    amp.write @"ampc.state/update", %i : tensor<i64>
    return
  }
}

// -----

// step_c8
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<f32> role parameter init ones
  amp.variable @v : tensor<f32> role parameter init ones
  amp.variable @"ampc.state/iteration" : tensor<i64> role counter init zeros
  amp.variable @"ampc.state/update" : tensor<i64> role counter init zeros
  func.func @train_step(%g: tensor<f32> {amp.name = "g", amp.io = #amp.io<input>},
                        %i: tensor<i64> {amp.name = "i", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<f32>
    // expected-error @below {{updates 'w' but no amp.write stores it}}
    %p = amp.sgd %w, %g update %i lr %g : tensor<f32>, tensor<f32> -> tensor<f32>
    amp.write @v, %p : tensor<f32>
    amp.write @"ampc.state/iteration", %i : tensor<i64>
    amp.write @"ampc.state/update", %i : tensor<i64>
    return
  }
}

// -----

// step_c9
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{loss 0 must be an f32 or f64 scalar, got 'tensor<4xf32>'}}
  func.func @eval_finish(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<eval_finish>} {
    return %x : tensor<4xf32>
  }
}

// -----

// step_c12
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{partial 0 must be a scalar, got 'tensor<4xf32>'}}
  func.func @eval_step(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "s", amp.io = #amp.io<partial>})
      attributes {amp.entry = #amp.entry<eval_step>} {
    return %x : tensor<4xf32>
  }
}

// -----

// step_c12
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{result 0 is of kind loss; eval_step gives partial results, and it alone}}
  func.func @eval_step(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<eval_step>} {
    return %x : tensor<f32>
  }
}

// -----

// step_c10
module attributes {amp.stage = #amp.stage<step>} {
  func.func @infer() -> (tensor<4xf32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>} {
    // expected-error @below {{has no key}}
    %r = amp.random uniform() mode infer site 0 : tensor<4xf32>
    return %r : tensor<4xf32>
  }
}

// -----

// step_c11
module attributes {amp.stage = #amp.stage<step>} {
  func.func @infer(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>} {
    // expected-error @below {{has no effect and no use}}
    %r = amp.exp %x : tensor<4xf32>
    return %x : tensor<4xf32>
  }
}

// -----

// step_c13
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{result 0 is a fault; it must be the last one, 'tensor<3xi64>' with amp.index_range}}
  func.func @infer(%x: tensor<3xi64> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<3xi64> {amp.name = "ampc.fault", amp.io = #amp.io<fault>})
      attributes {amp.entry = #amp.entry<infer>} {
    return %x : tensor<3xi64>
  }
}

// -----

// step_c13
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<f32> role parameter init ones
  func.func @train_step(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>},
                        %f: tensor<3xi64> {amp.name = "f", amp.io = #amp.io<input>})
      -> (tensor<3xi64> {amp.name = "ampc.fault", amp.io = #amp.io<fault>, amp.index_range = []})
      attributes {amp.entry = #amp.entry<train_step>} {
    // expected-error @below {{must write the old value of 'w' after a fault}}
    amp.write @w, %x : tensor<f32>
    return %f : tensor<3xi64>
  }
}

// -----

// step_c14
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{result 0 is a probe without amp.probe}}
  func.func @infer(%x: tensor<2xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<2xf32> {amp.name = "p", amp.io = #amp.io<probe>})
      attributes {amp.entry = #amp.entry<infer>} {
    return %x : tensor<2xf32>
  }
}

// -----

// step_c14
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{probe 0 names input 0; expected a probe before it}}
  func.func @infer(%x: tensor<2xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<2xf32> {amp.name = "p", amp.io = #amp.io<probe>,
          amp.probe = #amp.probe<op = "exp", path = "", type = tensor<2xf32>, backward = false, infinite = false, inputs = [0]>})
      attributes {amp.entry = #amp.entry<infer>} {
    return %x : tensor<2xf32>
  }
}

// -----

// step_c4
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<f32> role parameter init ones
  func.func @micro_step(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<micro_step>} {
    // expected-error @below {{writes 'w' in micro_step, which writes accumulators and 'ampc.state/micro' alone}}
    amp.write @w, %x : tensor<f32>
    return
  }
}

// -----

// step_c6
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{does not advance 'ampc.state/iteration'}}
  func.func @apply_step() attributes {amp.entry = #amp.entry<apply_step>} {
    return
  }
}

// -----

// step_c15
module attributes {amp.stage = #amp.stage<step>} {
  // expected-error @below {{stands without the other entries of a window: expected window, micro_step and apply_step}}
  func.func @micro_step() attributes {amp.entry = #amp.entry<micro_step>} {
    return
  }
}

// -----

// step_c15
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @"ampc.state/iteration" : tensor<i64> role counter init zeros
  amp.variable @"ampc.state/update" : tensor<i64> role counter init zeros
  func.func @window() attributes {amp.entry = #amp.entry<window>} {
    return
  }
  func.func @micro_step() attributes {amp.entry = #amp.entry<micro_step>} {
    return
  }
  func.func @apply_step(%i: tensor<i64> {amp.name = "i", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<apply_step>} {
    amp.write @"ampc.state/iteration", %i : tensor<i64>
    amp.write @"ampc.state/update", %i : tensor<i64>
    return
  }
  // expected-error @below {{stands beside micro_step: a step is one or the other}}
  func.func @train_step(%i: tensor<i64> {amp.name = "i", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<train_step>} {
    amp.write @"ampc.state/iteration", %i : tensor<i64>
    amp.write @"ampc.state/update", %i : tensor<i64>
    return
  }
}

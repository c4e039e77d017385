// RUN: %ampc-opt %s -amp-verify-precision -split-input-file -verify-diagnostics

// precision_c1: an update below f32 (N23).
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<4xbf16> role parameter init zeros
  func.func @train_step(%g: tensor<4xbf16>) {
    // expected-error @below {{updates 'w' in 'bf16'; parameters and optimizer state are f32 (N22)}}
    amp.write @w, %g : tensor<4xbf16>
    return
  }
}

// -----

// precision_c2: gradients through f16 without a scaled loss (N23).
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<4xf32> role parameter init zeros
  func.func @train_step(%h: tensor<4xf16> {amp.name = "h", amp.io = #amp.io<input>},
                        %t: tensor<i64> {amp.name = "t", amp.io = #amp.io<input>},
                        %r: tensor<f32> {amp.name = "r", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    %v = amp.cast %w origin policy : tensor<4xf32> -> tensor<4xf16>
    // expected-error @below {{gradients pass through f16 without loss scaling: those of 2^-25 and below become 0; use --loss-scale dynamic, bf16, or --unsafe-precision}}
    %0 = amp.mul %h, %v : tensor<4xf16>
    %1 = amp.cast %0 origin policy : tensor<4xf16> -> tensor<4xf32>
    %2 = amp.sgd %w, %1 update %t lr %r : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    amp.write @w, %2 : tensor<4xf32>
    return
  }
}

// -----

// A scaled loss: nothing to refuse.
module attributes {amp.stage = #amp.stage<step>, amp.train = {loss_scale = 1.024e3 : f64}} {
  amp.variable @w : tensor<4xf32> role parameter init zeros
  func.func @train_step(%h: tensor<4xf16> {amp.name = "h", amp.io = #amp.io<input>},
                        %t: tensor<i64> {amp.name = "t", amp.io = #amp.io<input>},
                        %r: tensor<f32> {amp.name = "r", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    %1 = amp.cast %h origin policy : tensor<4xf16> -> tensor<4xf32>
    %2 = amp.sgd %w, %1 update %t lr %r : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    amp.write @w, %2 : tensor<4xf32>
    return
  }
}

// -----

// An f16 input is no gradient: what the weight's gradient multiplies it with is
// f32.
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<4xf32> role parameter init zeros
  func.func @train_step(%h: tensor<4xf16> {amp.name = "h", amp.io = #amp.io<input>},
                        %t: tensor<i64> {amp.name = "t", amp.io = #amp.io<input>},
                        %r: tensor<f32> {amp.name = "r", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    %1 = amp.cast %h origin user : tensor<4xf16> -> tensor<4xf32>
    %2 = amp.sgd %w, %1 update %t lr %r : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    amp.write @w, %2 : tensor<4xf32>
    return
  }
}

// -----

// precision_c2: 8-bit floats lose more.
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<4xf32> role parameter init zeros
  func.func @train_step(%g: tensor<4xf32> {amp.name = "g", amp.io = #amp.io<input>},
                        %t: tensor<i64> {amp.name = "t", amp.io = #amp.io<input>},
                        %r: tensor<f32> {amp.name = "r", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    // expected-error @below {{gradients pass through f8E4M3FN without loss scaling: those of 2^-10 and below become 0; use --loss-scale dynamic, bf16, or --unsafe-precision}}
    %0 = amp.cast %g origin user : tensor<4xf32> -> tensor<4xf8E4M3FN>
    %1 = amp.cast %0 origin user : tensor<4xf8E4M3FN> -> tensor<4xf32>
    %2 = amp.sgd %w, %1 update %t lr %r : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    amp.write @w, %2 : tensor<4xf32>
    return
  }
}

// -----

module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<4xf32> role parameter init zeros
  func.func @train_step(%g: tensor<4xf32> {amp.name = "g", amp.io = #amp.io<input>},
                        %t: tensor<i64> {amp.name = "t", amp.io = #amp.io<input>},
                        %r: tensor<f32> {amp.name = "r", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    // expected-error @below {{gradients pass through f8E5M2 without loss scaling: those of 2^-17 and below become 0}}
    %0 = amp.scaled_cast %g scale 2.0 : tensor<4xf32> -> tensor<4xf8E5M2>
    %1 = amp.scaled_cast %0 scale 2.0 : tensor<4xf8E5M2> -> tensor<4xf32>
    %2 = amp.sgd %w, %1 update %t lr %r : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    amp.write @w, %2 : tensor<4xf32>
    return
  }
}

// -----

// precision_c3: a product of 8-bit floats.
module attributes {amp.stage = #amp.stage<typed>} {
  func.func @forward(%a: tensor<2x2xf8E5M2> {amp.name = "a", amp.io = #amp.io<input>})
      -> (tensor<2x2xf8E5M2> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    // expected-error @below {{'amp.matmul' op multiplies 'f8E5M2': no target multiplies 8-bit floats, they are types to cast to; cast to f32, f16 or bf16 before it}}
    %0 = amp.matmul %a, %a accumulate f32 : tensor<2x2xf8E5M2>, tensor<2x2xf8E5M2> -> tensor<2x2xf8E5M2>
    return %0 : tensor<2x2xf8E5M2>
  }
}

// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @attention_c1_rank(%q: tensor<1x2x4xf32>, %k: tensor<1x1x2x4xf32>) {
  // expected-error @+1 {{q must have rank 4 and 'f32' elements, got 'tensor<1x2x4xf32>'}}
  %0:2 = amp.attention %q, %k, %k scale 1.0 dropout 0.0 mode train site 0
       : tensor<1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32> -> tensor<1x1x2x4xf32>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_c1_element(%q: tensor<1x1x2x4xf32>, %k: tensor<1x1x2x4xbf16>) {
  // expected-error @+1 {{k must have rank 4 and 'f32' elements, got 'tensor<1x1x2x4xbf16>'}}
  %0:2 = amp.attention %q, %k, %q scale 1.0 dropout 0.0 mode train site 0
       : tensor<1x1x2x4xf32>, tensor<1x1x2x4xbf16>, tensor<1x1x2x4xf32> -> tensor<1x1x2x4xf32>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_c1_extents(%q: tensor<1x1x2x4xf32>, %k: tensor<1x1x3x5xf32>) {
  // expected-error @+1 {{k must have the extents [1, 1, 3, 4], got [1, 1, 3, 5]}}
  %0:2 = amp.attention %q, %k, %k scale 1.0 dropout 0.0 mode train site 0
       : tensor<1x1x2x4xf32>, tensor<1x1x3x5xf32>, tensor<1x1x3x5xf32> -> tensor<1x1x2x5xf32>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_c1_out(%q: tensor<1x1x2x4xf32>) {
  // expected-error @+1 {{out must have the extents [1, 1, 2, 4], got [1, 1, 2, 5]}}
  %0:2 = amp.attention %q, %q, %q scale 1.0 dropout 0.0 mode train site 0
       : tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32> -> tensor<1x1x2x5xf32>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_c2(%q: tensor<1x3x2x4xf32>, %k: tensor<1x2x2x4xf32>) {
  // expected-error @+1 {{query heads must be a multiple of key heads, got 3 and 2}}
  %0:2 = amp.attention %q, %k, %k scale 1.0 dropout 0.0 mode train site 0
       : tensor<1x3x2x4xf32>, tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32> -> tensor<1x3x2x4xf32>, tensor<1x3x2xf32>
  return
}

// -----

func.func @attention_c3(%q: tensor<1x1x2x4xf32>, %m: tensor<1x1x3x2xi1>) {
  // expected-error @+1 {{mask must have extent 1 or that of [1, 1, 2, 2] on each axis, got [1, 1, 3, 2]}}
  %0:2 = amp.attention %q, %q, %q mask %m : tensor<1x1x3x2xi1> scale 1.0 dropout 0.0 mode train site 0
       : tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32> -> tensor<1x1x2x4xf32>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_c4(%q: tensor<1x1x2x4xbf16>) {
  // expected-error @+1 {{logsumexp must be 'tensor<1x1x2xf32>', got 'tensor<1x1x2xbf16>'}}
  %0:2 = amp.attention %q, %q, %q scale 1.0 dropout 0.0 mode train site 0
       : tensor<1x1x2x4xbf16>, tensor<1x1x2x4xbf16>, tensor<1x1x2x4xbf16> -> tensor<1x1x2x4xbf16>, tensor<1x1x2xbf16>
  return
}

// -----

func.func @attention_c5_key(%q: tensor<1x1x2x4xf32>, %s: tensor<i64>) {
  // expected-error @+1 {{takes no key, or seed, index and micro, got 1 operands}}
  %0:2 = amp.attention %q, %q, %q key(%s) scale 1.0 dropout 0.0 mode train site 0
       : tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32> -> tensor<1x1x2x4xf32>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_c5_dropout(%q: tensor<1x1x2x4xf32>) {
  // expected-error @+1 {{dropout must be from 0 to 1, got 1.5}}
  %0:2 = amp.attention %q, %q, %q scale 1.0 dropout 1.5 mode train site 0
       : tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32> -> tensor<1x1x2x4xf32>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_c6(%q: tensor<1x1x2x4xf32>) {
  // expected-error @+1 {{scale must be finite}}
  %0:2 = amp.attention %q, %q, %q scale 0x7FF8000000000000 dropout 0.0 mode train site 0
       : tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32> -> tensor<1x1x2x4xf32>, tensor<1x1x2xf32>
  return
}

// -----

func.func @attention_gradient_c1_forward(%q: tensor<1x1x2x4xf32>, %l: tensor<1x1x3xf32>) {
  // expected-error @+1 {{'amp.attention_gradient' op logsumexp must be 'tensor<1x1x2xf32>', got 'tensor<1x1x3xf32>'}}
  %0:3 = amp.attention_gradient %q, %q, %q, %q, %l, %q scale 1.0 dropout 0.0 mode train site 0
       : tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x3xf32>, tensor<1x1x2x4xf32>
       -> tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>
  return
}

// -----

func.func @attention_gradient_c1_gradient(%q: tensor<1x1x2x4xf32>, %l: tensor<1x1x2xf32>, %g: tensor<1x1x2x5xf32>) {
  // expected-error @+1 {{gradient must be 'tensor<1x1x2x4xf32>' like out, got 'tensor<1x1x2x5xf32>'}}
  %0:3 = amp.attention_gradient %q, %q, %q, %q, %l, %g scale 1.0 dropout 0.0 mode train site 0
       : tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2xf32>, tensor<1x1x2x5xf32>
       -> tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>
  return
}

// -----

func.func @attention_gradient_c2(%q: tensor<1x1x2x4xf32>, %l: tensor<1x1x2xf32>) {
  // expected-error @+1 {{must have the results 'tensor<1x1x2x4xf32>', 'tensor<1x1x2x4xf32>', 'tensor<1x1x2x4xf32>', got 'tensor<1x1x2x4xf32>'}}
  %0 = amp.attention_gradient %q, %q, %q, %q, %l, %q scale 1.0 dropout 0.0 mode train site 0
       : tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2xf32>, tensor<1x1x2x4xf32>
       -> tensor<1x1x2x4xf32>
  return
}

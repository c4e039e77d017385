// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @softmax_c1(%x: tensor<f32>) {
  // expected-error @+1 {{needs a last axis, got a scalar}}
  %0 = amp.softmax %x : tensor<f32>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<f32>) {
  // expected-error @+1 {{needs a last axis, got a scalar}}
  %0 = amp.log_softmax %x : tensor<f32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{axes must be from 1 to the input's rank 2, got 3}}
  %0:3 = amp.layer_norm %x axes 3 eps 1.0e-5 : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @layer_norm_c1_empty(%x: tensor<2x0xf32>) {
  // expected-error @+1 {{needs at least one element a row, got the extents [0]}}
  %0:3 = amp.layer_norm %x axes 1 eps 1.0e-5 : tensor<2x0xf32> -> tensor<2x0xf32>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @layer_norm_c2_extent(%x: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{weight and bias must have the extents [3] and 'f32' or 'f32' elements, got 'tensor<2xf32>'}}
  %0:3 = amp.layer_norm %x bias %b : tensor<2xf32> axes 1 eps 1.0e-5 : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @layer_norm_c2_element(%x: tensor<2x3xbf16>, %w: tensor<3xf16>) {
  // expected-error @+1 {{weight and bias must have the extents [3] and 'bf16' or 'f32' elements, got 'tensor<3xf16>'}}
  %0:3 = amp.layer_norm %x weight %w : tensor<3xf16> axes 1 eps 1.0e-5 : tensor<2x3xbf16> -> tensor<2x3xbf16>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{eps must be finite and at least 2^-126, got 0.0}}
  %0:3 = amp.layer_norm %x axes 1 eps 0.0 : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @layer_norm_c4_result(%x: tensor<2x3xbf16>) {
  // expected-error @+1 {{result must be 'tensor<2x3xbf16>', got 'tensor<2x3xf32>'}}
  %0:3 = amp.layer_norm %x axes 1 eps 1.0e-5 : tensor<2x3xbf16> -> tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>
  return
}

// -----

func.func @layer_norm_c4_statistics(%x: tensor<2x3xbf16>) {
  // expected-error @+1 {{mean and rstd must be 'tensor<2xf32>', got 'tensor<2xbf16>'}}
  %0:3 = amp.layer_norm %x axes 1 eps 1.0e-5 : tensor<2x3xbf16> -> tensor<2x3xbf16>, tensor<2xf32>, tensor<2xbf16>
  return
}

// -----

func.func @rms_norm_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{axes must be from 1 to the input's rank 2, got 0}}
  %0:2 = amp.rms_norm %x axes 0 eps 1.0e-5 : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<2x3xf32>, %w: tensor<2x3xf32>) {
  // expected-error @+1 {{weight and bias must have the extents [3] and 'f32' or 'f32' elements, got 'tensor<2x3xf32>'}}
  %0:2 = amp.rms_norm %x weight %w : tensor<2x3xf32> axes 1 eps 1.0e-5 : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @rms_norm_c3(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{eps must be finite and at least 2^-126}}
  %0:2 = amp.rms_norm %x axes 1 eps 0x7FF0000000000000 : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2xf32>
  return
}

// -----

func.func @rms_norm_c4(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{mean and rstd must be 'tensor<2xf32>', got 'tensor<2x1xf32>'}}
  %0:2 = amp.rms_norm %x axes 1 eps 1.0e-5 : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2x1xf32>
  return
}

// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @mse_c1(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  // expected-error @+1 {{requires all operands to have the same type}}
  %0 = "amp.mse"(%x, %y) {reduction = 0 : i32} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<f32>
  return
}

// -----

func.func @mse_c2_element(%x: tensor<2x3xbf16>) {
  // expected-error @+1 {{result must be 'f32', got 'bf16'}}
  %0 = amp.mse mean %x, %x : tensor<2x3xbf16> -> tensor<bf16>
  return
}

// -----

func.func @mse_c2_scalar(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{result of reduction sum must be a scalar, got [2]}}
  %0 = amp.mse sum %x, %x : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @mse_c2_none(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{result of reduction none must have x's shape, got []}}
  %0 = amp.mse none %x, %x : tensor<2x3xf32> -> tensor<f32>
  return
}

// -----

func.func @l1_c1(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  // expected-error @+1 {{requires all operands to have the same type}}
  %0 = "amp.l1"(%x, %y) {reduction = 0 : i32} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<f32>
  return
}

// -----

func.func @l1_c2(%x: tensor<2x3xbf16>) {
  // expected-error @+1 {{result must be 'f32', got 'bf16'}}
  %0 = amp.l1 mean %x, %x : tensor<2x3xbf16> -> tensor<bf16>
  return
}

// -----

func.func @huber_c1(%x: tensor<2x3xf32>, %y: tensor<2x3xbf16>) {
  // expected-error @+1 {{requires all operands to have the same type}}
  %0 = "amp.huber"(%x, %y) {delta = 1.0 : f64, reduction = 0 : i32} : (tensor<2x3xf32>, tensor<2x3xbf16>) -> tensor<f32>
  return
}

// -----

func.func @huber_c2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{result of reduction none must have x's shape, got []}}
  %0 = amp.huber none %x, %x delta 1.0 : tensor<2x3xf32> -> tensor<f32>
  return
}

// -----

func.func @huber_c3(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{delta must be finite and above 0, got 0.0}}
  %0 = amp.huber mean %x, %x delta 0.0 : tensor<2x3xf32> -> tensor<f32>
  return
}

// -----

func.func @bce_with_logits_c1(%x: tensor<2x3xf32>, %w: tensor<3xf32>) {
  // expected-error @+1 {{requires all operands to have the same type}}
  %0 = "amp.bce_with_logits"(%x, %x, %w) {reduction = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0>}
     : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @bce_with_logits_c2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{result of reduction mean must be a scalar, got [2, 3]}}
  %0 = amp.bce_with_logits mean %x, %x : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

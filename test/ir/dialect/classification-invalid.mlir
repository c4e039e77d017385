// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @cross_entropy_c1_classes(%x: tensor<4x0xf32>, %t: tensor<4xi64>) {
  // expected-error @+1 {{needs a last axis of at least one class, got the extents [4, 0]}}
  %0:3 = amp.cross_entropy mean %x, %t ignore -100 smoothing 0.0 : tensor<4x0xf32>, tensor<4xi64> -> tensor<f32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @cross_entropy_c1_labels(%x: tensor<4x3xf32>, %t: tensor<3xi64>) {
  // expected-error @+1 {{labels must have the extents [4], got [3]}}
  %0:3 = amp.cross_entropy mean %x, %t ignore -100 smoothing 0.0 : tensor<4x3xf32>, tensor<3xi64> -> tensor<f32>, tensor<3xf32>, tensor<3xf32>
  return
}

// -----

func.func @cross_entropy_c1_element(%x: tensor<4x3xf32>, %t: tensor<4xi8>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit signless integer or 64-bit signless integer values}}
  %0:3 = amp.cross_entropy mean %x, %t ignore -100 smoothing 0.0 : tensor<4x3xf32>, tensor<4xi8> -> tensor<f32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @cross_entropy_c2(%x: tensor<4x3xbf16>, %t: tensor<4xi64>, %w: tensor<3xf16>) {
  // expected-error @+1 {{weight must have the extents [3] and 'bf16' or 'f32' elements, got 'tensor<3xf16>'}}
  %0:3 = amp.cross_entropy mean %x, %t weight %w : tensor<3xf16> ignore -100 smoothing 0.0 : tensor<4x3xbf16>, tensor<4xi64> -> tensor<f32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @cross_entropy_c3_loss(%x: tensor<4x3xbf16>, %t: tensor<4xi64>) {
  // expected-error @+1 {{result of reduction mean must be 'tensor<f32>', got 'tensor<bf16>'}}
  %0:3 = amp.cross_entropy mean %x, %t ignore -100 smoothing 0.0 : tensor<4x3xbf16>, tensor<4xi64> -> tensor<bf16>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @cross_entropy_c3_row(%x: tensor<4x3xbf16>, %t: tensor<4xi64>) {
  // expected-error @+1 {{row_max and log_sum must be 'tensor<4xf32>', got 'tensor<4xbf16>'}}
  %0:3 = amp.cross_entropy none %x, %t ignore -100 smoothing 0.0 : tensor<4x3xbf16>, tensor<4xi64> -> tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>
  return
}

// -----

func.func @cross_entropy_c4(%x: tensor<4x3xf32>, %t: tensor<4xi64>) {
  // expected-error @+1 {{smoothing must be from 0 to 1, got 1.5}}
  %0:3 = amp.cross_entropy mean %x, %t ignore -100 smoothing 1.5 : tensor<4x3xf32>, tensor<4xi64> -> tensor<f32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @nll_c1(%x: tensor<f32>, %t: tensor<i64>) {
  // expected-error @+1 {{needs a last axis of at least one class, got the extents []}}
  %0 = amp.nll mean %x, %t ignore -100 : tensor<f32>, tensor<i64> -> tensor<f32>
  return
}

// -----

func.func @nll_c2(%x: tensor<4x3xf32>, %t: tensor<4xi64>, %w: tensor<4xf32>) {
  // expected-error @+1 {{weight must have the extents [3] and 'f32' or 'f32' elements, got 'tensor<4xf32>'}}
  %0 = amp.nll mean %x, %t weight %w : tensor<4xf32> ignore -100 : tensor<4x3xf32>, tensor<4xi64> -> tensor<f32>
  return
}

// -----

func.func @nll_c3(%x: tensor<4x3xf32>, %t: tensor<4xi64>) {
  // expected-error @+1 {{result of reduction none must be 'tensor<4xf32>', got 'tensor<f32>'}}
  %0 = amp.nll none %x, %t ignore -100 : tensor<4x3xf32>, tensor<4xi64> -> tensor<f32>
  return
}

// -----

func.func @accuracy_c1(%x: tensor<4x3xf32>, %t: tensor<4x1xi64>) {
  // expected-error @+1 {{labels must have the extents [4], got [4, 1]}}
  %0 = amp.accuracy mean %x, %t k 1 ignore -100 : tensor<4x3xf32>, tensor<4x1xi64> -> tensor<f32>
  return
}

// -----

func.func @accuracy_c2(%x: tensor<4x3xf32>, %t: tensor<4xi64>) {
  // expected-error @+1 {{k must be from 1 to 3, got 4}}
  %0 = amp.accuracy mean %x, %t k 4 ignore -100 : tensor<4x3xf32>, tensor<4xi64> -> tensor<f32>
  return
}

// -----

func.func @accuracy_c3(%x: tensor<4x3xf32>, %t: tensor<4xi64>) {
  // expected-error @+1 {{result of reduction sum must be 'tensor<f32>', got 'tensor<4xf32>'}}
  %0 = amp.accuracy sum %x, %t k 1 ignore -100 : tensor<4x3xf32>, tensor<4xi64> -> tensor<4xf32>
  return
}

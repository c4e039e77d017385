// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @relu_types(%a: tensor<4xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "amp.relu"(%a) : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @sigmoid_integer(%a: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of a float of 8 to 64 bits values}}
  %0 = amp.sigmoid %a : tensor<4xi32>
  return
}

// -----

func.func @gelu_form(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'approximate' [none, tanh]}}
  %0 = amp.gelu erf %a : tensor<4xf32>
  return
}

// -----

func.func @softplus_c1_zero(%a: tensor<4xf32>) {
  // expected-error @+1 {{beta must be finite and above 0, got 0.000000e+00}}
  %0 = amp.softplus %a beta 0.0 threshold 20.0 : tensor<4xf32>
  return
}

// -----

func.func @softplus_c1_underflow(%a: tensor<4xf32>) {
  // expected-error @+1 {{beta must be finite and above 0, got 1.000000e-60}}
  %0 = amp.softplus %a beta 1.0e-60 threshold 20.0 : tensor<4xf32>
  return
}

// -----

func.func @softplus_c1_infinite(%a: tensor<4xf64>) {
  // expected-error @+1 {{beta must be finite and above 0, got INF}}
  %0 = amp.softplus %a beta 0x7FF0000000000000 threshold 20.0 : tensor<4xf64>
  return
}

// -----

func.func @softplus_c1_threshold(%a: tensor<4xf32>) {
  // expected-error @+1 {{threshold must not be NaN}}
  %0 = amp.softplus %a beta 1.0 threshold 0x7FF8000000000000 : tensor<4xf32>
  return
}

// -----

func.func @clip_c1_none(%a: tensor<4xf32>) {
  // expected-error @+1 {{needs a bound}}
  %0 = amp.clip %a : tensor<4xf32>
  return
}

// -----

func.func @clip_c1_nan(%a: tensor<4xf32>) {
  // expected-error @+1 {{bounds must not be NaN}}
  %0 = amp.clip %a max 0x7FF8000000000000 : tensor<4xf32>
  return
}

// -----

func.func @clip_c2_fraction(%a: tensor<4xi32>) {
  // expected-error @+1 {{bounds must be whole numbers of 'i32', got 5.000000e-01}}
  %0 = amp.clip %a min 0.5 : tensor<4xi32>
  return
}

// -----

func.func @clip_c2_range(%a: tensor<4xi8>) {
  // expected-error @+1 {{bounds must be whole numbers of 'i8', got 1.280000e+02}}
  %0 = amp.clip %a max 128.0 : tensor<4xi8>
  return
}

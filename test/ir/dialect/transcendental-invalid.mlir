// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @exp_integer(%a: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of a float of 8 to 64 bits values (plain, below 2^48 elements), but got 'tensor<4xi32>'}}
  %0 = amp.exp %a : tensor<4xi32>
  return
}

// -----

func.func @pow_integer(%a: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of a float of 8 to 64 bits values (plain, below 2^48 elements), but got 'tensor<4xi32>'}}
  %0 = amp.pow %a, %a : tensor<4xi32>
  return
}

// -----

func.func @pow_types(%a: tensor<4xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "amp.pow"(%a, %b) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @log_shape(%a: tensor<4xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "amp.log"(%a) : (tensor<4xf32>) -> tensor<2x2xf32>
  return
}

// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @add_types(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "amp.add"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @add_bool(%a: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of a float of 8 to 64 bits or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values (plain, below 2^48 elements), but got 'tensor<4xi1>'}}
  %0 = amp.add %a, %a : tensor<4xi1>
  return
}

// -----

func.func @add_dynamic(%a: tensor<?xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor}}
  %0 = amp.add %a, %a : tensor<?xf32>
  return
}

// -----

func.func @add_unranked(%a: tensor<*xf32>) {
  // expected-error @+1 {{expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = amp.add %a, %a : tensor<*xf32>
  return
}

// -----

func.func @add_element(%a: tensor<4xi16>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor}}
  %0 = amp.add %a, %a : tensor<4xi16>
  return
}

// -----

func.func @div_integer(%a: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of a float of 8 to 64 bits values (plain, below 2^48 elements), but got 'tensor<4xi32>'}}
  %0 = amp.div %a, %a : tensor<4xi32>
  return
}

// -----

func.func @abs_types(%a: tensor<4xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "amp.abs"(%a) : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @too_many_elements(%a: tensor<4611686018427387904x8xf32>) {
  // expected-error@+1 {{(plain, below 2^48 elements), but got 'tensor<4611686018427387904x8xf32>'}}
  %0 = amp.neg %a : tensor<4611686018427387904x8xf32>
  return
}

// -----

func.func @too_many_elements_hidden_by_an_empty_axis(%a: tensor<0x4611686018427387904xf32>) {
  // expected-error@+1 {{(plain, below 2^48 elements), but got}}
  %0 = amp.neg %a : tensor<0x4611686018427387904xf32>
  return
}

// -----

func.func @encoding(%a: tensor<4xf32, 1 : i32>) {
  // expected-error@+1 {{(plain, below 2^48 elements), but got}}
  %0 = amp.neg %a : tensor<4xf32, 1 : i32>
  return
}

// -----

func.func @floor_integer(%a: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of a float of 8 to 64 bits values (plain, below 2^48 elements), but got 'tensor<4xi32>'}}
  %0 = amp.floor %a : tensor<4xi32>
  return
}

// -----

func.func @remainder_types(%a: tensor<4xi32>, %b: tensor<4xi64>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "amp.remainder"(%a, %b) : (tensor<4xi32>, tensor<4xi64>) -> tensor<4xi32>
  return
}

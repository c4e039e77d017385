// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @constant_type() {
  // expected-error @+1 {{all of {value, result} have same type}}
  %0 = "amp.constant"() {value = dense<0.5> : tensor<4xf32>} : () -> tensor<5xf32>
  return
}

// -----

func.func @reshape_c1(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{must keep the number of elements, got 12 and 10}}
  %0 = amp.reshape %a : tensor<2x6xf32> -> tensor<2x5xf32>
  return
}

// -----

func.func @reshape_element(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = amp.reshape %a : tensor<2x6xf32> -> tensor<12xf16>
  return
}

// -----

func.func @broadcast_c1_count(%a: tensor<3xf32>) {
  // expected-error @+1 {{needs one axis an input axis, got 2 for rank 1}}
  %0 = amp.broadcast %a along [0, 1] : tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c1_range(%a: tensor<3xf32>) {
  // expected-error @+1 {{axes must increase and stay below the result's rank 2, got 2 after -1}}
  %0 = amp.broadcast %a along [2] : tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c1_order(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{axes must increase and stay below the result's rank 2, got 0 after 1}}
  %0 = amp.broadcast %a along [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @broadcast_c1_narrower(%a: tensor<1xf32>) {
  // expected-error @+1 {{axes must increase and stay below the result's rank 0, got 0 after -1}}
  %0 = amp.broadcast %a along [0] : tensor<1xf32> -> tensor<f32>
  return
}

// -----

func.func @broadcast_c2(%a: tensor<3xf32>) {
  // expected-error @+1 {{input axis 0 must have extent 1 or 2 (result axis 0), got 3}}
  %0 = amp.broadcast %a along [0] : tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_element(%a: tensor<3xf32>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = amp.broadcast %a along [0] : tensor<3xf32> -> tensor<3xf64>
  return
}

// -----

func.func @iota_c1_rank() {
  // expected-error @+1 {{result must have one axis, got rank 2}}
  %0 = amp.iota : tensor<2x3xi32>
  return
}

// -----

func.func @iota_c1_range() {
  // expected-error @+1 {{i32 holds at most 2^31 elements, got 2147483649}}
  %0 = amp.iota : tensor<2147483649xi32>
  return
}

// -----

func.func @iota_element() {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit signless integer or 64-bit signless integer or 32-bit float values}}
  %0 = amp.iota : tensor<4xf16>
  return
}

// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @cast_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{must change the element type, got 'f32' to 'f32'}}
  %0 = amp.cast %a origin user : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @cast_shape(%a: tensor<4xf32>) {
  // expected-error @+1 {{requires the same shape for all operands and results}}
  %0 = amp.cast %a origin user : tensor<4xf32> -> tensor<5xf16>
  return
}

// -----

func.func @cast_origin(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'origin' [user, policy]}}
  %0 = amp.cast %a origin nobody : tensor<4xf32> -> tensor<4xf16>
  return
}

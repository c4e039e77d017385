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

// -----

func.func @scaled_cast_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{must convert between an 8-bit and a wider float, got 'f32' to 'bf16'}}
  %0 = amp.scaled_cast %a scale 2.0 : tensor<4xf32> -> tensor<4xbf16>
  return
}

// -----

func.func @scaled_cast_c1(%a: tensor<4xf8E5M2>) {
  // expected-error @+1 {{must convert between an 8-bit and a wider float, got 'f8E5M2' to 'f8E4M3FN'}}
  %0 = amp.scaled_cast %a scale 2.0 : tensor<4xf8E5M2> -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @scaled_cast_c2(%a: tensor<4xf32>) {
  // expected-error @+1 {{scale must be a normal number above 0, got 0.000000e+00 : f32}}
  %0 = amp.scaled_cast %a scale 0.0 : tensor<4xf32> -> tensor<4xf8E5M2>
  return
}

// -----

func.func @scaled_cast_c2(%a: tensor<4xf32>) {
  // expected-error @+1 {{scale must be a normal number above 0, got -2.000000e+00 : f32}}
  %0 = amp.scaled_cast %a scale -2.0 : tensor<4xf32> -> tensor<4xf8E5M2>
  return
}

// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @reduce_c1_none(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{needs at least one axis}}
  %0 = amp.reduce sum %a over [] order row accumulate f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @reduce_c1_range(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{axes must increase and stay below the input's rank 2, got 2 after -1}}
  %0 = amp.reduce sum %a over [2] order row accumulate f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @reduce_c1_negative(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{axes must increase and stay below the input's rank 2, got -1 after -1}}
  %0 = amp.reduce sum %a over [-1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @reduce_c1_order(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{axes must increase and stay below the input's rank 2, got 0 after 1}}
  %0 = amp.reduce sum %a over [1, 0] order row accumulate f32 : tensor<2x3xf32> -> tensor<f32>
  return
}

// -----

func.func @reduce_c1_scalar(%a: tensor<f32>) {
  // expected-error @+1 {{axes must increase and stay below the input's rank 0, got 0 after -1}}
  %0 = amp.reduce sum %a over [0] order row accumulate f32 : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @reduce_c2(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{result must have the extents [2], got [3]}}
  %0 = amp.reduce sum %a over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @reduce_c3_row(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{order over these axes must be row, got column}}
  %0 = amp.reduce sum %a over [1] order column accumulate f32 : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c3_column(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{order over these axes must be column, got row}}
  %0 = amp.reduce sum %a over [0] order row accumulate f32 : tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @reduce_c4_narrow(%a: tensor<2x3xf16>) {
  // expected-error @+1 {{accumulation of 'f16' must be 'f32', got 'f16'}}
  %0 = amp.reduce sum %a over [1] order row accumulate f16 : tensor<2x3xf16> -> tensor<2xf16>
  return
}

// -----

func.func @reduce_c4_integer(%a: tensor<2x3xi8>) {
  // expected-error @+1 {{accumulation of 'i8' must be 'i64', got 'i8'}}
  %0 = amp.reduce sum %a over [1] order row accumulate i8 : tensor<2x3xi8> -> tensor<2xi8>
  return
}

// -----

func.func @reduce_c5_max(%a: tensor<2x0xf32>) {
  // expected-error @+1 {{max needs at least one element, but axis 1 is empty}}
  %0 = amp.reduce max %a over [1] order row accumulate f32 : tensor<2x0xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c5_min(%a: tensor<0x3xf32>) {
  // expected-error @+1 {{min needs at least one element, but axis 0 is empty}}
  %0 = amp.reduce min %a over [0] order column accumulate f32 : tensor<0x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @reduce_c6(%a: tensor<2x3xi32>) {
  // expected-error @+1 {{mean takes floats, got 'i32'}}
  %0 = amp.reduce mean %a over [1] order row accumulate i64 : tensor<2x3xi32> -> tensor<2xi32>
  return
}

// -----

func.func @reduce_c7(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{input and result must both be floats or both be integers, got 'f32' and 'i32'}}
  %0 = amp.reduce sum %a over [1] order row accumulate f32 : tensor<2x3xf32> -> tensor<2xi32>
  return
}

// -----

func.func @reduce_bool(%a: tensor<2x3xi1>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of}}
  %0 = amp.reduce max %a over [1] order row accumulate i64 : tensor<2x3xi1> -> tensor<2xi1>
  return
}

// -----

func.func @reduce_c5_first(%a: tensor<2x0xf32>) {
  // expected-error @+1 {{first needs at least one element, but axis 1 is empty}}
  %0 = amp.reduce first %a over [1] order row accumulate f32 : tensor<2x0xf32> -> tensor<2xf32>
  return
}

// -----

func.func @argmax_c1_range(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{axis must be in [0, 2), got 2}}
  %0 = amp.argmax %a axis 2 : tensor<2x3xf32> -> tensor<2xi64>
  return
}

// -----

func.func @argmax_c1_empty(%a: tensor<2x0xf32>) {
  // expected-error @+1 {{needs at least one element, but axis 1 is empty}}
  %0 = amp.argmax %a axis 1 : tensor<2x0xf32> -> tensor<2xi64>
  return
}

// -----

func.func @argmax_c2(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{result must have the extents [2], got [3]}}
  %0 = amp.argmax %a axis 1 : tensor<2x3xf32> -> tensor<3xi64>
  return
}

// -----

func.func @logsumexp_c1(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{axes must increase and stay below the input's rank 2, got 0 after 1}}
  %0 = amp.logsumexp %a over [1, 0] : tensor<2x3xf32> -> tensor<f32>
  return
}

// -----

func.func @logsumexp_c1_none(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{needs at least one axis}}
  %0 = amp.logsumexp %a over [] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @logsumexp_c2(%a: tensor<2x3xbf16>) {
  // expected-error @+1 {{result must be 'tensor<2xbf16>', got 'tensor<2xf32>'}}
  %0 = amp.logsumexp %a over [1] : tensor<2x3xbf16> -> tensor<2xf32>
  return
}

// -----

func.func @variance_c1(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{axes must increase and stay below the input's rank 2, got 2 after -1}}
  %0 = amp.variance %a over [2] correction 0 : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @variance_c2(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{result must be 'tensor<2xf32>', got 'tensor<3xf32>'}}
  %0 = amp.variance %a over [1] correction 0 : tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @variance_c3(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{correction must be at least 0, got -1}}
  %0 = amp.variance %a over [1] correction -1 : tensor<2x3xf32> -> tensor<2xf32>
  return
}

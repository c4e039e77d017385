// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @matmul_c1(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{operands and result need one rank of at least 2, got 1, 1 and 0}}
  %0 = amp.matmul %a, %b accumulate f32 : tensor<3xf32>, tensor<3xf32> -> tensor<f32>
  return
}

// -----

func.func @matmul_c1_ranks(%a: tensor<2x3x5xf32>, %b: tensor<5x7xf32>) {
  // expected-error @+1 {{operands and result need one rank of at least 2, got 3, 2 and 3}}
  %0 = amp.matmul %a, %b accumulate f32 : tensor<2x3x5xf32>, tensor<5x7xf32> -> tensor<2x3x7xf32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<2x3x5xf32>, %b: tensor<1x5x7xf32>) {
  // expected-error @+1 {{leading extents must be equal, got [2], [1] and [2]}}
  %0 = amp.matmul %a, %b accumulate f32 : tensor<2x3x5xf32>, tensor<1x5x7xf32> -> tensor<2x3x7xf32>
  return
}

// -----

func.func @matmul_c3_contracted(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>) {
  // expected-error @+1 {{contracted extents must be equal, got 5 and 7}}
  %0 = amp.matmul %a, %b transpose_b accumulate f32
     : tensor<3x5xf32>, tensor<5x7xf32> -> tensor<3x5xf32>
  return
}

// -----

func.func @matmul_c3_result(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>) {
  // expected-error @+1 {{result must end in [3, 7], got [7, 3]}}
  %0 = amp.matmul %a, %b accumulate f32 : tensor<3x5xf32>, tensor<5x7xf32> -> tensor<7x3xf32>
  return
}

// -----

func.func @matmul_c4_element(%a: tensor<3x5xf32>, %b: tensor<5x7xbf16>) {
  // expected-error @+1 {{operands need one element type, got 'f32' and 'bf16'}}
  %0 = amp.matmul %a, %b accumulate f32 : tensor<3x5xf32>, tensor<5x7xbf16> -> tensor<3x7xf32>
  return
}

// -----

func.func @matmul_c4_accumulation(%a: tensor<3x5xbf16>, %b: tensor<5x7xbf16>) {
  // expected-error @+1 {{accumulation of 'bf16' must be 'f32', got 'bf16'}}
  %0 = amp.matmul %a, %b accumulate bf16 : tensor<3x5xbf16>, tensor<5x7xbf16> -> tensor<3x7xbf16>
  return
}

// -----

func.func @matmul_c5_type(%a: tensor<3x5xbf16>, %b: tensor<5x7xbf16>, %c: tensor<3x7xbf16>) {
  // expected-error @+1 {{init and result must be 'tensor<3x7xf32>', got 'tensor<3x7xbf16>' and 'tensor<3x7xbf16>'}}
  %0 = amp.matmul %a, %b from %c : tensor<3x7xbf16> accumulate f32
     : tensor<3x5xbf16>, tensor<5x7xbf16> -> tensor<3x7xbf16>
  return
}

// -----

func.func @matmul_c5_shape(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<7x3xf32>) {
  // expected-error @+1 {{init and result must be 'tensor<3x7xf32>', got 'tensor<7x3xf32>' and 'tensor<3x7xf32>'}}
  %0 = amp.matmul %a, %b from %c : tensor<7x3xf32> accumulate f32
     : tensor<3x5xf32>, tensor<5x7xf32> -> tensor<3x7xf32>
  return
}

// -----

func.func @matmul_c4_result(%a: tensor<3x5xbf16>, %b: tensor<5x7xbf16>) {
  // expected-error @+1 {{result must have 'bf16' or 'f32' elements, got 'f16'}}
  %0 = amp.matmul %a, %b accumulate f32 : tensor<3x5xbf16>, tensor<5x7xbf16> -> tensor<3x7xf16>
  return
}

// -----

func.func @matmul_c6_shape(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{bias must be 'tensor<7xf32>' and the result's elements 'f32', got 'tensor<3xf32>' and 'f32'}}
  %0 = amp.matmul %a, %b bias %v : tensor<3xf32> accumulate f32
     : tensor<3x5xf32>, tensor<5x7xf32> -> tensor<3x7xf32>
  return
}

// -----

func.func @matmul_c6_result(%a: tensor<3x5xbf16>, %b: tensor<5x7xbf16>, %v: tensor<7xf32>) {
  // expected-error @+1 {{bias must be 'tensor<7xf32>' and the result's elements 'f32', got 'tensor<7xf32>' and 'bf16'}}
  %0 = amp.matmul %a, %b bias %v : tensor<7xf32> accumulate f32
     : tensor<3x5xbf16>, tensor<5x7xbf16> -> tensor<3x7xbf16>
  return
}

// -----

func.func @matmul_c7_init(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %c: tensor<3x7xf32>) {
  // expected-error @+1 {{has an epilogue and therefore no init and one matrix, got an init and 1 matrices}}
  %0 = amp.matmul %a, %b from %c : tensor<3x7xf32> relu accumulate f32
     : tensor<3x5xf32>, tensor<5x7xf32> -> tensor<3x7xf32>
  return
}

// -----

func.func @matmul_c7_batch(%a: tensor<2x3x5xf32>, %b: tensor<2x5x7xf32>) {
  // expected-error @+1 {{has an epilogue and therefore no init and one matrix, got 2 matrices}}
  %0 = amp.matmul %a, %b relu accumulate f32
     : tensor<2x3x5xf32>, tensor<2x5x7xf32> -> tensor<2x3x7xf32>
  return
}

// -----

func.func @matmul_integer(%a: tensor<3x5xi32>, %b: tensor<5x7xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of a float of 8 to 64 bits values}}
  %0 = amp.matmul %a, %b accumulate i64 : tensor<3x5xi32>, tensor<5x7xi32> -> tensor<3x7xi32>
  return
}

// -----

func.func @linear_c1_rank(%x: tensor<3x5xf32>, %w: tensor<5xf32>) {
  // expected-error @+1 {{weight must have rank 2, got 1}}
  %0 = amp.linear %x, %w accumulate f32 : tensor<3x5xf32>, tensor<5xf32> -> tensor<3x5xf32>
  return
}

// -----

func.func @linear_c1_bias(%x: tensor<3x5xf32>, %w: tensor<7x5xf32>, %b: tensor<5xf32>) {
  // expected-error @+1 {{bias must have shape [7], got [5]}}
  %0 = amp.linear %x, %w, %b accumulate f32
     : tensor<3x5xf32>, tensor<7x5xf32>, tensor<5xf32> -> tensor<3x7xf32>
  return
}

// -----

func.func @linear_c1_bias_rank(%x: tensor<3x5xf32>, %w: tensor<7x5xf32>, %b: tensor<f32>) {
  // expected-error @+1 {{bias must have shape [7], got []}}
  %0 = amp.linear %x, %w, %b accumulate f32
     : tensor<3x5xf32>, tensor<7x5xf32>, tensor<f32> -> tensor<3x7xf32>
  return
}

// -----

func.func @linear_c2_input(%x: tensor<3x4xf32>, %w: tensor<7x5xf32>) {
  // expected-error @+1 {{input's last extent must be 5 (the weight's), got shape [3, 4]}}
  %0 = amp.linear %x, %w accumulate f32 : tensor<3x4xf32>, tensor<7x5xf32> -> tensor<3x7xf32>
  return
}

// -----

func.func @linear_c2_scalar(%x: tensor<f32>, %w: tensor<7x5xf32>) {
  // expected-error @+1 {{input's last extent must be 5 (the weight's), got shape []}}
  %0 = amp.linear %x, %w accumulate f32 : tensor<f32>, tensor<7x5xf32> -> tensor<7xf32>
  return
}

// -----

func.func @linear_c2_result(%x: tensor<3x5xf32>, %w: tensor<7x5xf32>) {
  // expected-error @+1 {{result must have the extents [3, 7], got [3, 5]}}
  %0 = amp.linear %x, %w accumulate f32 : tensor<3x5xf32>, tensor<7x5xf32> -> tensor<3x5xf32>
  return
}

// -----

func.func @linear_c3_element(%x: tensor<3x5xf32>, %w: tensor<7x5xbf16>) {
  // expected-error @+1 {{needs one element type, got 'f32' and 'bf16'}}
  %0 = amp.linear %x, %w accumulate f32 : tensor<3x5xf32>, tensor<7x5xbf16> -> tensor<3x7xf32>
  return
}

// -----

func.func @linear_c3_bias(%x: tensor<3x5xbf16>, %w: tensor<7x5xbf16>, %b: tensor<7xf16>) {
  // expected-error @+1 {{bias must have 'bf16' or 'f32' elements, got 'f16'}}
  %0 = amp.linear %x, %w, %b accumulate f32
     : tensor<3x5xbf16>, tensor<7x5xbf16>, tensor<7xf16> -> tensor<3x7xbf16>
  return
}

// -----

func.func @linear_c3_accumulation(%x: tensor<3x5xf64>, %w: tensor<7x5xf64>) {
  // expected-error @+1 {{accumulation of 'f64' must be 'f64', got 'f32'}}
  %0 = amp.linear %x, %w accumulate f32 : tensor<3x5xf64>, tensor<7x5xf64> -> tensor<3x7xf64>
  return
}

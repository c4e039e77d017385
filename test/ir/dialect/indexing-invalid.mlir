// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @take_c1(%a: tensor<5x8xf32>, %i: tensor<2x3xi32>) {
  // expected-error @+1 {{axis must be below the input's rank 2, got 2}}
  %0 = amp.take %a, %i axis 2 : tensor<5x8xf32>, tensor<2x3xi32> -> tensor<2x3x8xf32>
  return
}

// -----

func.func @take_c2(%a: tensor<5x8xf32>, %i: tensor<2x3xi32>) {
  // expected-error @+1 {{result must have the extents [2, 3, 8], got [6, 8]}}
  %0 = amp.take %a, %i axis 0 : tensor<5x8xf32>, tensor<2x3xi32> -> tensor<6x8xf32>
  return
}

// -----

func.func @take_c3(%a: tensor<5x8xf32>, %i: tensor<2x3xi32>) {
  // expected-error @+1 {{padding_idx must be in [0, 5), got 5}}
  %0 = amp.take %a, %i axis 0 padding_idx 5 : tensor<5x8xf32>, tensor<2x3xi32> -> tensor<2x3x8xf32>
  return
}

// -----

func.func @take_c3_negative(%a: tensor<5x8xf32>, %i: tensor<2x3xi32>) {
  // expected-error @+1 {{padding_idx must be in [0, 5), got -1}}
  %0 = amp.take %a, %i axis 0 padding_idx -1 : tensor<5x8xf32>, tensor<2x3xi32> -> tensor<2x3x8xf32>
  return
}

// -----

func.func @take_element(%a: tensor<5x8xf32>, %i: tensor<2x3xi32>) {
  // expected-error @+1 {{all of {input, result} have same element type}}
  %0 = amp.take %a, %i axis 0 : tensor<5x8xf32>, tensor<2x3xi32> -> tensor<2x3x8xf16>
  return
}

// -----

func.func @take_index(%a: tensor<5x8xf32>, %i: tensor<2xi8>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit signless integer or 64-bit signless integer values}}
  %0 = amp.take %a, %i axis 0 : tensor<5x8xf32>, tensor<2xi8> -> tensor<2x8xf32>
  return
}

// -----

func.func @gather_c1(%a: tensor<5x8xf32>, %i: tensor<5x2xi64>) {
  // expected-error @+1 {{axis must be below the input's rank 2, got -1}}
  %0 = amp.gather %a, %i axis -1 : tensor<5x8xf32>, tensor<5x2xi64> -> tensor<5x2xf32>
  return
}

// -----

func.func @gather_c2_extent(%a: tensor<5x8xf32>, %i: tensor<4x2xi64>) {
  // expected-error @+1 {{index must have the extents [5, 8] but in axis 1, got [4, 2]}}
  %0 = amp.gather %a, %i axis 1 : tensor<5x8xf32>, tensor<4x2xi64> -> tensor<4x2xf32>
  return
}

// -----

func.func @gather_c2_rank(%a: tensor<5x8xf32>, %i: tensor<5xi64>) {
  // expected-error @+1 {{index must have the extents [5, 8] but in axis 1, got [5]}}
  %0 = amp.gather %a, %i axis 1 : tensor<5x8xf32>, tensor<5xi64> -> tensor<5xf32>
  return
}

// -----

func.func @gather_c2_result(%a: tensor<5x8xf32>, %i: tensor<5x2xi64>) {
  // expected-error @+1 {{result must have the extents [5, 2], got [2, 5]}}
  %0 = amp.gather %a, %i axis 1 : tensor<5x8xf32>, tensor<5x2xi64> -> tensor<2x5xf32>
  return
}

// -----

func.func @scatter_rows_c1(%i: tensor<2x3xi32>, %g: tensor<2x3x8xf32>) {
  // expected-error @+1 {{axis must be below the result's rank 2, got 2}}
  %0 = amp.scatter_rows %i, %g axis 2 : tensor<2x3xi32>, tensor<2x3x8xf32> -> tensor<5x8xf32>
  return
}

// -----

func.func @scatter_rows_c2(%i: tensor<2x3xi32>, %g: tensor<2x3x8xf32>) {
  // expected-error @+1 {{updates must have the extents [2, 3, 7], got [2, 3, 8]}}
  %0 = amp.scatter_rows %i, %g axis 0 : tensor<2x3xi32>, tensor<2x3x8xf32> -> tensor<5x7xf32>
  return
}

// -----

func.func @scatter_rows_c3(%i: tensor<2x3xi32>, %g: tensor<2x3x8xf32>) {
  // expected-error @+1 {{padding_idx must be in [0, 5), got 7}}
  %0 = amp.scatter_rows %i, %g axis 0 padding_idx 7 : tensor<2x3xi32>, tensor<2x3x8xf32> -> tensor<5x8xf32>
  return
}

// -----

func.func @scatter_rows_bool(%i: tensor<2x3xi32>, %g: tensor<2x3xi1>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of a float of 8 to 64 bits or 8-bit signless integer}}
  %0 = amp.scatter_rows %i, %g axis 0 : tensor<2x3xi32>, tensor<2x3xi1> -> tensor<5xi1>
  return
}

// -----

func.func @scatter_rows_element(%i: tensor<2x3xi32>, %g: tensor<2x3x8xf32>) {
  // expected-error @+1 {{all of {updates, result} have same element type}}
  %0 = amp.scatter_rows %i, %g axis 0 : tensor<2x3xi32>, tensor<2x3x8xf32> -> tensor<5x8xf64>
  return
}

// -----

func.func @scatter_add_c1(%i: tensor<2x3xi32>, %g: tensor<2x3xf32>) {
  // expected-error @+1 {{axis must be below the result's rank 2, got 3}}
  %0 = amp.scatter_add %i, %g axis 3 : tensor<2x3xi32>, tensor<2x3xf32> -> tensor<2x9xf32>
  return
}

// -----

func.func @scatter_add_c2_updates(%i: tensor<2x3xi32>, %g: tensor<2x4xf32>) {
  // expected-error @+1 {{updates must have the extents [2, 3], got [2, 4]}}
  %0 = amp.scatter_add %i, %g axis 1 : tensor<2x3xi32>, tensor<2x4xf32> -> tensor<2x9xf32>
  return
}

// -----

func.func @scatter_add_c2_result(%i: tensor<2x3xi32>, %g: tensor<2x3xf32>) {
  // expected-error @+1 {{result must have the extents [2, 3] but in axis 1, got [4, 9]}}
  %0 = amp.scatter_add %i, %g axis 1 : tensor<2x3xi32>, tensor<2x3xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @one_hot_c1_shape(%i: tensor<4xi32>) {
  // expected-error @+1 {{result must have index's extents [4] and one more axis, got [5, 3]}}
  %0 = amp.one_hot %i : tensor<4xi32> -> tensor<5x3xf32>
  return
}

// -----

func.func @one_hot_c1_rank(%i: tensor<4xi32>) {
  // expected-error @+1 {{result must have index's extents [4] and one more axis, got [4]}}
  %0 = amp.one_hot %i : tensor<4xi32> -> tensor<4xf32>
  return
}

// -----

func.func @one_hot_c1_range(%i: tensor<4xi32>) {
  // expected-error @+1 {{i32 indices name at most 2^31 classes, got 2147483649}}
  %0 = amp.one_hot %i : tensor<4xi32> -> tensor<4x2147483649xi8>
  return
}

// -----

func.func @first_outside_c1(%i: tensor<2x0xi32>) {
  // expected-error @+1 {{index must have an element, got 'tensor<2x0xi32>'}}
  %p, %e = amp.first_outside %i low 0 high 10 : tensor<2x0xi32>
  return
}

// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @transpose_c1_count(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{perm needs one entry an axis, got 1 for rank 2}}
  %0 = amp.transpose %a perm [0] : tensor<2x6xf32> -> tensor<2x6xf32>
  return
}

// -----

func.func @transpose_c1_range(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{perm must name each of the input's 2 axes once, got [0, 2]}}
  %0 = amp.transpose %a perm [0, 2] : tensor<2x6xf32> -> tensor<2x6xf32>
  return
}

// -----

func.func @transpose_c1_twice(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{perm must name each of the input's 2 axes once, got [1, 1]}}
  %0 = amp.transpose %a perm [1, 1] : tensor<2x6xf32> -> tensor<6x6xf32>
  return
}

// -----

func.func @transpose_c2(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{result must have the extents [6, 2], got [2, 6]}}
  %0 = amp.transpose %a perm [1, 0] : tensor<2x6xf32> -> tensor<2x6xf32>
  return
}

// -----

func.func @transpose_element(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = amp.transpose %a perm [1, 0] : tensor<2x6xf32> -> tensor<6x2xf16>
  return
}

// -----

func.func @slice_c1_rank(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{result must have the input's rank 2, got 1}}
  %0 = amp.slice %a starts [0, 0] steps [1, 1] : tensor<2x6xf32> -> tensor<6xf32>
  return
}

// -----

func.func @slice_c1_starts(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{starts needs one entry an axis, got 1 for rank 2}}
  %0 = amp.slice %a starts [0] steps [1, 1] : tensor<2x6xf32> -> tensor<2x6xf32>
  return
}

// -----

func.func @slice_c1_steps(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{steps needs one entry an axis, got 3 for rank 2}}
  %0 = amp.slice %a starts [0, 0] steps [1, 1, 1] : tensor<2x6xf32> -> tensor<2x6xf32>
  return
}

// -----

func.func @slice_c2_start(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{axis 1 must start at 0 or above in steps of at least 1, got start -1 and step 1}}
  %0 = amp.slice %a starts [0, -1] steps [1, 1] : tensor<2x6xf32> -> tensor<2x6xf32>
  return
}

// -----

func.func @slice_c2_step(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{axis 0 must start at 0 or above in steps of at least 1, got start 0 and step 0}}
  %0 = amp.slice %a starts [0, 0] steps [0, 1] : tensor<2x6xf32> -> tensor<2x6xf32>
  return
}

// -----

func.func @slice_c3(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{reads 3 elements of axis 1 from 2 in steps of 2, but its extent is 6}}
  %0 = amp.slice %a starts [0, 2] steps [1, 2] : tensor<2x6xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_c3_empty(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{reads 0 elements of axis 1 from 7 in steps of 1, but its extent is 6}}
  %0 = amp.slice %a starts [0, 7] steps [1, 1] : tensor<2x6xf32> -> tensor<2x0xf32>
  return
}

// -----

func.func @slice_c3_overflow(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{reads 2 elements of axis 1 from 0 in steps of 9223372036854775807, but its extent is 6}}
  %0 = amp.slice %a starts [0, 0] steps [1, 9223372036854775807] : tensor<2x6xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @concat_c1_none() {
  // expected-error @+1 {{expected 1 or more operands, but found 0}}
  %0 = "amp.concat"() {axis = 0 : i64} : () -> tensor<2xf32>
  return
}

// -----

func.func @concat_c1_axis(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{axis must be below the rank 2, got 2}}
  %0 = amp.concat %a axis 2 : tensor<2x6xf32> -> tensor<2x6xf32>
  return
}

// -----

func.func @concat_c1_negative(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{axis must be below the rank 2, got -1}}
  %0 = amp.concat %a axis -1 : tensor<2x6xf32> -> tensor<2x6xf32>
  return
}

// -----

func.func @concat_c1_rank(%a: tensor<2x6xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{input 1 must have the result's rank 2, got 1}}
  %0 = amp.concat %a, %b axis 0 : tensor<2x6xf32>, tensor<2xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @concat_c2_other(%a: tensor<2x6xf32>, %b: tensor<2x5xf32>) {
  // expected-error @+1 {{input 1 must have extent 6 on axis 1, got 5}}
  %0 = amp.concat %a, %b axis 0 : tensor<2x6xf32>, tensor<2x5xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @concat_c2_sum(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{result must have the extents [4, 6], got [5, 6]}}
  %0 = amp.concat %a, %a axis 0 : tensor<2x6xf32>, tensor<2x6xf32> -> tensor<5x6xf32>
  return
}

// -----

func.func @concat_element(%a: tensor<2x6xf32>, %b: tensor<2x6xf16>) {
  // expected-error @+1 {{requires the same element type for all operands and results}}
  %0 = amp.concat %a, %b axis 0 : tensor<2x6xf32>, tensor<2x6xf16> -> tensor<4x6xf32>
  return
}

// -----

func.func @pad_c1_count(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{interior needs one entry an axis, got 1 for rank 2}}
  %0 = amp.pad %a low [0, 0] high [0, 0] interior [0] value 0.0 : tensor<2x6xf32> -> tensor<2x6xf32>
  return
}

// -----

func.func @pad_c1_negative(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{high must not be negative, got -1}}
  %0 = amp.pad %a low [0, 0] high [0, -1] interior [0, 0] value 0.0 : tensor<2x6xf32> -> tensor<2x5xf32>
  return
}

// -----

func.func @pad_c2(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{result must have the extents [2, 13], got [2, 12]}}
  %0 = amp.pad %a low [0, 1] high [0, 1] interior [0, 1] value 0.0 : tensor<2x6xf32> -> tensor<2x12xf32>
  return
}

// -----

func.func @pad_c2_overflow(%a: tensor<2x6xf32>) {
  // expected-error @+1 {{result must have the extents [2, 281474976710656], got [2, 6]}}
  %0 = amp.pad %a low [0, 9223372036854775807] high [0, 0] interior [0, 0] value 0.0 : tensor<2x6xf32> -> tensor<2x6xf32>
  return
}

// -----

func.func @pad_c3_fraction(%a: tensor<2xi32>) {
  // expected-error @+1 {{value must be a whole number of 'i32', got 5.000000e-01}}
  %0 = amp.pad %a low [0] high [0] interior [0] value 0.5 : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

func.func @pad_c3_bool(%a: tensor<2xi1>) {
  // expected-error @+1 {{value must be a whole number of 'i1', got 2.000000e+00}}
  %0 = amp.pad %a low [0] high [0] interior [0] value 2.0 : tensor<2xi1> -> tensor<2xi1>
  return
}

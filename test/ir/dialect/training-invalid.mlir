// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{init uniform takes 2 arguments, got 0}}
amp.variable @variable_c1_uniform : tensor<4xf32> role parameter init uniform

// -----

// expected-error @+1 {{init constant takes 1 arguments, got 2}}
amp.variable @variable_c1_constant : tensor<4xf32> role parameter init constant with [0.0, 1.0]

// -----

// expected-error @+1 {{init zeros takes 0 arguments, got 1}}
amp.variable @variable_c1_zeros : tensor<4xf32> role parameter init zeros with [0.0]

// -----

// expected-error @+1 {{a value belongs to init data and only there, got init data}}
amp.variable @variable_c2_missing : tensor<4xf32> role parameter init data

// -----

// expected-error @+1 {{a value belongs to init data and only there, got init ones}}
amp.variable @variable_c2_extra : tensor<2xf32> role parameter init ones
  = dense<[1.0, 2.0]> : tensor<2xf32>

// -----

// expected-error @+1 {{value must have the variable's type 'tensor<4xf32>', got 'tensor<2xf32>'}}
amp.variable @variable_c2_type : tensor<4xf32> role parameter init data
  = dense<[1.0, 2.0]> : tensor<2xf32>

// -----

// expected-error @+1 {{init trunc_normal takes 4 arguments, got 2}}
amp.variable @variable_c1_trunc_normal : tensor<4xf32> role parameter init trunc_normal with [0.0, 1.0]

// -----

// expected-error @+1 {{init padded_normal takes 4 arguments, got 3}}
amp.variable @variable_c1_padded_normal : tensor<4xf32> role parameter init padded_normal with [0.0, 1.0, 2.0]

// -----

// expected-error @+1 {{init normal fills floats, got 'i32'}}
amp.variable @variable_c3 : tensor<4xi32> role parameter init normal with [0.0, 1.0]

// -----

// expected-error @+1 {{site must be in [0, 2^30), got 1073741824}}
amp.variable @variable_c4_large : tensor<4xf32> role parameter init uniform with [0.0, 1.0] site 1073741824

// -----

// expected-error @+1 {{site must be in [0, 2^30), got -1}}
amp.variable @variable_c4_negative : tensor<4xf32> role parameter init uniform with [0.0, 1.0] site -1

// -----

// expected-error @+1 {{copy_of belongs to role copy16 and only there, got role copy16}}
amp.variable @variable_c5_missing : tensor<4xbf16> role copy16 init zeros

// -----

amp.variable @w : tensor<4xf32> role parameter init zeros
// expected-error @+1 {{copy_of belongs to role copy16 and only there, got role moment}}
amp.variable @variable_c5_role : tensor<4xbf16> role moment copy_of @w init zeros

// -----

amp.variable @w : tensor<4xf32> role parameter init zeros
// expected-error @+1 {{a 16-bit copy is bf16 or f16, got 'f32'}}
amp.variable @variable_c5_type : tensor<4xf32> role copy16 copy_of @w init zeros

// -----

amp.variable @w : tensor<4xf32> role parameter init zeros
// expected-error @+1 {{a 16-bit copy has init zeros, got init ones}}
amp.variable @variable_c5_init : tensor<4xf16> role copy16 copy_of @w init ones

// -----

// expected-error @+1 {{copy_of names no variable: @w}}
amp.variable @variable_c6_unknown : tensor<4xbf16> role copy16 copy_of @w init zeros

// -----

// expected-note @+1 {{declared here}}
amp.variable @w : tensor<5xf32> role parameter init zeros
// expected-error @+1 {{of type 'tensor<4xbf16>' must be a copy of an f32 parameter of its shape, but @w has type 'tensor<5xf32>' and role parameter}}
amp.variable @variable_c6_shape : tensor<4xbf16> role copy16 copy_of @w init zeros

// -----

// expected-note @+1 {{declared here}}
amp.variable @w : tensor<4xf64> role parameter init zeros
// expected-error @+1 {{@w has type 'tensor<4xf64>' and role parameter}}
amp.variable @variable_c6_type : tensor<4xf16> role copy16 copy_of @w init zeros

// -----

// expected-note @+1 {{declared here}}
amp.variable @w : tensor<4xf32> role moment init zeros
// expected-error @+1 {{@w has type 'tensor<4xf32>' and role moment}}
amp.variable @variable_c6_role : tensor<4xf16> role copy16 copy_of @w init zeros

// -----

// expected-error @+1 {{attribute 'type' failed to satisfy constraint}}
amp.variable @variable_type : f32 role parameter init zeros

// -----

func.func @read_c1_unknown() {
  // expected-error @+1 {{names no variable: @w}}
  %0 = amp.read @w : tensor<4xf32>
  return
}

// -----

func.func @read_c1_function() {
  // expected-error @+1 {{names no variable: @read_c1_function}}
  %0 = amp.read @read_c1_function : tensor<4xf32>
  return
}

// -----

// expected-note @+1 {{declared here}}
amp.variable @w : tensor<4xf32> role parameter init zeros
func.func @read_c1_type() {
  // expected-error @+1 {{has type 'tensor<5xf32>' but variable @w holds 'tensor<4xf32>'}}
  %0 = amp.read @w : tensor<5xf32>
  return
}

// -----

func.func @write_c1_unknown(%a: tensor<4xf32>) {
  // expected-error @+1 {{names no variable: @w}}
  amp.write @w, %a : tensor<4xf32>
  return
}

// -----

// expected-note @+1 {{declared here}}
amp.variable @w : tensor<4xf32> role parameter init zeros
func.func @write_c1_type(%a: tensor<4xf16>) {
  // expected-error @+1 {{has type 'tensor<4xf16>' but variable @w holds 'tensor<4xf32>'}}
  amp.write @w, %a : tensor<4xf16>
  return
}

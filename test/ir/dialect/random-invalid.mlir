// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @random_c1(%seed: tensor<i64>) {
  // expected-error @+1 {{takes no key, or seed, index and micro, got 1 operands}}
  %0 = amp.random uniform(%seed) mode train site 0 : tensor<8xf32>
  return
}

// -----

func.func @random_c1_type(%seed: tensor<i32>) {
  // expected-error @+1 {{operand #0 must be variadic of a scalar i64 tensor, but got 'tensor<i32>'}}
  %0 = "amp.random"(%seed, %seed, %seed) {distribution = 0 : i32, mode = 0 : i32, site = 0 : i64}
     : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8xf32>
  return
}

// -----

func.func @random_c2_large() {
  // expected-error @+1 {{site must be in [0, 2^30), got 1073741824}}
  %0 = amp.random uniform() mode train site 1073741824 : tensor<8xf32>
  return
}

// -----

func.func @random_c2_negative() {
  // expected-error @+1 {{site must be in [0, 2^30), got -1}}
  %0 = amp.random uniform() mode train site -1 : tensor<8xf32>
  return
}

// -----

func.func @random_c3() {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or 64-bit float values (plain, below 2^48 elements), but got 'tensor<8xbf16>'}}
  %0 = amp.random uniform() mode train site 0 : tensor<8xbf16>
  return
}

// -----

func.func @dropout_c1(%x: tensor<8xf32>, %s: tensor<i64>) {
  // expected-error @+1 {{takes no key, or seed, index and micro, got 2 operands}}
  %0 = amp.dropout %x key(%s, %s) p 0.5 mode train site 3 : tensor<8xf32>
  return
}

// -----

func.func @dropout_c2(%x: tensor<8xf32>) {
  // expected-error @+1 {{site must be in [0, 2^30), got 1073741824}}
  %0 = amp.dropout %x p 0.5 mode train site 1073741824 : tensor<8xf32>
  return
}

// -----

func.func @dropout_c3(%x: tensor<8xf32>) {
  // expected-error @+1 {{p must be from 0 to 1, got -5.000000e-01}}
  %0 = amp.dropout %x p -0.5 mode train site 0 : tensor<8xf32>
  return
}

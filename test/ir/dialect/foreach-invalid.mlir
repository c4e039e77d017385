// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @foreach_c1_slices(%x: tensor<5x1xf32>) {
  // expected-error @+1 {{operand 0, 'tensor<5x1xf32>', is no whole number of slices of 'tensor<2xf32>'}}
  %r = amp.foreach 4(%x) divisors [1] : (tensor<5x1xf32>) -> tensor<4x2xf32> {
  ^bb0(%x0: tensor<2xf32>):
    amp.yield %x0 : tensor<2xf32>
  }
  return
}

// -----

func.func @foreach_c1_type(%x: tensor<4x2xf16>) {
  // expected-error @+1 {{operand 0, 'tensor<4x2xf16>', is no whole number of slices of 'tensor<2xf32>'}}
  %r = amp.foreach 4(%x) divisors [1] : (tensor<4x2xf16>) -> tensor<4x2xf32> {
  ^bb0(%x0: tensor<2xf32>):
    amp.yield %x0 : tensor<2xf32>
  }
  return
}

// -----

func.func @foreach_c1_divisor(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{divisor of operand 0 must be from 1 to 2^48, got 0}}
  %r = amp.foreach 4(%x) divisors [0] : (tensor<4x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%x0: tensor<2xf32>):
    amp.yield %x0 : tensor<2xf32>
  }
  return
}

// -----

func.func @foreach_c1_divisors(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{has 1 operands, 2 divisors and 1 body arguments}}
  %r = amp.foreach 4(%x) divisors [1, 1] : (tensor<4x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%x0: tensor<2xf32>):
    amp.yield %x0 : tensor<2xf32>
  }
  return
}

// -----

func.func @foreach_c2(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{result 0 must have 4 slices of 'tensor<2xf32>', got 'tensor<3x2xf32>'}}
  %r = amp.foreach 4(%x) divisors [1] : (tensor<4x2xf32>) -> tensor<3x2xf32> {
  ^bb0(%x0: tensor<2xf32>):
    amp.yield %x0 : tensor<2xf32>
  }
  return
}

// -----

func.func @foreach_c2_number(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{has 2 results but its body yields 1}}
  %r:2 = amp.foreach 4(%x) divisors [1] : (tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  ^bb0(%x0: tensor<2xf32>):
    amp.yield %x0 : tensor<2xf32>
  }
  return
}

// -----

func.func @foreach_c3(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{count must be from 1 to 2^48, got 0}}
  %r = amp.foreach 0(%x) divisors [1] : (tensor<4x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%x0: tensor<2xf32>):
    amp.yield %x0 : tensor<2xf32>
  }
  return
}

// -----

func.func @foreach_c1_argument(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{body argument 0 must be a plain tensor below 2^48 elements, got 'i32'}}
  amp.foreach 4(%x) divisors [1] : (tensor<4x2xf32>) -> () {
  ^bb0(%x0: i32):
    amp.yield
  }
  return
}

// -----

func.func @foreach_c1_argument_shape(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{body argument 0 must be a plain tensor below 2^48 elements, got 'tensor<?xf32>'}}
  amp.foreach 4(%x) divisors [1] : (tensor<4x2xf32>) -> () {
  ^bb0(%x0: tensor<?xf32>):
    amp.yield
  }
  return
}

// -----

func.func @foreach_c1_divisor_bound(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{divisor of operand 0 must be from 1 to 2^48, got 281474976710657}}
  %r = amp.foreach 4(%x) divisors [281474976710657] : (tensor<4x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%x0: tensor<2xf32>):
    amp.yield %x0 : tensor<2xf32>
  }
  return
}

// -----

// 2^32 slices of 2^32 elements are not 2^64 = 0 elements.
func.func @foreach_c2_wraps(%x: tensor<4294967296xf32>) {
  // expected-error @+1 {{result 0 must have 4294967296 slices of 'tensor<4294967296xf32>', got 'tensor<0xf32>'}}
  %r = amp.foreach 4294967296(%x) divisors [1] : (tensor<4294967296xf32>) -> tensor<0xf32> {
  ^bb0(%x0: tensor<4294967296xf32>):
    amp.yield %x0 : tensor<4294967296xf32>
  }
  return
}

// -----

func.func @foreach_c3_bound(%x: tensor<0xf32>) {
  // expected-error @+1 {{count must be from 1 to 2^48, got 281474976710657}}
  %r = amp.foreach 281474976710657(%x) divisors [1] : (tensor<0xf32>) -> tensor<0xf32> {
  ^bb0(%x0: tensor<0xf32>):
    amp.yield %x0 : tensor<0xf32>
  }
  return
}

// -----

amp.variable @w : tensor<2xf32> role parameter init zeros

func.func @foreach_c4_read() {
  // expected-error @+1 {{has an op with side effects in its body}}
  %r = amp.foreach 4() divisors [] : () -> tensor<4x2xf32> {
    // expected-note @+1 {{found 'amp.read' here}}
    %w = amp.read @w : tensor<2xf32>
    amp.yield %w : tensor<2xf32>
  }
  return
}

// -----

amp.variable @w : tensor<2xf32> role parameter init zeros

func.func @foreach_c4_write(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{has an op with side effects in its body}}
  amp.foreach 4(%x) divisors [1] : (tensor<4x2xf32>) -> () {
  ^bb0(%x0: tensor<2xf32>):
    // expected-note @+1 {{found 'amp.write' here}}
    amp.write @w, %x0 : tensor<2xf32>
    amp.yield
  }
  return
}

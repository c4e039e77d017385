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
  // expected-error @+1 {{divisor of operand 0 must be at least 1, got 0}}
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
  // expected-error @+1 {{count must be at least 1, got 0}}
  %r = amp.foreach 0(%x) divisors [1] : (tensor<4x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%x0: tensor<2xf32>):
    amp.yield %x0 : tensor<2xf32>
  }
  return
}

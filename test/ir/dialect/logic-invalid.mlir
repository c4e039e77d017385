// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @compare_types(%a: tensor<4xf32>, %b: tensor<4xf16>) {
  // expected-error @+1 {{requires all operands to have the same type}}
  %0 = "amp.compare"(%a, %b) {predicate = 0 : i32} : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xi1>
  return
}

// -----

func.func @compare_result(%a: tensor<4xf32>) {
  // expected-error @+1 {{result has the operands' shape and element type i1}}
  %0 = "amp.compare"(%a, %a) {predicate = 0 : i32} : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xi1>
  return
}

// -----

func.func @compare_predicate(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'predicate' [eq, ne, lt, le, gt, ge]}}
  %0 = amp.compare almost %a, %a : tensor<4xf32>
  return
}

// -----

func.func @select_types(%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf16>) {
  // expected-error @+1 {{all of {on_true, on_false, result} have same type}}
  %0 = "amp.select"(%p, %a, %b) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @select_condition(%p: tensor<1xi1>, %a: tensor<4xf32>) {
  // expected-error @+1 {{condition has the result's shape and element type i1}}
  %0 = "amp.select"(%p, %a, %a) : (tensor<1xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @and_number(%a: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 1-bit signless integer values (plain, below 2^48 elements), but got 'tensor<4xf32>'}}
  %0 = amp.and %a, %a : tensor<4xf32>
  return
}

// -----

func.func @not_number(%a: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 1-bit signless integer values}}
  %0 = amp.not %a : tensor<4xi32>
  return
}

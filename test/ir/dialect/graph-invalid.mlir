// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @detach_types(%a: tensor<4xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "amp.detach"(%a) : (tensor<4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @if_training_types(%a: tensor<4xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{requires the same type for all operands and results}}
  %0 = "amp.if_training"(%a, %b) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

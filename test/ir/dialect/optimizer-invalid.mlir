// RUN: %ampc-opt %s -split-input-file -verify-diagnostics

func.func @sgd_c1(%p: tensor<4xf32>, %g: tensor<5xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{parameter, gradient, state and results need one type, got 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %0 = amp.sgd %p, %g update %t lr %lr : tensor<4xf32>, tensor<5xf32> -> tensor<4xf32>
  return
}

// -----

func.func @sgd_c1_element(%p: tensor<4xf16>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float values (plain, below 2^48 elements), but got 'tensor<4xf16>'}}
  %0 = amp.sgd %p, %p update %t lr %lr : tensor<4xf16>, tensor<4xf16> -> tensor<4xf16>
  return
}

// -----

func.func @sgd_c2_missing(%p: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{needs 1 state tensors for this momentum, got 0 and 1 results}}
  %0 = amp.sgd %p, %p update %t lr %lr {momentum = 0.9 : f64}
     : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @sgd_c2_extra(%p: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{needs 0 state tensors for this momentum, got 1 and 2 results}}
  %0:2 = amp.sgd %p, %p state %p update %t lr %lr
       : tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @sgd_c2_results(%p: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{needs 0 state tensors for this momentum, got 0 and 0 results}}
  "amp.sgd"(%p, %p, %t, %lr) : (tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>) -> ()
  return
}

// -----

func.func @sgd_c3_momentum(%p: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{momentum must be at least 0, got -5.000000e-01}}
  %0:2 = amp.sgd %p, %p state %p update %t lr %lr {momentum = -0.5 : f64}
       : tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @sgd_c3_weight_decay(%p: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{weight_decay must be at least 0, got nan}}
  %0 = amp.sgd %p, %p update %t lr %lr {weight_decay = 0x7FF8000000000000 : f64}
     : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @sgd_c3_nesterov(%p: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{nesterov needs momentum above 0 and dampening 0}}
  %0 = amp.sgd %p, %p update %t lr %lr {nesterov}
     : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @sgd_c3_dampening(%p: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{nesterov needs momentum above 0 and dampening 0}}
  %0:2 = amp.sgd %p, %p state %p update %t lr %lr
       {momentum = 0.9 : f64, dampening = 0.1 : f64, nesterov}
       : tensor<4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @adam_c1(%p: tensor<4xf32>, %g: tensor<5xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{all of {parameter, gradient, exp_avg, exp_avg_sq, new_parameter, new_exp_avg, new_exp_avg_sq} have same type}}
  %0:3 = "amp.adam"(%p, %g, %p, %p, %t, %lr)
       : (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>)
       -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adam_c2_beta1(%p: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{beta1 must be in [0, 1), got 1.000000e+00}}
  %0:3 = amp.adam %p, %p state %p, %p update %t lr %lr {beta1 = 1.0 : f64} : tensor<4xf32>
  return
}

// -----

func.func @adam_c2_beta2(%p: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{beta2 must be in [0, 1), got -1.000000e-01}}
  %0:3 = amp.adam %p, %p state %p, %p update %t lr %lr {beta2 = -0.1 : f64} : tensor<4xf32>
  return
}

// -----

func.func @adam_c2_eps(%p: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{eps must be at least 0, got -1.000000e+00}}
  %0:3 = amp.adam %p, %p state %p, %p update %t lr %lr {eps = -1.0 : f64} : tensor<4xf32>
  return
}

// -----

func.func @adam_c2_weight_decay(%p: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) {
  // expected-error @+1 {{weight_decay must be at least 0, got INF}}
  %0:3 = amp.adam %p, %p state %p, %p update %t lr %lr {weight_decay = 0x7FF0000000000000 : f64}
       : tensor<4xf32>
  return
}

// -----

func.func @sgd_c3_dampening(%p: tensor<4xf32>, %t: tensor<i64>, %lr: tensor<f32>) -> tensor<4xf32> {
  // expected-error@+1 {{dampening must be finite, got}}
  %0 = amp.sgd %p, %p update %t lr %lr {dampening = 0x7FF0000000000000 : f64} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// RUN: %ampc-opt %s -amp-build-entries -split-input-file | FileCheck %s
// RUN: %ampc-opt %s -amp-build-entries=entries=gradient -split-input-file | FileCheck %s --check-prefix=GRAD

// Each entry keeps what its results reach and asks for no other input; a mean
// becomes its sum and count in eval_step, and their quotient in eval_finish.

// CHECK-LABEL: module
// CHECK-NOT: @forward
// GRAD-LABEL: module
// GRAD-NOT: @train_step
module attributes {amp.stage = #amp.stage<typed>} {
  amp.variable @w : tensor<8x8xf32> role parameter init zeros
  // CHECK-LABEL: func.func @train_step
  // CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32> {amp.io = #amp.io<input>, amp.name = "x"}, %[[Y:.*]]: tensor<4x8xf32> {amp.io = #amp.io<target>, amp.name = "y"})
  // CHECK-SAME: -> (tensor<f32> {amp.io = #amp.io<loss>, amp.name = "loss"})
  // CHECK-SAME: attributes {amp.entry = #amp.entry<train_step>}
  // CHECK: %[[W:.*]] = amp.read @w
  // CHECK: %[[H:.*]] = amp.linear %[[X]], %[[W]]
  // CHECK-NOT: amp.exp
  // CHECK: %[[L:.*]] = amp.mse mean %[[H]], %[[Y]]
  // CHECK: return %[[L]]

  // CHECK-LABEL: func.func @eval_step
  // CHECK-SAME: -> (tensor<f32> {amp.io = #amp.io<partial>, amp.name = "partial.0"}, tensor<f32> {amp.io = #amp.io<partial>, amp.name = "partial.1"})
  // CHECK: %[[S:.*]] = amp.mse sum
  // CHECK: %[[C:.*]] = amp.constant dense<3.200000e+01> : tensor<f32>
  // CHECK: return %[[S]], %[[C]]

  // CHECK-LABEL: func.func @eval_finish
  // CHECK-SAME: (%[[S:.*]]: tensor<f32> {amp.io = #amp.io<input>, amp.name = "partial.0"}, %[[C:.*]]: tensor<f32> {amp.io = #amp.io<input>, amp.name = "partial.1"})
  // CHECK-SAME: -> (tensor<f32> {amp.io = #amp.io<loss>, amp.name = "loss"})
  // CHECK-SAME: attributes {amp.entry = #amp.entry<eval_finish>}
  // CHECK: %[[L:.*]] = amp.div %[[S]], %[[C]]
  // CHECK: return %[[L]]

  // CHECK-LABEL: func.func @infer
  // CHECK-SAME: (%{{[^,]*}}: tensor<4x8xf32> {amp.io = #amp.io<input>, amp.name = "x"}, %{{[^,]*}}: tensor<4x8xf32> {amp.io = #amp.io<input>, amp.name = "z"})
  // CHECK-SAME: -> (tensor<4x8xf32> {amp.io = #amp.io<output>, amp.name = "p"})
  // CHECK: amp.exp
  // CHECK-NOT: amp.mse

  // GRAD-LABEL: func.func @gradient
  // GRAD-SAME: "x"
  // GRAD-SAME: "y"
  // GRAD-SAME: "z"
  // GRAD-SAME: -> (tensor<4x8xf32> {amp.io = #amp.io<output>, amp.name = "p"}, tensor<f32> {amp.io = #amp.io<loss>, amp.name = "loss"})
  func.func @forward(%x: tensor<4x8xf32> {amp.name = "x", amp.io = #amp.io<input>},
                     %y: tensor<4x8xf32> {amp.name = "y", amp.io = #amp.io<target>},
                     %z: tensor<4x8xf32> {amp.name = "z", amp.io = #amp.io<input>})
      -> (tensor<4x8xf32> {amp.name = "p", amp.io = #amp.io<output>},
          tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<forward>} {
    %w = amp.read @w : tensor<8x8xf32>
    %h = amp.linear %x, %w accumulate f32 : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
    %e = amp.exp %z : tensor<4x8xf32>
    %p = amp.add %h, %e : tensor<4x8xf32>
    %l = amp.mse mean %h, %y : tensor<4x8xf32> -> tensor<f32>
    return %p, %l : tensor<4x8xf32>, tensor<f32>
  }
}

// -----

// The formula around a reduction is applied at the end; a model without output
// has no infer.

// CHECK-LABEL: module
// GRAD-LABEL: module
module attributes {amp.stage = #amp.stage<typed>} {
  // CHECK-LABEL: func.func @eval_step
  // CHECK: amp.mse sum
  // CHECK-NOT: amp.exp
  // CHECK-LABEL: func.func @eval_finish
  // CHECK: %[[M:.*]] = amp.div
  // CHECK: %[[L:.*]] = amp.exp %[[M]]
  // CHECK: return %[[L]]
  // CHECK-NOT: @infer
  func.func @forward(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<forward>} {
    %m = amp.mse mean %x, %x : tensor<4xf32> -> tensor<f32>
    %l = amp.exp %m : tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// Random ops get their entry's key: iteration, evaluation batch, nothing.

// CHECK-LABEL: module
// GRAD-LABEL: module
module attributes {amp.stage = #amp.stage<typed>} {
  // CHECK-DAG: amp.variable @"ampc.state/seed" : tensor<i64> role counter init zeros
  // CHECK-DAG: amp.variable @"ampc.state/iteration" : tensor<i64> role counter init zeros
  // CHECK-DAG: amp.variable @"ampc.state/eval_index" : tensor<i64> role counter init zeros
  // CHECK-LABEL: func.func @train_step
  // CHECK: %[[ZERO:.*]] = amp.constant dense<0> : tensor<i64>
  // CHECK: %[[ITER:.*]] = amp.read @"ampc.state/iteration"
  // CHECK: %[[SEED:.*]] = amp.read @"ampc.state/seed"
  // CHECK: amp.random uniform(%[[SEED]], %[[ITER]], %[[ZERO]]) mode train site 2
  // CHECK-LABEL: func.func @eval_step
  // CHECK: %[[INDEX:.*]] = amp.read @"ampc.state/eval_index"
  // CHECK: amp.random uniform(%{{.*}}, %[[INDEX]], %{{.*}}) mode eval site 2
  // CHECK-LABEL: func.func @infer
  // CHECK: %[[ZERO:.*]] = amp.constant dense<0> : tensor<i64>
  // CHECK: amp.random uniform(%{{.*}}, %[[ZERO]], %[[ZERO]]) mode infer site 2
  func.func @forward(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "p", amp.io = #amp.io<output>},
          tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<forward>} {
    %r = amp.random uniform() mode train site 2 : tensor<4xf32>
    %p = amp.add %x, %r : tensor<4xf32>
    %l = amp.mse mean %p, %x : tensor<4xf32> -> tensor<f32>
    return %p, %l : tensor<4xf32>, tensor<f32>
  }
}

// -----

// Each reduction over data is one sum, or sum and count, however often it is
// used; terms of parameters alone are computed at the end; a metric of an eval
// block is in eval_step alone; a scalar that is no reduction is averaged over
// the batches.

// CHECK-LABEL: module
// GRAD-LABEL: module
module attributes {amp.stage = #amp.stage<typed>} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  // CHECK-LABEL: func.func @train_step
  // CHECK-SAME: -> (tensor<f32> {amp.io = #amp.io<loss>, amp.name = "loss"})
  // CHECK: %[[L:.*]] = amp.add
  // CHECK: return %[[L]]

  // CHECK-LABEL: func.func @eval_step
  // CHECK-SAME: (%[[X:.*]]: tensor<4xf32>
  // CHECK-NOT: amp.read
  // CHECK-DAG: %[[S:.*]] = amp.reduce sum %[[X]]
  // CHECK-DAG: %[[N:.*]] = amp.constant dense<4.000000e+00> : tensor<f32>
  // CHECK-DAG: %[[T:.*]] = amp.reduce sum %{{.*}} over [0]
  // CHECK-DAG: %[[F:.*]] = amp.reduce max
  // CHECK-DAG: %[[ONE:.*]] = amp.constant dense<1.000000e+00> : tensor<f32>
  // CHECK: return {{.*}} : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>{{$}}

  // CHECK-LABEL: func.func @eval_finish
  // CHECK-SAME: (%[[S:[^:]*]]: {{.*}}, %[[N:[^:]*]]: {{.*}}, %[[T:[^:]*]]: {{.*}}, %[[F:[^:]*]]: {{.*}}, %[[B:[^:]*]]: tensor<f32>
  // CHECK-DAG: %[[M:.*]] = amp.div %[[S]], %[[N]]
  // CHECK-DAG: %[[Q:.*]] = amp.div %[[M]], %[[T]]
  // CHECK-DAG: %[[W:.*]] = amp.read @w
  // CHECK-DAG: %[[R:.*]] = amp.reduce sum %[[W]]
  // CHECK-DAG: %[[L:.*]] = amp.add %[[Q]], %[[R]]
  // CHECK-DAG: %[[E:.*]] = amp.sqrt %[[M]]
  // CHECK-DAG: %[[A:.*]] = amp.div %[[F]], %[[B]]
  // CHECK: return %[[L]], %[[E]], %[[A]]
  func.func @forward(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>},
          tensor<f32> {amp.name = "root", amp.io = #amp.io<metric>, amp.eval_only},
          tensor<f32> {amp.name = "most", amp.io = #amp.io<metric>, amp.eval_only})
      attributes {amp.entry = #amp.entry<forward>} {
    %w = amp.read @w : tensor<4xf32>
    %m = amp.reduce mean %x over [0] order row accumulate f32 : tensor<4xf32> -> tensor<f32>
    %y = amp.exp %x : tensor<4xf32>
    %t = amp.reduce sum %y over [0] order row accumulate f32 : tensor<4xf32> -> tensor<f32>
    %q = amp.div %m, %t : tensor<f32>
    %r = amp.reduce sum %w over [0] order row accumulate f32 : tensor<4xf32> -> tensor<f32>
    %l = amp.add %q, %r : tensor<f32>
    %e = amp.sqrt %m : tensor<f32>
    %f = amp.reduce max %x over [0] order row accumulate f32 : tensor<4xf32> -> tensor<f32>
    return %l, %e, %f : tensor<f32>, tensor<f32>, tensor<f32>
  }
}

// -----

// if_training gives way to its operand; dropout draws in train_step alone.

// CHECK-LABEL: module
// GRAD-LABEL: module
module attributes {amp.stage = #amp.stage<typed>} {
  // CHECK-LABEL: func.func @train_step
  // CHECK: amp.dropout %{{.*}} key(%{{.*}}) p 5.000000e-01 mode train site 0
  // CHECK-NOT: amp.exp
  // CHECK-LABEL: func.func @eval_step
  // CHECK: %[[E:.*]] = amp.exp
  // CHECK: amp.dropout %[[E]] p 5.000000e-01 mode eval site 0
  // CHECK-LABEL: func.func @infer
  // CHECK: %[[E:.*]] = amp.exp
  // CHECK: amp.dropout %[[E]] p 5.000000e-01 mode infer site 0
  func.func @forward(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "p", amp.io = #amp.io<output>},
          tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<forward>} {
    %e = amp.exp %x : tensor<4xf32>
    %c = amp.if_training %x, %e : tensor<4xf32>
    %p = amp.dropout %c p 5.000000e-01 mode train site 0 : tensor<4xf32>
    %l = amp.reduce sum %p over [0] order row accumulate f32 : tensor<4xf32> -> tensor<f32>
    return %p, %l : tensor<4xf32>, tensor<f32>
  }
}

// -----

// Metrics alone are evaluated; there is nothing to train.

// CHECK-LABEL: module
// CHECK-NOT: @train_step
// CHECK: func.func @eval_step
// CHECK-SAME: -> (tensor<f32> {amp.io = #amp.io<partial>, amp.name = "partial.0"}
// CHECK: func.func @eval_finish
// CHECK-SAME: -> (tensor<f32> {amp.io = #amp.io<metric>, amp.name = "total"})
// CHECK-NOT: @infer
module attributes {amp.stage = #amp.stage<typed>} {
  func.func @forward(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "total", amp.io = #amp.io<metric>})
      attributes {amp.entry = #amp.entry<forward>} {
    %t = amp.reduce sum %x over [0] order row accumulate f32 : tensor<4xf32> -> tensor<f32>
    return %t : tensor<f32>
  }
}

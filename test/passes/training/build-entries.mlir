// RUN: %ampc-opt %s -amp-build-entries -split-input-file | FileCheck %s
// RUN: %ampc-opt %s -amp-build-entries=entries=gradient -split-input-file | FileCheck %s --check-prefix=GRAD

// Each entry keeps what its results reach and asks for no other input; a mean
// becomes its sum and divisor in eval_step.

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
  // CHECK-SAME: tensor<f32> {amp.divisor = 32 : i64, amp.io = #amp.io<loss>, amp.name = "loss"}
  // CHECK: %[[S:.*]] = amp.mse sum
  // CHECK: return %[[S]]

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

// A loss that is no plain mean keeps its formula and has divisor 1; a model
// without output has no infer.

// CHECK-LABEL: module
// GRAD-LABEL: module
module attributes {amp.stage = #amp.stage<typed>} {
  // CHECK-LABEL: func.func @eval_step
  // CHECK-SAME: amp.divisor = 1 : i64
  // CHECK: amp.mse mean
  // CHECK: amp.exp
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

// RUN: %ampc-opt %s -ampc-to-typed | FileCheck %s --check-prefix=TYPED
// RUN: %ampc-opt %s -ampc-to-step | FileCheck %s --check-prefix=STEP
// RUN: %ampc-opt %s -ampc-to-fused | FileCheck %s --check-prefix=FUSED
// RUN: %ampc-opt %s -ampc-to-placed | FileCheck %s --check-prefix=PLACED
// RUN: %ampc-opt %s "-ampc-to-step=entries=gradient gradient-of=p" | FileCheck %s --check-prefix=GRAD

// The stages of one small training step: a linear layer under SGD.

// TYPED: #amp.stage<typed>
// TYPED: @forward
// STEP: #amp.stage<step>
// STEP-NOT: @forward
// STEP: func.func @train_step
// STEP: amp.linear
// STEP: amp.mse mean
// STEP: amp.matmul {{.*}} transpose_a
// STEP: amp.sgd
// STEP: amp.write @w
// STEP: func.func @eval_step
// STEP: func.func @infer
// FUSED: #amp.stage<fused>
// FUSED: func.func @train_step
// FUSED-NOT: amp.linear
// FUSED: amp.matmul
// FUSED: amp.group row
// FUSED-NOT: amp.sgd
// PLACED: #amp.stage<placed>
// PLACED: func.func @train_step
// PLACED-SAME: amp.arena_bytes
// The parameter is updated where it stands.
// PLACED: amp.group map [2, 3]({{.*}}) {amp.place = [#amp.place<variable, 0, @w>]}
// GRAD: func.func @gradient
// GRAD-SAME: "grad.p"
// GRAD-NOT: @infer
module attributes {amp.stage = #amp.stage<model>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 1.0e-1 : f64}}} {
  amp.variable @w : tensor<2x3xf32> role parameter init ones
  func.func @forward(%x: tensor<4x3xf32> {amp.name = "x", amp.io = #amp.io<input>},
                     %y: tensor<4x2xf32> {amp.name = "y", amp.io = #amp.io<target>})
      -> (tensor<4x2xf32> {amp.name = "p", amp.io = #amp.io<output>},
          tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<forward>} {
    %w = amp.read @w : tensor<2x3xf32>
    %p = amp.linear %x, %w accumulate f32 : tensor<4x3xf32>, tensor<2x3xf32> -> tensor<4x2xf32>
    %l = amp.mse mean %p, %y : tensor<4x2xf32> -> tensor<f32>
    return %p, %l : tensor<4x2xf32>, tensor<f32>
  }
}

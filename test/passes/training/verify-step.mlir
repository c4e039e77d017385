// RUN: %ampc-opt %s -amp-verify-step | FileCheck %s

// A complete step passes unchanged.

// CHECK: #amp.stage<step>
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  amp.variable @"ampc.state/iteration" : tensor<i64> role counter init zeros
  amp.variable @"ampc.state/update" : tensor<i64> role counter init zeros
  amp.variable @"ampc.state/lr" : tensor<f32> role rate init constant with [0.1]
  // CHECK-LABEL: func.func @train_step
  func.func @train_step(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    %i = amp.read @"ampc.state/iteration" : tensor<i64>
    %t = amp.read @"ampc.state/update" : tensor<i64>
    %r = amp.read @"ampc.state/lr" : tensor<f32>
    %l = amp.mse sum %w, %x : tensor<4xf32> -> tensor<f32>
    %p = amp.sgd %w, %x update %t lr %r : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %one = amp.constant dense<1> : tensor<i64>
    %i1 = amp.add %i, %one : tensor<i64>
    %t1 = amp.add %t, %one : tensor<i64>
    amp.write @w, %p : tensor<4xf32>
    amp.write @"ampc.state/iteration", %i1 : tensor<i64>
    amp.write @"ampc.state/update", %t1 : tensor<i64>
    return %l : tensor<f32>
  }
}

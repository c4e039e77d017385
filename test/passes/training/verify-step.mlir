// RUN: %ampc-opt %s -amp-verify-step -split-input-file | FileCheck %s

// A complete step passes unchanged, in one entry or in those of a window.

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

// -----

// CHECK-LABEL: func.func @window
// CHECK-LABEL: func.func @micro_step
// CHECK-LABEL: func.func @apply_step
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @"ampc.state/iteration" : tensor<i64> role counter init zeros
  amp.variable @"ampc.state/update" : tensor<i64> role counter init zeros
  amp.variable @"ampc.state/micro" : tensor<i64> role counter init zeros
  amp.variable @"ampc.grad/w" : tensor<4xf32> role accumulator init zeros
  func.func @window() attributes {amp.entry = #amp.entry<window>} {
    return
  }
  func.func @micro_step(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      attributes {amp.entry = #amp.entry<micro_step>} {
    %m = amp.read @"ampc.state/micro" : tensor<i64>
    amp.write @"ampc.grad/w", %x : tensor<4xf32>
    amp.write @"ampc.state/micro", %m : tensor<i64>
    return
  }
  func.func @apply_step() attributes {amp.entry = #amp.entry<apply_step>} {
    %i = amp.read @"ampc.state/iteration" : tensor<i64>
    amp.write @"ampc.state/iteration", %i : tensor<i64>
    amp.write @"ampc.state/update", %i : tensor<i64>
    return
  }
}

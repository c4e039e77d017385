// RUN: %ampc-opt %s -amp-accumulate-gradients -split-input-file | FileCheck %s

// Every result of a micro-batch is added to its sum, which starts from zeros in
// the first one; apply_step takes the sums of gradients.

// CHECK: amp.variable @"ampc.grad/w" : tensor<4xf32> role accumulator init zeros
module attributes {amp.stage = #amp.stage<typed>} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  amp.variable @"ampc.state/micro" : tensor<i64> role counter init zeros
  amp.variable @"ampc.window/loss.0" : tensor<f32> role accumulator init zeros

  // CHECK-LABEL: func.func @micro_step
  // CHECK-SAME: attributes
  // CHECK-NOT: ->
  // CHECK: %[[AT:.*]] = amp.read @"ampc.state/micro"
  // CHECK: %[[FIRST:.*]] = amp.compare eq %[[AT]]
  // CHECK: %[[OLD:.*]] = amp.read @"ampc.grad/w"
  // CHECK: %[[LOSS:.*]] = amp.read @"ampc.window/loss.0"
  // CHECK: %[[FROM:.*]] = amp.select %[[FIRST]], %{{.*}}, %[[LOSS]]
  // CHECK: %[[SUM:.*]] = amp.add %[[FROM]], %arg1
  // CHECK: amp.write @"ampc.window/loss.0", %[[SUM]]
  // CHECK: %[[MASK:.*]] = amp.broadcast %[[FIRST]] along [] : tensor<i1> -> tensor<4xi1>
  // CHECK: %[[ZEROS:.*]] = amp.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: %[[START:.*]] = amp.select %[[MASK]], %[[ZEROS]], %[[OLD]]
  // CHECK: %[[TOTAL:.*]] = amp.add %[[START]], %arg0
  // CHECK: amp.write @"ampc.grad/w", %[[TOTAL]]
  // CHECK: %[[NEXT:.*]] = amp.add %[[AT]]
  // CHECK: amp.write @"ampc.state/micro", %[[NEXT]]
  // CHECK: return
  func.func @micro_step(%g: tensor<4xf32> {amp.name = "g", amp.io = #amp.io<input>},
                        %l: tensor<f32> {amp.name = "l", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "ampc.window/loss.0", amp.io = #amp.io<loss>},
          tensor<4xf32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = @w})
      attributes {amp.entry = #amp.entry<micro_step>} {
    return %l, %g : tensor<f32>, tensor<4xf32>
  }

  // CHECK-LABEL: func.func @apply_step()
  // CHECK-SAME: -> (tensor<f32> {amp.io = #amp.io<loss>, amp.name = "loss"}, tensor<4xf32> {amp.io = #amp.io<gradient>, amp.name = "grad.w", amp.wrt = @w})
  // CHECK: %[[L:.*]] = amp.read @"ampc.window/loss.0"
  // CHECK: %[[G:.*]] = amp.read @"ampc.grad/w"
  // CHECK: return %[[L]], %[[G]]
  func.func @apply_step() -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<apply_step>} {
    %l = amp.read @"ampc.window/loss.0" : tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// Sums of narrow numbers are kept in f32.

// CHECK: amp.variable @"ampc.window/partial.0" : tensor<f32> role accumulator
// CHECK: %[[WIDE:.*]] = amp.cast %arg0 origin policy : tensor<bf16> -> tensor<f32>
// CHECK: amp.add %{{.*}}, %[[WIDE]] : tensor<f32>
module attributes {amp.stage = #amp.stage<typed>} {
  amp.variable @"ampc.state/micro" : tensor<i64> role counter init zeros
  func.func @micro_step(%p: tensor<bf16> {amp.name = "p", amp.io = #amp.io<input>})
      -> (tensor<bf16> {amp.name = "ampc.window/partial.0", amp.io = #amp.io<partial>})
      attributes {amp.entry = #amp.entry<micro_step>} {
    return %p : tensor<bf16>
  }
  func.func @apply_step() attributes {amp.entry = #amp.entry<apply_step>} {
    return
  }
}

// -----

// Without a window there is nothing to add up.

// CHECK-LABEL: func.func @train_step
// CHECK: return %arg0, %arg0
module attributes {amp.stage = #amp.stage<typed>} {
  func.func @train_step(%l: tensor<f32> {amp.name = "l", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "a", amp.io = #amp.io<loss>},
          tensor<f32> {amp.name = "b", amp.io = #amp.io<metric>})
      attributes {amp.entry = #amp.entry<train_step>} {
    return %l, %l : tensor<f32>, tensor<f32>
  }
}

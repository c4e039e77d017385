// RUN: %ampc-opt %s -amp-split-window -split-input-file | FileCheck %s

// Sums stay the micro-batch's, denominators become the window's, a term without
// data counts in the first micro-batch; a metric is a formula over its totals.

// CHECK: amp.variable @"ampc.state/micro" : tensor<i64> role counter init zeros
// CHECK: amp.variable @"ampc.window/micros" : tensor<i64> role accumulator init zeros
// CHECK: amp.variable @"ampc.window/count.0" : tensor<f32> role accumulator init zeros
// CHECK-NOT: @train_step

// CHECK-LABEL: func.func @window
// CHECK-SAME: (%[[M:.*]]: tensor<4x8xf32> {{.*}}"m"}, %[[Y:.*]]: tensor<4xi64> {{.*}}"y"})
// CHECK-SAME: attributes {amp.entry = #amp.entry<window>}
// CHECK: %[[MICROS:.*]] = amp.read @"ampc.window/micros"
// CHECK: %[[FIRST:.*]] = amp.compare eq %[[MICROS]]
// CHECK: amp.read @"ampc.window/count.1"
// CHECK: %[[OLD:.*]] = amp.read @"ampc.window/count.0"
// CHECK-NOT: amp.cross_entropy
// CHECK: %[[N:.*]] = amp.reduce sum %[[M]]
// CHECK: %[[START:.*]] = amp.select %[[FIRST]], %{{.*}}, %[[OLD]]
// CHECK: %[[SUM:.*]] = amp.add %[[START]], %[[N]]
// CHECK: amp.write @"ampc.window/count.0", %[[SUM]]
// CHECK: amp.write @"ampc.window/count.1"
// CHECK: %[[NEXT:.*]] = amp.add %[[MICROS]]
// CHECK: amp.write @"ampc.window/micros", %[[NEXT]]
// CHECK: return

// CHECK-LABEL: func.func @micro_step
// CHECK-SAME: -> (tensor<f32> {amp.io = #amp.io<loss>, amp.name = "ampc.window/loss.0"}, tensor<f32> {amp.io = #amp.io<loss>, amp.name = "ampc.window/loss.1"}, tensor<f32> {amp.io = #amp.io<partial>, amp.name = "ampc.window/partial.0"})
// CHECK: %[[N:.*]] = amp.read @"ampc.window/count.0"
// CHECK: %[[ROWS:.*]] = amp.read @"ampc.window/count.1"
// CHECK: %[[AT:.*]] = amp.read @"ampc.state/micro"
// CHECK: %[[FIRST:.*]] = amp.compare eq %[[AT]]
// CHECK: %[[W:.*]] = amp.read @w
// CHECK: %[[DECAY:.*]] = amp.reduce sum %[[W]]
// CHECK: %[[D:.*]] = amp.maximum %[[N]]
// CHECK: %[[A:.*]] = amp.div %{{.*}}, %[[D]]
// CHECK: amp.cross_entropy sum
// CHECK: amp.compare eq %[[ROWS]]
// CHECK: %[[ONCE:.*]] = amp.select %[[FIRST]], %[[DECAY]]
// CHECK: %[[B:.*]] = amp.add %{{.*}}, %[[ONCE]]
// CHECK: return %[[A]], %[[B]], %{{.*}} : tensor<f32>, tensor<f32>, tensor<f32>

// CHECK-LABEL: func.func @apply_step()
// CHECK-SAME: -> (tensor<f32> {amp.io = #amp.io<loss>, amp.name = "a"}, tensor<f32> {amp.io = #amp.io<loss>, amp.name = "b"}, tensor<f32> {amp.io = #amp.io<metric>, amp.name = "rms"})
// CHECK: %[[A:.*]] = amp.read @"ampc.window/loss.0"
// CHECK: %[[B:.*]] = amp.read @"ampc.window/loss.1"
// CHECK: %[[Q:.*]] = amp.read @"ampc.window/partial.0"
// CHECK: %[[MICROS:.*]] = amp.read @"ampc.window/micros"
// CHECK: %[[WIDE:.*]] = amp.cast %[[MICROS]] origin policy : tensor<i64> -> tensor<f64>
// CHECK: amp.constant dense<3.200000e+01> : tensor<f64>
// CHECK: %[[MEAN:.*]] = amp.div %[[Q]]
// CHECK: %[[RMS:.*]] = amp.sqrt %[[MEAN]]
// CHECK: return %[[A]], %[[B]], %[[RMS]]
module attributes {amp.stage = #amp.stage<typed>, amp.train = {accumulate = 3 : i64}} {
  amp.variable @w : tensor<8xf32> role parameter init zeros
  func.func @train_step(%x: tensor<4x8xf32> {amp.name = "x", amp.io = #amp.io<input>},
                        %m: tensor<4x8xf32> {amp.name = "m", amp.io = #amp.io<input>},
                        %y: tensor<4xi64> {amp.name = "y", amp.io = #amp.io<target>})
      -> (tensor<f32> {amp.name = "a", amp.io = #amp.io<loss>},
          tensor<f32> {amp.name = "b", amp.io = #amp.io<loss>},
          tensor<f32> {amp.name = "rms", amp.io = #amp.io<metric>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<8xf32>
    %s = amp.broadcast %w along [1] : tensor<8xf32> -> tensor<4x8xf32>
    %h = amp.mul %x, %s : tensor<4x8xf32>
    %k = amp.mul %h, %m : tensor<4x8xf32>
    %sum = amp.reduce sum %k over [0, 1] order row accumulate f32 : tensor<4x8xf32> -> tensor<f32>
    %n = amp.reduce sum %m over [0, 1] order row accumulate f32 : tensor<4x8xf32> -> tensor<f32>
    %one = amp.constant dense<1.0> : tensor<f32>
    %d = amp.maximum %n, %one : tensor<f32>
    %a = amp.div %sum, %d : tensor<f32>
    %c, %rm, %ls = amp.cross_entropy mean %h, %y ignore -100 smoothing 0.0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<f32>, tensor<4xf32>, tensor<4xf32>
    %decay = amp.reduce sum %w over [0] order row accumulate f32 : tensor<8xf32> -> tensor<f32>
    %b = amp.add %c, %decay : tensor<f32>
    %q = amp.mul %h, %h : tensor<4x8xf32>
    %mean = amp.reduce mean %q over [0, 1] order row accumulate f32 : tensor<4x8xf32> -> tensor<f32>
    %rms = amp.sqrt %mean : tensor<f32>
    return %a, %b, %rms : tensor<f32>, tensor<f32>, tensor<f32>
  }
}

// -----

// Draws of a micro-batch have its position in their key (N17).

// CHECK-LABEL: func.func @micro_step
// CHECK: %[[AT:.*]] = amp.read @"ampc.state/micro"
// CHECK: amp.random uniform(%{{.*}}, %{{.*}}, %[[AT]]) mode train site 0
module attributes {amp.stage = #amp.stage<typed>, amp.train = {accumulate = 2 : i64}} {
  amp.variable @"ampc.state/seed" : tensor<i64> role counter init zeros
  amp.variable @"ampc.state/iteration" : tensor<i64> role counter init zeros
  func.func @train_step() -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %seed = amp.read @"ampc.state/seed" : tensor<i64>
    %index = amp.read @"ampc.state/iteration" : tensor<i64>
    %micro = amp.constant dense<0> : tensor<i64>
    %u = amp.random uniform(%seed, %index, %micro) mode train site 0 : tensor<8xf32>
    %l = amp.reduce sum %u over [0] order row accumulate f32 : tensor<8xf32> -> tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// A window of one micro-batch is a step.

// CHECK-LABEL: func.func @train_step
// CHECK-NOT: @micro_step
module attributes {amp.stage = #amp.stage<typed>, amp.train = {accumulate = 1 : i64}} {
  func.func @train_step(%l: tensor<f32> {amp.name = "l", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    return %l : tensor<f32>
  }
}

// RUN: %ampc-opt %s -ampc-to-step=precision=bf16 | FileCheck %s
// RUN: %ampc-opt %s -ampc-to-step=precision=bf16 | FileCheck %s --check-prefix=CASTS
// RUN: %ampc-opt %s -ampc-to-placed=precision=bf16 | FileCheck %s --check-prefix=PLACED

// A step of several micro-batches from the model to bytes. No entry casts a
// parameter (N22): micro_step reads the 16-bit copy, apply_step writes it with
// the master, once a window.

// CASTS-NOT: amp.cast {{.*}} tensor<16x8xf32> -> tensor<16x8xbf16>
// CASTS-LABEL: func.func @apply_step
// CASTS-COUNT-1: amp.cast {{.*}} tensor<16x8xf32> -> tensor<16x8xbf16>
// CASTS-NOT: amp.cast {{.*}} tensor<16x8xf32> -> tensor<16x8xbf16>

// CHECK: amp.variable @"ampc.copy16/w" : tensor<16x8xbf16> role copy16 copy_of @w
// CHECK: amp.variable @"ampc.state/lr" : tensor<f32> role rate init constant with [1.000000e+00]
// CHECK-LABEL: func.func @window
// CHECK-NOT: amp.read @w
// CHECK: amp.write @"ampc.window/micros"
// CHECK-LABEL: func.func @micro_step
// CHECK-NOT: amp.read @w
// CHECK: amp.read @"ampc.copy16/w"
// CHECK: %[[G:.*]] = amp.matmul {{.*}} -> tensor<16x8xf32>
// CHECK: %[[SUM:.*]] = amp.add %{{.*}}, %[[G]] : tensor<16x8xf32>
// CHECK: amp.write @"ampc.grad/w", %[[SUM]]
// CHECK-LABEL: func.func @apply_step
// CHECK: amp.read @"ampc.grad/w"
// CHECK: %[[NEW:.*]] = amp.sgd
// CHECK: %[[W:.*]] = amp.select %{{.*}}, %[[NEW]]
// CHECK: %[[COPY:.*]] = amp.cast %[[W]] origin policy
// CHECK: amp.write @w, %[[W]]
// CHECK: amp.write @"ampc.copy16/w", %[[COPY]]
// CHECK: %[[NONE:.*]] = amp.constant dense<0> : tensor<i64>
// CHECK: amp.write @"ampc.state/micro", %[[NONE]]
// CHECK: amp.write @"ampc.window/micros", %[[NONE]]

// The sum is updated where it stands.
// PLACED-LABEL: func.func @micro_step
// PLACED: amp.place<variable, 0, @"ampc.grad/w">
module attributes {amp.stage = #amp.stage<model>, amp.train = {accumulate = 4 : i64, base_batch = 8 : i64,
    optimizer = {op = "amp.sgd", lr = 5.0e-1 : f64}}} {
  amp.variable @w : tensor<16x8xf32> role parameter init ones
  func.func @forward(%x: tensor<4x8xf32> {amp.name = "x", amp.io = #amp.io<input>},
                     %y: tensor<4x16xf32> {amp.name = "y", amp.io = #amp.io<target>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<forward>} {
    %w = amp.read @w : tensor<16x8xf32>
    %h = amp.linear %x, %w accumulate f32 : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
    %l = amp.mse mean %h, %y : tensor<4x16xf32> -> tensor<f32>
    return %l : tensor<f32>
  }
}

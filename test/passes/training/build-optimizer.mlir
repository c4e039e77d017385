// RUN: %ampc-opt %s -amp-build-optimizer -split-input-file | FileCheck %s

// Adam: the gradient result becomes an update; moments, counters and the rate
// are declared; counters advance.

// CHECK: amp.stage = #amp.stage<step>
// CHECK: amp.variable @w : tensor<4xf32> role parameter
// CHECK: amp.variable @"ampc.state/seed" : tensor<i64> role counter init zeros
// CHECK: amp.variable @"ampc.state/iteration" : tensor<i64> role counter init zeros
// CHECK: amp.variable @"ampc.state/update" : tensor<i64> role counter init zeros
// CHECK: amp.variable @"ampc.state/lr" : tensor<f32> role rate init constant with [5.000000e-01]
// CHECK: amp.variable @"ampc.exp_avg/w" : tensor<4xf32> role moment init zeros
// CHECK: amp.variable @"ampc.exp_avg_sq/w" : tensor<4xf32> role moment init zeros
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.adam", lr = 5.0e-1 : f64, beta1 = 8.0e-1 : f64}}} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  // CHECK-LABEL: func.func @train_step
  // CHECK-SAME: -> (tensor<f32> {amp.io = #amp.io<loss>, amp.name = "loss"})
  func.func @train_step(%g: tensor<4xf32> {amp.name = "g", amp.io = #amp.io<input>},
                        %l: tensor<f32> {amp.name = "l", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>},
          tensor<4xf32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = @w})
      attributes {amp.entry = #amp.entry<train_step>} {
    // CHECK-DAG: %[[T:.*]] = amp.read @"ampc.state/update"
    // CHECK-DAG: %[[I:.*]] = amp.read @"ampc.state/iteration"
    // CHECK-DAG: %[[R:.*]] = amp.read @"ampc.state/lr"
    // CHECK-DAG: %[[W:.*]] = amp.read @w
    // CHECK-DAG: %[[M:.*]] = amp.read @"ampc.exp_avg/w"
    // CHECK-DAG: %[[V:.*]] = amp.read @"ampc.exp_avg_sq/w"
    // CHECK: %[[P1:[^,]*]], %[[M1:.*]], %[[V1:.*]] = amp.adam %[[W]], %arg0 state %[[M]], %[[V]] update %[[T]] lr %[[R]] {beta1 = 8.000000e-01 : f64}
    // CHECK: amp.write @w, %[[P1]]
    // CHECK: amp.write @"ampc.exp_avg/w", %[[M1]]
    // CHECK: amp.write @"ampc.exp_avg_sq/w", %[[V1]]
    // CHECK: %[[I1:.*]] = amp.add %[[I]], %{{.*}} : tensor<i64>
    // CHECK: amp.write @"ampc.state/iteration", %[[I1]]
    // CHECK: %[[T1:.*]] = amp.add %[[T]], %{{.*}} : tensor<i64>
    // CHECK: amp.write @"ampc.state/update", %[[T1]]
    // CHECK: return %arg1 : tensor<f32>
    return %l, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// SGD keeps a momentum tensor only when there is momentum.

// CHECK-LABEL: module
// CHECK-NOT: ampc.momentum
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 1.0e-1 : f64}}} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  // CHECK-LABEL: func.func @train_step
  func.func @train_step(%g: tensor<4xf32> {amp.name = "g", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = @w})
      attributes {amp.entry = #amp.entry<train_step>} {
    // CHECK: amp.sgd %{{.*}}, %arg0 update %{{.*}} lr %{{.*}} : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    return %g : tensor<4xf32>
  }
}

// -----

// CHECK-LABEL: module
// CHECK: amp.variable @"ampc.momentum/w" : tensor<4xf32> role moment init zeros
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 1.0e-1 : f64, momentum = 9.0e-1 : f64}}} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  func.func @train_step(%g: tensor<4xf32> {amp.name = "g", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = @w})
      attributes {amp.entry = #amp.entry<train_step>} {
    return %g : tensor<4xf32>
  }
}

// -----

// A model without a loss has no step to build; it only changes stage.

// CHECK-LABEL: module
// CHECK-SAME: #amp.stage<step>
// CHECK-NOT: amp.variable
module attributes {amp.stage = #amp.stage<typed>} {
}

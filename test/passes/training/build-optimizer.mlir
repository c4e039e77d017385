// RUN: %ampc-opt %s -amp-build-optimizer -split-input-file | FileCheck %s

// Adam: the gradient result becomes an update; moments, counters and the rate
// are declared; counters advance. A gradient that is not finite leaves all but
// the count of windows (N25).

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
    // CHECK: %[[ABS:.*]] = amp.abs %arg0
    // CHECK: %[[MAX:.*]] = amp.reduce max %[[ABS]] over [0]
    // CHECK: %[[LIMIT:.*]] = amp.constant dense<3.40282347E+38> : tensor<f32>
    // CHECK: %[[OK:.*]] = amp.compare le %[[MAX]], %[[LIMIT]]
    // CHECK: %[[MASK:.*]] = amp.broadcast %[[OK]]
    // CHECK: %[[ZERO:.*]] = amp.constant dense<0.000000e+00> : tensor<4xf32>
    // CHECK: %[[G:.*]] = amp.select %[[MASK]], %arg0, %[[ZERO]]
    // CHECK: %[[W:.*]] = amp.read @w
    // CHECK: %[[M:.*]] = amp.read @"ampc.exp_avg/w"
    // CHECK: %[[V:.*]] = amp.read @"ampc.exp_avg_sq/w"
    // CHECK: %[[P1:[^,]*]], %[[M1:.*]], %[[V1:.*]] = amp.adam %[[W]], %[[G]] state %[[M]], %[[V]] update %[[T]] lr %[[R]] {beta1 = 8.000000e-01 : f64}
    // CHECK: %[[P2:.*]] = amp.select %{{.*}}, %[[P1]], %[[W]]
    // CHECK: amp.write @w, %[[P2]]
    // CHECK: %[[M2:.*]] = amp.select %{{.*}}, %[[M1]], %[[M]]
    // CHECK: amp.write @"ampc.exp_avg/w", %[[M2]]
    // CHECK: %[[V2:.*]] = amp.select %{{.*}}, %[[V1]], %[[V]]
    // CHECK: amp.write @"ampc.exp_avg_sq/w", %[[V2]]
    // CHECK: %[[T1:.*]] = amp.add %[[T]], %{{.*}} : tensor<i64>
    // CHECK: %[[T2:.*]] = amp.select %[[OK]], %[[T1]], %[[T]]
    // CHECK: amp.write @"ampc.state/update", %[[T2]]
    // CHECK: %[[I1:.*]] = amp.add %[[I]], %{{.*}} : tensor<i64>
    // CHECK: amp.write @"ampc.state/iteration", %[[I1]]
    // CHECK: return %arg1 : tensor<f32>
    return %l, %g : tensor<f32>, tensor<4xf32>
  }
}

// -----

// SGD keeps a momentum tensor only when there is momentum.

// CHECK-LABEL: module
// CHECK-NOT: ampc.momentum
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 1.0e-1 : f64}, nonfinite = "ignore"}} {
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

// -----

// Groups: own hyper-parameters, a share of the rate; the schedule multiplies
// every rate and is reported; the base rate starts scaled to the batch.

// CHECK-LABEL: module @groups
// CHECK: amp.variable @"ampc.state/lr" : tensor<f32> role rate init constant with [2.500000e-01]
// CHECK-NOT: @"ampc.momentum/v"
// CHECK: amp.variable @"ampc.momentum/w"
module @groups attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 5.0e-1 : f64, momentum = 9.0e-1 : f64}, nonfinite = "ignore",
                 base_batch = 8 : i64, steps = 100 : i64,
                 schedule = {kind = "linear", final = 1.0e-1 : f64, warmup = 10 : i64},
                 groups = [{names = ["v"], momentum = 0.0 : f64, lr = 1.0 : f64}]}} {
  amp.variable @v : tensor<4xf32> role parameter init ones
  amp.variable @w : tensor<4xf32> role parameter init ones
  // CHECK-LABEL: func.func @train_step
  // CHECK-SAME: -> (tensor<f32> {amp.io = #amp.io<metric>, amp.name = "ampc.lr"})
  func.func @train_step(%g: tensor<4xf32> {amp.name = "g", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "grad.v", amp.io = #amp.io<gradient>, amp.wrt = @v},
          tensor<4xf32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = @w})
      attributes {amp.entry = #amp.entry<train_step>} {
    // CHECK: %[[U:.*]] = amp.read @"ampc.state/update"
    // CHECK: %[[BASE:.*]] = amp.read @"ampc.state/lr"
    // CHECK: %[[SINCE:.*]] = amp.sub %[[U]], %{{.*}} : tensor<i64>
    // CHECK: %[[X:.*]] = amp.minimum
    // CHECK: %[[MAIN:.*]] = amp.add
    // CHECK: %[[RISING:.*]] = amp.div %{{.*}}, %{{.*}} : tensor<f64>
    // CHECK: %[[LATE:.*]] = amp.compare ge %[[U]]
    // CHECK: %[[FACTOR:.*]] = amp.select %[[LATE]], %[[MAIN]], %[[RISING]]
    // CHECK: %[[WIDE:.*]] = amp.mul %{{.*}}, %[[FACTOR]] : tensor<f64>
    // CHECK: %[[RATE:.*]] = amp.cast %[[WIDE]]
    // CHECK: %[[TWO:.*]] = amp.constant dense<2.000000e+00> : tensor<f64>
    // CHECK: %[[SHARE:.*]] = amp.mul %{{.*}}, %[[TWO]] : tensor<f64>
    // CHECK: %[[RATEV:.*]] = amp.cast %[[SHARE]]
    // CHECK: amp.sgd %{{.*}}, %arg0 update %[[U]] lr %[[RATEV]] : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    // CHECK: amp.sgd %{{.*}}, %arg0 state %{{.*}} update %[[U]] lr %{{.*}} {momentum = 9.000000e-01 : f64}
    // CHECK: return %[[RATE]]
    return %g, %g : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// The global norm: squares in f64, rows then over the rows, the parameters in
// order; every gradient is scaled, and the norm reported.

// CHECK-LABEL: module
module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 5.0e-1 : f64}, clip_norm = 2.0 : f64, nonfinite = "ignore"}} {
  amp.variable @v : tensor<2x4xf32> role parameter init ones
  amp.variable @w : tensor<f32> role parameter init ones
  // CHECK-LABEL: func.func @train_step
  // CHECK-SAME: -> (tensor<f32> {amp.io = #amp.io<metric>, amp.name = "ampc.grad_norm"})
  func.func @train_step(%g: tensor<2x4xf32> {amp.name = "g", amp.io = #amp.io<input>},
                        %h: tensor<f32> {amp.name = "h", amp.io = #amp.io<input>})
      -> (tensor<2x4xf32> {amp.name = "grad.v", amp.io = #amp.io<gradient>, amp.wrt = @v},
          tensor<f32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = @w})
      attributes {amp.entry = #amp.entry<train_step>} {
    // CHECK: %[[G:.*]] = amp.cast %arg0 {{.*}} -> tensor<2x4xf64>
    // CHECK: %[[GG:.*]] = amp.mul %[[G]], %[[G]]
    // CHECK: %[[ROWS:.*]] = amp.reduce sum %[[GG]] over [1] order row accumulate f64
    // CHECK: %[[A:.*]] = amp.reduce sum %[[ROWS]] over [0] order row accumulate f64
    // CHECK: %[[H:.*]] = amp.cast %arg1
    // CHECK: %[[B:.*]] = amp.mul %[[H]], %[[H]]
    // CHECK: %[[SUM:.*]] = amp.add %[[A]], %[[B]] : tensor<f64>
    // CHECK: %[[NORM:.*]] = amp.sqrt %[[SUM]]
    // CHECK: %[[REPORT:.*]] = amp.cast %[[NORM]]
    // CHECK: %[[EPS:.*]] = amp.constant dense<9.99{{.*}}E-7> : tensor<f64>
    // CHECK: %[[PAD:.*]] = amp.add %[[NORM]], %[[EPS]]
    // CHECK: %[[TWO:.*]] = amp.constant dense<2.000000e+00> : tensor<f64>
    // CHECK: %[[SHARE:.*]] = amp.div %[[TWO]], %[[PAD]]
    // CHECK: %[[CAP:.*]] = amp.minimum %[[SHARE]]
    // CHECK: %[[C:.*]] = amp.cast %[[CAP]]
    // CHECK: %[[S:.*]] = amp.broadcast %[[C]]
    // CHECK: %[[GS:.*]] = amp.mul %arg0, %[[S]]
    // CHECK: %[[HS:.*]] = amp.mul %arg1, %[[C]]
    // CHECK: amp.sgd %{{.*}}, %[[GS]] update
    // CHECK: amp.sgd %{{.*}}, %[[HS]] update
    // CHECK: return %[[REPORT]]
    return %g, %h : tensor<2x4xf32>, tensor<f32>
  }
}

// -----

// The other schedules.

// CHECK-LABEL: module
module @cosine attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 5.0e-1 : f64}, schedule = {kind = "cosine"}}} {
  // CHECK-LABEL: func.func @train_step
  // CHECK: amp.cos
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

// CHECK-LABEL: module
module @every attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 5.0e-1 : f64}, schedule = {kind = "step", every = 30 : i64}}} {
  // CHECK-LABEL: func.func @train_step
  // CHECK: amp.constant dense<1.000000e-01> : tensor<f64>
  // CHECK: %[[E:.*]] = amp.constant dense<30> : tensor<i64>
  // CHECK: amp.floor_div %{{.*}}, %[[E]]
  // CHECK: amp.pow
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

// CHECK-LABEL: module
module @milestones attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 5.0e-1 : f64},
                 schedule = {kind = "step", milestones = [3, 9], gamma = 5.0e-1 : f64}}} {
  // CHECK-LABEL: func.func @train_step
  // CHECK: %[[A:.*]] = amp.constant dense<3> : tensor<i64>
  // CHECK: amp.compare ge %{{.*}}, %[[A]]
  // CHECK: %[[B:.*]] = amp.constant dense<9> : tensor<i64>
  // CHECK: amp.compare ge %{{.*}}, %[[B]]
  // CHECK: amp.pow
  func.func @train_step() attributes {amp.entry = #amp.entry<train_step>} {
    return
  }
}

// -----

// A scaled loss: the scale comes off before the norm is taken and clipped; the
// scaler moves after the step, applied or not (N24, N25).

// CHECK-LABEL: module @scaled
// CHECK: amp.variable @"ampc.state/scale" : tensor<f32> role scaler init constant with [1.024000e+03]
// CHECK: amp.variable @"ampc.state/good_steps" : tensor<i32> role scaler init zeros
// CHECK: amp.variable @"ampc.state/overflows" : tensor<i32> role scaler init zeros
module @scaled attributes {amp.stage = #amp.stage<typed>,
    amp.train = {optimizer = {op = "amp.sgd", lr = 5.0e-1 : f64}, clip_norm = 2.0 : f64,
                 loss_scale = {init = 1.024e3 : f64, interval = 3 : i64, hysteresis = 2 : i64}}} {
  amp.variable @w : tensor<f32> role parameter init ones
  func.func @train_step(%g: tensor<f32> {amp.name = "g", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = @w})
      attributes {amp.entry = #amp.entry<train_step>} {
    // CHECK: %[[SCALE:.*]] = amp.read @"ampc.state/scale"
    // CHECK: %[[WIDE:.*]] = amp.cast %[[SCALE]] {{.*}} -> tensor<f64>
    // CHECK: %[[INVERSE:.*]] = amp.div %{{.*}}, %[[WIDE]]
    // CHECK: %[[UNSCALE:.*]] = amp.cast %[[INVERSE]] {{.*}} -> tensor<f32>
    // CHECK: %[[ROOT:.*]] = amp.sqrt
    // CHECK: %[[NORM:.*]] = amp.mul %[[ROOT]], %[[INVERSE]]
    // CHECK: %[[REPORT:.*]] = amp.cast %[[NORM]] {{.*}} -> tensor<f32>
    // CHECK: %[[LARGEST:.*]] = amp.constant dense<3.4028234663852886E+38> : tensor<f64>
    // CHECK: %[[OK:.*]] = amp.compare le %[[NORM]], %[[LARGEST]]
    // CHECK: %[[G:.*]] = amp.mul %arg0, %[[UNSCALE]]
    // CHECK: %[[CLIPPED:.*]] = amp.mul %[[G]], %{{.*}}
    // CHECK: %[[SAFE:.*]] = amp.select %[[OK]], %[[CLIPPED]]
    // CHECK: amp.sgd %{{.*}}, %[[SAFE]]
    // CHECK: amp.select %[[OK]]
    // CHECK: amp.write @w
    // CHECK: amp.write @"ampc.state/update"
    // CHECK-NOT: amp.select %[[OK]], %{{.*}}, %[[SCALE]]
    // CHECK: %[[OVERFLOWS:.*]] = amp.select %[[OK]], %{{.*}}, %{{.*}} : tensor<i32>
    // CHECK: %[[NEXT:.*]] = amp.select %[[OK]], %{{.*}}, %{{.*}} : tensor<f32>
    // CHECK: %[[GOOD:.*]] = amp.select %[[OK]], %{{.*}}, %{{.*}} : tensor<i32>
    // CHECK: amp.write @"ampc.state/scale", %[[NEXT]]
    // CHECK-NEXT: amp.write @"ampc.state/good_steps", %[[GOOD]]
    // CHECK-NEXT: amp.write @"ampc.state/overflows", %[[OVERFLOWS]]
    // CHECK: %[[ITERATION:.*]] = amp.add %{{.*}}, %{{.*}} : tensor<i64>
    // CHECK-NEXT: amp.write @"ampc.state/iteration", %[[ITERATION]]
    return %g : tensor<f32>
  }
}

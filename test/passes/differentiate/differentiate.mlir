// RUN: %ampc-opt %s -amp-differentiate -split-input-file | FileCheck %s

// The gradient of a mean squared error through a linear layer and a ReLU.

module attributes {amp.stage = #amp.stage<typed>} {
  amp.variable @w : tensor<2x3xf32> role parameter init zeros
  amp.variable @b : tensor<2xf32> role parameter init zeros
  // CHECK-LABEL: func.func @train_step
  // CHECK-SAME: (%[[X:.*]]: tensor<4x3xf32> {{.*}}, %[[Y:.*]]: tensor<4x2xf32>
  // CHECK-SAME: tensor<2x3xf32> {amp.io = #amp.io<gradient>, amp.name = "grad.w", amp.wrt = @w}
  // CHECK-SAME: tensor<2xf32> {amp.io = #amp.io<gradient>, amp.name = "grad.b", amp.wrt = @b}
  func.func @train_step(%x: tensor<4x3xf32> {amp.name = "x", amp.io = #amp.io<input>},
                        %y: tensor<4x2xf32> {amp.name = "y", amp.io = #amp.io<target>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<2x3xf32>
    %b = amp.read @b : tensor<2xf32>
    // CHECK: %[[H:.*]] = amp.linear
    %h = amp.linear %x, %w, %b accumulate f32 : tensor<4x3xf32>, tensor<2x3xf32>, tensor<2xf32> -> tensor<4x2xf32>
    // CHECK: %[[R:.*]] = amp.relu %[[H]]
    %r = amp.relu %h : tensor<4x2xf32>
    // CHECK: %[[L:.*]] = amp.mse mean %[[R]], %[[Y]]
    %l = amp.mse mean %r, %y : tensor<4x2xf32> -> tensor<f32>
    // CHECK: %[[ONE:.*]] = amp.constant dense<1.000000e+00> : tensor<f32>
    // CHECK: %[[D:.*]] = amp.sub %[[R]], %[[Y]]
    // CHECK: %[[TWO:.*]] = amp.add %[[ONE]], %[[ONE]]
    // CHECK: %[[N:.*]] = amp.constant dense<8.000000e+00> : tensor<f32>
    // CHECK: %[[F:.*]] = amp.div %[[TWO]], %[[N]]
    // CHECK: %[[FB:.*]] = amp.broadcast %[[F]]
    // CHECK: %[[DR:.*]] = amp.mul %[[FB]], %[[D]]
    // The mask comes from the ReLU's result, the one operand it saves.
    // CHECK: %[[Z:.*]] = amp.constant dense<0.000000e+00>
    // CHECK: %[[OFF:.*]] = amp.compare le %[[R]], %[[Z]]
    // CHECK: %[[DH:.*]] = amp.select %[[OFF]], %[[Z]], %[[DR]]
    // CHECK: %[[DW:.*]] = amp.matmul %[[DH]], %[[X]] transpose_a
    // CHECK: %[[DB:.*]] = amp.reduce sum %[[DH]] over [0] order column
    // CHECK: return %[[L]], %[[DW]], %[[DB]]
    return %l : tensor<f32>
  }
}

// -----

// Two uses of one value, and two reads of one variable, sum their gradients;
// several losses are added.

module attributes {amp.stage = #amp.stage<typed>} {
  amp.variable @w : tensor<f32> role parameter init ones
  amp.variable @unused : tensor<f32> role parameter init ones
  // CHECK-LABEL: func.func @train_step
  // CHECK-SAME: amp.wrt = @w
  // CHECK-NOT: @unused
  func.func @train_step(%x: tensor<f32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "a", amp.io = #amp.io<loss>}, tensor<f32> {amp.name = "b", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    // CHECK: %[[W0:.*]] = amp.read @w
    %w0 = amp.read @w : tensor<f32>
    // CHECK: %[[W1:.*]] = amp.read @w
    %w1 = amp.read @w : tensor<f32>
    %a = amp.mul %w0, %w0 : tensor<f32>
    %b = amp.mul %w1, %x : tensor<f32>
    // CHECK-COUNT-2: amp.constant dense<1.000000e+00>
    // CHECK: amp.mul %{{.*}}, %arg0
    // CHECK: %[[GB:.*]] = amp.select
    // CHECK: amp.mul %{{.*}}, %[[W0]]
    // CHECK: %[[G0:.*]] = amp.select
    // CHECK: amp.mul %{{.*}}, %[[W0]]
    // CHECK: %[[G1:.*]] = amp.select
    // CHECK: %[[GA:.*]] = amp.add %[[G0]], %[[G1]]
    // CHECK: %[[G:.*]] = amp.add %[[GA]], %[[GB]]
    // CHECK: return %{{.*}}, %{{.*}}, %[[G]]
    return %a, %b : tensor<f32>, tensor<f32>
  }
}

// -----

// @negative_integer: no gradient passes a comparison or an integer.

module attributes {amp.stage = #amp.stage<typed>} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  // CHECK-LABEL: func.func @train_step
  // CHECK-NOT: #amp.io<gradient>
  func.func @train_step(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    %c = amp.compare lt %w, %x : tensor<4xf32>
    %f = amp.cast %c origin user : tensor<4xi1> -> tensor<4xf32>
    %l = amp.reduce sum %f over [0] order row accumulate f32 : tensor<4xf32> -> tensor<f32>
    return %l : tensor<f32>
  }
}

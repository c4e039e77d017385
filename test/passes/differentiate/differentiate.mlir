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

// The parts of a chunk give one concatenation, with zeros for the part that no
// gradient reaches; a frozen parameter gets none.

module attributes {amp.stage = #amp.stage<typed>,
    amp.train = {groups = [{names = ["v", "w"], frozen = true}, {names = ["w"], frozen = false}]}} {
  amp.variable @v : tensor<2x9xf32> role parameter init ones
  amp.variable @w : tensor<2x9xf32> role parameter init ones
  // CHECK-LABEL: func.func @train_step
  // CHECK-NOT: amp.wrt = @v
  // CHECK-SAME: amp.wrt = @w
  func.func @train_step(%x: tensor<2x3xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %v = amp.read @v : tensor<2x9xf32>
    %w = amp.read @w : tensor<2x9xf32>
    %u = amp.mul %v, %w : tensor<2x9xf32>
    %a = amp.slice %u starts [0, 6] steps [1, 1] : tensor<2x9xf32> -> tensor<2x3xf32>
    %b = amp.slice %u starts [0, 3] steps [1, 1] : tensor<2x9xf32> -> tensor<2x3xf32>
    %c = amp.slice %u starts [0, 0] steps [1, 1] : tensor<2x9xf32> -> tensor<2x3xf32>
    %p = amp.add %a, %c : tensor<2x3xf32>
    %l = amp.reduce sum %p over [0, 1] order row accumulate f32 : tensor<2x3xf32> -> tensor<f32>
    // CHECK: %[[G:.*]] = amp.broadcast {{.*}} -> tensor<2x3xf32>
    // CHECK-NOT: amp.pad
    // CHECK: %[[Z:.*]] = amp.constant dense<0.000000e+00> : tensor<2x3xf32>
    // CHECK: %[[DU:.*]] = amp.concat %[[G]], %[[Z]], %[[G]] axis 1
    // CHECK-NOT: amp.pad
    // CHECK: amp.mul {{.*}}%[[DU]]
    return %l : tensor<f32>
  }
}

// -----

// Slices that overlap, or skip, give one padded tensor each.

module attributes {amp.stage = #amp.stage<typed>} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  // CHECK-LABEL: func.func @train_step
  // CHECK-NOT: amp.concat
  // CHECK: %[[A:.*]] = amp.pad
  // CHECK: %[[B:.*]] = amp.pad
  // CHECK: %[[S:.*]] = amp.add %[[A]], %[[B]]
  // CHECK: return %{{.*}}, %[[S]]
  func.func @train_step(%x: tensor<3xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    %a = amp.slice %w starts [0] steps [1] : tensor<4xf32> -> tensor<3xf32>
    %b = amp.slice %w starts [1] steps [1] : tensor<4xf32> -> tensor<3xf32>
    %p = amp.add %a, %b : tensor<3xf32>
    %l = amp.reduce sum %p over [0] order row accumulate f32 : tensor<3xf32> -> tensor<f32>
    return %l : tensor<f32>
  }
}

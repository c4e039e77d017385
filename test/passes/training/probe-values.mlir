// RUN: %ampc-opt %s -amp-probe-values | FileCheck %s --check-prefixes=CHECK,RANGE
// RUN: %ampc-opt %s -amp-probe-values=show=value | FileCheck %s --check-prefixes=CHECK,VALUE
// RUN: %ampc-opt %s -amp-probe-values=values=boundary | FileCheck %s --check-prefix=BOUNDARY
// RUN: not %ampc-opt %s -amp-probe-values=values=some 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: error: amp-probe-values expects values all or boundary and show range or value, got 'some' and 'range'

// Inputs, variables and op results in program order, each made of those before
// it; what only moves elements is looked through; an infinite constant is meant. What
// no loss is made of belongs to a gradient.

// CHECK-LABEL: func.func @train_step
// RANGE-SAME: tensor<2xf32> {amp.io = #amp.io<probe>, amp.name = "ampc.probe.0", amp.probe = #amp.probe<op = "input", path = "x", type = tensor<4xf32>, backward = false, infinite = false, inputs = []>}
// VALUE-SAME: tensor<4xf32> {amp.io = #amp.io<probe>, amp.name = "ampc.probe.0", amp.probe = #amp.probe<op = "input", path = "x", type = tensor<4xf32>, backward = false, infinite = false, inputs = []>}
// CHECK-SAME: #amp.probe<op = "read", path = "w", type = tensor<4xf32>, backward = false, infinite = false, inputs = []>
// CHECK-SAME: "ampc.probe.2", amp.probe = #amp.probe<op = "cast", path = "", type = tensor<4xf16>, backward = true, infinite = false, inputs = [0]>
// CHECK-SAME: #amp.probe<op = "mul", path = "layer", type = tensor<4xf32>, backward = false, infinite = false, inputs = [0, 1]>
// CHECK-SAME: #amp.probe<op = "select", path = "layer", type = tensor<4xf32>, backward = false, infinite = true, inputs = [3]>
// CHECK-SAME: #amp.probe<op = "exp", path = "layer", type = tensor<4xf32>, backward = false, infinite = false, inputs = [4]>
// CHECK-SAME: #amp.probe<op = "reduce", path = "", type = tensor<f32>, backward = false, infinite = false, inputs = [5]>
// CHECK-SAME: #amp.probe<op = "gradient", path = "w", type = tensor<4xf32>, backward = true, infinite = false, inputs = [5, 7]>
// RANGE: amp.reduce min %arg0 over [0]
// RANGE: amp.reduce max %arg0 over [0]
// VALUE-NOT: amp.reduce min

// Between calls alone: the product and the mask stay inside the layer, the exponential leaves it moved,
// the cast has a user in another call.
// BOUNDARY-LABEL: func.func @train_step
// BOUNDARY-SAME: op = "input"
// BOUNDARY-SAME: op = "read"
// BOUNDARY-NOT: op = "mul"
// BOUNDARY-NOT: op = "select"
// BOUNDARY-SAME: "ampc.probe.2", amp.probe = #amp.probe<op = "exp", path = "layer", type = tensor<4xf32>, backward = false, infinite = false, inputs = [0, 1]>
// BOUNDARY-SAME: op = "reduce"
// BOUNDARY-SAME: op = "gradient"
module attributes {amp.stage = #amp.stage<typed>} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  func.func @train_step(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>},
                        %m: tensor<4xi1> {amp.name = "m", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>},
          tensor<4xf32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = @w})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<4xf32>
    %narrow = amp.cast %x origin user : tensor<4xf32> -> tensor<4xf16>
    %flat = amp.reshape %x : tensor<4xf32> -> tensor<4xf32>
    %p = amp.mul %flat, %w : tensor<4xf32> loc("layer")
    %inf = amp.constant dense<0xFF800000> : tensor<4xf32>
    %s = amp.select %m, %p, %inf : tensor<4xf32> loc("layer")
    %e = amp.exp %s : tensor<4xf32> loc("layer")
    %moved = amp.reshape %e : tensor<4xf32> -> tensor<4xf32> loc("layer")
    %l = amp.reduce sum %moved over [0] order row accumulate f32 : tensor<4xf32> -> tensor<f32>
    %wide = amp.cast %narrow origin policy : tensor<4xf16> -> tensor<4xf32>
    %g = amp.mul %moved, %wide : tensor<4xf32>
    return %l, %g : tensor<f32>, tensor<4xf32>
  }
}

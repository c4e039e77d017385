// RUN: %ampc-opt %s "-amp-differentiate=entry=gradient output=p" -split-input-file | FileCheck %s

// Every float input and parameter gets a gradient, seeded by an argument; what
// the output does not reach gets zero.

module attributes {amp.stage = #amp.stage<typed>} {
  amp.variable @w : tensor<4xf32> role parameter init ones
  // CHECK-LABEL: func.func @gradient
  // CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32> {amp.io = #amp.io<input>, amp.name = "x"}
  // CHECK-SAME: %[[Z:[^:]*]]: tensor<2xf32>
  // CHECK-SAME: %[[I:[^:]*]]: tensor<2xi32>
  // CHECK-SAME: %[[G:[^:]*]]: tensor<4xf32> {amp.io = #amp.io<input>, amp.name = "grad.p"}
  // CHECK-SAME: amp.name = "grad.x", amp.wrt = "x"
  // CHECK-SAME: amp.name = "grad.z", amp.wrt = "z"
  // CHECK-SAME: amp.name = "grad.w", amp.wrt = @w
  func.func @gradient(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>},
                      %z: tensor<2xf32> {amp.name = "z", amp.io = #amp.io<input>},
                      %i: tensor<2xi32> {amp.name = "i", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<gradient>} {
    // CHECK: %[[W:.*]] = amp.read @w
    %w = amp.read @w : tensor<4xf32>
    %p = amp.mul %x, %w : tensor<4xf32>
    // A zero gradient stays zero whatever it meets (N15).
    // CHECK: %[[PX:.*]] = amp.mul %[[G]], %[[W]]
    // CHECK: %[[NONE:.*]] = amp.compare eq %[[G]]
    // CHECK: %[[GX:.*]] = amp.select %[[NONE]], %{{.*}}, %[[PX]]
    // CHECK: %[[PW:.*]] = amp.mul %[[G]], %[[X]]
    // CHECK: %[[GW:.*]] = amp.select %{{.*}}, %{{.*}}, %[[PW]]
    // CHECK: %[[GZ:.*]] = amp.constant dense<0.000000e+00> : tensor<2xf32>
    // CHECK: return %{{.*}}, %[[GX]], %[[GZ]], %[[GW]]
    return %p : tensor<4xf32>
  }
}

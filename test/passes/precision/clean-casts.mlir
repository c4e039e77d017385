// RUN: %ampc-opt %s -amp-clean-casts -split-input-file | FileCheck %s

// A parameter's gradient is f32 from its last sums on (N7): the product and the
// sum that a narrow weight made narrow give f32, two uses add up in f32.

module attributes {amp.stage = #amp.stage<typed>} {
  // CHECK-LABEL: @train_step
  func.func @train_step(%g: tensor<8x4xbf16>, %x: tensor<8x4xbf16>)
      -> (tensor<4x4xf32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = @w}) {
    // CHECK-NEXT: %[[A:.*]] = amp.matmul %arg0, %arg1 transpose_a accumulate f32 : {{.*}} -> tensor<4x4xf32>
    // CHECK-NEXT: %[[B:.*]] = amp.matmul %arg1, %arg0 transpose_a accumulate f32 : {{.*}} -> tensor<4x4xf32>
    // CHECK-NEXT: %[[S:.*]] = amp.add %[[A]], %[[B]] : tensor<4x4xf32>
    // CHECK-NEXT: return %[[S]]
    %0 = amp.matmul %g, %x transpose_a accumulate f32 : tensor<8x4xbf16>, tensor<8x4xbf16> -> tensor<4x4xbf16>
    %1 = amp.matmul %x, %g transpose_a accumulate f32 : tensor<8x4xbf16>, tensor<8x4xbf16> -> tensor<4x4xbf16>
    %2 = amp.add %0, %1 : tensor<4x4xbf16>
    %3 = amp.cast %2 origin policy : tensor<4x4xbf16> -> tensor<4x4xf32>
    return %3 : tensor<4x4xf32>
  }
}

// -----

// Another use wants the narrow value: it keeps its rounding.

module attributes {amp.stage = #amp.stage<typed>} {
  // CHECK-LABEL: @shared
  func.func @shared(%g: tensor<8x4xbf16>, %x: tensor<8x4xbf16>)
      -> (tensor<4x4xf32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = @w},
          tensor<4x4xbf16> {amp.name = "o", amp.io = #amp.io<output>}) {
    // CHECK-NEXT: %[[A:.*]] = amp.matmul {{.*}} -> tensor<4x4xbf16>
    // CHECK-NEXT: %[[W:.*]] = amp.cast %[[A]] origin policy
    // CHECK-NEXT: return %[[W]], %[[A]]
    %0 = amp.matmul %g, %x transpose_a accumulate f32 : tensor<8x4xbf16>, tensor<8x4xbf16> -> tensor<4x4xbf16>
    %1 = amp.cast %0 origin policy : tensor<4x4xbf16> -> tensor<4x4xf32>
    return %1, %0 : tensor<4x4xf32>, tensor<4x4xbf16>
  }

  // An exact cast and back goes; a rounding and back stays, and so do the casts
  // that the model writes (N2).
  // CHECK-LABEL: @round_trips
  func.func @round_trips(%x: tensor<4xbf16>, %y: tensor<4xf32>) -> (tensor<4xbf16>, tensor<4xf32>, tensor<4xbf16>) {
    // CHECK: %[[R:.*]] = amp.cast %arg1 origin policy : tensor<4xf32> -> tensor<4xbf16>
    // CHECK-NEXT: %[[S:.*]] = amp.cast %[[R]] origin policy : tensor<4xbf16> -> tensor<4xf32>
    // CHECK-NEXT: %[[T:.*]] = amp.cast %arg0 origin user
    // CHECK-NEXT: %[[U:.*]] = amp.cast %[[T]] origin user
    // CHECK-NEXT: return %arg0, %[[S]], %[[U]]
    %0 = amp.cast %x origin policy : tensor<4xbf16> -> tensor<4xf32>
    %1 = amp.cast %0 origin policy : tensor<4xf32> -> tensor<4xbf16>
    %2 = amp.cast %y origin policy : tensor<4xf32> -> tensor<4xbf16>
    %3 = amp.cast %2 origin policy : tensor<4xbf16> -> tensor<4xf32>
    %4 = amp.cast %x origin user : tensor<4xbf16> -> tensor<4xf32>
    %5 = amp.cast %4 origin user : tensor<4xf32> -> tensor<4xbf16>
    return %1, %3, %5 : tensor<4xbf16>, tensor<4xf32>, tensor<4xbf16>
  }
}

// -----

// What moves or adds elements on the way is wide as well: reshapes, transposes,
// concatenations, scatters, sums; a value of the narrow type that comes from
// outside is widened where it stands.

module attributes {amp.stage = #amp.stage<typed>} {
  // CHECK-LABEL: @moves
  func.func @moves(%g: tensor<8x4xbf16>, %i: tensor<3xi32>, %u: tensor<3x4xbf16>, %o: tensor<8x8xbf16>)
      -> (tensor<4x8xf32> {amp.name = "grad.w", amp.io = #amp.io<gradient>, amp.wrt = @w},
          tensor<8x4xf32> {amp.name = "grad.t", amp.io = #amp.io<gradient>, amp.wrt = @t},
          tensor<4xf32> {amp.name = "grad.b", amp.io = #amp.io<gradient>, amp.wrt = @b}) {
    // CHECK: %[[U:.*]] = amp.cast %arg2 origin policy : tensor<3x4xbf16> -> tensor<3x4xf32>
    // CHECK: %[[A:.*]] = amp.matmul {{.*}} -> tensor<4x4xf32>
    // CHECK: %[[B:.*]] = amp.matmul {{.*}} -> tensor<4x4xf32>
    // CHECK: %[[C:.*]] = amp.concat {{.*}} -> tensor<8x4xf32>
    // CHECK: %[[T:.*]] = amp.transpose %[[C]] {{.*}} -> tensor<4x8xf32>
    // CHECK: %[[S:.*]] = amp.scatter_rows %arg1, %[[U]] {{.*}} -> tensor<8x4xf32>
    // CHECK: %[[R:.*]] = amp.reduce sum %arg0 {{.*}} -> tensor<4xf32>
    // CHECK: return %[[T]], %[[S]], %[[R]]
    %0 = amp.matmul %g, %g transpose_a accumulate f32 : tensor<8x4xbf16>, tensor<8x4xbf16> -> tensor<4x4xbf16>
    %1 = amp.matmul %u, %u transpose_a accumulate f32 : tensor<3x4xbf16>, tensor<3x4xbf16> -> tensor<4x4xbf16>
    %2 = amp.concat %0, %1 axis 0 : tensor<4x4xbf16>, tensor<4x4xbf16> -> tensor<8x4xbf16>
    %3 = amp.cast %2 origin policy : tensor<8x4xbf16> -> tensor<8x4xf32>
    %4 = amp.transpose %3 perm [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
    %5 = amp.scatter_rows %i, %u axis 0 : tensor<3xi32>, tensor<3x4xbf16> -> tensor<8x4xbf16>
    %6 = amp.cast %5 origin policy : tensor<8x4xbf16> -> tensor<8x4xf32>
    %7 = amp.reduce sum %g over [0] order column accumulate f32 : tensor<8x4xbf16> -> tensor<4xbf16>
    %8 = amp.cast %7 origin policy : tensor<4xbf16> -> tensor<4xf32>
    return %4, %6, %8 : tensor<4x8xf32>, tensor<8x4xf32>, tensor<4xf32>
  }

  // A gradient that is an argument, widened: no sum stands before it.
  // CHECK-LABEL: @outside
  func.func @outside(%g: tensor<4xbf16>)
      -> (tensor<4xf32> {amp.name = "grad.x", amp.io = #amp.io<gradient>, amp.wrt = "x"}) {
    // CHECK-NEXT: %[[W:.*]] = amp.cast %arg0 origin policy
    // CHECK-NEXT: return %[[W]]
    %0 = amp.cast %g origin policy : tensor<4xbf16> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// RUN: %ampc-opt %s -amp-assign-precision=precision=bf16 -split-input-file | FileCheck %s

// A contraction takes and gives bf16, its bias stays f32; what follows it stays
// bf16 until something needs f32. One cast a value and type (N20, N21).

// CHECK-LABEL: @layer
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>
module attributes {amp.stage = #amp.stage<model>} {
  amp.variable @w : tensor<16x4xf32> role parameter init zeros
  amp.variable @b : tensor<16xf32> role parameter init zeros
  func.func @layer(%x: tensor<8x4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<8x16xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    // CHECK-NEXT: %[[XN:.*]] = amp.cast %[[X]] origin policy {amp.reason = #amp.reason<lower>} : tensor<8x4xf32> -> tensor<8x4xbf16>
    // CHECK-NEXT: %[[W:.*]] = amp.read @w
    // CHECK-NEXT: %[[WN:.*]] = amp.cast %[[W]] origin policy {amp.reason = #amp.reason<lower>} : tensor<16x4xf32> -> tensor<16x4xbf16>
    // CHECK-NEXT: %[[B:.*]] = amp.read @b
    // CHECK-NEXT: %[[L:.*]] = amp.linear %[[XN]], %[[WN]], %[[B]] accumulate f32 {amp.reason = #amp.reason<lower>} : tensor<8x4xbf16>, tensor<16x4xbf16>, tensor<16xf32> -> tensor<8x16xbf16>
    // CHECK-NEXT: %[[M:.*]] = amp.linear %[[XN]], %[[WN]] accumulate f32 {{.*}} -> tensor<8x16xbf16>
    // CHECK-NEXT: %[[S:.*]] = amp.add %[[L]], %[[M]] {amp.reason = #amp.reason<follow_cut>} : tensor<8x16xbf16>
    // CHECK-NEXT: %[[Y:.*]] = amp.cast %[[S]] origin policy {{.*}} : tensor<8x16xbf16> -> tensor<8x16xf32>
    // CHECK-NEXT: return %[[Y]]
    %w = amp.read @w : tensor<16x4xf32>
    %b = amp.read @b : tensor<16xf32>
    %0 = amp.linear %x, %w, %b accumulate f32 : tensor<8x4xf32>, tensor<16x4xf32>, tensor<16xf32> -> tensor<8x16xf32>
    %1 = amp.linear %x, %w accumulate f32 : tensor<8x4xf32>, tensor<16x4xf32> -> tensor<8x16xf32>
    %2 = amp.add %0, %1 : tensor<8x16xf32>
    return %2 : tensor<8x16xf32>
  }
}

// -----

// Softmax computes in f32; its result is bf16 as its one user takes it so, and
// f32 where another user wants f32.

module attributes {amp.stage = #amp.stage<model>} {
  // CHECK-LABEL: @inside
  func.func @inside(%x: tensor<8x8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<8x8xf32> {amp.name = "y", amp.io = #amp.io<output>},
          tensor<8x8xf32> {amp.name = "z", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    // CHECK: %[[P:.*]] = amp.matmul {{.*}} -> tensor<8x8xbf16>
    // CHECK-NEXT: %[[S:.*]] = amp.softmax %[[P]] {amp.reason = #amp.reason<f32_inside>} : tensor<8x8xbf16>
    // CHECK-NEXT: %[[Q:.*]] = amp.matmul %[[S]], %[[S]]
    // CHECK-NEXT: %[[W:.*]] = amp.cast %[[Q]] {{.*}} -> tensor<8x8xf32>
    // CHECK-NEXT: %[[T:.*]] = amp.softmax %[[W]] {amp.reason = #amp.reason<f32_inside>} : tensor<8x8xf32>
    // CHECK-NEXT: return %[[T]], %[[W]]
    %0 = amp.matmul %x, %x accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %1 = amp.softmax %0 : tensor<8x8xf32>
    %2 = amp.matmul %1, %1 accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %3 = amp.softmax %2 : tensor<8x8xf32>
    return %3, %2 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}

// -----

// A constant that bf16 holds is bf16; one that it rounds stays f32, and the op
// rounds its result instead (N5).

module attributes {amp.stage = #amp.stage<model>} {
  // CHECK-LABEL: @constants
  func.func @constants(%x: tensor<8x8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<8x8xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    // CHECK: %[[P:.*]] = amp.matmul
    // CHECK: %[[H:.*]] = amp.constant dense<5.000000e-01> : tensor<8x8xbf16>
    // CHECK: %[[C:.*]] = amp.constant dense<1.000000e-01> : tensor<8x8xf32>
    // CHECK: %[[A:.*]] = amp.mul %[[P]], %[[H]] {{.*}} : tensor<8x8xbf16>
    // CHECK-NEXT: %[[W:.*]] = amp.cast %[[A]] {{.*}} -> tensor<8x8xf32>
    // CHECK-NEXT: %[[M:.*]] = amp.mul %[[W]], %[[C]] {amp.reason = #amp.reason<follow_cut>} : tensor<8x8xf32>
    // CHECK-NEXT: %[[R:.*]] = amp.cast %[[M]] {{.*}} -> tensor<8x8xbf16>
    // CHECK-NEXT: amp.matmul %[[R]], %[[R]]
    %0 = amp.matmul %x, %x accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %h = amp.constant dense<0.5> : tensor<8x8xf32>
    %c = amp.constant dense<0.1> : tensor<8x8xf32>
    %1 = amp.mul %0, %h : tensor<8x8xf32>
    %2 = amp.mul %1, %c : tensor<8x8xf32>
    %3 = amp.matmul %2, %2 accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}

// -----

// The text wins: a path and a kind of op that precision { } names; types that
// the model writes; user casts (N2).

module attributes {amp.stage = #amp.stage<model>,
                   amp.precision = [{patterns = ["head"], type = f32},
                                    {patterns = ["op:softmax"], type = bf16}]} {
  // CHECK-LABEL: @overrides
  func.func @overrides(%x: tensor<8x8xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<8x8xf32> {amp.name = "y", amp.io = #amp.io<output>},
          tensor<8x8xf16> {amp.name = "z", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    // CHECK: amp.matmul %{{.*}}, %{{.*}} {{.*}}<user_override>} : tensor<8x8xf32>
    // CHECK: amp.softmax %{{.*}} {{.*}}<user_override>} : tensor<8x8xbf16>
    // CHECK: %[[H:.*]] = amp.cast %{{.*}} origin user : tensor<8x8xf32> -> tensor<8x8xf16>
    // CHECK-NEXT: %[[G:.*]] = amp.add %[[H]], %[[H]] : tensor<8x8xf16>
    %0 = amp.matmul %x, %x accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32> loc("head")
    %1 = amp.softmax %0 : tensor<8x8xf32>
    %2 = amp.cast %x origin user : tensor<8x8xf32> -> tensor<8x8xf16>
    %3 = amp.add %2, %2 : tensor<8x8xf16>
    return %1, %3 : tensor<8x8xf32>, tensor<8x8xf16>
  }
}

// -----

// The loss and scalars are f32 (N24); integers have no precision.

module attributes {amp.stage = #amp.stage<model>} {
  // CHECK-LABEL: @loss
  func.func @loss(%x: tensor<8x8xf32> {amp.name = "x", amp.io = #amp.io<input>},
                  %l: tensor<8xi32> {amp.name = "l", amp.io = #amp.io<target>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<forward>} {
    // CHECK: %[[P:.*]] = amp.matmul {{.*}} -> tensor<8x8xbf16>
    // CHECK: %[[W:.*]] = amp.cast %[[P]] {{.*}} -> tensor<8x8xf32>
    // CHECK: amp.cross_entropy mean %[[W]]
    // CHECK-SAME: #amp.reason<loss>
    %0 = amp.matmul %x, %x accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %1, %m, %s = amp.cross_entropy mean %0, %l ignore -100 smoothing 0.0
        : tensor<8x8xf32>, tensor<8xi32> -> tensor<f32>, tensor<8xf32>, tensor<8xf32>
    return %1 : tensor<f32>
  }
}

// -----

// A loss of each row sums in f32 and is rounded for a product that reads it; an
// override of the loss itself changes nothing (N24).

module attributes {amp.stage = #amp.stage<model>, amp.precision = [{patterns = ["op:mse"], type = f16}]} {
  // CHECK-LABEL: @rows
  func.func @rows(%x: tensor<8x8xf32> {amp.name = "x", amp.io = #amp.io<input>},
                  %l: tensor<8xi32> {amp.name = "l", amp.io = #amp.io<target>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>},
          tensor<1x1xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    // CHECK: %[[T:.*]], %{{.*}}, %{{.*}} = amp.cross_entropy none %{{.*}} : tensor<8x8xf32>, tensor<8xi32> -> tensor<8xf32>
    // CHECK: amp.cast %{{.*}} origin policy {{.*}} -> tensor<{{.*}}bf16>
    // CHECK: amp.matmul {{.*}} -> tensor<1x1xbf16>
    // CHECK: amp.mse mean %{{.*}} {amp.reason = #amp.reason<loss>} : tensor<8x8xf32> -> tensor<f32>
    %0 = amp.matmul %x, %x accumulate f32 : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
    %1, %m, %s = amp.cross_entropy none %0, %l ignore -100 smoothing 0.0
        : tensor<8x8xf32>, tensor<8xi32> -> tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    %2 = amp.reshape %1 : tensor<8xf32> -> tensor<1x8xf32>
    %3 = amp.matmul %2, %2 transpose_b accumulate f32 : tensor<1x8xf32>, tensor<1x8xf32> -> tensor<1x1xf32>
    %4 = amp.mse mean %0, %x : tensor<8x8xf32> -> tensor<f32>
    return %4, %3 : tensor<f32>, tensor<1x1xf32>
  }
}

// -----

// A view of a parameter is narrow: the cast stands at the read, where the
// optimizer's copy takes its place (N22).

module attributes {amp.stage = #amp.stage<model>} {
  amp.variable @p : tensor<24xf32> role parameter init zeros
  // CHECK-LABEL: @view
  func.func @view(%x: tensor<8x4xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<8x6xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    // CHECK: %[[P:.*]] = amp.read @p
    // CHECK-NEXT: %[[N:.*]] = amp.cast %[[P]] origin policy
    // CHECK-NEXT: %[[V:.*]] = amp.reshape %[[N]] {{.*}} : tensor<24xbf16> -> tensor<4x6xbf16>
    %p = amp.read @p : tensor<24xf32>
    %0 = amp.reshape %p : tensor<24xf32> -> tensor<4x6xf32>
    %1 = amp.matmul %x, %0 accumulate f32 : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
    return %1 : tensor<8x6xf32>
  }
}

// -----

// A computed bias in a third format is widened: it is kept wide or in the op's
// type.

module attributes {amp.stage = #amp.stage<model>,
                   amp.precision = [{patterns = ["op:relu"], type = f16}]} {
  // CHECK-LABEL: @third
  func.func @third(%x: tensor<8x4xf32> {amp.name = "x", amp.io = #amp.io<input>},
                   %w: tensor<6x4xf32> {amp.name = "w", amp.io = #amp.io<input>},
                   %b: tensor<6xf32> {amp.name = "b", amp.io = #amp.io<input>})
      -> (tensor<8x6xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<forward>} {
    // CHECK: %[[R:.*]] = amp.relu {{.*}} : tensor<6xf16>
    // CHECK: %[[W:.*]] = amp.cast %[[R]] {{.*}} -> tensor<6xf32>
    // CHECK: amp.linear %{{.*}}, %{{.*}}, %[[W]] {{.*}} tensor<6xf32> -> tensor<8x6xbf16>
    %0 = amp.relu %b : tensor<6xf32>
    %1 = amp.linear %x, %w, %0 accumulate f32 : tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32> -> tensor<8x6xf32>
    return %1 : tensor<8x6xf32>
  }
}

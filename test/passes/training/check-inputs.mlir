// RUN: %ampc-opt %s -amp-check-inputs -split-input-file | FileCheck %s

// An index that is an input is checked whole; casts to wider integers and views
// are looked through.

// CHECK-LABEL: func.func @infer
// CHECK-SAME: amp.index_range = [#amp.index_range<low = 0, high = 10, offset = 0, extents = [6], strides = [1], noun = "index", op = "take", loc = loc("m.amp":4:7)>]
// CHECK-SAME: amp.name = "i"
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<10x8xf32> role parameter init ones
  func.func @infer(%i: tensor<2x3xi32> {amp.name = "i", amp.io = #amp.io<input>})
      -> (tensor<6x8xf32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>} {
    %w = amp.read @w : tensor<10x8xf32>
    %0 = amp.reshape %i : tensor<2x3xi32> -> tensor<6xi32>
    %1 = amp.cast %0 origin user : tensor<6xi32> -> tensor<6xi64>
    %2 = amp.take %w, %1 axis 0 : tensor<10x8xf32>, tensor<6xi64> -> tensor<6x8xf32> loc("m.amp":4:7)
    return %2 : tensor<6x8xf32>
  }
}

// -----

// A slice is checked where it stands, a reshape of it too; labels are called so
// and may be ignored.

// CHECK-LABEL: func.func @eval_step
// CHECK-SAME: #amp.index_range<low = 0, high = 5, ignore = -100 : i64, offset = 1, extents = [2, 3], strides = [4, 1], noun = "label", op = "nll"
module attributes {amp.stage = #amp.stage<step>} {
  func.func @eval_step(%y: tensor<2x4xi32> {amp.name = "y", amp.io = #amp.io<target>},
                       %x: tensor<6x5xf32> {amp.name = "x", amp.io = #amp.io<input>})
      -> (tensor<f32> {amp.name = "s", amp.io = #amp.io<partial>})
      attributes {amp.entry = #amp.entry<eval_step>} {
    %0 = amp.slice %y starts [0, 1] steps [1, 1] : tensor<2x4xi32> -> tensor<2x3xi32>
    %1 = amp.reshape %0 : tensor<2x3xi32> -> tensor<6xi32>
    %l = amp.nll sum %x, %1 ignore -100 : tensor<6x5xf32>, tensor<6xi32> -> tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// A slice of a slice, transposed, with steps.

// CHECK-LABEL: func.func @infer
// CHECK-SAME: offset = 9, extents = [2, 2], strides = [4, 16]
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<10xf32> role parameter init ones
  func.func @infer(%i: tensor<4x8xi32> {amp.name = "i", amp.io = #amp.io<input>})
      -> (tensor<2x2xf32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>} {
    %w = amp.read @w : tensor<10xf32>
    %0 = amp.slice %i starts [1, 1] steps [1, 2] : tensor<4x8xi32> -> tensor<3x4xi32>
    %1 = amp.slice %0 starts [0, 0] steps [2, 2] : tensor<3x4xi32> -> tensor<2x2xi32>
    %2 = amp.transpose %1 perm [1, 0] : tensor<2x2xi32> -> tensor<2x2xi32>
    %3 = amp.take %w, %2 axis 0 : tensor<10xf32>, tensor<2x2xi32> -> tensor<2x2xf32>
    return %3 : tensor<2x2xf32>
  }
}

// -----

// What is computed, narrowed or sliced in an order that no strides give is not
// checked.

// CHECK-LABEL: func.func @infer
// CHECK-NOT: amp.index_range
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<10xf32> role parameter init ones
  func.func @infer(%i: tensor<4xi64> {amp.name = "i", amp.io = #amp.io<input>},
                   %j: tensor<2x4xi32> {amp.name = "j", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "a", amp.io = #amp.io<output>},
          tensor<4xf32> {amp.name = "b", amp.io = #amp.io<output>},
          tensor<2xf32> {amp.name = "c", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>} {
    %w = amp.read @w : tensor<10xf32>
    %0 = amp.add %i, %i : tensor<4xi64>
    %1 = amp.take %w, %0 axis 0 : tensor<10xf32>, tensor<4xi64> -> tensor<4xf32>
    %2 = amp.cast %i origin user : tensor<4xi64> -> tensor<4xi8>
    %3 = amp.cast %2 origin user : tensor<4xi8> -> tensor<4xi32>
    %4 = amp.take %w, %3 axis 0 : tensor<10xf32>, tensor<4xi32> -> tensor<4xf32>
    %5 = amp.slice %j starts [0, 1] steps [1, 1] : tensor<2x4xi32> -> tensor<2x3xi32>
    %6 = amp.reshape %5 : tensor<2x3xi32> -> tensor<6xi32>
    %7 = amp.slice %6 starts [2] steps [1] : tensor<6xi32> -> tensor<2xi32>
    %8 = amp.take %w, %7 axis 0 : tensor<10xf32>, tensor<2xi32> -> tensor<2xf32>
    return %1, %4, %8 : tensor<4xf32>, tensor<4xf32>, tensor<2xf32>
  }
}

// RUN: %ampc-opt %s -amp-check-indices -split-input-file | FileCheck %s

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

// What is computed, narrowed or sliced in an order that no strides give is
// checked in the entry: the result says which check failed first, at which
// position and with which element. The later ops that ask the same add nothing.

// CHECK-LABEL: func.func @infer
// CHECK-NOT: amp.index_range{{.*}}) -> (
// CHECK-SAME: tensor<3xi64> {amp.index_range = [#amp.index_range<low = 0, high = 10, offset = 0, extents = [4], strides = [1], noun = "index", op = "take"
// CHECK-SAME: #amp.index_range<low = 0, high = 10, offset = 0, extents = [2, 2], strides = [2, 1], noun = "index", op = "take"
// CHECK-SAME: #amp.index_range<low = 0, high = 10, offset = 0, extents = [2], strides = [1], noun = "index", op = "take"
// CHECK-SAME: amp.io = #amp.io<fault>, amp.name = "ampc.fault"}
// CHECK: %[[SUM:.*]] = amp.add
// CHECK-NEXT: %[[P0:.*]], %[[E0:.*]] = amp.first_outside %[[SUM]] low 0 high 10 : tensor<4xi64>
// CHECK-NEXT: amp.take %{{.*}}, %[[SUM]]
// CHECK-NEXT: amp.take %{{.*}}, %[[SUM]]
// CHECK: %[[P1:.*]], %[[E1:.*]] = amp.first_outside %{{.*}} low 0 high 10 : tensor<2x2xi32>
// CHECK: %[[P2:.*]], %[[E2:.*]] = amp.first_outside %{{.*}} low 0 high 10 : tensor<2xi32>
// CHECK-DAG: %[[NONE:.*]] = amp.constant dense<-1> : tensor<i64>
// CHECK: %[[HIT2:.*]] = amp.compare ge %[[P2]]
// CHECK: %[[N2:.*]] = amp.select %[[HIT2]], %{{.*}}, %[[NONE]]
// CHECK: %[[HIT1:.*]] = amp.compare ge %[[P1]]
// CHECK: %[[N1:.*]] = amp.select %[[HIT1]], %{{.*}}, %[[N2]]
// CHECK: %[[P12:.*]] = amp.select %[[HIT1]], %[[P1]], %[[P2]]
// CHECK: %[[E12:.*]] = amp.select %[[HIT1]], %[[E1]], %[[E2]]
// CHECK: %[[HIT0:.*]] = amp.compare ge %[[P0]]
// CHECK: %[[N0:.*]] = amp.select %[[HIT0]], %{{.*}}, %[[N1]]
// CHECK: amp.select %[[HIT0]], %[[P0]], %[[P12]]
// CHECK: amp.select %[[HIT0]], %[[E0]], %[[E12]]
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<10xf32> role parameter init ones
  func.func @infer(%i: tensor<4xi64> {amp.name = "i", amp.io = #amp.io<input>},
                   %k: tensor<2x2xi64> {amp.name = "k", amp.io = #amp.io<input>},
                   %j: tensor<2x4xi32> {amp.name = "j", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "a", amp.io = #amp.io<output>},
          tensor<4xf32> {amp.name = "b", amp.io = #amp.io<output>},
          tensor<2x2xf32> {amp.name = "c", amp.io = #amp.io<output>},
          tensor<2xf32> {amp.name = "d", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>} {
    %w = amp.read @w : tensor<10xf32>
    %0 = amp.add %i, %i : tensor<4xi64>
    %1 = amp.take %w, %0 axis 0 : tensor<10xf32>, tensor<4xi64> -> tensor<4xf32>
    %2 = amp.take %w, %0 axis 0 : tensor<10xf32>, tensor<4xi64> -> tensor<4xf32>
    %3 = amp.cast %k origin user : tensor<2x2xi64> -> tensor<2x2xi8>
    %4 = amp.cast %3 origin user : tensor<2x2xi8> -> tensor<2x2xi32>
    %5 = amp.take %w, %4 axis 0 : tensor<10xf32>, tensor<2x2xi32> -> tensor<2x2xf32>
    %6 = amp.slice %j starts [0, 1] steps [1, 1] : tensor<2x4xi32> -> tensor<2x3xi32>
    %7 = amp.reshape %6 : tensor<2x3xi32> -> tensor<6xi32>
    %8 = amp.slice %7 starts [2] steps [1] : tensor<6xi32> -> tensor<2xi32>
    %9 = amp.take %w, %8 axis 0 : tensor<10xf32>, tensor<2xi32> -> tensor<2xf32>
    return %1, %2, %5, %9 : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>
  }
}

// -----

// A step writes old values after a fault; a variable that it does not read is
// read for that.

// CHECK-LABEL: func.func @train_step
// CHECK: %[[COUNT:.*]] = amp.read @count
// CHECK: %[[W:.*]] = amp.read @w
// CHECK: %[[P:.*]], %{{.*}} = amp.first_outside %{{.*}} low 0 high 5 ignore -100 : tensor<6xi32>
// CHECK: %[[N:.*]] = amp.select
// CHECK: %[[GOOD:.*]] = amp.compare lt %[[N]]
// CHECK: %[[ALL:.*]] = amp.broadcast %[[GOOD]] along [] : tensor<i1> -> tensor<6x5xi1>
// CHECK: %[[NEXT:.*]] = amp.select %[[ALL]], %{{.*}}, %[[W]] : tensor<6x5xf32>
// CHECK: amp.write @w, %[[NEXT]]
// CHECK: %[[COUNTED:.*]] = amp.select %[[GOOD]], %{{.*}}, %[[COUNT]] : tensor<f32>
// CHECK: amp.write @count, %[[COUNTED]]
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<6x5xf32> role parameter init ones
  amp.variable @count : tensor<f32> role counter init zeros
  func.func @train_step(%y: tensor<6xi32> {amp.name = "y", amp.io = #amp.io<target>})
      -> (tensor<f32> {amp.name = "loss", amp.io = #amp.io<loss>})
      attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<6x5xf32>
    %0 = amp.sub %y, %y : tensor<6xi32>
    %l = amp.nll sum %w, %0 ignore -100 : tensor<6x5xf32>, tensor<6xi32> -> tensor<f32>
    %1 = amp.add %w, %w : tensor<6x5xf32>
    amp.write @w, %1 : tensor<6x5xf32>
    amp.write @count, %l : tensor<f32>
    return %l : tensor<f32>
  }
}

// -----

// What cannot leave the range is not checked.

// CHECK-LABEL: func.func @infer
// CHECK-NOT: amp.index_range
// CHECK-NOT: amp.first_outside
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<10xf32> role parameter init ones
  func.func @infer(%x: tensor<4x10xf32> {amp.name = "x", amp.io = #amp.io<input>},
                   %i: tensor<4xi32> {amp.name = "i", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "a", amp.io = #amp.io<output>},
          tensor<4xf32> {amp.name = "b", amp.io = #amp.io<output>},
          tensor<4xf32> {amp.name = "c", amp.io = #amp.io<output>},
          tensor<4xf32> {amp.name = "d", amp.io = #amp.io<output>},
          tensor<4xf32> {amp.name = "e", amp.io = #amp.io<output>},
          tensor<4xf32> {amp.name = "f", amp.io = #amp.io<output>},
          tensor<4xf32> {amp.name = "g", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>} {
    %w = amp.read @w : tensor<10xf32>
    %ten = amp.constant dense<10> : tensor<4xi32>
    %most = amp.constant dense<[3, 4, 5, 6]> : tensor<4xi64>
    %two = amp.constant dense<2> : tensor<4xi64>
    %0 = amp.argmax %x axis 1 : tensor<4x10xf32> -> tensor<4xi64>
    %1 = amp.take %w, %0 axis 0 : tensor<10xf32>, tensor<4xi64> -> tensor<4xf32>
    %2 = amp.remainder %i, %ten : tensor<4xi32>
    %3 = amp.take %w, %2 axis 0 : tensor<10xf32>, tensor<4xi32> -> tensor<4xf32>
    %4 = amp.clip %i min 0.0 max 9.0 : tensor<4xi32>
    %5 = amp.take %w, %4 axis 0 : tensor<10xf32>, tensor<4xi32> -> tensor<4xf32>
    %6 = amp.iota : tensor<4xi64>
    %7 = amp.add %6, %most : tensor<4xi64>
    %8 = amp.take %w, %7 axis 0 : tensor<10xf32>, tensor<4xi64> -> tensor<4xf32>
    %9 = amp.mul %6, %most : tensor<4xi64>
    %10 = amp.floor_div %9, %two : tensor<4xi64>
    %11 = amp.minimum %10, %6 : tensor<4xi64>
    %12 = amp.take %w, %11 axis 0 : tensor<10xf32>, tensor<4xi64> -> tensor<4xf32>
    %13 = amp.sub %most, %6 : tensor<4xi64>
    %14 = amp.maximum %13, %6 : tensor<4xi64>
    %15 = amp.compare lt %13, %6 : tensor<4xi64>
    %16 = amp.select %15, %14, %most : tensor<4xi64>
    %17 = amp.take %w, %16 axis 0 : tensor<10xf32>, tensor<4xi64> -> tensor<4xf32>
    %18 = amp.cast %15 origin user : tensor<4xi1> -> tensor<4xi32>
    %19 = amp.take %w, %18 axis 0 : tensor<10xf32>, tensor<4xi32> -> tensor<4xf32>
    return %1, %3, %5, %8, %12, %17, %19 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A range that wraps, or that nothing bounds, says nothing.

// CHECK-LABEL: func.func @infer
// CHECK: amp.first_outside
// CHECK: amp.first_outside
// CHECK: amp.first_outside
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<10xf32> role parameter init ones
  func.func @infer(%x: tensor<4xf32> {amp.name = "x", amp.io = #amp.io<input>},
                   %i: tensor<4xi32> {amp.name = "i", amp.io = #amp.io<input>})
      -> (tensor<4xf32> {amp.name = "a", amp.io = #amp.io<output>},
          tensor<4xf32> {amp.name = "b", amp.io = #amp.io<output>},
          tensor<4xf32> {amp.name = "c", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>} {
    %w = amp.read @w : tensor<10xf32>
    %big = amp.constant dense<2147483647> : tensor<4xi32>
    %0 = amp.add %big, %big : tensor<4xi32>
    %1 = amp.take %w, %0 axis 0 : tensor<10xf32>, tensor<4xi32> -> tensor<4xf32>
    %2 = amp.remainder %big, %i : tensor<4xi32>
    %3 = amp.take %w, %2 axis 0 : tensor<10xf32>, tensor<4xi32> -> tensor<4xf32>
    %4 = amp.cast %x origin user : tensor<4xf32> -> tensor<4xi32>
    %5 = amp.take %w, %4 axis 0 : tensor<10xf32>, tensor<4xi32> -> tensor<4xf32>
    return %1, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Of a constant the elements that are looked up count.

// CHECK-LABEL: func.func @infer
// CHECK-NOT: amp.first_outside
module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<3xf32> role parameter init ones
  func.func @infer()
      -> (tensor<2xf32> {amp.name = "p", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>} {
    %w = amp.read @w : tensor<3xf32>
    %0 = amp.constant dense<[[7, 1], [-1, 2]]> : tensor<2x2xi32>
    %1 = amp.slice %0 starts [0, 1] steps [1, 1] : tensor<2x2xi32> -> tensor<2x1xi32>
    %2 = amp.reshape %1 : tensor<2x1xi32> -> tensor<2xi32>
    %3 = amp.take %w, %2 axis 0 : tensor<3xf32>, tensor<2xi32> -> tensor<2xf32>
    return %3 : tensor<2xf32>
  }
}

// RUN: %ampc-opt %s -amp-form-groups -split-input-file | FileCheck %s
// RUN: %ampc-opt %s -amp-form-groups=fuse=false -split-input-file | FileCheck %s --check-prefix=ALONE

// A chain of maps is one group; constants and broadcasts are cloned into it.

// CHECK: #amp.stage<fused>
module attributes {amp.stage = #amp.stage<step>} {
  // CHECK-LABEL: @chain
  // ALONE-LABEL: @chain
  func.func @chain(%x: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
    // CHECK-NEXT: %[[R:.*]] = amp.group map [8, 4](%arg0, %arg1)
    // CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<4xf32>):
    // CHECK-NEXT: %[[BB:.*]] = amp.broadcast %[[B]] along [1]
    // CHECK-NEXT: %[[A:.*]] = amp.add %[[X]], %[[BB]]
    // CHECK-NEXT: %[[Z:.*]] = amp.constant dense<0.000000e+00>
    // CHECK-NEXT: %[[M:.*]] = amp.maximum %[[A]], %[[Z]]
    // CHECK-NEXT: amp.yield %[[M]]
    // CHECK-NEXT: }
    // CHECK-NEXT: return %[[R]]
    // ALONE-COUNT-2: amp.group map
    // ALONE-NOT: amp.group
    // ALONE: return
    %0 = amp.broadcast %b along [1] : tensor<4xf32> -> tensor<8x4xf32>
    %1 = amp.add %x, %0 : tensor<8x4xf32>
    %2 = amp.constant dense<0.0> : tensor<8x4xf32>
    %3 = amp.maximum %1, %2 : tensor<8x4xf32>
    return %3 : tensor<8x4xf32>
  }

  // A reduction takes the maps before it and those on the reduced shape after it.
  // CHECK-LABEL: @reduction
  func.func @reduction(%x: tensor<8x4xf32>) -> tensor<8xf32> {
    // CHECK: amp.group row [8, 4](%arg0)
    // CHECK: amp.exp
    // CHECK-NEXT: amp.reduce
    // CHECK-NEXT: amp.sqrt
    // CHECK-NEXT: amp.yield
    %0 = amp.exp %x : tensor<8x4xf32>
    %1 = amp.reduce sum %0 over [1] order row accumulate f32 : tensor<8x4xf32> -> tensor<8xf32>
    %2 = amp.sqrt %1 : tensor<8xf32>
    return %2 : tensor<8xf32>
  }

  // What is broadcast back over the space is another phase of the row's kernel.
  // CHECK-LABEL: @phases
  // ALONE-LABEL: @phases
  func.func @phases(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    // CHECK-NEXT: amp.group row [8, 4](%arg0)
    // CHECK: amp.reduce max
    // CHECK: amp.broadcast
    // CHECK-NEXT: amp.sub
    // CHECK-NEXT: amp.exp
    // CHECK-NEXT: amp.reduce sum
    // CHECK: amp.broadcast
    // CHECK-NEXT: amp.div
    // CHECK-NEXT: amp.yield
    // CHECK-NEXT: }
    // CHECK-NEXT: return
    // ALONE-COUNT-5: amp.group
    // ALONE-NOT: amp.group
    // ALONE: return
    %0 = amp.reduce max %x over [1] order row accumulate f32 : tensor<8x4xf32> -> tensor<8xf32>
    %1 = amp.broadcast %0 along [0] : tensor<8xf32> -> tensor<8x4xf32>
    %2 = amp.sub %x, %1 : tensor<8x4xf32>
    %3 = amp.exp %2 : tensor<8x4xf32>
    %4 = amp.reduce sum %3 over [1] order row accumulate f32 : tensor<8x4xf32> -> tensor<8xf32>
    %5 = amp.broadcast %4 along [0] : tensor<8xf32> -> tensor<8x4xf32>
    %6 = amp.div %3, %5 : tensor<8x4xf32>
    return %6 : tensor<8x4xf32>
  }

  // @negative_other_axis: the sums of rows spread over columns are not those of the row at hand.
  // CHECK-LABEL: @negative_other_axis
  func.func @negative_other_axis(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    // CHECK: %[[S:.*]] = amp.group row [4, 4](%arg0)
    // CHECK: amp.group map [4, 4](%arg0, %[[S]])
    %0 = amp.reduce sum %x over [1] order row accumulate f32 : tensor<4x4xf32> -> tensor<4xf32>
    %1 = amp.broadcast %0 along [1] : tensor<4xf32> -> tensor<4x4xf32>
    %2 = amp.div %x, %1 : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }

  // @negative_long_row: one long row would keep one thread; what follows its sum runs on all.
  // CHECK-LABEL: @negative_long_row
  func.func @negative_long_row(%x: tensor<100000xf32>) -> tensor<100000xf32> {
    // CHECK: %[[S:.*]] = amp.group row [100000](%arg0)
    // CHECK: amp.group map [100000](%arg0, %[[S]])
    %0 = amp.reduce sum %x over [0] order row accumulate f32 : tensor<100000xf32> -> tensor<f32>
    %1 = amp.broadcast %0 along [] : tensor<f32> -> tensor<100000xf32>
    %2 = amp.div %x, %1 : tensor<100000xf32>
    return %2 : tensor<100000xf32>
  }

  // @negative_column_phases: column groups have one phase.
  // CHECK-LABEL: @negative_column_phases
  func.func @negative_column_phases(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    // CHECK: %[[S:.*]] = amp.group column [8, 4](%arg0)
    // CHECK: amp.group map [8, 4](%arg0, %[[S]])
    %0 = amp.reduce sum %x over [0] order column accumulate f32 : tensor<8x4xf32> -> tensor<4xf32>
    %1 = amp.broadcast %0 along [1] : tensor<4xf32> -> tensor<8x4xf32>
    %2 = amp.div %x, %1 : tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }

  // Movements and lookups stand in the group that reads them; an index may be computed in it.
  // CHECK-LABEL: @leaves
  func.func @leaves(%x: tensor<4x8xf32>, %t: tensor<10x4xf32>, %i: tensor<8xi32>) -> tensor<8xf32> {
    // CHECK-NEXT: amp.group row [8, 4](%arg0, %arg2, %arg1)
    // CHECK: amp.transpose
    // CHECK-NEXT: amp.add {{.*}} : tensor<8xi32>
    // CHECK-NEXT: amp.take
    // CHECK-NEXT: amp.mul
    // CHECK-NEXT: amp.reduce
    // CHECK-NEXT: amp.yield
    // CHECK-NEXT: }
    // CHECK-NEXT: return
    %0 = amp.transpose %x perm [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
    %j = amp.add %i, %i : tensor<8xi32>
    %1 = amp.take %t, %j axis 0 : tensor<10x4xf32>, tensor<8xi32> -> tensor<8x4xf32>
    %2 = amp.mul %0, %1 : tensor<8x4xf32>
    %3 = amp.reduce sum %2 over [1] order row accumulate f32 : tensor<8x4xf32> -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }

  // @negative_moved: what is moved must be in memory before, also where its shape stays.
  // CHECK-LABEL: @negative_moved
  func.func @negative_moved(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    // CHECK: %[[E:.*]] = amp.group map [4, 4](%arg0)
    // CHECK: amp.exp
    // CHECK: amp.group map [4, 4](%[[E]])
    // CHECK: amp.transpose
    // CHECK: amp.neg
    %0 = amp.exp %x : tensor<4x4xf32>
    %1 = amp.transpose %0 perm [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
    %2 = amp.neg %1 : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }

  // @negative_moved_broadcast: so must a broadcast that is moved.
  // CHECK-LABEL: @negative_moved_broadcast
  func.func @negative_moved_broadcast(%x: tensor<4xf32>) -> tensor<4x2xf32> {
    // CHECK: %[[B:.*]] = amp.group map [2, 4](%arg0)
    // CHECK: amp.group map [4, 2](%[[B]])
    %0 = amp.broadcast %x along [1] : tensor<4xf32> -> tensor<2x4xf32>
    %1 = amp.transpose %0 perm [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
    return %1 : tensor<4x2xf32>
  }

  // @negative_scatter: a scatter is a kernel of its own.
  // CHECK-LABEL: @negative_scatter
  func.func @negative_scatter(%i: tensor<3xi32>, %g: tensor<3x4xf32>) -> tensor<9x4xf32> {
    // CHECK: %[[E:.*]] = amp.group map [3, 4](%arg1)
    // CHECK: %[[S:.*]] = amp.group scatter [3, 4](%arg0, %[[E]])
    // CHECK: amp.scatter_rows
    // CHECK: amp.group map [9, 4](%[[S]])
    %0 = amp.exp %g : tensor<3x4xf32>
    %1 = amp.scatter_rows %i, %0 axis 0 : tensor<3xi32>, tensor<3x4xf32> -> tensor<9x4xf32>
    %2 = amp.neg %1 : tensor<9x4xf32>
    return %2 : tensor<9x4xf32>
  }

  // An iota is cloned like a constant.
  // CHECK-LABEL: @iota
  func.func @iota(%x: tensor<2x4xi32>) -> tensor<2x4xi1> {
    // CHECK-NEXT: amp.group map [2, 4](%arg0)
    // CHECK: amp.iota
    // CHECK: amp.compare
    %0 = amp.iota : tensor<4xi32>
    %1 = amp.broadcast %0 along [1] : tensor<4xi32> -> tensor<2x4xi32>
    %2 = amp.compare lt %1, %x : tensor<2x4xi32>
    return %2 : tensor<2x4xi1>
  }

  // @negative_orders: a row and a column reduction of one value are two kernels.
  // CHECK-LABEL: @negative_orders
  func.func @negative_orders(%x: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
    // CHECK: amp.group row
    // CHECK: amp.group column
    %0 = amp.exp %x : tensor<8x4xf32>
    %1 = amp.reduce sum %0 over [1] order row accumulate f32 : tensor<8x4xf32> -> tensor<8xf32>
    %2 = amp.reduce sum %0 over [0] order column accumulate f32 : tensor<8x4xf32> -> tensor<4xf32>
    return %1, %2 : tensor<8xf32>, tensor<4xf32>
  }

  // @negative_cycle: the sum reads the map directly and through the product, so that one group
  // with both would depend on itself.
  // CHECK-LABEL: @negative_cycle
  func.func @negative_cycle(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    // CHECK: %[[E:.*]] = amp.group map [4, 4](%arg0)
    // CHECK: amp.exp
    // CHECK: %[[P:.*]] = amp.matmul %[[E]], %[[E]]
    // CHECK: amp.group map [4, 4](%[[E]], %[[P]])
    %0 = amp.exp %x : tensor<4x4xf32>
    %1 = amp.matmul %0, %0 accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %2 = amp.add %0, %1 : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }

  // A map that only a later group reads moves into it.
  // CHECK-LABEL: @sink
  func.func @sink(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
    // CHECK-NOT: amp.group
    // CHECK: %[[P:.*]] = amp.matmul
    // CHECK: amp.group map [4, 4](%arg1, %[[P]])
    // CHECK: amp.exp
    // CHECK: amp.add
    %0 = amp.exp %y : tensor<4x4xf32>
    %1 = amp.matmul %x, %x accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
    %2 = amp.add %0, %1 : tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }

  // A map over the reduced shape moves in also where its value is spread over the space.
  // CHECK-LABEL: @sink_broadcast
  func.func @sink_broadcast(%x: tensor<8x4xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-NEXT: amp.group row [8, 4](%arg1, %arg0)
    // CHECK: amp.exp
    // CHECK: amp.broadcast
    // CHECK-NOT: amp.group
    // CHECK: return
    %0 = amp.exp %s : tensor<8xf32>
    %1 = amp.broadcast %0 along [0] : tensor<8xf32> -> tensor<8x4xf32>
    %2 = amp.mul %x, %1 : tensor<8x4xf32>
    %3 = amp.reduce sum %2 over [1] order row accumulate f32 : tensor<8x4xf32> -> tensor<8xf32>
    %4 = amp.mul %3, %0 : tensor<8xf32>
    return %4 : tensor<8xf32>
  }

  // @negative_sink_other_axis: spread along another axis it is needed in another row.
  // CHECK-LABEL: @negative_sink_other_axis
  func.func @negative_sink_other_axis(%x: tensor<4x4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
    // CHECK: %[[E:.*]] = amp.group map [4](%arg1)
    // CHECK: amp.group row [4, 4](%arg0, %[[E]])
    %0 = amp.exp %s : tensor<4xf32>
    %1 = amp.broadcast %0 along [1] : tensor<4xf32> -> tensor<4x4xf32>
    %2 = amp.mul %x, %1 : tensor<4x4xf32>
    %3 = amp.reduce sum %2 over [1] order row accumulate f32 : tensor<4x4xf32> -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }

  // A broadcast or splat that something outside groups reads is a kernel of its own.
  // CHECK-LABEL: @materialized
  func.func @materialized(%x: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<3xf32>) {
    // CHECK: amp.group map [2, 4](%arg0)
    // CHECK: amp.group map [3]()
    %0 = amp.broadcast %x along [1] : tensor<4xf32> -> tensor<2x4xf32>
    %1 = amp.constant dense<1.0> : tensor<3xf32>
    return %0, %1 : tensor<2x4xf32>, tensor<3xf32>
  }

  // Views and constants that list values stay outside.
  // CHECK-LABEL: @outside
  func.func @outside(%x: tensor<2x3xf32>) -> tensor<6xf32> {
    // CHECK: %[[C:.*]] = amp.constant dense<[1.000000e+00,
    // CHECK: %[[V:.*]] = amp.reshape %arg0
    // CHECK: amp.group map [6](%[[V]], %[[C]])
    %c = amp.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
    %0 = amp.reshape %x : tensor<2x3xf32> -> tensor<6xf32>
    %1 = amp.add %0, %c : tensor<6xf32>
    return %1 : tensor<6xf32>
  }
}

// -----

// Writes of a variable stay behind its reads whatever moves.

module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<4xf32> role parameter init zeros
  // CHECK-LABEL: @order
  func.func @order(%x: tensor<4xf32>) -> tensor<4xf32> {
    // CHECK: %[[W:.*]] = amp.read @w
    // CHECK: amp.group
    // CHECK: amp.write @w, %arg0
    // CHECK: return
    %w = amp.read @w : tensor<4xf32>
    %0 = amp.exp %w : tensor<4xf32>
    amp.write @w, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// A read behind a write sees the write, and what reads it stays behind it.

module attributes {amp.stage = #amp.stage<step>} {
  amp.variable @w : tensor<4xf32> role parameter init zeros
  // CHECK-LABEL: @read_after_write
  func.func @read_after_write(%x: tensor<4xf32>) -> tensor<4xf32> {
    // CHECK: %[[E:.*]] = amp.group map [4](%arg0)
    // CHECK: amp.write @w, %[[E]]
    // CHECK: %[[W:.*]] = amp.read @w
    // CHECK: amp.group map [4](%[[W]], %[[E]])
    %0 = amp.exp %x : tensor<4xf32>
    amp.write @w, %0 : tensor<4xf32>
    %w = amp.read @w : tensor<4xf32>
    %1 = amp.add %w, %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

// An exact cast to a wider float is cloned into each group that reads it, so
// that memory holds the narrow value; a rounding is not, and what a contraction
// reads is stored.

module attributes {amp.stage = #amp.stage<step>} {
  // CHECK-LABEL: @widening
  func.func @widening(%x: tensor<8x4xbf16>, %y: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<4x8xf32>, tensor<8x8xf32>) {
    // CHECK: amp.group row [8, 4](%arg0)
    // CHECK: amp.cast {{.*}} tensor<8x4xbf16> -> tensor<8x4xf32>
    // CHECK: amp.transpose
    %0 = amp.cast %x origin policy : tensor<8x4xbf16> -> tensor<8x4xf32>
    %1 = amp.reduce sum %0 over [1] order row accumulate f32 : tensor<8x4xf32> -> tensor<8xf32>
    %2 = amp.broadcast %1 along [0] : tensor<8xf32> -> tensor<8x4xf32>
    %3 = amp.sub %0, %2 : tensor<8x4xf32>
    %4 = amp.transpose %3 perm [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
    %5 = amp.cast %y origin policy : tensor<4x8xf32> -> tensor<4x8xbf16>
    %6 = amp.cast %5 origin policy : tensor<4x8xbf16> -> tensor<4x8xf32>
    // CHECK: %[[W:.*]] = amp.group map [4, 8](%arg1)
    // CHECK: amp.cast {{.*}} tensor<4x8xf32> -> tensor<4x8xbf16>
    // CHECK: amp.cast {{.*}} tensor<4x8xbf16> -> tensor<4x8xf32>
    // CHECK: amp.matmul %{{.*}}, %[[W]]
    %7 = amp.matmul %3, %6 accumulate f32 : tensor<8x4xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
    return %3, %4, %7 : tensor<8x4xf32>, tensor<4x8xf32>, tensor<8x8xf32>
  }
}

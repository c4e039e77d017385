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

  // @negative_rebroadcast: what is broadcast back over the space needs the whole reduction first.
  // CHECK-LABEL: @negative_rebroadcast
  func.func @negative_rebroadcast(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
    // CHECK: %[[S:.*]] = amp.group row [8, 4](%arg0)
    // CHECK: amp.group map [8, 4](%arg0, %[[S]])
    // CHECK: amp.broadcast
    // CHECK-NEXT: amp.div
    %0 = amp.reduce sum %x over [1] order row accumulate f32 : tensor<8x4xf32> -> tensor<8xf32>
    %1 = amp.broadcast %0 along [0] : tensor<8xf32> -> tensor<8x4xf32>
    %2 = amp.div %x, %1 : tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
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

  // @negative_sink_broadcast: a value of the reduced shape that is spread over the space is needed
  // before the reduction.
  // CHECK-LABEL: @negative_sink_broadcast
  func.func @negative_sink_broadcast(%x: tensor<8x4xf32>, %s: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK: %[[E:.*]] = amp.group map [8](%arg1)
    // CHECK: amp.group row [8, 4](%arg0, %[[E]])
    %0 = amp.exp %s : tensor<8xf32>
    %1 = amp.broadcast %0 along [0] : tensor<8xf32> -> tensor<8x4xf32>
    %2 = amp.mul %x, %1 : tensor<8x4xf32>
    %3 = amp.reduce sum %2 over [1] order row accumulate f32 : tensor<8x4xf32> -> tensor<8xf32>
    %4 = amp.mul %3, %0 : tensor<8xf32>
    return %4 : tensor<8xf32>
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

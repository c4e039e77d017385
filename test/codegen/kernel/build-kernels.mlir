// RUN: %ampc-opt --amp-build-kernels -split-input-file %s | FileCheck %s

// A bias add has two loops, two groups with the same loops share a kernel, and a broadcast costs a
// load.
module attributes {amp.stage = #amp.stage<placed>} {
  // CHECK-LABEL: func.func @infer
  func.func @infer(%x: tensor<2x3x8xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>},
                   %b: tensor<8xf32> {amp.name = "b", amp.io = #amp.io<input>, amp.place = #amp.place<input, 1>})
      -> (tensor<2x3x8xf32> {amp.name = "y", amp.io = #amp.io<output>},
          tensor<2x3x8xf32> {amp.name = "z", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    // CHECK: amp.group map{{.*}}kernel = @kernels::@fc_add}
    %y = amp.group map [2, 3, 8] (%x, %b) {amp.place = [#amp.place<output, 0>]}
        : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32> {
    ^bb0(%x0: tensor<2x3x8xf32>, %b0: tensor<8xf32>):
      %0 = amp.broadcast %b0 along [2] : tensor<8xf32> -> tensor<2x3x8xf32>
      %1 = amp.add %x0, %0 : tensor<2x3x8xf32> loc("fc"("a.amp":1:1))
      amp.yield %1 : tensor<2x3x8xf32>
    }
    // CHECK: amp.group map{{.*}}kernel = @kernels::@fc_add}
    %z = amp.group map [2, 3, 8] (%x, %b) {amp.place = [#amp.place<output, 1>]}
        : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32> {
    ^bb0(%x0: tensor<2x3x8xf32>, %b0: tensor<8xf32>):
      %0 = amp.broadcast %b0 along [2] : tensor<8xf32> -> tensor<2x3x8xf32>
      %1 = amp.add %x0, %0 : tensor<2x3x8xf32> loc("other"("a.amp":2:1))
      amp.yield %1 : tensor<2x3x8xf32>
    }
    return %y, %z : tensor<2x3x8xf32>, tensor<2x3x8xf32>
  }
  // CHECK-LABEL: module @kernels
  // CHECK: func.func @fc_add(%[[X:.*]]: memref<48xf32>, %[[B:.*]]: memref<8xf32>, %[[Y:.*]]: memref<48xf32>)
  // CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%{{.*}}, %{{.*}}) to (%c6, %c8)
  // CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[J]]
  // CHECK: %[[XV:.*]] = memref.load %[[X]][%[[AT]]]
  // CHECK: %[[BV:.*]] = memref.load %[[B]][%[[J]]]
  // CHECK: %[[SUM:.*]] = arith.addf %[[XV]], %[[BV]] : f32
  // CHECK: memref.store %[[SUM]], %[[Y]]
  // One kernel: its end is the module's.
  // CHECK: return
  // CHECK-NEXT: }
  // CHECK-NEXT: }
}

// -----

// An update in place is one pointer, and a matrix is one loop.
module attributes {amp.stage = #amp.stage<placed>} {
  amp.variable @w : tensor<4x16xf32> role parameter init zeros
  func.func @train_step(%g: tensor<4x16xf32> {amp.name = "g", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>})
      attributes {amp.entry = #amp.entry<train_step>, amp.arena_bytes = 0 : i64} {
    %w = amp.read @w {amp.place = [#amp.place<variable, 0, @w>]} : tensor<4x16xf32>
    %w1 = amp.group map [4, 16] (%w, %g) {amp.place = [#amp.place<variable, 0, @w>]}
        : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32> {
    ^bb0(%w0: tensor<4x16xf32>, %g0: tensor<4x16xf32>):
      %1 = amp.sub %w0, %g0 : tensor<4x16xf32>
      amp.yield %1 : tensor<4x16xf32>
    }
    amp.write @w, %w1 : tensor<4x16xf32>
    return
  }
  // CHECK-LABEL: module @kernels
  // CHECK: func.func @map_sub(%[[W:.*]]: memref<64xf32>, %[[G:.*]]: memref<64xf32>) {
  // CHECK: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%c64)
  // CHECK: memref.store %{{.*}}, %[[W]][%[[I]]]
}

// -----

// A row is 64 interleaved partials and a tree; a column is blocks of 32 rows under a counter.
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%x: tensor<70x130xbf16> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>})
      -> (tensor<70xf32> {amp.name = "r", amp.io = #amp.io<output>},
          tensor<130xf32> {amp.name = "c", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    %r = amp.group row [70, 130] (%x) {amp.place = [#amp.place<output, 0>]} : (tensor<70x130xbf16>) -> tensor<70xf32> {
    ^bb0(%a: tensor<70x130xbf16>):
      %0 = amp.reduce sum %a over [1] order row accumulate f32 : tensor<70x130xbf16> -> tensor<70xf32>
      amp.yield %0 : tensor<70xf32>
    }
    %c = amp.group column [70, 130] (%x) {amp.place = [#amp.place<output, 1>]} : (tensor<70x130xbf16>) -> tensor<130xf32> {
    ^bb0(%a: tensor<70x130xbf16>):
      %0 = amp.reduce sum %a over [0] order column accumulate f32 : tensor<70x130xbf16> -> tensor<130xf32>
      amp.yield %0 : tensor<130xf32>
    }
    return %r, %c : tensor<70xf32>, tensor<130xf32>
  }
  // CHECK-LABEL: func.func @row_sum
  // CHECK: scf.parallel (%{{.*}}) = (%{{.*}}) to (%c70)
  // CHECK: scf.for %{{.*}} = %{{.*}} to %c128 step %c64 iter_args(%[[P:.*]] = %{{.*}}) -> (vector<64xf32>)
  // CHECK: vector.load {{.*}} vector<64xbf16>
  // CHECK: arith.extf {{.*}} vector<64xbf16> to vector<64xf32>
  // CHECK: arith.addf %[[P]], %{{.*}} : vector<64xf32>
  // CHECK: vector.load {{.*}} vector<2xbf16>
  // CHECK: arith.select {{.*}} vector<64xi1>, vector<64xf32>
  // CHECK: arith.addf {{.*}} : vector<32xf32>
  // CHECK: arith.addf {{.*}} : vector<16xf32>
  // CHECK: arith.addf {{.*}} : vector<8xf32>
  // CHECK: arith.addf {{.*}} : vector<4xf32>
  // CHECK: arith.addf {{.*}} : vector<2xf32>
  // CHECK: arith.addf {{.*}} : vector<1xf32>
  // CHECK: {work = 130 : i64}

  // CHECK-LABEL: func.func @column_sum
  // CHECK: scf.parallel (%[[CHUNK:.*]]) = (%{{.*}}) to (%c3)
  // CHECK: arith.cmpi ult, %[[CHUNK]], %c2
  // CHECK: scf.if
  // CHECK: memref.alloca() : memref<128xf32>
  // CHECK: math.cttz
  // CHECK: else
  // CHECK: memref.alloca() : memref<4xf32>
}

// -----

// Nothing is written: no kernel.
module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%x: tensor<0x4xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>})
      -> (tensor<0x4xf32> {amp.name = "y", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    // CHECK-LABEL: amp.group
    // CHECK-NOT: kernel =
    %y = amp.group map [0, 4] (%x) {amp.place = [#amp.place<output, 0>]} : (tensor<0x4xf32>) -> tensor<0x4xf32> {
    ^bb0(%a: tensor<0x4xf32>):
      %0 = amp.neg %a : tensor<0x4xf32>
      amp.yield %0 : tensor<0x4xf32>
    }
    // CHECK: module @kernels {
    // CHECK-NEXT: }
    return %y : tensor<0x4xf32>
  }
}

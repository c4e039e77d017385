// RUN: %ampc-opt %s -amp-place-buffers -amp-verify-placement -split-input-file | FileCheck %s

// Arena reuse: the third value takes the first one's bytes; the result stands in its output.

// CHECK: #amp.stage<placed>
module attributes {amp.stage = #amp.stage<fused>} {
  // CHECK-LABEL: @reuse
  // CHECK-SAME: %[[X:.*]]: tensor<16x16xf32> {amp.place = #amp.place<input, 0>}
  // CHECK-SAME: amp.arena_bytes = 2048 : i64
  func.func @reuse(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
    // CHECK: %[[A:.*]] = amp.matmul %[[X]], %[[X]] {{.*}}#amp.place<arena, [[FIRST:[0-9]+]]>
    %0 = amp.matmul %x, %x accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    // CHECK: %[[B:.*]] = amp.matmul %[[A]], %[[A]] {{.*}}#amp.place<arena, {{[0-9]+}}>
    %1 = amp.matmul %0, %0 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    // CHECK: %[[C:.*]] = amp.matmul %[[B]], %[[B]] {{.*}}#amp.place<arena, [[FIRST]]>
    %2 = amp.matmul %1, %1 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    // CHECK: amp.matmul %[[C]], %[[C]] {{.*}}#amp.place<output, 0>
    %3 = amp.matmul %2, %2 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    return %3 : tensor<16x16xf32>
  }
}

// -----

// A pointwise update stands in its variable's bytes; a view keeps its input's.

module attributes {amp.stage = #amp.stage<fused>} {
  amp.variable @w : tensor<4xf32> role parameter init zeros
  // CHECK-LABEL: @update
  // CHECK-SAME: amp.arena_bytes = 0 : i64
  func.func @update(%g: tensor<2x2xf32>) {
    // CHECK: amp.read @w {amp.place = [#amp.place<variable, 0, @w>]}
    %w = amp.read @w : tensor<4xf32>
    // CHECK: amp.reshape %{{.*}} {amp.place = [#amp.place<input, 0>]}
    %v = amp.reshape %g : tensor<2x2xf32> -> tensor<4xf32>
    // CHECK: amp.group map [4](%{{.*}}) {amp.place = [#amp.place<variable, 0, @w>]}
    %0 = amp.group map [4](%w, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %1 = amp.sub %a, %b : tensor<4xf32>
      amp.yield %1 : tensor<4xf32>
    }
    amp.write @w, %0 : tensor<4xf32>
    return
  }
}

// -----

// @negative_read_later: the old value is needed after the update, so the write copies.

module attributes {amp.stage = #amp.stage<fused>} {
  amp.variable @w : tensor<2x2xf32> role parameter init zeros
  // CHECK-LABEL: @negative_read_later
  func.func @negative_read_later(%g: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %w = amp.read @w : tensor<2x2xf32>
    // CHECK: amp.group map [2, 2](%{{.*}}) {amp.place = [#amp.place<arena, 0>]}
    %0 = amp.group map [2, 2](%w, %g) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
    ^bb0(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>):
      %1 = amp.sub %a, %b : tensor<2x2xf32>
      amp.yield %1 : tensor<2x2xf32>
    }
    %2 = amp.matmul %w, %g accumulate f32 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    amp.write @w, %0 : tensor<2x2xf32>
    return %2 : tensor<2x2xf32>
  }
}

// -----

// @negative_other_elements: a contraction and a broadcast read elements that are overwritten.

module attributes {amp.stage = #amp.stage<fused>} {
  amp.variable @w : tensor<2x2xf32> role parameter init zeros
  amp.variable @b : tensor<1x2xf32> role parameter init zeros
  // CHECK-LABEL: @negative_other_elements
  func.func @negative_other_elements(%g: tensor<2x2xf32>) {
    %w = amp.read @w : tensor<2x2xf32>
    // CHECK: amp.matmul {{.*}}#amp.place<arena
    %0 = amp.matmul %w, %g accumulate f32 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %b = amp.read @b : tensor<1x2xf32>
    // CHECK: amp.group column [2, 2](%{{.*}}) {amp.place = [#amp.place<arena
    %1 = amp.group column [2, 2](%b) : (tensor<1x2xf32>) -> tensor<2xf32> {
    ^bb0(%a: tensor<1x2xf32>):
      %2 = amp.broadcast %a along [0, 1] : tensor<1x2xf32> -> tensor<2x2xf32>
      %3 = amp.reduce sum %2 over [0] order column accumulate f32 : tensor<2x2xf32> -> tensor<2xf32>
      amp.yield %3 : tensor<2xf32>
    }
    %4 = amp.reshape %1 : tensor<2xf32> -> tensor<1x2xf32>
    amp.write @w, %0 : tensor<2x2xf32>
    amp.write @b, %4 : tensor<1x2xf32>
    return
  }
}

// -----

// A swap: one read outlives the write of its variable and is copied first.

module attributes {amp.stage = #amp.stage<fused>} {
  amp.variable @a : tensor<4xf32> role parameter init zeros
  amp.variable @b : tensor<4xf32> role parameter init ones
  // CHECK-LABEL: @swap
  func.func @swap() {
    // CHECK: %[[A:.*]] = amp.read @a
    %a = amp.read @a : tensor<4xf32>
    // CHECK: %[[B:.*]] = amp.read @b
    // CHECK: %[[BC:.*]] = amp.group map [4](%[[B]]) {amp.place = [#amp.place<{{arena, 0|variable, 0, @a}}>]}
    %b = amp.read @b : tensor<4xf32>
    // CHECK: amp.write @b, %[[A]]
    amp.write @b, %a : tensor<4xf32>
    // CHECK: amp.write @a, %[[BC]]
    amp.write @a, %b : tensor<4xf32>
    return
  }
}

// -----

// Equal constants share bytes; one value returned twice is computed once.

module attributes {amp.stage = #amp.stage<fused>} {
  // CHECK-LABEL: @constants
  func.func @constants() -> (tensor<2xf32>, tensor<2xf32>) {
    // CHECK: amp.constant {amp.place = [#amp.place<constant, 0>]}
    %0 = amp.constant dense<[1.0, 2.0]> : tensor<2xf32>
    // CHECK: amp.constant {amp.place = [#amp.place<constant, 64>]}
    %1 = amp.constant dense<[3.0, 2.0]> : tensor<2xf32>
    // CHECK: amp.constant {amp.place = [#amp.place<constant, 0>]}
    %2 = amp.constant dense<[1.0, 2.0]> : tensor<2xf32>
    // CHECK: amp.group {{.*}}#amp.place<output, 0>
    %3 = amp.group map [2](%0, %1, %2) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>):
      %4 = amp.add %a, %b : tensor<2xf32>
      %5 = amp.add %4, %c : tensor<2xf32>
      amp.yield %5 : tensor<2xf32>
    }
    return %3, %3 : tensor<2xf32>, tensor<2xf32>
  }
}

// -----

// The epilogue of a product may update a variable where it stands.

module attributes {amp.stage = #amp.stage<fused>} {
  amp.variable @w : tensor<4x4xf32> role parameter init zeros
  // CHECK-LABEL: @product_update
  func.func @product_update(%x: tensor<8x4xf32>, %g: tensor<8x4xf32>) {
    %w = amp.read @w : tensor<4x4xf32>
    // CHECK: amp.group contraction [4, 4](%{{.*}}) {amp.place = [#amp.place<variable, 0, @w>]}
    %0 = amp.group contraction [4, 4](%g, %x, %w) : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>, %old: tensor<4x4xf32>):
      %1 = amp.matmul %a, %b transpose_a accumulate f32 : tensor<8x4xf32>, tensor<8x4xf32> -> tensor<4x4xf32>
      %2 = amp.sub %old, %1 : tensor<4x4xf32>
      amp.yield %2 : tensor<4x4xf32>
    }
    amp.write @w, %0 : tensor<4x4xf32>
    return
  }
}

// -----

// @negative_product_operand: a product reads every element of its operands many times.

module attributes {amp.stage = #amp.stage<fused>} {
  amp.variable @w : tensor<4x4xf32> role parameter init zeros
  // CHECK-LABEL: @negative_product_operand
  func.func @negative_product_operand(%x: tensor<4x4xf32>) {
    %w = amp.read @w : tensor<4x4xf32>
    // CHECK: amp.group contraction [4, 4](%{{.*}}) {amp.place = [#amp.place<arena, 0>]}
    %0 = amp.group contraction [4, 4](%x, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
    ^bb0(%a: tensor<4x4xf32>, %old: tensor<4x4xf32>):
      %1 = amp.matmul %a, %old accumulate f32 : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
      %2 = amp.sub %old, %1 : tensor<4x4xf32>
      amp.yield %2 : tensor<4x4xf32>
    }
    amp.write @w, %0 : tensor<4x4xf32>
    return
  }
}

// RUN: %ampc-opt %s -amp-place-buffers -amp-verify-placement | FileCheck %s --check-prefix=KEPT
// RUN: %ampc-opt %s -amp-place-buffers=memory-budget=1310720 -amp-verify-placement | FileCheck %s

// Variable, input and output take 262144 bytes each and leave those of two values. The loop's result waits for the
// last product, where it is computed again: its 16 products
// take 2 * 64 * 64 * 64 / 80 ns each, more than its bytes, and a launch 2000.

// KEPT-NOT: amp.recompute_ns
module attributes {amp.stage = #amp.stage<fused>} {
  amp.variable @w : tensor<16x64x64xf32> role parameter init zeros
  // CHECK-LABEL: @train_step
  // CHECK-SAME: amp.arena_bytes = 524288 : i64
  func.func @train_step(%x: tensor<16x64x64xf32> {amp.io = #amp.io<input>, amp.name = "x"}) -> (tensor<16x64x64xf32> {amp.io = #amp.io<loss>, amp.name = "loss"}) attributes {amp.entry = #amp.entry<train_step>} {
    // CHECK: %[[W:.*]] = amp.read @w
    %w = amp.read @w : tensor<16x64x64xf32>
    // CHECK: amp.foreach 16(%{{.*}}, %[[W]]) divisors [1, 1] {amp.place
    %0 = amp.foreach 16(%x, %w) divisors [1, 1] : (tensor<16x64x64xf32>, tensor<16x64x64xf32>) -> tensor<16x64x64xf32> {
    ^bb0(%x0: tensor<64x64xf32>, %w0: tensor<64x64xf32>):
      %5 = amp.matmul %x0, %w0 accumulate f32 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      amp.yield %5 : tensor<64x64xf32>
    }
    %1 = amp.matmul %0, %w accumulate f32 : tensor<16x64x64xf32>, tensor<16x64x64xf32> -> tensor<16x64x64xf32>
    %2 = amp.matmul %1, %w accumulate f32 : tensor<16x64x64xf32>, tensor<16x64x64xf32> -> tensor<16x64x64xf32>
    // CHECK: amp.foreach 16(%{{.*}}, %[[W]]) divisors [1, 1] {amp.place = [#amp.place<arena, {{[0-9]+}}>], amp.recompute_ns = 106857 : i64, amp.scratch_bytes = 0 : i64}
    %3 = amp.matmul %2, %w accumulate f32 : tensor<16x64x64xf32>, tensor<16x64x64xf32> -> tensor<16x64x64xf32>
    %4 = amp.matmul %3, %0 accumulate f32 : tensor<16x64x64xf32>, tensor<16x64x64xf32> -> tensor<16x64x64xf32>
    return %4 : tensor<16x64x64xf32>
  }
}

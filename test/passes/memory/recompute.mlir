// RUN: %ampc-opt %s -amp-place-buffers -amp-verify-placement | FileCheck %s --check-prefix=KEPT
// RUN: %ampc-opt %s -amp-place-buffers=memory-budget=8000 -amp-verify-placement | FileCheck %s
// RUN: %ampc-opt %s -amp-place-buffers=memory-budget=8000 --remarks-filter=memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %ampc-opt %s -amp-place-buffers=memory-budget=4000 --remarks-filter=memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=LEAST

// Five products and their backward, 1024 bytes each; variable, input and loss take 3072. Kept, six stand at
// once. With 8000 bytes two are computed again, each from what is still there.

// KEPT-NOT: amp.recompute_ns
// REMARK: [Passed] recompute | Category:memory | Function=train_step | Remark="tensor<16x16xf32>, 1024 bytes, is computed again, not kept: 2 us"
// REMARK: [Analysis] arena | Category:memory | Function=train_step | Remark="arena 4096 bytes, lower bound 4096 bytes, 10 buffers; recomputation adds 22.2 % of the step"
// LEAST: [Missed] budget | Category:memory | Function=train_step | Remark="the budget leaves 928 bytes for the arena, the smallest is 3072"
module attributes {amp.stage = #amp.stage<fused>} {
  amp.variable @w : tensor<16x16xf32> role parameter init zeros
  // KEPT-LABEL: @train_step
  // KEPT-SAME: amp.arena_bytes = 6144 : i64
  // CHECK-LABEL: @train_step
  // CHECK-SAME: amp.arena_bytes = 4096 : i64
  func.func @train_step(%x: tensor<16x16xf32> {amp.io = #amp.io<input>, amp.name = "x"}) -> (tensor<16x16xf32> {amp.io = #amp.io<loss>, amp.name = "loss"}) attributes {amp.entry = #amp.entry<train_step>} {
    %w = amp.read @w : tensor<16x16xf32>
    // CHECK: %[[W:.*]] = amp.read @w
    // CHECK: %[[H0:.*]] = amp.matmul %{{.*}}, %[[W]] accumulate f32 {amp.place = [#amp.place<arena, {{[0-9]+}}>]}
    %0 = amp.matmul %x, %w accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %1 = amp.matmul %0, %w accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %2 = amp.matmul %1, %w accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %3 = amp.matmul %2, %w accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %4 = amp.matmul %3, %w accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %5 = amp.matmul %4, %3 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %6 = amp.matmul %5, %2 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %7 = amp.matmul %6, %1 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    %8 = amp.matmul %7, %0 accumulate f32 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    return %8 : tensor<16x16xf32>
  }
}

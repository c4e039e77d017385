// RUN: %ampc-opt --amp-build-kernels %s | FileCheck %s

// Of bf16 a matrix unit multiplies: B as pairs along K, four tiles of sums, the epilogue after each
// block; f32 is multiplied by vectors.
module attributes {amp.stage = #amp.stage<placed>, amp.target = #amp.target<kind = "cpu", level = "amx",
    vector_bytes = 64, cache_bytes = 2097152, bandwidth = 10.0 : f64, launch_ns = 2000.0 : f64, fast = [bf16]>} {
  func.func @infer(
      %a: tensor<32x64xbf16> {amp.name = "a", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>},
      %b: tensor<64x32xbf16> {amp.name = "b", amp.io = #amp.io<input>, amp.place = #amp.place<input, 1>},
      %c: tensor<32x64xf32> {amp.name = "c", amp.io = #amp.io<input>, amp.place = #amp.place<input, 2>})
      -> (tensor<32x32xf32> {amp.name = "y", amp.io = #amp.io<output>},
          tensor<32x32xf32> {amp.name = "z", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    %y = amp.group contraction [32, 32] (%a, %b) {amp.place = [#amp.place<output, 0>]}
        : (tensor<32x64xbf16>, tensor<64x32xbf16>) -> tensor<32x32xf32> {
    ^bb0(%a0: tensor<32x64xbf16>, %b0: tensor<64x32xbf16>):
      %0 = amp.matmul %a0, %b0 accumulate f32 : tensor<32x64xbf16>, tensor<64x32xbf16> -> tensor<32x32xf32>
          loc("narrow"("a.amp":1:1))
      %1 = amp.exp %0 : tensor<32x32xf32>
      amp.yield %1 : tensor<32x32xf32>
    }
    %z = amp.group contraction [32, 32] (%c) {amp.place = [#amp.place<output, 1>]}
        : (tensor<32x64xf32>) -> tensor<32x32xf32> {
    ^bb0(%c0: tensor<32x64xf32>):
      %0 = amp.matmul %c0, %c0 transpose_b accumulate f32 : tensor<32x64xf32>, tensor<32x64xf32> -> tensor<32x32xf32>
          loc("wide"("a.amp":2:1))
      amp.yield %0 : tensor<32x32xf32>
    }
    return %y, %z : tensor<32x32xf32>, tensor<32x32xf32>
  }
  // CHECK: func.func @narrow_matmul_exp
  // CHECK-NOT: math.fma
  // CHECK: vector.shuffle {{.*}} : vector<16xi16>, vector<16xi16>
  // CHECK-COUNT-4: amx.tile_zero : !amx.tile<16x16xf32>
  // CHECK: scf.for
  // CHECK-COUNT-4: amx.tile_mulf {{.*}} : !amx.tile<16x32xbf16>, !amx.tile<16x32xbf16>, !amx.tile<16x16xf32>
  // CHECK: scf.yield
  // CHECK-COUNT-4: amx.tile_store
  // CHECK: math.exp
  // CHECK: work = 1024
  // CHECK-NOT: span
  // CHECK: func.func @wide_matmul
  // CHECK-NOT: amx
  // CHECK: math.fma
}

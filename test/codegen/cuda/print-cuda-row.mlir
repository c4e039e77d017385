// RUN: %ampc-opt --amp-build-kernels=threads=true --amp-print-cuda -o /dev/null %s | grep -v '^#line' | FileCheck %s

module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%x: tensor<100x130xbf16> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>},
                   %s: tensor<3x5xf32> {amp.name = "s", amp.io = #amp.io<input>, amp.place = #amp.place<input, 1>})
      -> (tensor<100x130xf32> {amp.name = "y", amp.io = #amp.io<output>},
          tensor<3xf32> {amp.name = "t", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    // A warp a row: pairs of each lane, then the tree over the lanes, in the order of the CPU. What a
    // later pass needs again stands in shared memory, a part for each of the 8 warps.
    // CHECK-LABEL: extern "C" __global__ __launch_bounds__(256, 4) void row_cast_exp_sum_div(const ampc_bf16 *__restrict__ x, float *__restrict__ out) {
    // CHECK-NEXT:   AMPC_SHARED(float, shared, 1040);
    // CHECK-NEXT:   for (int i = ampc_first_warp(); i < 100; i += ampc_warp_stride()) {
    // CHECK-NEXT:     const int lane = ampc_lane();
    // CHECK-NEXT:     const int at = lane * 2;
    // CHECK-NEXT:     const int at_2 = ampc_warp() * 130;
    // CHECK-NEXT:     ampc_vec<float, 2> part = ampc_splat<2>(0.0f);
    // CHECK:          AMPC_UNROLL(4)
    // CHECK-NEXT:     for (int k = 0; k < 128; k += 64) {
    // CHECK-NEXT:       const int at_3 = k + at;
    // CHECK:            const ampc_vec<ampc_bf16, 2> xv = ampc_load<2>(x + i * 130 + at_3);
    // CHECK:            ampc_store(shared + at_2 + at_3, [[EXP:t_[0-9]+]]);
    // CHECK:            part = part + [[EXP]];
    // CHECK-NEXT:     }
    // The rest of a row: two elements, the pair of lane 0.
    // CHECK:          const bool t_12 = ampc_u(lane) < 1u;
    // CHECK-NEXT:     ampc_vec<float, 2> [[TAIL:t_[0-9]+]] = part;
    // CHECK-NEXT:     if (t_12) {
    // CHECK:            ampc_load<2>(x + i * 130 + [[REST:at_[0-9]+]])
    // CHECK:          }
    // CHECK:          const ampc_vec<float, 2> [[A:t_[0-9]+]] = ampc_shuffle_down([[TAIL]], 16);
    // CHECK-NEXT:     const ampc_vec<float, 2> [[B:t_[0-9]+]] = [[TAIL]] + [[A]];
    // CHECK-NEXT:     const ampc_vec<float, 2> {{t_[0-9]+}} = ampc_shuffle_down([[B]], 8);
    // CHECK:          ampc_shuffle_down({{t_[0-9]+}}, 4);
    // CHECK:          ampc_shuffle_down({{t_[0-9]+}}, 2);
    // CHECK:          ampc_shuffle_down({{t_[0-9]+}}, 1);
    // CHECK-NEXT:     const ampc_vec<float, 2> [[C:t_[0-9]+]] =
    // CHECK-NEXT:     const float [[SUM:t_[0-9]+]] = ampc_shuffle([[C]].e[0] + [[C]].e[1], 0);
    // CHECK:          for (int [[K:k_[0-9]+]] = 0; [[K]] < 128; [[K]] += 64) {
    // CHECK:            const ampc_vec<float, 2> [[KEPT:[a-z]+v]] = ampc_load<2>(shared + at_2 +
    // CHECK:            ampc_store(out + i * 130 + {{at_[0-9]+}}, [[KEPT]] / [[SUM]]);
    // CHECK:      }
    %r = amp.group row [100, 130] (%x) {amp.place = [#amp.place<output, 0>]} : (tensor<100x130xbf16>) -> tensor<100x130xf32> {
    ^bb0(%x0: tensor<100x130xbf16> loc("x")):
      %0 = amp.cast %x0 origin policy : tensor<100x130xbf16> -> tensor<100x130xf32>
      %1 = amp.exp %0 : tensor<100x130xf32>
      %2 = amp.reduce sum %1 over [1] order row accumulate f32 : tensor<100x130xf32> -> tensor<100xf32>
      %3 = amp.broadcast %2 along [0] : tensor<100xf32> -> tensor<100x130xf32>
      %4 = amp.div %1, %3 : tensor<100x130xf32>
      amp.yield %4 : tensor<100x130xf32>
    }
    // Rows of five: two pairs, and one element for the third lane; joins with partials that no element
    // went to are left out. Pairs of odd rows lie anywhere. The result has the bytes of no operand, but
    // lanes wait all the same before one of them writes it.
    // CHECK-LABEL: void row_sum(const float *__restrict__ in, float *__restrict__ out) {
    // CHECK:          if (ampc_u(lane) < 2u) {
    // CHECK:            ampc_load_each<2>(in + i * 5 + at);
    // CHECK:          if (lane == 2) {
    // CHECK:            in[i * 5 + 4];
    // CHECK:            ampc_insert<0>(
    // CHECK-NOT:      ampc_shuffle_down({{.*}}, 4)
    // CHECK:          ampc_shuffle_down({{.*}}, 2)
    // CHECK:          ampc_shuffle_down({{.*}}, 1)
    // CHECK:          __syncwarp();
    // CHECK-NEXT:     if (lane == 0) {
    // CHECK:            out[i] =
    %t = amp.group row [3, 5] (%s) {amp.place = [#amp.place<output, 1>]} : (tensor<3x5xf32>) -> tensor<3xf32> {
    ^bb0(%s0: tensor<3x5xf32>):
      %0 = amp.reduce sum %s0 over [1] order row accumulate f32 : tensor<3x5xf32> -> tensor<3xf32>
      amp.yield %0 : tensor<3xf32>
    }
    return %r, %t : tensor<100x130xf32>, tensor<3xf32>
  }
}

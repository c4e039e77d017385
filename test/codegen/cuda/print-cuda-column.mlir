// RUN: %ampc-opt --amp-build-kernels=threads=true --amp-print-cuda -o /dev/null %s | grep -v '^#line' | FileCheck %s

module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%x: tensor<1000x20xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>},
                   %b: tensor<8x3000xbf16> {amp.name = "b", amp.io = #amp.io<input>, amp.place = #amp.place<input, 1>})
      -> (tensor<20xf32> {amp.name = "y", amp.io = #amp.io<output>},
          tensor<3000xf32> {amp.name = "z", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    // 32 blocks of 32 rows, 8 columns a block of threads: 32 ranges of one block of rows each, which
    // join pairwise in shared memory.
    // CHECK-LABEL: extern "C" __global__ __launch_bounds__(256, 4) void column_sum(const float *__restrict__ x, float *__restrict__ out) {
    // CHECK-NEXT:   AMPC_SHARED(float, shared, 256);
    // CHECK-NEXT:   for (int i = ampc_first_block(); i < 3; i += ampc_block_stride()) {
    // CHECK-NEXT:     const int thread = ampc_thread();
    // CHECK-NEXT:     const int at = thread % 8;
    // CHECK-NEXT:     const int at_2 = thread / 8;
    // CHECK-NEXT:     const int at_3 = i * 8 + at;
    // CHECK-NEXT:     const bool t = ampc_u(at_3) < 20u;
    // CHECK-NEXT:     const int at_4 = ampc_min(at_3, 19);
    // CHECK-NEXT:     float t_2 = 0.0f;
    // CHECK-NEXT:     if (t) {
    // CHECK:            for (int k = {{.*}}; k < {{.*}}; ++k) {
    // CHECK:              const float xv = x[k * 20 + at_4];
    // CHECK-NEXT:         part = part + xv;
    // CHECK:          __syncthreads();
    // CHECK-NEXT:     shared[thread] = t_2;
    // CHECK-NEXT:     __syncthreads();
    // CHECK-NEXT:     if (at_2 % 2 == 0 & ampc_u(at_2 + 1) < 32u) {
    // CHECK-NEXT:       const float [[A:[a-z_0-9]+]] = shared[thread];
    // CHECK-NEXT:       const float [[B:[a-z_0-9]+]] = shared[thread + 8];
    // CHECK-NEXT:       shared[thread] = [[A]] + [[B]];
    // CHECK-NEXT:     }
    // CHECK-COUNT-4:  if (at_2 %
    // CHECK-NOT:      if (at_2 %
    // CHECK:          __syncthreads();
    // CHECK-NEXT:     const float [[SUM:[a-z_0-9]+]] = shared[at];
    // CHECK:          __syncthreads();
    // CHECK-NEXT:     if (t & at_2 == 0) {
    // CHECK:            out[at_4] = [[SUM]];
    %y = amp.group column [1000, 20] (%x) {amp.place = [#amp.place<output, 0>]} : (tensor<1000x20xf32>) -> tensor<20xf32> {
    ^bb0(%x0: tensor<1000x20xf32> loc("x")):
      %0 = amp.reduce sum %x0 over [0] order column accumulate f32 : tensor<1000x20xf32> -> tensor<20xf32>
      amp.yield %0 : tensor<20xf32>
    }
    // One block of rows: a thread a column, neighbours beside each other.
    // CHECK-LABEL: __launch_bounds__(128, 8) void column_cast_max(const ampc_bf16 *__restrict__ in, float *__restrict__ out) {
    // CHECK-NEXT:   for (int i = ampc_first(); i < 3000; i += ampc_stride()) {
    // CHECK-NEXT:     float part = ampc_f32(0xff800000u);
    // CHECK:          AMPC_UNROLL(8)
    // CHECK-NEXT:     for (int k = 0; k < 8; ++k) {
    // CHECK:            const ampc_bf16 inv = in[k * 3000 + i];
    // CHECK:            part = ampc_maximum(part, ampc_to_f32(inv));
    // CHECK:          out[i] = ampc_unordered(part, part) ? ampc_f32(0x7fc00000u) : part;
    %z = amp.group column [8, 3000] (%b) {amp.place = [#amp.place<output, 1>]} : (tensor<8x3000xbf16>) -> tensor<3000xf32> {
    ^bb0(%b0: tensor<8x3000xbf16>):
      %0 = amp.cast %b0 origin policy : tensor<8x3000xbf16> -> tensor<8x3000xf32>
      %1 = amp.reduce max %0 over [0] order column accumulate f32 : tensor<8x3000xf32> -> tensor<3000xf32>
      amp.yield %1 : tensor<3000xf32>
    }
    return %y, %z : tensor<20xf32>, tensor<3000xf32>
  }
}

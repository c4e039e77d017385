// RUN: %ampc-opt --amp-build-kernels=threads=true --amp-print-cuda -o /dev/null %s | grep -v '^#line' | FileCheck %s

module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%i: tensor<100xi64> {amp.name = "i", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>},
                   %u: tensor<100x256xf32> {amp.name = "u", amp.io = #amp.io<input>, amp.place = #amp.place<input, 1>},
                   %j: tensor<4x1xi32> {amp.name = "j", amp.io = #amp.io<input>, amp.place = #amp.place<input, 2>},
                   %v: tensor<4x1xf32> {amp.name = "v", amp.io = #amp.io<input>, amp.place = #amp.place<input, 3>},
                   %k: tensor<9x3xi32> {amp.name = "k", amp.io = #amp.io<input>, amp.place = #amp.place<input, 4>},
                   %w: tensor<9x3xf32> {amp.name = "w", amp.io = #amp.io<input>, amp.place = #amp.place<input, 5>})
      -> (tensor<5000x256xf32> {amp.name = "y", amp.io = #amp.io<output>},
          tensor<4x10xf32> {amp.name = "z", amp.io = #amp.io<output>},
          tensor<7x3xf32> {amp.name = "a", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    // A row for each index: a warp has 16 rows and 128 columns of the result, clears them, and looks
    // for its rows among 32 indices at a time.
    // CHECK-LABEL: void scatter_scatter_rows(const long long *__restrict__ in, const float *__restrict__ in_2, float *__restrict__ out) {
    // CHECK-NEXT:   for (int point = ampc_first_warp(); point < 626; point += ampc_warp_stride()) {
    // CHECK:          const int at_2 = j * 16;
    // CHECK-NEXT:     const int at_3 = ampc_min(at_2 + 16, 5000);
    // CHECK:          for (int k_2 = at_2; k_2 < at_3; ++k_2) {
    // CHECK-NEXT:       ampc_store(out + k_2 * 256 + at, ampc_splat<4>(0.0f));
    // CHECK-NEXT:     }
    // CHECK-NEXT:     for (int k_3 = 0; k_3 < 100; k_3 += 32) {
    // CHECK-NEXT:       const int at_4 = k_3 + lane;
    // CHECK-NEXT:       const long long inv = in[ampc_min(at_4, 99)];
    // CHECK-NEXT:       const bool t = inv >= (long long)at_2 & inv < (long long)at_3 & inv != 3ll & ampc_u(at_4) < 100u;
    // CHECK-NEXT:       const int [[HITS:t_[0-9]+]] = ampc_ballot(t);
    // CHECK-NEXT:       if ([[HITS]] != 0) {
    // CHECK-NEXT:         for (int k_4 = 0; k_4 < 32; ++k_4) {
    // CHECK-NEXT:           if ((ampc_shr([[HITS]], k_4) & 1) != 0) {
    // CHECK-NEXT:             const long long [[ROW:t_[0-9]+]] = ampc_shuffle(inv, k_4);
    // CHECK-NEXT:             const int [[TO:at_[0-9]+]] = (int)[[ROW]] * 256 + at;
    // CHECK-NEXT:             const ampc_vec<float, 4> outv = ampc_load<4>(out + [[TO]]);
    // CHECK-NEXT:             const ampc_vec<float, 4> in_2v = ampc_load<4>(in_2 + (k_3 + k_4) * 256 + at);
    // CHECK-NEXT:             ampc_store(out + [[TO]], outv + in_2v);
    %y = amp.group scatter [100, 256] (%i, %u) {amp.place = [#amp.place<output, 0>]} : (tensor<100xi64>, tensor<100x256xf32>) -> tensor<5000x256xf32> {
    ^bb0(%i0: tensor<100xi64>, %u0: tensor<100x256xf32>):
      %0 = amp.scatter_rows %i0, %u0 axis 0 padding_idx 3 : tensor<100xi64>, tensor<100x256xf32> -> tensor<5000x256xf32>
      amp.yield %0 : tensor<5000x256xf32>
    }
    // Few positions: an element of the result looks for itself.
    // CHECK-LABEL: void scatter_scatter_add(
    // CHECK:          float part = 0.0f;
    // CHECK-NEXT:     for (int k = 0; k < 1; ++k) {
    // CHECK-NEXT:       const int at = i + k;
    // CHECK-NEXT:       const int inv = in[at];
    // CHECK:            if ((long long)inv == t) {
    // CHECK-NEXT:         const float in_2v = in_2[at];
    // CHECK:            }
    // CHECK:          out[i * 10 + j] = part;
    %z = amp.group scatter [4, 1] (%j, %v) {amp.place = [#amp.place<output, 1>]} : (tensor<4x1xi32>, tensor<4x1xf32>) -> tensor<4x10xf32> {
    ^bb0(%j0: tensor<4x1xi32>, %v0: tensor<4x1xf32>):
      %0 = amp.scatter_add %j0, %v0 axis 1 : tensor<4x1xi32>, tensor<4x1xf32> -> tensor<4x10xf32>
      amp.yield %0 : tensor<4x10xf32>
    }
    // An index for each element, many positions: a thread a column.
    // CHECK-LABEL: void scatter_scatter_add_2(
    // CHECK-NEXT:   for (int i = ampc_first(); i < 3; i += ampc_stride()) {
    // CHECK-NEXT:     for (int k = 0; k < 7; ++k) {
    // CHECK-NEXT:       out[k * 3 + i] = 0.0f;
    // CHECK:          for (int k_2 = 0; k_2 < 9; ++k_2) {
    // CHECK:            if (
    // CHECK:              out[{{.*}}] = outv + in_2v;
    %a = amp.group scatter [9, 3] (%k, %w) {amp.place = [#amp.place<output, 2>]} : (tensor<9x3xi32>, tensor<9x3xf32>) -> tensor<7x3xf32> {
    ^bb0(%k0: tensor<9x3xi32>, %w0: tensor<9x3xf32>):
      %0 = amp.scatter_add %k0, %w0 axis 0 : tensor<9x3xi32>, tensor<9x3xf32> -> tensor<7x3xf32>
      amp.yield %0 : tensor<7x3xf32>
    }
    return %y, %z, %a : tensor<5000x256xf32>, tensor<4x10xf32>, tensor<7x3xf32>
  }
}

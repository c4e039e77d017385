// RUN: %ampc-opt --amp-build-kernels=threads=true --amp-print-cuda -o /dev/null %s | FileCheck %s
// RUN: %ampc-opt --amp-build-kernels=threads=true --amp-print-cuda=prelude=true -o /dev/null %s | FileCheck %s --check-prefix=PRELUDE

// PRELUDE: struct alignas(2) ampc_bf16
// PRELUDE: extern "C" __global__ __launch_bounds__

module attributes {amp.stage = #amp.stage<placed>} {
  func.func @infer(%x: tensor<256x4096xf32> {amp.name = "x", amp.io = #amp.io<input>, amp.place = #amp.place<input, 0>},
                   %b: tensor<4096xf32> {amp.name = "b", amp.io = #amp.io<input>, amp.place = #amp.place<input, 1>},
                   %n: tensor<i64> {amp.name = "n", amp.io = #amp.io<input>, amp.place = #amp.place<input, 2>})
      -> (tensor<256x4096xbf16> {amp.name = "y", amp.io = #amp.io<output>},
          tensor<i64> {amp.name = "m", amp.io = #amp.io<output>})
      attributes {amp.entry = #amp.entry<infer>, amp.arena_bytes = 0 : i64} {
    // Names from the model, lines of the model, an order of operations that parentheses keep, and a
    // constant that decimal does not give exactly as its bits.
    // Four floats are one access.
    // CHECK:      extern "C" __global__ __launch_bounds__(256, 4) void fc1_add_mul_sub_cast_of6(const float *__restrict__ x, const float *__restrict__ bias, ampc_bf16 *__restrict__ out) {
    // CHECK-NEXT:   for (int point = ampc_first(); point < 262144; point += ampc_stride()) {
    // CHECK-NEXT:     const int i = point / 1024;
    // CHECK-NEXT:     const int j = point % 1024;
    // CHECK-NEXT:     const int at = j * 4;
    // CHECK-NEXT:     const int at_2 = i * 4096 + at;
    // CHECK-NEXT:     const ampc_vec<float, 4> xv = ampc_load<4>(x + at_2);
    // CHECK-NEXT:     const ampc_vec<float, 4> biasv = ampc_load<4>(bias + at);
    // CHECK-NEXT: #line 7 "net.amp"
    // CHECK-NEXT:     const ampc_vec<float, 4> fc1 = xv + biasv;
    // CHECK-NEXT: #line 9 "net.amp"
    // CHECK-NEXT:     ampc_store(out + at_2, ampc_to_bf16(xv - (fc1 * ampc_f32(0x3dcccccdu) - fc1 * 0.5f)));
    // CHECK-NEXT:   }
    // CHECK-NEXT: }
    %r = amp.group map [256, 4096] (%x, %b) {amp.place = [#amp.place<output, 0>]}
        : (tensor<256x4096xf32>, tensor<4096xf32>) -> tensor<256x4096xbf16> {
    ^bb0(%x0: tensor<256x4096xf32> loc("x"), %b0: tensor<4096xf32> loc("fc1.bias")):
      %tenth = amp.constant dense<0.1> : tensor<256x4096xf32>
      %half = amp.constant dense<0.5> : tensor<256x4096xf32>
      %0 = amp.broadcast %b0 along [1] : tensor<4096xf32> -> tensor<256x4096xf32>
      %1 = amp.add %x0, %0 : tensor<256x4096xf32> loc("fc1"("net.amp":7:9))
      %2 = amp.mul %1, %tenth : tensor<256x4096xf32> loc("net.amp":8:9)
      %3 = amp.mul %1, %half : tensor<256x4096xf32> loc("net.amp":8:9)
      %4 = amp.sub %2, %3 : tensor<256x4096xf32> loc("net.amp":8:9)
      %5 = amp.sub %x0, %4 : tensor<256x4096xf32> loc("net.amp":8:9)
      %6 = amp.cast %5 origin user : tensor<256x4096xf32> -> tensor<256x4096xbf16> loc("net.amp":9:3)
      amp.yield %6 : tensor<256x4096xbf16> loc("net.amp":9:3)
    } loc("net.amp":6:1)
    // Integers wrap, one point for a scalar.
    // CHECK:      __launch_bounds__(32, 16) void map_add(const long long *__restrict__ in, long long *__restrict__ out) {
    // CHECK-NEXT:   for (int i = ampc_first(); i < 1; i += ampc_stride()) {
    // CHECK:          out[0] = ampc_add(inv, 1ll);
    %s = amp.group map [] (%n) {amp.place = [#amp.place<output, 1>]} : (tensor<i64>) -> tensor<i64> {
    ^bb0(%n0: tensor<i64>):
      %one = amp.constant dense<1> : tensor<i64>
      %0 = amp.add %n0, %one : tensor<i64>
      amp.yield %0 : tensor<i64>
    }
    return %r, %s : tensor<256x4096xbf16>, tensor<i64>
  }
}

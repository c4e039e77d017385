// RUN: %ampc-opt %s -amp-chunk-rows=limit-bytes=2048 -split-input-file | FileCheck %s
// RUN: %ampc-opt %s -amp-chunk-rows=limit-bytes=4480 -split-input-file | FileCheck %s --check-prefix=WHOLE
// RUN: %ampc-opt %s -amp-chunk-rows=limit-bytes=0 -split-input-file | FileCheck %s --check-prefix=WHOLE
// RUN: %ampc-opt %s -amp-chunk-rows -split-input-file | FileCheck %s --check-prefix=WHOLE

// 70 rows of 64 bytes in chunks of 32, 32 and 6: forward, gradient, the gradients of input, weight and bias.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[X:.+]]: tensor<70x8xf32>, %[[W:.+]]: tensor<16x8xf32>, %[[B:.+]]: tensor<16xf32>, %[[T:.+]]: tensor<70xi32>, %[[R:.+]]: tensor<f32>)
// CHECK-SAME: attributes {amp.chunks = [{bytes = 4480 : i64, chunk = 32 : i64, path = "head", rows = 70 : i64}]}
// WHOLE-LABEL: func.func @step(
// WHOLE-NOT: amp.chunks
// WHOLE-NOT: amp.slice
// WHOLE: return
func.func @step(%x: tensor<70x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>, %t: tensor<70xi32>,
                %r: tensor<f32>) -> (tensor<70xf32>, tensor<70x8xf32>, tensor<16x8xf32>, tensor<16xf32>) {
  // CHECK-NEXT: %[[I:.+]] = amp.iota
  // CHECK-NEXT: %[[X0:.+]] = amp.slice %[[X]] starts [0, 0] steps [1, 1] : tensor<70x8xf32> -> tensor<32x8xf32>
  // CHECK-NEXT: %[[L0:.+]] = amp.matmul %[[X0]], %[[W]] transpose_b accumulate f32 : tensor<32x8xf32>, tensor<16x8xf32> -> tensor<32x16xf32>
  // CHECK-NEXT: %[[B0:.+]] = amp.broadcast %[[B]] along [1] : tensor<16xf32> -> tensor<32x16xf32>
  // CHECK-NEXT: %[[Z0:.+]] = amp.add %[[L0]], %[[B0]] : tensor<32x16xf32>
  // CHECK-NEXT: %[[M0:.+]] = amp.reduce max %[[Z0]] over [1] order row accumulate f32 : tensor<32x16xf32> -> tensor<32xf32>
  // CHECK: %[[S0:.+]] = amp.reduce sum %{{.+}} over [1] order row
  // CHECK-NEXT: %[[LS0:.+]] = amp.log %[[S0]] : tensor<32xf32>
  // CHECK: %[[T0:.+]] = amp.slice %[[T]] starts [0] steps [1] : tensor<70xi32> -> tensor<32xi32>
  // CHECK-NEXT: amp.broadcast %[[T0]] along [0] : tensor<32xi32> -> tensor<32x16xi32>
  // CHECK: %[[G0:.+]] = amp.mul %{{.+}}, %{{.+}} : tensor<32x16xf32>
  // CHECK-NEXT: %[[DX0:.+]] = amp.matmul %[[G0]], %[[W]] accumulate f32 : tensor<32x16xf32>, tensor<16x8xf32> -> tensor<32x8xf32>
  // CHECK-NEXT: %[[DW0:.+]] = amp.matmul %[[G0]], %[[X0]] transpose_a accumulate f32
  // CHECK-NEXT: %[[DB0:.+]] = amp.reduce sum %[[G0]] over [0] order column
  // CHECK: amp.slice %[[X]] starts [32, 0]
  // CHECK: %[[G1:.+]] = amp.mul %{{.+}}, %{{.+}} : tensor<32x16xf32>
  // CHECK: %[[DW1:.+]] = amp.matmul %[[G1]], %{{.+}} from %[[DW0]] : tensor<16x8xf32> transpose_a accumulate f32
  // CHECK: %[[DB1:.+]] = amp.reduce sum %[[G1]] over [0]
  // CHECK-NEXT: %[[DB01:.+]] = amp.add %[[DB0]], %[[DB1]]
  // CHECK: amp.slice %[[X]] starts [64, 0] steps [1, 1] : tensor<70x8xf32> -> tensor<6x8xf32>
  // CHECK: %[[G2:.+]] = amp.mul %{{.+}}, %{{.+}} : tensor<6x16xf32>
  // CHECK: %[[DX2:.+]] = amp.matmul %[[G2]], %[[W]] accumulate f32 : tensor<6x16xf32>
  // CHECK: %[[DW:.+]] = amp.matmul %[[G2]], %{{.+}} from %[[DW1]]
  // CHECK: %[[DB2:.+]] = amp.reduce sum %[[G2]] over [0]
  // CHECK: %[[LS:.+]] = amp.concat %[[LS0]], %{{.+}}, %{{.+}} axis 0 : tensor<32xf32>, tensor<32xf32>, tensor<6xf32> -> tensor<70xf32>
  // CHECK-NEXT: %[[DX:.+]] = amp.concat %[[DX0]], %{{.+}}, %[[DX2]] axis 0
  // CHECK-NEXT: %[[DB:.+]] = amp.add %[[DB01]], %[[DB2]]
  // CHECK-NEXT: %[[N:.+]] = amp.neg %[[LS]]
  // CHECK-NEXT: return %[[N]], %[[DX]], %[[DW]], %[[DB]]
  %l = amp.matmul %x, %w transpose_b accumulate f32 : tensor<70x8xf32>, tensor<16x8xf32> -> tensor<70x16xf32> loc("head")
  %bias = amp.broadcast %b along [1] : tensor<16xf32> -> tensor<70x16xf32>
  %z = amp.add %l, %bias : tensor<70x16xf32>
  %m = amp.reduce max %z over [1] order row accumulate f32 : tensor<70x16xf32> -> tensor<70xf32>
  %ms = amp.broadcast %m along [0] : tensor<70xf32> -> tensor<70x16xf32>
  %d = amp.sub %z, %ms : tensor<70x16xf32>
  %e = amp.exp %d : tensor<70x16xf32>
  %s = amp.reduce sum %e over [1] order row accumulate f32 : tensor<70x16xf32> -> tensor<70xf32>
  %ls = amp.log %s : tensor<70xf32>
  %n = amp.neg %ls : tensor<70xf32>
  %lss = amp.broadcast %ls along [0] : tensor<70xf32> -> tensor<70x16xf32>
  %c = amp.sub %d, %lss : tensor<70x16xf32>
  %p = amp.exp %c : tensor<70x16xf32>
  %ts = amp.broadcast %t along [0] : tensor<70xi32> -> tensor<70x16xi32>
  %i = amp.iota : tensor<16xi32>
  %is = amp.broadcast %i along [1] : tensor<16xi32> -> tensor<70x16xi32>
  %hit = amp.compare eq %is, %ts : tensor<70x16xi32>
  %one = amp.constant dense<1.0> : tensor<70x16xf32>
  %less = amp.sub %p, %one : tensor<70x16xf32>
  %q = amp.select %hit, %less, %p : tensor<70x16xf32>
  %rs = amp.broadcast %r along [] : tensor<f32> -> tensor<70x16xf32>
  %g = amp.mul %q, %rs : tensor<70x16xf32>
  %dx = amp.matmul %g, %w accumulate f32 : tensor<70x16xf32>, tensor<16x8xf32> -> tensor<70x8xf32>
  %dw = amp.matmul %g, %x transpose_a accumulate f32 : tensor<70x16xf32>, tensor<70x8xf32> -> tensor<16x8xf32>
  %db = amp.reduce sum %g over [0] order column accumulate f32 : tensor<70x16xf32> -> tensor<16xf32>
  return %n, %dx, %dw, %db : tensor<70xf32>, tensor<70x8xf32>, tensor<16x8xf32>, tensor<16xf32>
}

// -----

// Rows of two axes; sums that were rounded are so once, after the last chunk; five blocks of rows join
// pairwise as in one sum.
// CHECK-LABEL: func.func @rounded(
func.func @rounded(%x: tensor<2x80x8xbf16>, %w: tensor<8x32xbf16>)
    -> (tensor<2x80xf32>, tensor<8x32xbf16>, tensor<32xbf16>) {
  // CHECK: amp.slice %{{.+}} starts [0, 0]
  // CHECK: %[[D0:.+]] = amp.matmul %{{.+}}, %{{.+}} transpose_a accumulate f32 : tensor<32x8xbf16>, tensor<32x32xbf16> -> tensor<8x32xf32>
  // CHECK: %[[S0:.+]] = amp.reduce sum %{{.+}} over [0] {{.*}} -> tensor<32xf32>
  // CHECK: from %[[D0]]
  // CHECK: %[[S1:.+]] = amp.reduce sum
  // CHECK: %[[S01:.+]] = amp.add %[[S0]], %[[S1]]
  // CHECK: %[[S2:.+]] = amp.reduce sum
  // CHECK: %[[S3:.+]] = amp.reduce sum
  // CHECK: %[[S23:.+]] = amp.add %[[S2]], %[[S3]]
  // CHECK: %[[S03:.+]] = amp.add %[[S01]], %[[S23]]
  // CHECK: %[[D4:.+]] = amp.matmul %{{.+}}, %{{.+}} from
  // CHECK: %[[S4:.+]] = amp.reduce sum
  // CHECK: %[[M:.+]] = amp.concat
  // CHECK: amp.reshape %[[M]] : tensor<160xf32> -> tensor<2x80xf32>
  // CHECK: amp.cast %[[D4]] {{.*}} tensor<8x32xf32> -> tensor<8x32xbf16>
  // CHECK: %[[S:.+]] = amp.add %[[S03]], %[[S4]]
  // CHECK: amp.cast %[[S]] {{.*}} tensor<32xf32> -> tensor<32xbf16>
  %x2 = amp.reshape %x : tensor<2x80x8xbf16> -> tensor<160x8xbf16>
  %l = amp.matmul %x2, %w accumulate f32 : tensor<160x8xbf16>, tensor<8x32xbf16> -> tensor<160x32xbf16>
  %y = amp.reshape %l : tensor<160x32xbf16> -> tensor<2x80x32xbf16>
  %v = amp.cast %y origin policy : tensor<2x80x32xbf16> -> tensor<2x80x32xf32>
  %m = amp.reduce max %v over [2] order row accumulate f32 : tensor<2x80x32xf32> -> tensor<2x80xf32>
  %dw = amp.matmul %x2, %l transpose_a accumulate f32 : tensor<160x8xbf16>, tensor<160x32xbf16> -> tensor<8x32xbf16>
  %db = amp.reduce sum %y over [0, 1] order column accumulate f32 : tensor<2x80x32xbf16> -> tensor<32xbf16>
  return %m, %dw, %db : tensor<2x80xf32>, tensor<8x32xbf16>, tensor<32xbf16>
}

// RUN: %ampc-opt %s | FileCheck %s

// CHECK-LABEL: func.func @matmul(
func.func @matmul(%a: tensor<3x5xf32>, %b: tensor<5x7xf32>, %bt: tensor<7x5xf32>,
                  %at: tensor<5x3xf32>) {
  // CHECK: amp.matmul %{{.+}}, %{{.+}} accumulate f32 : tensor<3x5xf32>, tensor<5x7xf32> -> tensor<3x7xf32>
  %0 = amp.matmul %a, %b accumulate f32 : tensor<3x5xf32>, tensor<5x7xf32> -> tensor<3x7xf32>
  // CHECK: amp.matmul %{{.+}}, %{{.+}} transpose_b accumulate f32
  %1 = amp.matmul %a, %bt transpose_b accumulate f32
     : tensor<3x5xf32>, tensor<7x5xf32> -> tensor<3x7xf32>
  // CHECK: amp.matmul %{{.+}}, %{{.+}} transpose_a accumulate f32
  %2 = amp.matmul %at, %b transpose_a accumulate f32
     : tensor<5x3xf32>, tensor<5x7xf32> -> tensor<3x7xf32>
  // CHECK: amp.matmul %{{.+}}, %{{.+}} transpose_a transpose_b accumulate f32
  %3 = amp.matmul %at, %bt transpose_a transpose_b accumulate f32
     : tensor<5x3xf32>, tensor<7x5xf32> -> tensor<3x7xf32>
  return
}

// 16-bit operands accumulate in f32 and may round to another type; f64 accumulates in f64.
// CHECK-LABEL: func.func @matmul_types(
func.func @matmul_types(%a: tensor<2x3x5xbf16>, %b: tensor<2x5x7xbf16>, %c: tensor<0x4xf64>,
                        %d: tensor<4x0xf64>) {
  // CHECK: accumulate f32 : tensor<2x3x5xbf16>, tensor<2x5x7xbf16> -> tensor<2x3x7xf32>
  %0 = amp.matmul %a, %b accumulate f32
     : tensor<2x3x5xbf16>, tensor<2x5x7xbf16> -> tensor<2x3x7xf32>
  // CHECK: accumulate f64 : tensor<4x0xf64>, tensor<0x4xf64> -> tensor<4x4xf64>
  %1 = amp.matmul %d, %c accumulate f64 : tensor<4x0xf64>, tensor<0x4xf64> -> tensor<4x4xf64>
  return
}

// Sums that begin from those of another part of K.
// CHECK-LABEL: func.func @matmul_init(
func.func @matmul_init(%a: tensor<5x3xbf16>, %b: tensor<5x7xbf16>, %c: tensor<3x7xf32>) {
  // CHECK: amp.matmul %{{.+}}, %{{.+}} from %{{.+}} : tensor<3x7xf32> transpose_a accumulate f32 : tensor<5x3xbf16>, tensor<5x7xbf16> -> tensor<3x7xf32>
  %0 = amp.matmul %a, %b from %c : tensor<3x7xf32> transpose_a accumulate f32
     : tensor<5x3xbf16>, tensor<5x7xbf16> -> tensor<3x7xf32>
  return
}

// A library's product that adds a row and takes relu.
// CHECK-LABEL: func.func @matmul_epilogue(
func.func @matmul_epilogue(%a: tensor<3x5xf32>, %b: tensor<7x5xf32>, %v: tensor<7xf32>,
                           %h: tensor<3x5xbf16>, %k: tensor<5x7xbf16>) {
  // CHECK: amp.matmul %{{.+}}, %{{.+}} bias %{{.+}} : tensor<7xf32> transpose_b relu accumulate f32 : tensor<3x5xf32>, tensor<7x5xf32> -> tensor<3x7xf32>
  %0 = amp.matmul %a, %b bias %v : tensor<7xf32> transpose_b relu accumulate f32
     : tensor<3x5xf32>, tensor<7x5xf32> -> tensor<3x7xf32>
  // CHECK: amp.matmul %{{.+}}, %{{.+}} relu accumulate f32 : tensor<3x5xbf16>, tensor<5x7xbf16> -> tensor<3x7xbf16>
  %1 = amp.matmul %h, %k relu accumulate f32 : tensor<3x5xbf16>, tensor<5x7xbf16> -> tensor<3x7xbf16>
  return
}

// CHECK-LABEL: func.func @linear(
// CHECK-SAME: %[[X:.+]]: tensor<2x3x5xf32>, %[[W:.+]]: tensor<7x5xf32>, %[[B:.+]]: tensor<7xf32>, %[[V:.+]]: tensor<5xf32>
func.func @linear(%x: tensor<2x3x5xf32>, %w: tensor<7x5xf32>, %b: tensor<7xf32>,
                  %v: tensor<5xf32>) {
  // CHECK: amp.linear %[[X]], %[[W]], %[[B]] accumulate f32 : tensor<2x3x5xf32>, tensor<7x5xf32>, tensor<7xf32> -> tensor<2x3x7xf32>
  %0 = amp.linear %x, %w, %b accumulate f32
     : tensor<2x3x5xf32>, tensor<7x5xf32>, tensor<7xf32> -> tensor<2x3x7xf32>
  // CHECK: amp.linear %[[V]], %[[W]] accumulate f32 : tensor<5xf32>, tensor<7x5xf32> -> tensor<7xf32>
  %1 = amp.linear %v, %w accumulate f32 : tensor<5xf32>, tensor<7x5xf32> -> tensor<7xf32>
  return
}

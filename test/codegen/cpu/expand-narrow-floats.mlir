// RUN: %ampc-opt --amp-expand-narrow-floats %s | FileCheck %s

// What is left of a bf16 or f8 value is its bits.
// CHECK-LABEL: func.func @bf16
// CHECK-SAME: -> i16
// CHECK-NOT: arith.truncf
// CHECK: arith.bitcast %arg0 : f32 to i32
// CHECK: %[[T:.*]] = arith.trunci %{{.*}} : i32 to i16
// CHECK-NOT: bf16
// CHECK: return
func.func @bf16(%x: f32) -> bf16 {
  %y = arith.truncf %x : f32 to bf16
  return %y : bf16
}

// One rounding from f64: by way of an f32 rounded to odd.
// CHECK-LABEL: func.func @from_f64
// CHECK: arith.truncf %arg0 : vector<4xf64> to vector<4xf32>
// CHECK: arith.extf %{{.*}} : vector<4xf32> to vector<4xf64>
// CHECK: arith.cmpf one
// CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
func.func @from_f64(%x: vector<4xf64>) -> vector<4xf16> {
  %y = arith.truncf %x : vector<4xf64> to vector<4xf16>
  return %y : vector<4xf16>
}

// CHECK-LABEL: func.func @f8
// CHECK-SAME: (%{{.*}}: i8) -> f32
// CHECK-NOT: arith.extf
// CHECK-NOT: f8E4M3FN
func.func @f8(%x: f8E4M3FN) -> f32 {
  %y = arith.extf %x : f8E4M3FN to f32
  return %y : f32
}

// The hardware's conversions stay.
// CHECK-LABEL: func.func @kept
// CHECK-NEXT: arith.extf %arg0 : f16 to f32
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: arith.extf %arg1 : f32 to f64
func.func @kept(%x: f16, %z: f32) -> (f16, f64) {
  %y = arith.extf %x : f16 to f32
  %h = arith.truncf %y : f32 to f16
  %d = arith.extf %z : f32 to f64
  return %h, %d : f16, f64
}

// Moves carry bits: no bf16 reaches LLVM, which would call its own conversions for them.
// CHECK-LABEL: func.func @moved
// CHECK-SAME: memref<8xi16>, %{{.*}}: memref<8xi16>
// CHECK: arith.constant 16256 : i16
// CHECK: memref.load %{{.*}} : memref<8xi16>
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i16
// CHECK: memref.store %{{.*}} : memref<8xi16>
func.func @moved(%from: memref<8xbf16>, %to: memref<8xbf16>, %c: i1, %i: index) {
  %one = arith.constant 1.0 : bf16
  %x = memref.load %from[%i] : memref<8xbf16>
  %y = arith.select %c, %x, %one : bf16
  memref.store %y, %to[%i] : memref<8xbf16>
  return
}

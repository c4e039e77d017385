// RUN: %ampc-opt --amp-expand-math -split-input-file -verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: func.func @scalar
// CHECK-NOT: math.exp
// The clamp leaves NaN: a comparison with it is false.
// CHECK: arith.cmpf ogt, %arg0, %{{.*}} : f32
// CHECK: arith.cmpf olt
// CHECK: math.fma
// Two factors, so that subnormal results are not flushed.
// CHECK: arith.shrsi
// CHECK: arith.mulf
// CHECK: arith.mulf
func.func @scalar(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// CHECK-LABEL: func.func @vector
// CHECK-NOT: math.exp
// CHECK: math.fma {{.*}} : vector<64xf64>
func.func @vector(%x: vector<64xf64>) -> vector<64xf64> {
  %y = math.exp %x : vector<64xf64>
  return %y : vector<64xf64>
}

// CHECK-LABEL: func.func @kept
// CHECK: math.sqrt
// CHECK: math.fma
func.func @kept(%x: f32) -> f32 {
  %y = math.sqrt %x : f32
  %z = math.fma %y, %x, %y : f32
  return %z : f32
}

// -----

func.func @unknown(%x: f32) -> f32 {
  // expected-error @+1 {{on 'f32' is not available yet}}
  %y = math.sin %x : f32
  return %y : f32
}

// -----

func.func @narrow(%x: f16) -> f16 {
  // expected-error @+1 {{on 'f16' is not available yet}}
  %y = math.exp %x : f16
  return %y : f16
}

// RUN: %ampc-opt --amp-expand-math -split-input-file -verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: func.func @scalar
// CHECK-NOT: math.exp
// The clamp leaves NaN: a comparison with it is false.
// CHECK: arith.cmpf ogt, %arg0, %{{.*}} : f32
// CHECK: arith.cmpf olt
// CHECK: math.fma
// Two factors, so that subnormal results are not flushed.
// CHECK: arith.shrui
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

// The functions that activations and losses are made of stay in f32; only tanh divides.
// CHECK-LABEL: func.func @in_f32
// CHECK-NOT: f64
// CHECK-NOT: arith.divf
// CHECK: arith.divf
// CHECK-NOT: f64
// CHECK-NOT: arith.divf
// CHECK: return
func.func @in_f32(%x: vector<64xf32>) -> vector<64xf32> {
  %0 = math.erf %x : vector<64xf32>
  %1 = math.log %0 : vector<64xf32>
  %2 = math.tanh %1 : vector<64xf32>
  return %2 : vector<64xf32>
}

// log1p and pow of f32 compute in f64 and round once.
// CHECK-LABEL: func.func @through_f64
// CHECK-NOT: math.log1p
// CHECK: arith.extf %arg0 : vector<64xf32> to vector<64xf64>
// CHECK: arith.truncf %{{.*}} : vector<64xf64> to vector<64xf32>
func.func @through_f64(%x: vector<64xf32>) -> vector<64xf32> {
  %y = math.log1p %x : vector<64xf32>
  return %y : vector<64xf32>
}

// No branch, no call, whatever the function.
// CHECK-LABEL: func.func @all
// CHECK-NOT: math.{{log|tanh|erf|sin|cos|powf}}
// CHECK-NOT: arith.remf
// CHECK-NOT: scf.
// CHECK: return
func.func @all(%x: f64, %y: f64) -> f64 {
  %0 = math.log %x : f64
  %1 = math.log1p %0 : f64
  %2 = math.tanh %1 : f64
  %3 = math.erf %2 : f64
  %4 = math.sin %3 : f64
  %5 = math.cos %4 : f64
  %6 = math.powf %5, %y : f64
  %7 = arith.remf %6, %y : f64
  return %7 : f64
}

// -----

func.func @unknown(%x: f32) -> f32 {
  // expected-error @+1 {{on 'f32' is not available yet}}
  %y = math.atan %x : f32
  return %y : f32
}

// -----

func.func @narrow(%x: f16) -> f16 {
  // expected-error @+1 {{on 'f16' is not available yet}}
  %y = math.exp %x : f16
  return %y : f16
}

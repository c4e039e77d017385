// RUN: %ampc-opt --amp-tile-kernels -split-input-file -verify-diagnostics %s | FileCheck %s

// 100000 elements in seven equal tiles of whole vectors, the last one shorter.
// CHECK-LABEL: func.func @flat
// CHECK-SAME: (%[[X:.*]]: memref<100000xf32> {llvm.dereferenceable = 400000 : i64, llvm.noalias}, %[[BEGIN:.*]]: index, %[[END:.*]]: index) attributes {llvm.bareptr}
// CHECK: scf.for %[[TILE:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[FROM:.*]] = arith.muli %[[TILE]], %c14336
// CHECK: %[[BOUND:.*]] = arith.addi %[[FROM]], %c14336
// CHECK: %[[TO:.*]] = arith.minsi %[[BOUND]], %c100000
// CHECK: scf.for %[[I:.*]] = %[[FROM]] to %[[TO]]
// CHECK: memref.store %{{.*}}, %[[X]][%[[I]]]
// CHECK-NOT: scf.parallel
func.func @flat(%x: memref<100000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100000 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%i] : memref<100000xf32>
    memref.store %v, %x[%i] : memref<100000xf32>
  } {work = 1 : i64}
  return
}

// -----

// Rows of 4096 elements: four a tile, the inner loop whole. Scratch memory is taken once a call.
// CHECK-LABEL: func.func @rows
// CHECK: memref.alloca
// CHECK: scf.for
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}}
// CHECK: scf.for %{{.*}} = %{{.*}} to %c4096
func.func @rows(%x: memref<1048576xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 256 : index
  %width = arith.constant 4096 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%rows, %width) step (%c1, %c1) {
    %scratch = memref.alloca() : memref<1xf32>
    %v = memref.load %x[%j] : memref<1048576xf32>
    memref.store %v, %scratch[%c0] : memref<1xf32>
    memref.store %v, %x[%i] : memref<1048576xf32>
  } {work = 1 : i64}
  return
}

// -----

// Neighbours along the second axis run at once, up to four, never past the end of a row of ten.
// CHECK-LABEL: func.func @spans
// CHECK-SAME: %[[BEGIN:[a-z0-9]+]]: index, %[[END:[a-z0-9]+]]: index)
// CHECK: %[[FIRST:.*]] = arith.divui %[[BEGIN]], %c10
// CHECK: %[[LAST:.*]] = arith.divui %{{.*}}, %c10
// CHECK: scf.for %[[ROW:.*]] = %[[FIRST]] to %[[LAST]] step %c1
// CHECK: %[[START:.*]] = arith.muli %[[ROW]], %c10
// CHECK: %[[FROM:.*]] = arith.subi %[[BEGIN]], %[[START]]
// CHECK: %[[LOW:.*]] = arith.maxsi %[[FROM]], %c0
// CHECK: %[[TO:.*]] = arith.subi %[[END]], %[[START]]
// CHECK: %[[HIGH:.*]] = arith.minsi %[[TO]], %c10
// CHECK: scf.for %[[POINT:.*]] = %[[LOW]] to %[[HIGH]] step %c4
// CHECK: %[[LEFT:.*]] = arith.subi %[[HIGH]], %[[POINT]]
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %c4
// CHECK: memref.store %{{.*}}[%[[POINT]]]
// CHECK: memref.store %{{.*}}[%[[COUNT]]]
// CHECK-NOT: scf.parallel
func.func @spans(%x: memref<64xf32>) {
  %v = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 6 : index
  %points = arith.constant 10 : index
  scf.parallel (%i, %j, %count) = (%c0, %c0, %c0) to (%rows, %points, %c1) step (%c1, %c1, %c1) {
    memref.store %v, %x[%j] : memref<64xf32>
    memref.store %v, %x[%count] : memref<64xf32>
  } {work = 1 : i64, span = 4 : i64}
  return
}

// -----

func.func @no_place_for_a_count(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %points = arith.constant 10 : index
  // expected-error @+1 {{with a span of 4 needs an axis before its last one, which is of extent 1; got 1 axes, the last of extent 10}}
  scf.parallel (%j) = (%c0) to (%points) step (%c1) {
  } {work = 1 : i64, span = 4 : i64}
  return
}

// -----

// expected-error @+1 {{argument 1 must be memory of static shape, got 'f32'}}
func.func @number(%x: memref<64xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    memref.store %v, %x[%i] : memref<64xf32>
  }
  return
}

// -----

// expected-error @+1 {{must hold one scf.parallel, got none}}
func.func @none() {
  return
}

// -----

func.func @dynamic(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{must run from 0 to a constant in steps of 1}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
  }
  return
}

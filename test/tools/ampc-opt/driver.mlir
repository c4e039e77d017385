// The driver knows the dialects of every stage and lowering step, upstream's clean-up passes, and
// every pass and pipeline of the compiler.
// RUN: %ampc-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: %ampc-opt --help | FileCheck %s --check-prefix=HELP
// RUN: %ampc-opt %s --cse --canonicalize --symbol-dce | FileCheck %s
// RUN: not %ampc-opt %s --amp-nonsense 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// DIALECTS: amp,arith,{{.*}}func,gpu,llvm,math,memref,scf,{{.*}}vector
// HELP: --amp-assign-precision
// HELP: --amp-build-entries
// HELP: --amp-build-kernels
// HELP: --amp-decompose
// HELP: --amp-differentiate
// HELP: --amp-expand-math
// HELP: --amp-form-groups
// HELP: --amp-place-buffers
// HELP: --amp-print-cuda
// HELP: --amp-tile-kernels
// HELP: --canonicalize
// HELP: --cse
// HELP: --symbol-dce
// HELP: --ampc-to-fused
// HELP: --ampc-to-placed
// UNKNOWN: Unknown command line argument '--amp-nonsense'

// CHECK-LABEL: func.func @clean(
// CHECK-SAME: %[[A:.+]]: tensor<4xf32>
// CHECK-NEXT: %[[S:.+]] = amp.add %[[A]], %[[A]]
// CHECK-NEXT: %[[P:.+]] = amp.mul %[[S]], %[[S]]
// CHECK-NEXT: return %[[P]]
// CHECK-NOT: @unused
func.func @clean(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = amp.add %a, %a : tensor<4xf32>
  %1 = amp.add %a, %a : tensor<4xf32>
  %dead = amp.exp %a : tensor<4xf32>
  %2 = amp.mul %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @unused(tensor<4xf32>)

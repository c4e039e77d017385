//===- Passes.td - kernels for the CPU -----------------------------------------------------------===//
#ifndef AMPC_CODEGEN_CPU_PASSES
#define AMPC_CODEGEN_CPU_PASSES

include "mlir/Pass/PassBase.td"

def TileKernels : Pass<"amp-tile-kernels", "::mlir::ModuleOp"> {
  let summary = "turn the parallel loop of a kernel into a serial function over a range of tiles";
  let description = [{
    Input: functions that hold one `scf.parallel` with constant bounds (`amp-build-kernels`). Each
    gets two more arguments, `begin` and `end` (index), and runs the tiles of that range in a row;
    what a tile is follows from the shape alone (Tiling.h), so any split over threads gives the
    same bits. A loop with `span` hands its body up to so many neighbouring points at once: a product
    packs for all of them what they share. Scratch memory moves to the entry of the function. Pointer arguments are marked
    `llvm.noalias` (one argument a place) and `llvm.dereferenceable` with their bytes, and the
    function `llvm.bareptr`.

    ```mlir
    scf.parallel (%i) = (%c0) to (%c100000) step (%c1) { body } {work = 1}
    // becomes
    scf.for %tile = %begin to %end step %c1 {
      %from = tile * 14336, %to = min(%from + 14336, 100000)
      scf.for %i = %from to %to step %c1 { body }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ExpandNarrowFloats : Pass<"amp-expand-narrow-floats"> {
  let summary = "convert between f32 and floats of 8 and 16 bits by integer arithmetic";
  let description = [{
    Rewrites `arith.extf` and `arith.truncf` from and to bf16, f8E4M3FN and f8E5M2, and
    `arith.truncf` from f64 to any narrow float, into integer sequences that round to nearest even,
    keep subnormals and NaN, and overflow to inf (f8E4M3FN: to NaN) (N1). Between f16 and f32 the
    hardware's conversions stay. LLVM's own bf16 conversions flush subnormals or call a library.
    From f64 the way leads over an f32 rounded to odd, so that there is one rounding. Values of bf16
    and f8 that are only moved afterwards are carried as i16 and i8, arguments of kernels included.

    ```mlir
    %y = arith.truncf %x : f32 to bf16
    // becomes: (bits + 0x7fff + (bits >> 16 & 1)) >> 16, NaN apart
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // AMPC_CODEGEN_CPU_PASSES

//===- Passes.td - from groups to loops --------------------------------------------------------===//
#ifndef AMPC_CODEGEN_KERNEL_PASSES
#define AMPC_CODEGEN_KERNEL_PASSES

include "mlir/Pass/PassBase.td"

def AddEpilogueKernels : Pass<"amp-add-epilogue-kernels", "::mlir::ModuleOp"> {
  let summary = "give every product with an epilogue the kernel that does it apart";
  let description = [{
    Input: a module in stage `placed`, before kernels are built. Behind every `amp.matmul` with `bias` or
    `relu` comes a map group that adds the bias and takes the maximum with +0 in the bytes of the
    product. A plan holds both: the device that runs it does the epilogue within the product where
    its library gives the same bits, and launches the kernel where not.

    ```mlir
    %h = amp.matmul %x, %w bias %b : tensor<6xf32> relu accumulate f32 ...
    // becomes
    %c = amp.matmul %x, %w bias %b : tensor<6xf32> relu accumulate f32 ...
    %h = amp.group map [8, 6] (%c, %b) ... { broadcast, add, maximum }   // at the place of %c
    ```
  }];
}

def BuildKernels : Pass<"amp-build-kernels", "::mlir::ModuleOp"> {
  let summary = "turn every fusion group into a kernel function over loops";
  let description = [{
    Input: a module in stage `placed`. For every `amp.group` of an entry one function is built in
    the nested module `@kernels`: an argument a place (1-D static memrefs, so that two tensors in the
    same bytes are one pointer) and one `scf.parallel` over independent points. Adjacent axes that
    every operand takes or leaves together become one loop. Bodies are scalar for map groups; row
    and column groups hold explicit vectors in the orders of `amp.reduce` (N10). A row is walked once a
    phase; what a later phase needs again and is costly (functions, random numbers, elements from
    elsewhere) is kept in scratch memory. Scatter groups clear, then add in order. Contraction groups
    (vectors only) run a tile of the product a point: operands packed where they do not lie in order,
    register blocks of `math.fma` that fit the target's vectors, sums in f32 with K ascending, then the epilogue
    over the tile's sums. A matrix unit's blocks go down a panel of columns, or row by row where the
    results outweigh the operands, and fetch what the epilogue will touch of 1 MiB or more; its loop may have
    a `span`, up to which a call takes neighbouring points as one tile. Narrow floats
    compute in f32 and are rounded by `arith.truncf` where their op rounds (N3).

    With `threads` bodies are those of one thread of a GPU, in the same orders: the parallel loop
    carries `unit` (0, 1, 2: a point is run by a thread, a warp, a block) and `block_threads`. Maps
    take a few neighbouring elements a thread, rows a warp with two of the 64 partials a lane, columns
    a thread each, or a block with ranges of rows joined in its memory; scatter needs no atomics. Each
    random op has one more argument (1 x i32, after those of the places): its word of mode and site
    (N17), so that layers that differ in nothing else share a kernel.

    Groups with the same loops share a kernel; its name comes from the location and the ops of the
    first. The group stays and gets the attribute `kernel = @kernels::@NAME`. A group whose results
    are empty gets none.

    Diagnosed: a group without places; an op, or for threads a contraction group, with no loop form; operand and result in the same
    bytes but not element by element.

    ```mlir
    %r = amp.group map [4] (%a) {...} : (tensor<4xf32>) -> tensor<4xf32> { ... amp.neg ... }
    // becomes
    %r = amp.group map [4] (%a) {kernel = @kernels::@neg, ...} ...
    module @kernels {
      func.func @neg(%a: memref<4xf32>, %r: memref<4xf32>) {
        scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
          %x = memref.load %a[%i] : memref<4xf32>
          %y = arith.negf %x : f32
          memref.store %y, %r[%i] : memref<4xf32>
        } {work = 1 : i64}
        return
      }
    }
    ```
  }];
  let options = [Option<"threads", "threads", "bool", "false",
                        "Build bodies for the threads of a GPU in place of vectors">];
  let dependentDialects = ["::mlir::amx::AMXDialect", "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandMath : Pass<"amp-expand-math"> {
  let summary = "expand math functions into arithmetic that every target shares";
  let description = [{
    Rewrites `math.exp`, `log`, `log1p`, `tanh`, `erf`, `sin`, `cos` and `powf`, and `arith.remf`, on
    f32 and f64, scalars and vectors alike, into `arith` ops and `math.fma` without a branch,
    so that all targets give the same bits. Within 2 ulp over the whole range (sin, cos and pow
    within 4, remf exact), subnormals kept, special values as C has them. log1p, pow, sin, cos
    and remf of f32 compute in f64 and round once, or exactly. `math.sqrt`, `fma`, `absf`, `floor` and `roundeven` stay:
    targets have them correctly rounded.

    Diagnosed: any other op of the math dialect that no target has.

    ```mlir
    %y = math.exp %x : f32
    // becomes: n = round(x / ln 2), r = x - n ln 2, a polynomial in r, times 2^n in two steps
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // AMPC_CODEGEN_KERNEL_PASSES

// How a kernel's points are cut into tiles: a function of its shape alone, so
// that the bits of a run depend on nothing else (N10) and the launch knows the
// number of tiles.
#ifndef AMPC_CODEGEN_KERNEL_TILING_H
#define AMPC_CODEGEN_KERNEL_TILING_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ampc {

/// A tile is a block of `block` consecutive values of loop `axis`, whole in the
/// loops inside of it and one point of the loops outside.
struct Tiling {
  llvm::SmallVector<int64_t> extents; ///< of the loops
  size_t axis = 0;
  int64_t block = 1;  ///< values of loop `axis` a tile
  int64_t blocks = 0; ///< ceil(extents[axis] / block)
  int64_t tiles = 0;
  int64_t span = 1; ///< neighbours along `axis` that run at once (kSpanAttr)
};

/// Tiles of about 16 Ki elements; of a loop with a span, a point each. `loop`
/// has constant bounds from 0 with step 1, as BuildKernels makes it; any other
/// is an error at the loop.
llvm::FailureOr<Tiling> tilingOf(mlir::scf::ParallelOp loop);

/// The one scf.parallel of a kernel; an error at the function when there is
/// none or another.
llvm::FailureOr<mlir::scf::ParallelOp> parallelLoopOf(mlir::Operation *kernel);

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_TILING_H

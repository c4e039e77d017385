// Tiles of a kernel.
#include "codegen/kernel/Tiling.h"

#include "codegen/kernel/Kernels.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace ampc;

/// Elements of a tile: a few microseconds of work, large against the cost of
/// handing it out.
static constexpr int64_t kTileElements = 16384;

FailureOr<scf::ParallelOp> ampc::parallelLoopOf(Operation *kernel) {
  scf::ParallelOp found;
  bool several = false;
  kernel->walk<WalkOrder::PreOrder>([&](scf::ParallelOp loop) {
    several |= static_cast<bool>(found);
    found = loop;
  });
  if (!found || several)
    return kernel->emitOpError() << "must hold one scf.parallel, got "
                                 << (several ? "several" : "none");
  return found;
}

FailureOr<Tiling> ampc::tilingOf(scf::ParallelOp loop) {
  Tiling tiling;
  int64_t total = 1;
  for (auto [low, high, step] :
       llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    std::optional<int64_t> extent = getConstantIntValue(high);
    if (!extent || getConstantIntValue(low) != 0 ||
        getConstantIntValue(step) != 1)
      return loop.emitOpError()
             << "must run from 0 to a constant in steps of 1";
    tiling.extents.push_back(*extent);
    total *= *extent;
  }
  if (auto span = loop->getAttrOfType<IntegerAttr>(kSpanAttr)) {
    if (tiling.extents.size() < 2 || tiling.extents.back() != 1 ||
        span.getInt() < 1)
      return loop.emitOpError()
             << "with a span of " << span.getInt()
             << " needs an axis before its last one, which is of extent 1; got "
             << tiling.extents.size() << " axes, the last of extent "
             << tiling.extents.back();
    tiling.extents.pop_back();
    tiling.axis = tiling.extents.size() - 1;
    tiling.blocks = tiling.extents.back();
    tiling.tiles = total;
    tiling.span = span.getInt();
    return tiling;
  }
  auto workAttr = loop->getAttrOfType<IntegerAttr>(kWorkAttr);
  int64_t inner = workAttr ? std::max<int64_t>(workAttr.getInt(), 1) : 1;
  tiling.axis = tiling.extents.size() - 1;
  if (total == 0)
    return tiling;
  while (tiling.axis > 0 &&
         inner * tiling.extents[tiling.axis] <= kTileElements)
    inner *= tiling.extents[tiling.axis--];
  int64_t extent = tiling.extents[tiling.axis];
  int64_t block = std::clamp<int64_t>(kTileElements / inner, 1, extent);
  // Equal blocks; along memory, whole vectors.
  block = llvm::divideCeil(extent, llvm::divideCeil(extent, block));
  if (inner == 1)
    block = llvm::alignTo(block, 64);
  tiling.block = block;
  tiling.blocks = llvm::divideCeil(extent, block);
  tiling.tiles = tiling.blocks;
  for (size_t axis = 0; axis < tiling.axis; ++axis)
    tiling.tiles *= tiling.extents[axis];
  return tiling;
}

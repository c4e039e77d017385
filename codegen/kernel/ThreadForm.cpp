// What the kernels for threads share: parallel points, arrays, the launch.
#include "codegen/kernel/ThreadForm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace ampc;

SmallVector<Value> ampc::beginPoints(OpBuilder &builder, Location loc,
                                     ArrayRef<int64_t> extents, PointUnit unit,
                                     int64_t threads) {
  SmallVector<Value> variables =
      beginParallel(builder, loc, extents, /*work=*/1);
  auto loop = cast<scf::ParallelOp>(builder.getInsertionBlock()->getParentOp());
  loop->removeAttr(kWorkAttr);
  loop->setAttr(kUnitAttr,
                builder.getI32IntegerAttr(static_cast<int32_t>(unit)));
  loop->setAttr(kBlockThreadsAttr,
                builder.getI32IntegerAttr(static_cast<int32_t>(threads)));
  return variables;
}

Value ampc::allocateScratch(OpBuilder &builder, Location loc, Type element,
                            int64_t count, bool shared) {
  OpBuilder::InsertionGuard guard(builder);
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto func = dyn_cast<func::FuncOp>(parent);
  if (!func)
    func = parent->getParentOfType<func::FuncOp>();
  builder.setInsertionPointToStart(&func.getBody().front());
  Attribute space;
  if (shared)
    space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                       gpu::AddressSpace::Workgroup);
  return memref::AllocaOp::create(
      builder, loc,
      MemRefType::get({count}, element, MemRefLayoutAttrInterface(), space));
}

FailureOr<LaunchShape> ampc::launchShapeOf(scf::ParallelOp loop) {
  auto unit = loop->getAttrOfType<IntegerAttr>(kUnitAttr);
  auto threads = loop->getAttrOfType<IntegerAttr>(kBlockThreadsAttr);
  if (!unit || !threads)
    return loop.emitOpError()
           << "has no " << kUnitAttr << " or no " << kBlockThreadsAttr
           << "; CUDA text is made of kernels built with "
              "threads=true";
  LaunchShape shape;
  shape.unit = static_cast<PointUnit>(unit.getInt());
  shape.blockThreads = threads.getInt();
  shape.points = 1;
  for (auto [low, high, step] :
       llvm::zip(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    std::optional<int64_t> extent = getConstantIntValue(high);
    if (!extent || getConstantIntValue(low) != 0 ||
        getConstantIntValue(step) != 1)
      return loop.emitOpError()
             << "must run from 0 to a constant in steps of 1";
    shape.extents.push_back(*extent);
    shape.points *= *extent;
  }
  int64_t together = 1; // points that one block takes at a time
  if (shape.unit == PointUnit::thread)
    together = shape.blockThreads;
  else if (shape.unit == PointUnit::warp)
    together = shape.blockThreads / kWarpLanes;
  shape.blocks = llvm::divideCeil(shape.points, together);
  return shape;
}

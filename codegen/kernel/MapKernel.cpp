// Map groups: one point an element.
#include "codegen/kernel/Kernels.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

SmallVector<Value> ampc::beginParallel(OpBuilder &builder, Location loc,
                                       ArrayRef<int64_t> extents,
                                       int64_t work) {
  SmallVector<int64_t> bounds(extents);
  if (bounds.empty())
    bounds.push_back(1);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> upper;
  for (int64_t bound : bounds)
    upper.push_back(arith::ConstantIndexOp::create(builder, loc, bound));
  auto loop = scf::ParallelOp::create(
      builder, loc, SmallVector<Value>(bounds.size(), zero), upper,
      SmallVector<Value>(bounds.size(), one));
  loop->setAttr(kWorkAttr, builder.getI64IntegerAttr(work));
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> variables(loop.getInductionVars());
  if (extents.empty())
    variables.clear();
  return variables;
}

LogicalResult ampc::emitMapKernel(OpBuilder &builder, GroupOp group,
                                  BodyEmitter &body) {
  Point point;
  point.coordinates = beginParallel(
      builder, group.getLoc(), body.iterationSpace().extents(), /*work=*/1);
  body.moveTo(std::move(point));
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(0, group.getNumResults()));
  return body.storeResults(builder, all);
}

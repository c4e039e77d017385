// Map groups for threads: a point is one element, or a few that lie side by
// side, which are then read and written in one access.
#include "codegen/kernel/ThreadForm.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

static constexpr int64_t kMapThreads = 256;

LogicalResult ampc::emitThreadMap(OpBuilder &builder, GroupOp group,
                                  BodyEmitter &body, int64_t elements) {
  SmallVector<int64_t> extents(body.iterationSpace().extents());
  if (elements > 1)
    extents.back() /= elements;
  int64_t points = 1;
  for (int64_t extent : extents)
    points *= extent;
  int64_t threads =
      llvm::alignTo(std::clamp<int64_t>(points, 1, kMapThreads), kWarpLanes);
  Point point;
  point.coordinates =
      beginPoints(builder, group.getLoc(), extents, PointUnit::thread, threads);
  if (elements > 1) {
    size_t last = extents.size() - 1;
    Value width =
        arith::ConstantIndexOp::create(builder, group.getLoc(), elements);
    point.laneAxes = AxisSet(1) << last;
    point.laneBase = arith::MulIOp::create(builder, group.getLoc(),
                                           point.coordinates[last], width);
    point.coordinates[last] = Value();
    point.lanes = elements;
  }
  body.moveTo(std::move(point));
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(0, group.getNumResults()));
  return body.storeResults(builder, all);
}

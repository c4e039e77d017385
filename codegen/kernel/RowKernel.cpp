// Row groups (N10): one point a row. Element i of a row goes to partial i mod
// 64, so that the 64 partials are one vector and a step of the loop is 64
// elements; then a fixed binary tree.
#include "codegen/kernel/Kernels.h"
#include "codegen/kernel/ReduceSteps.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

/// Number of interleaved partials of a row.
static constexpr int64_t kPartials = 64;

/// The most scratch memory of one row, in bytes: it stands on the stack and
/// should stay in the cache.
static constexpr int64_t kScratchBytes = int64_t(1) << 17;

/// A vector register, and a line of the cache: no access crosses two.
static constexpr int64_t kScratchAlignment = 64;

/// Lanes [from, from + count) of `vector`.
static Value slice(OpBuilder &builder, Location loc, Value vector, int64_t from,
                   int64_t count) {
  SmallVector<int64_t> lanes = llvm::to_vector(llvm::seq(from, from + count));
  return vector::ShuffleOp::create(builder, loc, vector, vector, lanes);
}

/// `partial` joined with the first `count` lanes of `values` (a vector of
/// `count` lanes); the partials from `count` on stay as they are, signs of
/// zeros included.
static Value joinTail(OpBuilder &builder, ReduceOp reduce, Value partial,
                      Value values, int64_t count) {
  Location loc = reduce.getLoc();
  SmallVector<int64_t> lanes;
  SmallVector<bool> valid;
  for (int64_t lane = 0; lane < kPartials; ++lane) {
    lanes.push_back(lane < count ? lane : 0);
    valid.push_back(lane < count);
  }
  Value wide = vector::ShuffleOp::create(builder, loc, values, values, lanes);
  Value joined = joinPartials(builder, reduce, partial, wide);
  auto maskType = VectorType::get({kPartials}, builder.getI1Type());
  Value mask = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(maskType, ArrayRef(valid)));
  return arith::SelectOp::create(builder, loc, mask, joined, partial);
}

/// Partial j plus partial j + 32, then j + 16, 8, 4, 2, 1.
static Value joinTree(OpBuilder &builder, ReduceOp reduce, Value partials) {
  Location loc = reduce.getLoc();
  for (int64_t width = kPartials / 2; width >= 1; width /= 2)
    partials =
        joinPartials(builder, reduce, slice(builder, loc, partials, 0, width),
                     slice(builder, loc, partials, width, width));
  return vector::ExtractOp::create(builder, loc, partials, int64_t(0));
}

namespace {

/// The loops over one row.
struct RowLoops {
  BodyEmitter &body;
  Location loc;
  SmallVector<Value> coordinates; ///< of the kept loop axes
  AxisSet lanes = 0;              ///< the reduced loop axes
  int64_t length = 0;             ///< elements of the row

  void moveTo(Value base, int64_t count) {
    body.moveTo({coordinates, lanes, base, count});
  }

  /// One pass: computes `reductions`, stores `stores` on the way.
  LogicalResult emitPass(OpBuilder &builder, ArrayRef<ReduceOp> reductions,
                         ArrayRef<unsigned> stores);
  /// The partials after the elements at the body's current point, `count` of
  /// them.
  LogicalResult emitStep(OpBuilder &builder, ArrayRef<ReduceOp> reductions,
                         ArrayRef<unsigned> stores, int64_t count,
                         SmallVectorImpl<Value> &partials);
};

} // namespace

LogicalResult RowLoops::emitStep(OpBuilder &builder,
                                 ArrayRef<ReduceOp> reductions,
                                 ArrayRef<unsigned> stores, int64_t count,
                                 SmallVectorImpl<Value> &partials) {
  for (auto [op, partial] : llvm::zip(reductions, partials)) {
    ReduceOp reduce = op;
    FailureOr<Value> value = body.compute(builder, reduce.getInput(),
                                          body.iterationSpace().fullMap());
    if (failed(value))
      return failure();
    Value summand = toAccumulation(builder, reduce, *value);
    if (!isa<VectorType>(
            summand.getType())) // a constant, or a row of one element
      summand = vector::BroadcastOp::create(
          builder, loc, VectorType::get({count}, summand.getType()), summand);
    partial = count == kPartials
                  ? joinPartials(builder, reduce, partial, summand)
                  : joinTail(builder, reduce, partial, summand, count);
  }
  return body.storeResults(builder, stores);
}

LogicalResult RowLoops::emitPass(OpBuilder &builder,
                                 ArrayRef<ReduceOp> reductions,
                                 ArrayRef<unsigned> stores) {
  auto moveToFirst = [&] {
    SmallVector<Value> first = coordinates;
    for (Value &coordinate : first)
      if (!coordinate)
        coordinate = arith::ConstantIndexOp::create(builder, loc, 0);
    body.moveTo({std::move(first), 0, Value(), 1});
  };
  SmallVector<ReduceOp> joined;
  if (failed(setFirstElements(builder, body, reductions, joined, moveToFirst)))
    return failure();
  if (reductions.empty() && stores.empty())
    return success();
  SmallVector<Value> partials;
  for (ReduceOp reduce : reductions)
    partials.push_back(
        reduceIdentity(builder, reduce,
                       VectorType::get({kPartials}, reduce.getAccumulation())));
  int64_t whole = length / kPartials * kPartials;
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  if (whole > 0) {
    auto loop = scf::ForOp::create(builder, loc, index(0), index(whole),
                                   index(kPartials), partials);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> carried(loop.getRegionIterArgs());
    moveTo(loop.getInductionVar(), kPartials);
    if (failed(emitStep(builder, reductions, stores, kPartials, carried)))
      return failure();
    if (!reductions.empty())
      scf::YieldOp::create(builder, loc, carried);
    partials.assign(loop.getResults().begin(), loop.getResults().end());
  }
  if (length > whole) {
    moveTo(index(whole), length - whole);
    if (failed(emitStep(builder, reductions, stores, length - whole, partials)))
      return failure();
  }
  for (auto [reduce, partial] : llvm::zip(reductions, partials)) {
    Value total = joinTree(builder, reduce, partial);
    body.setComplete(reduce, finishReduction(builder, reduce, total, length));
  }
  return success();
}

/// Takes scratch memory for what several passes need, as far as it goes.
static void keepCostly(OpBuilder &builder, GroupOp group, BodyEmitter &body,
                       const ReductionOrder &order, int64_t length) {
  int64_t left = kScratchBytes;
  for (Value value : valuesToKeep(group, order)) {
    Type element = computeTypeFor(tensorType(value).getElementType());
    int64_t bytes = length * element.getIntOrFloatBitWidth() / 8;
    if (element.isInteger(1) || bytes > left)
      continue;
    left -= bytes;
    body.keep(value,
              memref::AllocaOp::create(
                  builder, value.getLoc(), MemRefType::get({length}, element),
                  builder.getI64IntegerAttr(kScratchAlignment)));
  }
}

LogicalResult ampc::emitRowKernel(OpBuilder &builder, GroupOp group,
                                  BodyEmitter &body) {
  const GroupSpace &space = body.iterationSpace();
  AxisSet reduced = space.reducedLoopAxes();
  SmallVector<int64_t> kept;
  for (auto [axis, extent] : llvm::enumerate(space.extents()))
    if (!(reduced >> axis & 1))
      kept.push_back(extent);
  int64_t length = space.count(reduced);
  SmallVector<Value> variables = beginParallel(builder, group.getLoc(), kept,
                                               std::max<int64_t>(length, 1));
  RowLoops row{body, group.getLoc(), {}, reduced, length};
  size_t next = 0;
  for (size_t axis = 0; axis < space.extents().size(); ++axis)
    row.coordinates.push_back(reduced >> axis & 1 ? Value()
                                                  : variables[next++]);

  AxisSet full = space.fullMap().covered;
  ReductionOrder order = orderReductions(group, [&](unsigned i) {
    return space.resultMap(i).covered == full && reduced;
  });
  keepCostly(builder, group, body, order, length);
  auto emitPass = [&](ArrayRef<ReduceOp> reductions,
                      ArrayRef<unsigned> stores) {
    LogicalResult emitted = row.emitPass(builder, reductions, stores);
    body.endPass();
    return emitted;
  };
  if (failed(emitPasses(order, emitPass)))
    return failure();
  body.moveTo({row.coordinates, 0, Value(), 1});
  return body.storeResults(builder, order.keptResults);
}

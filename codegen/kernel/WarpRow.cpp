// Row groups for threads (N10): a warp a row. Partials 2l and 2l + 1 live in
// lane l, so that a step of the loop is one access of 64 neighbouring elements
// in pairs; the tree joins over the lanes, its last step inside of lane 0.
#include "codegen/kernel/ReduceSteps.h"
#include "codegen/kernel/ThreadForm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

/// Elements of a row that a lane takes at a time, and all lanes.
static constexpr int64_t kPair = 2;
static constexpr int64_t kPartials = kPair * kWarpLanes;

/// Warps of a block, and steps of a row that are laid out in a row.
static constexpr int64_t kRowWarps = 8;
static constexpr int64_t kRowUnroll = 4, kLongUnroll = 8;

/// From here on a row has many steps.
static constexpr int64_t kLongRow = 4096;

/// The most that a row keeps between passes: more rows a processor are worth
/// more than a function computed once.
static constexpr int64_t kKeptBytes = 8 * 1024;

namespace {

/// The loops of one warp over one row.
struct WarpRow {
  BodyEmitter &body;
  Location loc;
  SmallVector<Value> coordinates; ///< of the kept loop axes
  AxisSet lanes = 0;              ///< the reduced loop axes
  int64_t length = 0;             ///< elements of the row
  Value lane = {};                ///< number of the lane
  Value first = {};               ///< 2 * lane

  Value index(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// Moves the body to the lane's pair of the 64 elements from `base` on.
  void moveTo(OpBuilder &builder, Value base) {
    body.moveTo({coordinates, lanes,
                 arith::AddIOp::create(builder, loc, base, first), kPair});
  }
  /// Moves the body to element `number` of the row.
  void moveToElement(OpBuilder &builder, int64_t number);

  /// One pass: computes `reductions`, stores `stores` on the way.
  LogicalResult emitPass(OpBuilder &builder, ArrayRef<ReduceOp> reductions,
                         ArrayRef<unsigned> stores);
  /// The partials after the elements at the body's point: a pair of each lane,
  /// or one element, which partial 0 of the lane takes.
  LogicalResult emitStep(OpBuilder &builder, ArrayRef<ReduceOp> reductions,
                         ArrayRef<unsigned> stores, bool single,
                         SmallVectorImpl<Value> &partials);
  /// Emits a step that lanes below or at `bound` take part in.
  LogicalResult emitGuarded(OpBuilder &builder, arith::CmpIPredicate predicate,
                            int64_t bound, ArrayRef<ReduceOp> reductions,
                            ArrayRef<unsigned> stores, bool single,
                            SmallVectorImpl<Value> &partials);
  /// The join of all partials, in every lane.
  Value joinTree(OpBuilder &builder, ReduceOp reduce, Value partials);
};

} // namespace

void WarpRow::moveToElement(OpBuilder &builder, int64_t number) {
  SmallVector<Value> all = coordinates;
  ArrayRef<int64_t> extents = body.iterationSpace().extents();
  for (int64_t axis = extents.size() - 1; axis >= 0; --axis) {
    if (!(lanes >> axis & 1))
      continue;
    all[axis] = index(builder, number % extents[axis]);
    number /= extents[axis];
  }
  body.moveTo({std::move(all), 0, Value(), 1});
}

LogicalResult WarpRow::emitStep(OpBuilder &builder,
                                ArrayRef<ReduceOp> reductions,
                                ArrayRef<unsigned> stores, bool single,
                                SmallVectorImpl<Value> &partials) {
  for (auto [op, partial] : llvm::zip(reductions, partials)) {
    ReduceOp reduce = op;
    FailureOr<Value> value = body.compute(builder, reduce.getInput(),
                                          body.iterationSpace().fullMap());
    if (failed(value))
      return failure();
    Value summand = toAccumulation(builder, reduce, *value);
    if (single) {
      Value old = vector::ExtractOp::create(builder, loc, partial, int64_t(0));
      partial = vector::InsertOp::create(
          builder, loc, joinPartials(builder, reduce, old, summand), partial,
          int64_t(0));
      continue;
    }
    if (!isa<VectorType>(summand.getType())) // a constant
      summand = vector::BroadcastOp::create(
          builder, loc, VectorType::get({kPair}, summand.getType()), summand);
    partial = joinPartials(builder, reduce, partial, summand);
  }
  return body.storeResults(builder, stores);
}

LogicalResult WarpRow::emitGuarded(OpBuilder &builder,
                                   arith::CmpIPredicate predicate,
                                   int64_t bound, ArrayRef<ReduceOp> reductions,
                                   ArrayRef<unsigned> stores, bool single,
                                   SmallVectorImpl<Value> &partials) {
  Value takesPart = arith::CmpIOp::create(builder, loc, predicate, lane,
                                          index(builder, bound));
  bool joins = !reductions.empty();
  auto choice = scf::IfOp::create(builder, loc, ValueRange(partials).getTypes(),
                                  takesPart, /*withElseRegion=*/joins);
  OpBuilder::InsertionGuard guard(builder);
  if (joins) {
    builder.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(builder, loc, partials);
  }
  builder.setInsertionPointToStart(choice.thenBlock());
  if (single)
    moveToElement(builder, length - 1);
  else
    moveTo(builder, index(builder, length / kPartials * kPartials));
  if (failed(emitStep(builder, reductions, stores, single, partials)))
    return failure();
  if (joins)
    scf::YieldOp::create(builder, loc, partials);
  partials.assign(choice.result_begin(), choice.result_end());
  return success();
}

Value WarpRow::joinTree(OpBuilder &builder, ReduceOp reduce, Value partials) {
  Location loc = reduce.getLoc();
  // A partial that no element went to leaves the other of its join as it is:
  // sums start from +0, so that none is -0.
  for (int64_t distance = kPartials / 2; distance > 1; distance /= 2) {
    if (distance >= length)
      continue;
    Value moved = gpu::ShuffleOp::create(builder, loc, partials,
                                         static_cast<int32_t>(distance / kPair),
                                         kWarpLanes, gpu::ShuffleMode::DOWN)
                      .getShuffleResult();
    partials = joinPartials(builder, reduce, partials, moved);
  }
  Value total = vector::ExtractOp::create(builder, loc, partials, int64_t(0));
  if (length > 1)
    total = joinPartials(
        builder, reduce, total,
        vector::ExtractOp::create(builder, loc, partials, int64_t(1)));
  return gpu::ShuffleOp::create(builder, loc, total, 0, kWarpLanes,
                                gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

LogicalResult WarpRow::emitPass(OpBuilder &builder,
                                ArrayRef<ReduceOp> reductions,
                                ArrayRef<unsigned> stores) {
  SmallVector<ReduceOp> joined;
  if (failed(setFirstElements(builder, body, reductions, joined,
                              [&] { moveToElement(builder, 0); })))
    return failure();
  if (reductions.empty() && stores.empty())
    return success();
  SmallVector<Value> partials;
  for (ReduceOp reduce : reductions)
    partials.push_back(reduceIdentity(
        builder, reduce, VectorType::get({kPair}, reduce.getAccumulation())));
  int64_t whole = length / kPartials * kPartials, rest = length - whole;
  if (whole > 0) {
    auto loop = scf::ForOp::create(builder, loc, index(builder, 0),
                                   index(builder, whole),
                                   index(builder, kPartials), partials);
    loop->setAttr(kUnrollAttr,
                  unrollFor(builder,
                            length < kLongRow ? kRowUnroll : kLongUnroll,
                            reductions.size()));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> carried(loop.getRegionIterArgs());
    moveTo(builder, loop.getInductionVar());
    if (failed(
            emitStep(builder, reductions, stores, /*single=*/false, carried)))
      return failure();
    if (!reductions.empty())
      scf::YieldOp::create(builder, loc, carried);
    partials.assign(loop.getResults().begin(), loop.getResults().end());
  }
  if (rest >= kPair &&
      failed(emitGuarded(builder, arith::CmpIPredicate::ult, rest / kPair,
                         reductions, stores, /*single=*/false, partials)))
    return failure();
  if (rest % kPair &&
      failed(emitGuarded(builder, arith::CmpIPredicate::eq, rest / kPair,
                         reductions, stores, /*single=*/true, partials)))
    return failure();
  for (auto [reduce, partial] : llvm::zip(reductions, partials)) {
    Value total = joinTree(builder, reduce, partial);
    body.setComplete(reduce, finishReduction(builder, reduce, total, length));
  }
  return success();
}

/// What a group keeps of each element of a row between its passes.
static SmallVector<Value> keptOf(GroupOp group, const ReductionOrder &order,
                                 int64_t length) {
  SmallVector<Value> kept;
  int64_t left = kKeptBytes;
  for (Value value : valuesToKeep(group, order)) {
    Type element = computeTypeFor(tensorType(value).getElementType());
    int64_t bytes = length * element.getIntOrFloatBitWidth() / 8;
    if (element.isInteger(1) || bytes > left)
      continue;
    left -= bytes;
    kept.push_back(value);
  }
  return kept;
}

LogicalResult ampc::emitWarpRow(OpBuilder &builder, GroupOp group,
                                BodyEmitter &body) {
  const GroupSpace &space = body.iterationSpace();
  Location loc = group.getLoc();
  AxisSet reduced = space.reducedLoopAxes();
  SmallVector<int64_t> extents;
  int64_t rows = 1;
  for (auto [axis, extent] : llvm::enumerate(space.extents()))
    if (!(reduced >> axis & 1)) {
      extents.push_back(extent);
      rows *= extent;
    }
  int64_t length = space.count(reduced);
  AxisSet full = space.fullMap().covered;
  ReductionOrder order = orderReductions(group, [&](unsigned i) {
    return space.resultMap(i).covered == full && reduced;
  });

  SmallVector<Value> kept = keptOf(group, order, length);
  int64_t bytes = 0, padded = llvm::alignTo(length, kPair);
  for (Value value : kept)
    bytes += padded *
             computeTypeFor(tensorType(value).getElementType())
                 .getIntOrFloatBitWidth() /
             8;
  int64_t warps = std::clamp<int64_t>(rows, 1, kRowWarps);
  if (bytes)
    warps = std::min(warps, kSharedBytes / bytes);
  warps = llvm::bit_floor(static_cast<uint64_t>(warps));
  SmallVector<Value> variables =
      beginPoints(builder, loc, extents, PointUnit::warp, warps * kWarpLanes);

  WarpRow row{body, loc, {}, reduced, length};
  size_t next = 0;
  for (size_t axis = 0; axis < space.extents().size(); ++axis)
    row.coordinates.push_back(reduced >> axis & 1 ? Value()
                                                  : variables[next++]);
  row.lane = gpu::LaneIdOp::create(builder, loc, IntegerAttr());
  row.first =
      arith::MulIOp::create(builder, loc, row.lane, row.index(builder, kPair));
  if (!kept.empty()) {
    // A lane reads back what it wrote itself.
    Value warp = gpu::SubgroupIdOp::create(builder, loc, IntegerAttr());
    Value base =
        arith::MulIOp::create(builder, loc, warp, row.index(builder, padded));
    for (Value value : kept)
      body.keep(
          value,
          allocateScratch(builder, value.getLoc(),
                          computeTypeFor(tensorType(value).getElementType()),
                          warps * padded, /*shared=*/true),
          base);
  }
  auto emitPass = [&](ArrayRef<ReduceOp> reductions,
                      ArrayRef<unsigned> stores) {
    LogicalResult emitted = row.emitPass(builder, reductions, stores);
    body.endPass();
    return emitted;
  };
  if (failed(emitPasses(order, emitPass)))
    return failure();
  if (order.keptResults.empty())
    return success();
  // An operand may share the bytes of a result, and other lanes read it.
  NVVM::SyncWarpOp::create(
      builder, loc,
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1)));
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        row.lane, row.index(builder, 0));
  auto choice = scf::IfOp::create(builder, loc, isFirst, /*withElse=*/false);
  builder.setInsertionPointToStart(choice.thenBlock());
  body.moveTo({row.coordinates, 0, Value(), 1});
  return body.storeResults(builder, order.keptResults);
}

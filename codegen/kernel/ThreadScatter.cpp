// Scatter groups for threads: no atomics, updates in ascending order of their
// index position (N10), so that every element of the result belongs to one
// thread. Three forms:
// - few positions: a thread an element of the result looks through them all;
// - an index a row: a warp takes a tile of rows and a run of columns, reads the
//   indices 32 at a time, and adds the rows that fall into its tile;
// - an index an element: a thread a column clears it, then adds in order.
#include "codegen/kernel/PrimitiveEmitter.h"
#include "codegen/kernel/ScatterSpace.h"
#include "codegen/kernel/ThreadForm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

/// The most positions that every element of the result looks through.
static constexpr int64_t kFewPositions = 8;

static constexpr int64_t kScatterThreads = 256;

/// Rows of a tile: few enough that all processors have warps, many enough that
/// reading the indices costs little beside the rows.
static constexpr int64_t kLeastRows = 16, kMostRows = 1024, kManyWarps = 4096;

/// The most columns of a lane.
static constexpr int64_t kLaneColumns = 4;

namespace {

struct ThreadScatter {
  OpBuilder &builder;
  Location loc;
  const ScatterSpace &space;

  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value plus(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value times(Value a, int64_t b) {
    return b == 1 ? a : arith::MulIOp::create(builder, loc, a, number(b));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  Value both(Value a, Value b) {
    return arith::AndIOp::create(builder, loc, a, b);
  }
  /// An index of the index tensor as i64: a target's index type may be
  /// narrower.
  Value loadIndex(Value at) {
    Value chosen = memref::LoadOp::create(builder, loc, space.index, at);
    Type i64 = builder.getI64Type();
    return chosen.getType() == i64
               ? chosen
               : arith::ExtSIOp::create(builder, loc, i64, chosen);
  }
  Value wide(Value index) {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      index);
  }
  Value i64(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  /// Whether `chosen` names a row that takes updates.
  Value isTaken(Value chosen) {
    Value taken = compare(arith::CmpIPredicate::ult, chosen, i64(space.extent));
    if (space.padding)
      taken = both(taken, compare(arith::CmpIPredicate::ne, chosen,
                                  i64(*space.padding)));
    return taken;
  }
  Value zero(Type type) {
    return arith::ConstantOp::create(
        builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  }
  Value sum(Value a, Value b) {
    if (isa<FloatType>(space.element()))
      return arith::AddFOp::create(builder, loc, a, b);
    return arith::AddIOp::create(builder, loc, a, b);
  }
  scf::ForOp loop(Value from, Value to, ValueRange carried = {}) {
    auto made = scf::ForOp::create(builder, loc, from, to, number(1), carried);
    builder.setInsertionPointToStart(made.getBody());
    return made;
  }
  void when(Value condition) {
    auto choice = scf::IfOp::create(builder, loc, condition,
                                    /*withElseRegion=*/false);
    builder.setInsertionPointToStart(choice.thenBlock());
  }

  void emitPull();
  void emitTiles();
  void emitColumns();
};

} // namespace

void ThreadScatter::emitPull() {
  SmallVector<Value> at =
      beginPoints(builder, loc, {space.before, space.extent, space.after},
                  PointUnit::thread, kScatterThreads);
  Value row = at[1], target = wide(row);
  auto position =
      loop(number(0), number(space.positions), zero(space.element()));
  Value p = position.getInductionVar();
  Value from =
      plus(times(plus(times(at[0], space.positions), p), space.after), at[2]);
  Value chosen = loadIndex(space.indexPerElement ? from : p);
  Value mine = compare(arith::CmpIPredicate::eq, chosen, target);
  if (space.padding)
    mine = both(mine,
                compare(arith::CmpIPredicate::ne, chosen, i64(*space.padding)));
  Value total = position.getRegionIterArg(0);
  auto choice = scf::IfOp::create(builder, loc, total.getType(), mine,
                                  /*withElseRegion=*/true);
  scf::YieldOp::create(builder, loc, choice.getResult(0));
  builder.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(builder, loc, total);
  builder.setInsertionPointToStart(choice.thenBlock());
  Value update = memref::LoadOp::create(builder, loc, space.updates, from);
  scf::YieldOp::create(builder, loc, sum(total, update));
  builder.setInsertionPointAfter(position);
  Value to =
      plus(times(plus(times(at[0], space.extent), row), space.after), at[2]);
  memref::StoreOp::create(builder, loc, position.getResult(0), space.result,
                          to);
}

void ThreadScatter::emitColumns() {
  SmallVector<Value> at = beginPoints(builder, loc, {space.before, space.after},
                                      PointUnit::thread, kScatterThreads);
  auto offset = [&](Value row, int64_t rows) {
    return plus(times(plus(times(at[0], rows), row), space.after), at[1]);
  };
  {
    OpBuilder::InsertionGuard guard(builder);
    auto row = loop(number(0), number(space.extent));
    memref::StoreOp::create(builder, loc, zero(space.element()), space.result,
                            offset(row.getInductionVar(), space.extent));
  }
  auto position = loop(number(0), number(space.positions));
  Value from = offset(position.getInductionVar(), space.positions);
  Value chosen =
      loadIndex(space.indexPerElement ? from : position.getInductionVar());
  when(isTaken(chosen));
  Value row =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), chosen);
  Value to = offset(row, space.extent);
  Value old = memref::LoadOp::create(builder, loc, space.result, to);
  Value update = memref::LoadOp::create(builder, loc, space.updates, from);
  memref::StoreOp::create(builder, loc, sum(old, update), space.result, to);
}

void ThreadScatter::emitTiles() {
  int64_t width = 1; // columns of a lane
  while (width < kLaneColumns && space.after % (2 * width) == 0 &&
         space.after >= 2 * width * kWarpLanes)
    width *= 2;
  int64_t columns = width * kWarpLanes;
  int64_t chunks = llvm::divideCeil(space.after, columns);
  int64_t others = std::max<int64_t>(space.before * chunks, 1);
  int64_t rows =
      std::clamp<int64_t>(llvm::divideCeil(space.extent * others, kManyWarps),
                          kLeastRows, kMostRows);
  int64_t tiles = llvm::divideCeil(space.extent, rows);
  SmallVector<Value> at =
      beginPoints(builder, loc, {space.before, tiles, chunks}, PointUnit::warp,
                  kScatterThreads);
  Value lane = gpu::LaneIdOp::create(builder, loc, IntegerAttr());
  Value column = plus(times(at[2], columns), times(lane, width));
  Value hasColumn;
  if (space.after % columns)
    hasColumn = compare(arith::CmpIPredicate::ult, column, number(space.after));
  Value first = times(at[1], rows);
  Value end = arith::MinSIOp::create(builder, loc, plus(first, number(rows)),
                                     number(space.extent));
  auto type = VectorType::get({width}, space.element());
  auto offset = [&](Value row, int64_t count) {
    return plus(times(plus(times(at[0], count), row), space.after), column);
  };
  {
    OpBuilder::InsertionGuard guard(builder);
    auto row = loop(first, end);
    if (hasColumn)
      when(hasColumn);
    vector::StoreOp::create(builder, loc, zero(type), space.result,
                            offset(row.getInductionVar(), space.extent));
  }
  // 32 positions at a time, one a lane.
  auto group = scf::ForOp::create(builder, loc, number(0),
                                  number(space.positions), number(kWarpLanes));
  builder.setInsertionPointToStart(group.getBody());
  Value mine = plus(group.getInductionVar(), lane);
  Value chosen;
  {
    Value last = number(space.positions - 1);
    Value inside = space.positions % kWarpLanes
                       ? arith::MinSIOp::create(builder, loc, mine, last)
                       : mine;
    if (space.indexPerElement)
      inside = plus(times(at[0], space.positions), inside);
    chosen = loadIndex(inside);
  }
  Value taken = both(compare(arith::CmpIPredicate::sge, chosen, wide(first)),
                     compare(arith::CmpIPredicate::slt, chosen, wide(end)));
  if (space.padding)
    taken = both(
        taken, compare(arith::CmpIPredicate::ne, chosen, i64(*space.padding)));
  if (space.positions % kWarpLanes)
    taken = both(taken, compare(arith::CmpIPredicate::ult, mine,
                                number(space.positions)));
  Type i32 = builder.getI32Type();
  Value all =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1));
  Value hits = NVVM::VoteSyncOp::create(
      builder, loc, i32, all, taken,
      NVVM::VoteSyncKindAttr::get(builder.getContext(),
                                  NVVM::VoteSyncKind::ballot));
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  when(compare(arith::CmpIPredicate::ne, hits, none));
  auto other = loop(number(0), number(kWarpLanes));
  Value which =
      arith::IndexCastOp::create(builder, loc, i32, other.getInductionVar());
  Value bit = arith::AndIOp::create(
      builder, loc, arith::ShRUIOp::create(builder, loc, hits, which),
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1)));
  when(compare(arith::CmpIPredicate::ne, bit, none));
  Value lanes = arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(kWarpLanes));
  Value shared = gpu::ShuffleOp::create(builder, loc, chosen, which, lanes,
                                        gpu::ShuffleMode::IDX)
                     .getShuffleResult();
  if (hasColumn)
    when(hasColumn);
  Value row =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), shared);
  Value to = offset(row, space.extent);
  Value from = offset(plus(group.getInductionVar(), other.getInductionVar()),
                      space.positions);
  Value old = vector::LoadOp::create(builder, loc, type, space.result, to);
  Value update =
      vector::LoadOp::create(builder, loc, type, space.updates, from);
  vector::StoreOp::create(builder, loc, sum(old, update), space.result, to);
}

LogicalResult ampc::emitThreadScatter(OpBuilder &builder, GroupOp group,
                                      ArrayRef<KernelArgument> arguments,
                                      ValueRange pointers) {
  FailureOr<ScatterSpace> space =
      ScatterSpace::create(group, arguments, pointers);
  if (failed(space))
    return failure();
  ThreadScatter scatter{builder, group.getBody().front().front().getLoc(),
                        *space};
  if (space->positions <= kFewPositions)
    scatter.emitPull();
  else if (!space->indexPerElement || space->after == 1)
    scatter.emitTiles();
  else
    scatter.emitColumns();
  return success();
}

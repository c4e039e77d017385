// Column groups for threads (N10): a thread a column; where that leaves too few
// threads, a block a run of neighbouring columns and a thread of it one column
// and a range of its blocks of 32 rows. Ranges hold a power of two of blocks
// and begin at a multiple of it, so that the sums of all ranges, joined
// pairwise, are the order of the whole. Inside of a range blocks join as a
// binary counter: `scratch[l]` holds the sum of 2^l neighbouring blocks while
// bit l of the number of blocks so far is set.
#include "codegen/kernel/ReduceSteps.h"
#include "codegen/kernel/ThreadForm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

static constexpr int64_t kBlockRows = 32;

/// Threads of a block: with ranges of rows, and with a column a thread alone.
static constexpr int64_t kRangeThreads = 512;
static constexpr int64_t kColumnThreads = 128;

/// Columns that keep all processors busy with a thread each.
static constexpr int64_t kManyColumns = int64_t(1) << 16;

/// Neighbouring columns of a block: rows are read in runs of a sector at least,
/// and there are blocks for all processors while columns last.
static constexpr int64_t kMostColumns = 32, kLeastColumns = 8;
static constexpr int64_t kManyBlocks = 256;

static constexpr int64_t kColumnUnroll = 8;

namespace {

/// How columns and rows are shared among the threads of a block.
struct ColumnShape {
  int64_t columns = 1;      ///< of the group, after the reduced axes
  int64_t rows = 0;         ///< of the group
  int64_t blockColumns = 1; ///< columns of a block, a power of two
  int64_t ranges = 1;       ///< of rows
  int64_t rangeBlocks = 1;  ///< blocks of 32 rows a range, a power of two

  int64_t blocks() const { return llvm::divideCeil(rows, kBlockRows); }
  int64_t threads() const {
    return llvm::alignTo(blockColumns * llvm::bit_ceil(uint64_t(ranges)),
                         kWarpLanes);
  }
  int64_t chunks() const { return llvm::divideCeil(columns, blockColumns); }
};

/// The loops of one thread over the rows of its range.
struct BlockColumn {
  BodyEmitter &body;
  Location loc;
  ColumnShape shape;
  SmallVector<Value> coordinates; ///< of all loop axes but the reduced
  AxisSet run = 0;                ///< the reduced loop axes
  Value slot = {};      ///< of the thread: range * blockColumns + column
  Value lane = {};      ///< column of the thread inside of the block
  Value range = {};     ///< of rows; null: one
  Value takesPart = {}; ///< the thread has a column; null: all have

  Value index(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  template <typename Op>
  Value make(OpBuilder &builder, Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }
  Value compare(OpBuilder &builder, arith::CmpIPredicate predicate, Value a,
                Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }

  /// Finds the thread's place in the block of run `chunk` of columns (null: the
  /// only one); gives its column, one that exists.
  Value beginBlock(OpBuilder &builder, Value chunk);
  /// Moves the body to row `row` (null: to the column alone).
  void moveTo(OpBuilder &builder, Value row);
  /// Emits `emit` where the thread takes part, with the values it gives, of
  /// `types`; `none` elsewhere.
  using Emit = llvm::function_ref<LogicalResult(SmallVectorImpl<Value> &)>;
  LogicalResult emitGuarded(OpBuilder &builder, Value condition,
                            ValueRange none, Emit emit,
                            SmallVectorImpl<Value> &values);
  /// Emits rows [from, to) in order, joining into `partials`.
  LogicalResult emitRows(OpBuilder &builder, Value from, Value to,
                         ArrayRef<ReduceOp> reductions,
                         ArrayRef<unsigned> stores,
                         SmallVectorImpl<Value> &partials);
  /// The sums of the blocks of the thread's range.
  LogicalResult emitRange(OpBuilder &builder, ArrayRef<ReduceOp> reductions,
                          ArrayRef<unsigned> stores,
                          SmallVectorImpl<Value> &sums);
  /// The join of the sums of all ranges, in every thread of the column.
  void joinRanges(OpBuilder &builder, ArrayRef<ReduceOp> reductions,
                  SmallVectorImpl<Value> &sums);
  LogicalResult emitPass(OpBuilder &builder, ArrayRef<ReduceOp> reductions,
                         ArrayRef<unsigned> stores);
};

} // namespace

Value BlockColumn::beginBlock(OpBuilder &builder, Value chunk) {
  slot = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  Value width = index(builder, shape.blockColumns);
  lane = make<arith::RemUIOp>(builder, slot, width);
  range = make<arith::DivUIOp>(builder, slot, width);
  Value column = lane;
  if (chunk)
    column = make<arith::AddIOp>(
        builder, make<arith::MulIOp>(builder, chunk, width), column);
  auto restrict = [&](Value value, int64_t bound) {
    Value below = compare(builder, arith::CmpIPredicate::ult, value,
                          index(builder, bound));
    takesPart =
        takesPart ? make<arith::AndIOp>(builder, takesPart, below) : below;
  };
  if (shape.columns % shape.blockColumns) {
    restrict(column, shape.columns);
    column = make<arith::MinSIOp>(builder, column,
                                  index(builder, shape.columns - 1));
  }
  if (shape.threads() > shape.blockColumns * shape.ranges)
    restrict(range, shape.ranges);
  return column;
}

void BlockColumn::moveTo(OpBuilder &builder, Value row) {
  SmallVector<Value> all = coordinates;
  ArrayRef<int64_t> extents = body.iterationSpace().extents();
  for (int64_t axis = extents.size() - 1; axis >= 0; --axis) {
    if (!(run >> axis & 1))
      continue;
    if (!row) {
      all[axis] = index(builder, 0); // nothing read there varies along it
      continue;
    }
    if (!(run & ((AxisSet(1) << axis) - 1))) {
      all[axis] = row;
      continue;
    }
    Value extent = index(builder, extents[axis]);
    all[axis] = make<arith::RemUIOp>(builder, row, extent);
    row = make<arith::DivUIOp>(builder, row, extent);
  }
  body.moveTo({std::move(all), 0, Value(), 1});
}

LogicalResult BlockColumn::emitGuarded(OpBuilder &builder, Value condition,
                                       ValueRange none, Emit emit,
                                       SmallVectorImpl<Value> &values) {
  if (!condition)
    return emit(values);
  bool gives = !none.empty();
  auto choice = scf::IfOp::create(builder, loc, none.getTypes(), condition,
                                  /*withElseRegion=*/gives);
  OpBuilder::InsertionGuard guard(builder);
  if (gives) {
    builder.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(builder, loc, none);
  }
  builder.setInsertionPointToStart(choice.thenBlock());
  if (failed(emit(values)))
    return failure();
  if (gives)
    scf::YieldOp::create(builder, loc, values);
  values.assign(choice.result_begin(), choice.result_end());
  return success();
}

LogicalResult BlockColumn::emitRows(OpBuilder &builder, Value from, Value to,
                                    ArrayRef<ReduceOp> reductions,
                                    ArrayRef<unsigned> stores,
                                    SmallVectorImpl<Value> &partials) {
  for (ReduceOp reduce : reductions)
    partials.push_back(
        reduceIdentity(builder, reduce, reduce.getAccumulation()));
  auto loop =
      scf::ForOp::create(builder, loc, from, to, index(builder, 1), partials);
  loop->setAttr(kUnrollAttr,
                unrollFor(builder, kColumnUnroll, reductions.size()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  moveTo(builder, loop.getInductionVar());
  SmallVector<Value> joined;
  for (auto [op, partial] : llvm::zip(reductions, loop.getRegionIterArgs())) {
    ReduceOp reduce = op;
    FailureOr<Value> value = body.compute(builder, reduce.getInput(),
                                          body.iterationSpace().fullMap());
    if (failed(value))
      return failure();
    joined.push_back(joinPartials(builder, reduce, partial,
                                  toAccumulation(builder, reduce, *value)));
  }
  if (failed(body.storeResults(builder, stores)))
    return failure();
  if (!reductions.empty())
    scf::YieldOp::create(builder, loc, joined);
  partials.assign(loop.getResults().begin(), loop.getResults().end());
  return success();
}

LogicalResult BlockColumn::emitRange(OpBuilder &builder,
                                     ArrayRef<ReduceOp> reductions,
                                     ArrayRef<unsigned> stores,
                                     SmallVectorImpl<Value> &sums) {
  Value rows = index(builder, shape.rows);
  if (!range && (reductions.empty() || shape.rangeBlocks == 1))
    return emitRows(builder, index(builder, 0), rows, reductions, stores, sums);
  Value firstBlock = index(builder, 0),
        endBlock = index(builder, shape.blocks());
  if (range) {
    Value each = index(builder, shape.rangeBlocks);
    firstBlock = shape.rangeBlocks == 1
                     ? range
                     : make<arith::MulIOp>(builder, range, each);
    endBlock = make<arith::MinSIOp>(
        builder, make<arith::AddIOp>(builder, firstBlock, each), endBlock);
  }
  auto rowOf = [&](OpBuilder &at, Value block) {
    return make<arith::MulIOp>(at, block, index(at, kBlockRows));
  };
  auto endOf = [&](OpBuilder &at, Value block) {
    if (shape.rows % kBlockRows == 0)
      return rowOf(at, block);
    return make<arith::MinSIOp>(at, rowOf(at, block), rows);
  };
  if (reductions.empty() || shape.rangeBlocks == 1)
    return emitRows(builder, rowOf(builder, firstBlock),
                    endOf(builder, endBlock), reductions, stores, sums);
  int64_t levels = llvm::Log2_64(shape.rangeBlocks) + 1;
  SmallVector<Value> scratch;
  for (ReduceOp reduce : reductions)
    scratch.push_back(allocateScratch(builder, loc, reduce.getAccumulation(),
                                      levels, /*shared=*/false));
  Value one = index(builder, 1);
  // Once a block of rows: short text is worth more here.
  IntegerAttr rolled = builder.getI32IntegerAttr(1);
  auto loop = scf::ForOp::create(builder, loc, firstBlock, endBlock, one);
  loop->setAttr(kUnrollAttr, rolled);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar();
    SmallVector<Value> partials;
    if (failed(
            emitRows(builder, rowOf(builder, block),
                     endOf(builder, make<arith::AddIOp>(builder, block, one)),
                     reductions, stores, partials)))
      return failure();
    // The range begins at a multiple of its blocks: the low bits count them.
    Value number =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), block);
    Value ones =
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(-1));
    Value carries = arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(),
        math::CountTrailingZerosOp::create(
            builder, loc, make<arith::XOrIOp>(builder, number, ones)));
    // Block number 2^k - 1 of a range fills level k, the last one.
    auto carry = scf::ForOp::create(
        builder, loc, index(builder, 0),
        make<arith::MinSIOp>(builder, carries, index(builder, levels - 1)), one,
        partials);
    carry->setAttr(kUnrollAttr, rolled);
    {
      OpBuilder::InsertionGuard inner(builder);
      builder.setInsertionPointToStart(carry.getBody());
      SmallVector<Value> joined;
      for (auto [reduce, memory, partial] :
           llvm::zip(reductions, scratch, carry.getRegionIterArgs())) {
        Value part = memref::LoadOp::create(builder, loc, memory,
                                            carry.getInductionVar());
        joined.push_back(joinPartials(builder, reduce, part, partial));
      }
      scf::YieldOp::create(builder, loc, joined);
    }
    Value level = carry.getUpperBound();
    for (auto [memory, partial] : llvm::zip(scratch, carry.getResults()))
      memref::StoreOp::create(builder, loc, partial, memory, level);
  }
  // What is left joins from the smallest up. A range that is not the last is
  // full and has its highest level alone.
  Value count = make<arith::SubIOp>(builder, endBlock, firstBlock);
  Value number =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), count);
  Value lowest = arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(),
      math::CountTrailingZerosOp::create(builder, loc, number));
  for (Value memory : scratch)
    sums.push_back(memref::LoadOp::create(builder, loc, memory, lowest));
  auto rest = scf::ForOp::create(builder, loc,
                                 make<arith::AddIOp>(builder, lowest, one),
                                 index(builder, levels), one, sums);
  rest->setAttr(kUnrollAttr, rolled);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(rest.getBody());
    Value level = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                             rest.getInductionVar());
    Value bit = make<arith::AndIOp>(
        builder, make<arith::ShRUIOp>(builder, number, level),
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1)));
    Value isSet = compare(
        builder, arith::CmpIPredicate::ne, bit,
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0)));
    SmallVector<Value> joined;
    auto join = [&](SmallVectorImpl<Value> &values) {
      for (auto [reduce, memory, total] :
           llvm::zip(reductions, scratch, rest.getRegionIterArgs())) {
        Value part = memref::LoadOp::create(builder, loc, memory,
                                            rest.getInductionVar());
        values.push_back(joinPartials(builder, reduce, part, total));
      }
      return success();
    };
    SmallVector<Value> carried(rest.getRegionIterArgs());
    if (failed(emitGuarded(builder, isSet, carried, join, joined)))
      return failure();
    scf::YieldOp::create(builder, loc, joined);
  }
  sums.assign(rest.getResults().begin(), rest.getResults().end());
  return success();
}

void BlockColumn::joinRanges(OpBuilder &builder, ArrayRef<ReduceOp> reductions,
                             SmallVectorImpl<Value> &sums) {
  // Threads may still read what the last pass, or the last run of columns,
  // left.
  gpu::BarrierOp::create(builder, loc);
  SmallVector<Value> memory;
  for (auto [op, sum] : llvm::zip(reductions, sums)) {
    ReduceOp reduce = op;
    memory.push_back(allocateScratch(builder, loc, reduce.getAccumulation(),
                                     shape.threads(), /*shared=*/true));
    memref::StoreOp::create(builder, loc, sum, memory.back(), slot);
  }
  for (int64_t step = 1; step < shape.ranges; step *= 2) {
    gpu::BarrierOp::create(builder, loc);
    // Range r takes r + step in where r is a multiple of 2 * step.
    Value isLeft =
        compare(builder, arith::CmpIPredicate::eq,
                make<arith::RemUIOp>(builder, range, index(builder, 2 * step)),
                index(builder, 0));
    Value other = make<arith::AddIOp>(builder, range, index(builder, step));
    Value exists = compare(builder, arith::CmpIPredicate::ult, other,
                           index(builder, shape.ranges));
    auto choice = scf::IfOp::create(
        builder, loc, make<arith::AndIOp>(builder, isLeft, exists),
        /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    Value right = make<arith::AddIOp>(
        builder, slot, index(builder, step * shape.blockColumns));
    for (auto [op, array] : llvm::zip(reductions, memory)) {
      ReduceOp reduce = op;
      Value a = memref::LoadOp::create(builder, loc, array, slot);
      Value b = memref::LoadOp::create(builder, loc, array, right);
      memref::StoreOp::create(builder, loc, joinPartials(builder, reduce, a, b),
                              array, slot);
    }
  }
  gpu::BarrierOp::create(builder, loc);
  for (auto [array, sum] : llvm::zip(memory, sums))
    sum = memref::LoadOp::create(builder, loc, array, lane);
}

LogicalResult BlockColumn::emitPass(OpBuilder &builder,
                                    ArrayRef<ReduceOp> reductions,
                                    ArrayRef<unsigned> stores) {
  SmallVector<ReduceOp> joined;
  if (failed(setFirstElements(builder, body, reductions, joined,
                              [&] { moveTo(builder, index(builder, 0)); })))
    return failure();
  if (reductions.empty() && stores.empty())
    return success();
  SmallVector<Value> none, sums;
  for (ReduceOp reduce : reductions)
    none.push_back(reduceIdentity(builder, reduce, reduce.getAccumulation()));
  auto emit = [&](SmallVectorImpl<Value> &values) {
    return emitRange(builder, reductions, stores, values);
  };
  if (failed(emitGuarded(builder, takesPart, none, emit, sums)))
    return failure();
  if (!reductions.empty() && range)
    joinRanges(builder, reductions, sums);
  for (auto [reduce, sum] : llvm::zip(reductions, sums))
    body.setComplete(reduce, finishReduction(builder, reduce, sum, shape.rows));
  return success();
}

/// `outer`: points beside the columns; `arrays`: bytes that a thread has in
/// the block's memory.
static ColumnShape shapeFor(int64_t outer, int64_t columns, int64_t rows,
                            int64_t arrays) {
  ColumnShape shape{columns, rows};
  if (shape.blocks() <= 1 || outer * columns >= kManyColumns) {
    shape.rangeBlocks = llvm::bit_ceil(
        static_cast<uint64_t>(std::max<int64_t>(shape.blocks(), 1)));
    return shape;
  }
  shape.blockColumns = std::min<int64_t>(
      llvm::bit_ceil(static_cast<uint64_t>(columns)), kMostColumns);
  while (shape.blockColumns > kLeastColumns &&
         outer * shape.chunks() < kManyBlocks)
    shape.blockColumns /= 2;
  int64_t threads = kRangeThreads;
  while (threads > kWarpLanes && threads * arrays > kSharedBytes)
    threads /= 2;
  int64_t most = std::max<int64_t>(threads / shape.blockColumns, 1);
  shape.rangeBlocks = llvm::bit_ceil(
      static_cast<uint64_t>(llvm::divideCeil(shape.blocks(), most)));
  shape.ranges = llvm::divideCeil(shape.blocks(), shape.rangeBlocks);
  return shape;
}

LogicalResult ampc::emitBlockColumn(OpBuilder &builder, GroupOp group,
                                    BodyEmitter &body) {
  const GroupSpace &space = body.iterationSpace();
  Location loc = group.getLoc();
  AxisSet run = space.reducedLoopAxes(), lanes = 0;
  SmallVector<int64_t> extents; // leading axes, then runs of columns
  int64_t outer = 1;
  for (auto [axis, extent] : llvm::enumerate(space.extents())) {
    AxisSet bit = AxisSet(1) << axis;
    if (run & bit)
      continue;
    if (run && bit > run) {
      lanes |= bit;
      continue;
    }
    extents.push_back(extent);
    outer *= extent;
  }
  AxisSet full = space.fullMap().covered;
  ReductionOrder order = orderReductions(group, [&](unsigned i) {
    return space.resultMap(i).covered == full && run;
  });
  int64_t arrays = 0;
  for (const auto &reductions : order.passes)
    for (ReduceOp reduce : reductions)
      arrays += reduce.getAccumulation().getIntOrFloatBitWidth() / 8;
  ColumnShape shape =
      shapeFor(outer, space.count(lanes), space.count(run), arrays);
  BlockColumn loops{body, loc, shape, {}, run};
  SmallVector<Value> variables;
  Value column;
  if (shape.ranges == 1) {
    if (shape.columns > 1)
      extents.push_back(shape.columns);
    int64_t threads =
        std::clamp<int64_t>(outer * shape.columns, 1, kColumnThreads);
    variables = beginPoints(builder, loc, extents, PointUnit::thread,
                            llvm::alignTo(threads, kWarpLanes));
    column = variables.empty() ? Value() : variables.back();
  } else {
    if (shape.chunks() > 1)
      extents.push_back(shape.chunks());
    variables =
        beginPoints(builder, loc, extents, PointUnit::block, shape.threads());
    column = loops.beginBlock(builder,
                              shape.chunks() > 1 ? variables.back() : Value());
  }

  loops.coordinates.resize(space.extents().size());
  size_t next = 0;
  for (size_t axis = 0; axis < space.extents().size(); ++axis)
    if (!((run | lanes) >> axis & 1))
      loops.coordinates[axis] = variables[next++];
  for (int64_t axis = space.extents().size() - 1; axis >= 0; --axis) {
    if (!(lanes >> axis & 1))
      continue;
    if (!(lanes & ((AxisSet(1) << axis) - 1))) {
      loops.coordinates[axis] = column;
      continue;
    }
    Value extent = loops.index(builder, space.extents()[axis]);
    loops.coordinates[axis] =
        loops.make<arith::RemUIOp>(builder, column, extent);
    column = loops.make<arith::DivUIOp>(builder, column, extent);
  }
  auto pass = [&](ArrayRef<ReduceOp> reductions, ArrayRef<unsigned> stores) {
    return loops.emitPass(builder, reductions, stores);
  };
  if (failed(emitPasses(order, pass)))
    return failure();
  if (order.keptResults.empty())
    return success();
  // An operand may share the bytes of a result, and other threads of the
  // column read it.
  if (loops.range)
    gpu::BarrierOp::create(builder, loc);
  Value stores = loops.takesPart;
  if (loops.range) {
    Value isFirst = loops.compare(builder, arith::CmpIPredicate::eq,
                                  loops.range, loops.index(builder, 0));
    stores =
        stores ? loops.make<arith::AndIOp>(builder, stores, isFirst) : isFirst;
  }
  SmallVector<Value> nothing;
  return loops.emitGuarded(
      builder, stores, {},
      [&](SmallVectorImpl<Value> &) {
        loops.moveTo(builder, Value());
        return body.storeResults(builder, order.keptResults);
      },
      nothing);
}

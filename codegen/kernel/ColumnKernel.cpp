// Column groups (N10): one point a chunk of up to 64 columns, or a strip of
// neighbouring chunks, which take turns after each block of rows: memory is
// read in longer runs. Rows are summed in blocks of 32 in ascending order;
// blocks join pairwise, level by level, an odd last one carried up. That is a
// binary counter: `scratch[l]` holds the sum of 2^l neighbouring blocks while
// bit l of the number of blocks so far is set, and what is left at the end
// joins from the smallest up.
#include "codegen/kernel/Kernels.h"
#include "codegen/kernel/ReduceSteps.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

/// Rows of a block, columns of a chunk.
static constexpr int64_t kBlockRows = 32;
static constexpr int64_t kChunkColumns = 64;

/// The most chunks of a strip, and the fewest points that strips leave: they
/// are what threads share.
static constexpr int64_t kStripChunks = 4;
static constexpr int64_t kStripPoints = 4;

namespace {

/// The loops over the rows of one chunk of columns.
struct ColumnLoops {
  BodyEmitter &body;
  Location loc;
  SmallVector<Value> coordinates; ///< of the leading loop axes
  AxisSet run = 0;                ///< the reduced loop axes
  AxisSet lanes = 0;              ///< the loop axes after them
  int64_t rows = 0;
  Value base;          ///< first column
  int64_t columns = 1; ///< of this chunk
  Value chunks = {};   ///< of this strip; null: one chunk
  Value chunk = {};    ///< of the strip, the one at `base`

  Value index(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// Moves the body to row `row` (null: to the columns alone).
  void moveTo(OpBuilder &builder, Value row);
  /// Emits rows [from, to) (index values) in order, joining into `partials`.
  LogicalResult emitRows(OpBuilder &builder, Value from, Value to,
                         ArrayRef<ReduceOp> reductions,
                         ArrayRef<unsigned> stores,
                         SmallVectorImpl<Value> &partials);
  /// Emits `emitChunk` for each chunk of the strip.
  LogicalResult forChunks(OpBuilder &builder,
                          llvm::function_ref<LogicalResult()> emitChunk);
  /// One pass over the rows. A strip has no other pass: it stores `kept`,
  /// what no row varies, at once.
  LogicalResult emitPass(OpBuilder &builder, ArrayRef<ReduceOp> reductions,
                         ArrayRef<unsigned> stores, ArrayRef<unsigned> kept);
  LogicalResult emit(OpBuilder &builder, const ReductionOrder &order);

  /// Scalar (no column axis) or vector type of a partial.
  Type partialType(ReduceOp reduce) {
    Type element = reduce.getAccumulation();
    return lanes ? Type(VectorType::get({columns}, element)) : element;
  }
  Value loadPartial(OpBuilder &builder, ReduceOp reduce, Value scratch,
                    Value level);
  void storePartial(OpBuilder &builder, Value partial, Value scratch,
                    Value level);
  /// Levels of the counter of one chunk.
  int64_t levels() const {
    return llvm::Log2_64(llvm::divideCeil(rows, kBlockRows)) + 1;
  }
  /// Position of level `level` in scratch memory.
  Value slot(OpBuilder &builder, Value level) {
    if (chunk)
      level = arith::AddIOp::create(
          builder, loc, level,
          arith::MulIOp::create(builder, loc, chunk, index(builder, levels())));
    return arith::MulIOp::create(builder, loc, level,
                                 index(builder, lanes ? columns : 1));
  }
};

} // namespace

void ColumnLoops::moveTo(OpBuilder &builder, Value row) {
  SmallVector<Value> all = coordinates;
  const GroupSpace &space = body.iterationSpace();
  for (int64_t axis = space.extents().size() - 1; axis >= 0; --axis) {
    if (!(run >> axis & 1))
      continue;
    if (!row) {
      all[axis] =
          index(builder, 0); // no value outside the rows varies along it
      continue;
    }
    AxisSet before = run & ((AxisSet(1) << axis) - 1);
    if (!before) {
      all[axis] = row;
      continue;
    }
    Value extent = index(builder, space.extents()[axis]);
    all[axis] = arith::RemUIOp::create(builder, loc, row, extent);
    row = arith::DivUIOp::create(builder, loc, row, extent);
  }
  body.moveTo({std::move(all), lanes, base, columns});
}

Value ColumnLoops::loadPartial(OpBuilder &builder, ReduceOp reduce,
                               Value scratch, Value level) {
  if (auto type = dyn_cast<VectorType>(partialType(reduce)))
    return vector::LoadOp::create(builder, loc, type, scratch,
                                  slot(builder, level));
  return memref::LoadOp::create(builder, loc, scratch, slot(builder, level));
}

void ColumnLoops::storePartial(OpBuilder &builder, Value partial, Value scratch,
                               Value level) {
  if (isa<VectorType>(partial.getType()))
    vector::StoreOp::create(builder, loc, partial, scratch,
                            slot(builder, level));
  else
    memref::StoreOp::create(builder, loc, partial, scratch,
                            slot(builder, level));
}

LogicalResult ColumnLoops::emitRows(OpBuilder &builder, Value from, Value to,
                                    ArrayRef<ReduceOp> reductions,
                                    ArrayRef<unsigned> stores,
                                    SmallVectorImpl<Value> &partials) {
  for (ReduceOp reduce : reductions)
    partials.push_back(reduceIdentity(builder, reduce, partialType(reduce)));
  auto loop =
      scf::ForOp::create(builder, loc, from, to, index(builder, 1), partials);
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
    Value summand = toAccumulation(builder, reduce, *value);
    if (auto type = dyn_cast<VectorType>(partial.getType());
        type && !isa<VectorType>(summand.getType()))
      summand = vector::BroadcastOp::create(builder, loc, type, summand);
    joined.push_back(joinPartials(builder, reduce, partial, summand));
  }
  if (failed(body.storeResults(builder, stores)))
    return failure();
  if (!reductions.empty())
    scf::YieldOp::create(builder, loc, joined);
  partials.assign(loop.getResults().begin(), loop.getResults().end());
  return success();
}

LogicalResult
ColumnLoops::forChunks(OpBuilder &builder,
                       llvm::function_ref<LogicalResult()> emitChunk) {
  if (!chunks)
    return emitChunk();
  auto loop = scf::ForOp::create(builder, loc, index(builder, 0), chunks,
                                 index(builder, 1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value first = base;
  chunk = loop.getInductionVar();
  base = arith::AddIOp::create(
      builder, loc, first,
      arith::MulIOp::create(builder, loc, chunk, index(builder, columns)));
  LogicalResult emitted = emitChunk();
  base = first;
  chunk = Value();
  return emitted;
}

LogicalResult ColumnLoops::emitPass(OpBuilder &builder,
                                    ArrayRef<ReduceOp> reductions,
                                    ArrayRef<unsigned> stores,
                                    ArrayRef<unsigned> kept) {
  int64_t whole = rows / kBlockRows, rest = rows % kBlockRows,
          blocks = whole + (rest ? 1 : 0);
  SmallVector<ReduceOp> joined;
  if (failed(setFirstElements(builder, body, reductions, joined,
                              [&] { moveTo(builder, index(builder, 0)); })))
    return failure();
  if (reductions.empty() && stores.empty())
    return success();
  if (reductions.empty()) {
    SmallVector<Value> none;
    return emitRows(builder, index(builder, 0), index(builder, rows), {},
                    stores, none);
  }
  if (blocks <= 1) {
    SmallVector<Value> partials;
    if (failed(emitRows(builder, index(builder, 0), index(builder, rows),
                        reductions, stores, partials)))
      return failure();
    for (auto [reduce, partial] : llvm::zip(reductions, partials))
      body.setComplete(reduce, finishReduction(builder, reduce, partial, rows));
    return success();
  }
  SmallVector<Value> scratch;
  for (ReduceOp reduce : reductions)
    scratch.push_back(memref::AllocaOp::create(
        builder, loc,
        MemRefType::get(
            {levels() * (lanes ? columns : 1) * (chunks ? kStripChunks : 1)},
            reduce.getAccumulation())));

  // Adds block number `block` (i64 or index constant) to the counter: joins the
  // levels below its lowest clear bit, `carries` of them, and stores one level
  // up.
  auto push = [&](OpBuilder &at, ArrayRef<Value> partials, Value carries) {
    auto loop = scf::ForOp::create(at, loc, index(at, 0), carries, index(at, 1),
                                   partials);
    {
      OpBuilder::InsertionGuard guard(at);
      at.setInsertionPointToStart(loop.getBody());
      SmallVector<Value> joined;
      for (auto [reduce, memory, partial] :
           llvm::zip(reductions, scratch, loop.getRegionIterArgs()))
        joined.push_back(joinPartials(
            at, reduce, loadPartial(at, reduce, memory, loop.getInductionVar()),
            partial));
      scf::YieldOp::create(at, loc, joined);
    }
    for (auto [memory, partial] : llvm::zip(scratch, loop.getResults()))
      storePartial(at, partial, memory, carries);
  };
  auto loop = scf::ForOp::create(builder, loc, index(builder, 0),
                                 index(builder, whole), index(builder, 1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar();
    Value from =
        arith::MulIOp::create(builder, loc, block, index(builder, kBlockRows));
    Value to =
        arith::AddIOp::create(builder, loc, from, index(builder, kBlockRows));
    auto emitBlock = [&]() -> LogicalResult {
      SmallVector<Value> partials;
      if (failed(emitRows(builder, from, to, reductions, stores, partials)))
        return failure();
      Value number =
          arith::IndexCastOp::create(builder, loc, builder.getI64Type(), block);
      Value ones = arith::ConstantOp::create(builder, loc,
                                             builder.getI64IntegerAttr(-1));
      Value flipped = arith::XOrIOp::create(builder, loc, number, ones);
      Value trailing =
          math::CountTrailingZerosOp::create(builder, loc, flipped);
      push(builder, partials,
           arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      trailing));
      return success();
    };
    if (failed(forChunks(builder, emitBlock)))
      return failure();
  }
  auto emitRest = [&]() -> LogicalResult {
    if (rest) {
      SmallVector<Value> partials;
      if (failed(emitRows(builder, index(builder, whole * kBlockRows),
                          index(builder, rows), reductions, stores, partials)))
        return failure();
      push(builder, partials,
           index(builder, llvm::countr_one(static_cast<uint64_t>(whole))));
    }
    for (auto [reduce, memory] : llvm::zip(reductions, scratch)) {
      Value total;
      for (int64_t level = 0, end = levels(); level < end; ++level) {
        if (!(blocks >> level & 1))
          continue;
        Value part =
            loadPartial(builder, reduce, memory, index(builder, level));
        total = total ? joinPartials(builder, reduce, part, total) : part;
      }
      body.setComplete(reduce, finishReduction(builder, reduce, total, rows));
    }
    if (!chunks)
      return success();
    moveTo(builder, Value());
    return body.storeResults(builder, kept);
  };
  return forChunks(builder, emitRest);
}

LogicalResult ColumnLoops::emit(OpBuilder &builder,
                                const ReductionOrder &order) {
  auto pass = [&](ArrayRef<ReduceOp> reductions, ArrayRef<unsigned> stores) {
    return emitPass(builder, reductions, stores, order.keptResults);
  };
  if (failed(emitPasses(order, pass)))
    return failure();
  if (chunks)
    return success();
  moveTo(builder, Value());
  return body.storeResults(builder, order.keptResults);
}

/// Chunks of a strip, for `points` chunks in all, `whole` of 64 columns beside
/// each other. Several passes would have to keep their sums for every chunk.
static int64_t stripOf(const ReductionOrder &order, int64_t whole,
                       int64_t points, int64_t rows) {
  bool isFirst = llvm::any_of(order.passes, [](const auto &reductions) {
    return llvm::any_of(reductions, [](ReduceOp reduce) {
      return reduce.getKind() == ReduceKind::first;
    });
  });
  if (order.passes.size() != 1 || order.storesApart || isFirst ||
      rows <= kBlockRows)
    return 1;
  return std::clamp<int64_t>(points / kStripPoints, 1,
                             std::min(kStripChunks, whole));
}

LogicalResult ampc::emitColumnKernel(OpBuilder &builder, GroupOp group,
                                     BodyEmitter &body) {
  const GroupSpace &space = body.iterationSpace();
  Location loc = group.getLoc();
  AxisSet run = space.reducedLoopAxes(), lanes = 0;
  SmallVector<int64_t> extents; // leading axes, then chunks of columns
  for (auto [axis, extent] : llvm::enumerate(space.extents())) {
    AxisSet bit = AxisSet(1) << axis;
    if (run & bit)
      continue;
    if (run && bit > run)
      lanes |= bit;
    else
      extents.push_back(extent);
  }
  int64_t columns = space.count(lanes), rows = space.count(run);
  int64_t whole = columns / kChunkColumns, rest = columns % kChunkColumns;
  AxisSet full = space.fullMap().covered;
  ReductionOrder order = orderReductions(group, [&](unsigned i) {
    return space.resultMap(i).covered == full && run;
  });
  bool chunked = whole + (rest ? 1 : 0) > 1;
  int64_t strip = 1;
  if (chunked) {
    int64_t points = whole;
    for (int64_t extent : extents)
      points *= extent;
    strip = stripOf(order, whole, points, rows);
    extents.push_back(llvm::divideCeil(whole, strip) + (rest ? 1 : 0));
  }
  int64_t work =
      std::max<int64_t>(rows, 1) * std::min(columns, strip * kChunkColumns);
  SmallVector<Value> variables =
      beginParallel(builder, loc, extents, std::max<int64_t>(work, 1));

  ColumnLoops loops{body, loc, {}, run, lanes, rows, Value()};
  loops.coordinates.resize(space.extents().size());
  size_t next = 0;
  for (size_t axis = 0; axis < space.extents().size(); ++axis)
    if (!((run | lanes) >> axis & 1))
      loops.coordinates[axis] = variables[next++];
  if (!chunked) {
    loops.base = arith::ConstantIndexOp::create(builder, loc, 0);
    loops.columns = columns;
    return loops.emit(builder, order);
  }
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value point = variables.back();
  loops.base =
      arith::MulIOp::create(builder, loc, point, index(strip * kChunkColumns));
  loops.columns = kChunkColumns;
  auto emitStrip = [&] {
    if (strip > 1) {
      Value first = arith::MulIOp::create(builder, loc, point, index(strip));
      Value left = arith::SubIOp::create(builder, loc, index(whole), first);
      loops.chunks = arith::MinSIOp::create(builder, loc, left, index(strip));
    }
    return loops.emit(builder, order);
  };
  if (!rest)
    return emitStrip();
  int64_t strips = llvm::divideCeil(whole, strip);
  Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        point, index(strips));
  auto choice =
      scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  if (failed(emitStrip()))
    return failure();
  builder.setInsertionPointToStart(choice.elseBlock());
  loops.chunks = Value();
  loops.base = index(whole * kChunkColumns);
  loops.columns = rest;
  return loops.emit(builder, order);
}

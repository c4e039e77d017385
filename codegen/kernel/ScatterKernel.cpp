// Scatter groups: one point a chunk of up to 64 elements after the axis. Zeros
// first; then every update in ascending order of its index position, so that
// sums have one order whatever the indices (N10). Indices outside the axis and
// the padding index are skipped.
#include "codegen/kernel/Kernels.h"
#include "codegen/kernel/ScatterSpace.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

/// Elements of a chunk.
static constexpr int64_t kChunk = 64;

namespace {

/// The loops over one chunk.
struct ScatterLoops {
  OpBuilder &builder;
  Location loc;
  const ScatterSpace &space;
  Value outer;       ///< of the axes before, null when there are none
  Value first;       ///< of the chunk among the elements after the axis
  int64_t width = 1; ///< of the chunk

  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value plus(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value times(Value a, int64_t b) {
    return arith::MulIOp::create(builder, loc, a, number(b));
  }
  /// The first element of the chunk in row `row` of `rows`.
  Value offset(Value row, int64_t rows) {
    Value line = outer ? plus(times(outer, rows), row) : row;
    return plus(times(line, space.after), first);
  }
  scf::ForOp loop(int64_t count) {
    auto made =
        scf::ForOp::create(builder, loc, number(0), number(count), number(1));
    builder.setInsertionPointToStart(made.getBody());
    return made;
  }

  void emit();
  void clear();
  /// Adds the update at `from` to the row that `chosen` (an index of the index
  /// type) names, `lanes` elements from `shift` of the chunk on.
  void add(Value from, Value chosen, Value shift, int64_t lanes);
};

} // namespace

void ScatterLoops::clear() {
  OpBuilder::InsertionGuard guard(builder);
  scf::ForOp row = loop(space.extent);
  auto type = VectorType::get({width}, space.element());
  Value zeros =
      arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  vector::StoreOp::create(builder, loc, zeros, space.result,
                          offset(row.getInductionVar(), space.extent));
}

void ScatterLoops::add(Value from, Value chosen, Value shift, int64_t lanes) {
  OpBuilder::InsertionGuard guard(builder);
  Value row =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), chosen);
  Value taken = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                      row, number(space.extent));
  if (space.padding) {
    Value other = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        row, number(*space.padding));
    taken = arith::AndIOp::create(builder, loc, taken, other);
  }
  auto guarded = scf::IfOp::create(builder, loc, taken,
                                   /*withElseRegion=*/false);
  builder.setInsertionPointToStart(guarded.thenBlock());
  Value to = offset(row, space.extent);
  if (shift)
    to = plus(to, shift);
  auto type = VectorType::get({lanes}, space.element());
  Value old = vector::LoadOp::create(builder, loc, type, space.result, to);
  Value update =
      vector::LoadOp::create(builder, loc, type, space.updates, from);
  Value sum = isa<FloatType>(space.element())
                  ? Value(arith::AddFOp::create(builder, loc, old, update))
                  : Value(arith::AddIOp::create(builder, loc, old, update));
  vector::StoreOp::create(builder, loc, sum, space.result, to);
}

void ScatterLoops::emit() {
  clear();
  OpBuilder::InsertionGuard guard(builder);
  scf::ForOp position = loop(space.positions);
  Value from = offset(position.getInductionVar(), space.positions);
  if (!space.indexPerElement) {
    Value chosen = memref::LoadOp::create(builder, loc, space.index,
                                          position.getInductionVar());
    return add(from, chosen, Value(), width);
  }
  scf::ForOp column = loop(width);
  Value at = plus(from, column.getInductionVar());
  Value chosen = memref::LoadOp::create(builder, loc, space.index, at);
  add(at, chosen, column.getInductionVar(), 1);
}

LogicalResult ampc::emitScatterKernel(OpBuilder &builder, GroupOp group,
                                      ArrayRef<KernelArgument> arguments,
                                      ValueRange pointers) {
  FailureOr<ScatterSpace> found =
      ScatterSpace::create(group, arguments, pointers);
  if (failed(found))
    return failure();
  const ScatterSpace &space = *found;
  Location loc = group.getBody().front().front().getLoc();
  ScatterLoops loops{builder, loc, space, Value(), Value()};
  int64_t before = space.before, after = space.after;
  int64_t whole = after / kChunk, rest = after % kChunk;
  int64_t chunks = whole + (rest ? 1 : 0);
  SmallVector<int64_t> extents;
  if (before > 1)
    extents.push_back(before);
  if (chunks > 1)
    extents.push_back(chunks);
  int64_t work = (space.positions + space.extent) * std::min(after, kChunk);
  SmallVector<Value> variables =
      beginParallel(builder, loc, extents, std::max<int64_t>(work, 1));
  loops.outer = before > 1 ? variables.front() : Value();
  if (chunks == 1) {
    loops.first = loops.number(0);
    loops.width = after;
    loops.emit();
    return success();
  }
  Value chunk = variables.back();
  loops.first = loops.times(chunk, kChunk);
  loops.width = kChunk;
  if (!rest) {
    loops.emit();
    return success();
  }
  Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        chunk, loops.number(whole));
  auto choice =
      scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  loops.emit();
  builder.setInsertionPointToStart(choice.elseBlock());
  loops.width = rest;
  loops.emit();
  return success();
}

// Contraction groups: one point a tile of the product (ProductBlocks.h).
//
// A tile takes K in stretches. Of each it packs what does not lie in order, and
// register blocks add to the tile's sums, in scratch memory: every sum is one
// chain of fused multiply-adds, K ascending, from +0 or the product's init.
// After the last stretch the epilogue walks the sums row by row while the cache
// has them. Where K is one stretch and there is no init the sums begin in the
// registers. All of a tile's init is read before anything is stored.
#include "codegen/kernel/Kernels.h"
#include "codegen/kernel/PackPanel.h"
#include "codegen/kernel/PrimitiveEmitter.h"
#include "codegen/kernel/ProductBlocks.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

namespace {

/// A line of the cache, and a vector register.
constexpr int64_t kScratchAlignment = 64;

/// An operand of register blocks: element (i, k) of its part of the tile stands
/// at base + i * across + k * along.
struct BlockOperand {
  Value memory, base;
  ProductOperand layout;

  Value at(IndexMath &math, Value i, Value k) const {
    return math.add(base, math.add(math.times(i, layout.across),
                                   math.times(k, layout.along)));
  }
};

/// The loops of one tile.
class TileEmitter {
public:
  TileEmitter(OpBuilder &builder, GroupOp group, MatmulOp product,
              const ProductBlocks &blocks, BodyEmitter &body, Value a, Value b,
              Value init)
      : at{builder, group.getLoc()}, group(group), product(product),
        blocks(blocks), body(body), a(a), b(b), init(init) {}

  LogicalResult emit(ArrayRef<Value> tile);

private:
  Value scratch(int64_t elements);
  /// Whether the sums stand in scratch memory before the first stretch.
  bool beginsInMemory() const { return init || blocks.stretches() > 1; }
  void emitBeginning();
  void emitStretch(Value stretch);
  /// Register blocks down the tile's rows for `width` columns from `column` on.
  void emitPanel(const BlockOperand &left, Value column, Value start,
                 Value length, int64_t width);
  void emitBlock(const BlockOperand &left, const BlockOperand &right, Value row,
                 Value column, Value length, int64_t rows, int64_t width);
  LogicalResult emitEpilogue();
  LogicalResult emitElements(Value row, Value column, int64_t count);

  IndexMath at;
  GroupOp group;
  MatmulOp product;
  const ProductBlocks &blocks;
  BodyEmitter &body;
  Value a, b, init;                    // the operands' memory; init or null
  Value matrix, firstRow, firstColumn; // of the tile
  Value isLastRow, isLastColumn;       // of tiles
  Value rows, columns;                 // of the tile
  Value sums, panelA, panelB;          // scratch
  int64_t pitch = 0;                   // of `sums`
};

} // namespace

Value TileEmitter::scratch(int64_t elements) {
  return memref::AllocaOp::create(
      at.builder, at.loc, MemRefType::get({elements}, blocks.sum),
      at.builder.getI64IntegerAttr(kScratchAlignment));
}

/// How much of `whole` a tile of `tile` at `first` has.
static Value partOf(IndexMath &at, Value first, int64_t tile, int64_t whole) {
  if (tile >= whole)
    return at.constant(whole);
  return at.smaller(at.constant(tile), at.subtract(at.constant(whole), first));
}

LogicalResult TileEmitter::emit(ArrayRef<Value> tile) {
  auto [batch, m, n, k] = blocks.extents;
  matrix = tile[0];
  firstRow = at.times(tile[1], blocks.tileRows);
  firstColumn = at.times(tile[2], blocks.tileColumns);
  isLastRow = at.isLast(tile[1], blocks.rowTiles());
  isLastColumn = at.isLast(tile[2], blocks.columnTiles());
  rows = partOf(at, firstRow, blocks.tileRows, m);
  columns = partOf(at, firstColumn, blocks.tileColumns, n);
  pitch = std::min<int64_t>(blocks.tileColumns, llvm::alignTo(n, blocks.lanes));
  sums = scratch(std::min(blocks.tileRows, m) * pitch);
  if (blocks.packA)
    panelA = scratch(std::min(blocks.tileRows, m) * blocks.depth);
  if (blocks.packB)
    panelB = scratch((blocks.depth + blocks.lanes) *
                     std::min<int64_t>(blocks.blockColumns(),
                                       llvm::alignTo(n, blocks.lanes)));
  if (beginsInMemory())
    emitBeginning();
  if (k > 0)
    at.loop(at.constant(blocks.stretches()),
            [&](Value stretch) { emitStretch(stretch); });
  return emitEpilogue();
}

void TileEmitter::emitBeginning() {
  auto [batch, m, n, k] = blocks.extents;
  if (init) {
    Value corner = at.add(at.times(matrix, m * n),
                          at.add(at.times(firstRow, n), firstColumn));
    copyRows(at, blocks.sum, {init, corner, n}, {sums, at.constant(0), pitch},
             rows, columns, blocks.lanes);
    return;
  }
  auto type = VectorType::get({blocks.lanes}, blocks.sum);
  Value zeros = arith::ConstantOp::create(at.builder, at.loc,
                                          at.builder.getZeroAttr(type));
  at.loop(at.divide(at.times(rows, pitch), blocks.lanes), [&](Value i) {
    vector::StoreOp::create(at.builder, at.loc, zeros, sums,
                            at.times(i, blocks.lanes));
  });
}

void TileEmitter::emitStretch(Value stretch) {
  auto [batch, m, n, k] = blocks.extents;
  Value start = at.times(stretch, blocks.depth);
  Value length = partOf(at, start, blocks.depth, k);
  BlockOperand left{a, at.times(matrix, m * k), blocks.a};
  left.base = left.at(at, firstRow, start);
  if (blocks.packA) {
    bool alongK = blocks.a.runsAlongK();
    Panel from{a, left.base, alongK ? blocks.a.across : blocks.a.along};
    int64_t packed = alongK ? blocks.depth : std::min(blocks.tileRows, m);
    Value zero = at.constant(0);
    copyRows(at, blocks.a.element, from, {panelA, zero, packed},
             alongK ? rows : length, alongK ? length : rows, blocks.lanes);
    left = {panelA, zero,
            alongK ? ProductOperand{blocks.sum, packed, 1}
                   : ProductOperand{blocks.sum, 1, packed}};
  }
  int64_t width = blocks.blockColumns();
  if (n >= width)
    at.loop(at.divide(columns, width), [&](Value panel) {
      emitPanel(left, at.times(panel, width), start, length, width);
    });
  if (n % width)
    at.when(isLastColumn, [&] {
      emitPanel(left, at.times(at.divide(columns, width), width), start, length,
                n % width);
    });
}

void TileEmitter::emitPanel(const BlockOperand &left, Value column, Value start,
                            Value length, int64_t width) {
  auto [batch, m, n, k] = blocks.extents;
  BlockOperand right{b, at.times(matrix, k * n), blocks.b};
  right.base = right.at(at, at.add(firstColumn, column), start);
  if (blocks.packB) {
    int64_t packed = llvm::alignTo(width, blocks.lanes);
    // copyTransposed may begin earlier.
    Panel to{panelB, at.constant(blocks.lanes * packed), packed};
    if (blocks.b.across == 1)
      copyRowsPadded(at, blocks.b.element, {b, right.base, blocks.b.along}, to,
                     length, width, blocks.lanes);
    else
      copyTransposed(at, blocks.b.element, {b, right.base, blocks.b.across}, to,
                     length, width, blocks.lanes, k);
    right = {panelB, to.base, ProductOperand{blocks.sum, 1, packed}};
    width = packed;
  }
  if (m >= blocks.rows)
    at.loop(at.divide(rows, blocks.rows), [&](Value block) {
      emitBlock(left, right, at.times(block, blocks.rows), column, length,
                blocks.rows, width);
    });
  if (m % blocks.rows)
    at.when(isLastRow, [&] {
      emitBlock(left, right,
                at.times(at.divide(rows, blocks.rows), blocks.rows), column,
                length, m % blocks.rows, width);
    });
}

void TileEmitter::emitBlock(const BlockOperand &left, const BlockOperand &right,
                            Value row, Value column, Value length,
                            int64_t blockRows, int64_t width) {
  OpBuilder &builder = at.builder;
  int64_t lanes = blocks.lanes, vectors = llvm::divideCeil(width, lanes);
  auto type = VectorType::get({lanes}, blocks.sum);
  auto sumIndex = [&](int64_t i, int64_t v) {
    return at.add(at.add(at.times(at.add(row, i), pitch), column), v * lanes);
  };
  SmallVector<Value> first;
  for (int64_t i = 0; i < blockRows; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      first.push_back(beginsInMemory()
                          ? Value(vector::LoadOp::create(builder, at.loc, type,
                                                         sums, sumIndex(i, v)))
                          : Value(arith::ConstantOp::create(
                                builder, at.loc, builder.getZeroAttr(type))));
  auto loop = scf::ForOp::create(builder, at.loc, at.constant(0), length,
                                 at.constant(1), first);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar(), zero = at.constant(0);
    SmallVector<Value> of;
    Value source = right.at(at, zero, k);
    for (int64_t v = 0; v < vectors; ++v) {
      int64_t count = std::min(lanes, width - v * lanes);
      Value index = at.add(source, v * lanes);
      if (count == lanes) {
        of.push_back(
            vector::LoadOp::create(builder, at.loc, type, right.memory, index));
        continue;
      }
      auto mask = VectorType::get({lanes}, builder.getI1Type());
      SmallVector<bool> there;
      for (int64_t lane = 0; lane < lanes; ++lane)
        there.push_back(lane < count);
      of.push_back(vector::MaskedLoadOp::create(
          builder, at.loc, type, right.memory, ValueRange(index),
          arith::ConstantOp::create(
              builder, at.loc, DenseElementsAttr::get(mask, ArrayRef(there))),
          arith::ConstantOp::create(builder, at.loc,
                                    builder.getZeroAttr(type))));
    }
    SmallVector<Value> next;
    Value corner = left.at(at, row, k);
    for (int64_t i = 0; i < blockRows; ++i) {
      Value scalar = memref::LoadOp::create(
          builder, at.loc, left.memory, at.add(corner, i * left.layout.across));
      Value wide = vector::BroadcastOp::create(builder, at.loc, type, scalar);
      for (int64_t v = 0; v < vectors; ++v)
        next.push_back(
            math::FmaOp::create(builder, at.loc, wide, of[v],
                                loop.getRegionIterArgs()[i * vectors + v]));
    }
    scf::YieldOp::create(builder, at.loc, next);
  }
  for (int64_t i = 0; i < blockRows; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      vector::StoreOp::create(builder, at.loc, loop.getResult(i * vectors + v),
                              sums, sumIndex(i, v));
}

LogicalResult TileEmitter::emitEpilogue() {
  int64_t n = blocks.extents.n, step = 2 * blocks.lanes;
  LogicalResult emitted = success();
  at.loop(rows, [&](Value row) {
    if (n >= step)
      at.loop(at.divide(columns, step), [&](Value i) {
        if (failed(emitElements(row, at.times(i, step), step)))
          emitted = failure();
      });
    if (n % step)
      at.when(isLastColumn, [&] {
        if (failed(emitElements(row, at.times(at.divide(columns, step), step),
                                n % step)))
          emitted = failure();
      });
  });
  return emitted;
}

LogicalResult TileEmitter::emitElements(Value row, Value column,
                                        int64_t count) {
  OpBuilder &builder = at.builder;
  const GroupSpace &space = body.iterationSpace();
  int64_t axes = space.extents().size();
  Point point;
  point.coordinates.resize(axes);
  if (blocks.extents.n != 1) {
    --axes;
    point.laneAxes = AxisSet(1) << axes;
    point.laneBase = at.add(firstColumn, column);
    point.lanes = count;
  }
  // The other axes share the rows of all matrices.
  Value rest =
      at.add(at.times(matrix, blocks.extents.m), at.add(firstRow, row));
  for (int64_t axis = axes; axis-- > 0;) {
    int64_t extent = space.extents()[axis];
    point.coordinates[axis] = axis == 0 ? rest : at.remainder(rest, extent);
    if (axis > 0)
      rest = at.divide(rest, extent);
  }
  Type type =
      point.laneAxes ? Type(VectorType::get({count}, blocks.sum)) : blocks.sum;
  body.moveTo(std::move(point));
  Value sum;
  if (blocks.extents.k == 0 && !init) {
    sum = arith::ConstantOp::create(builder, at.loc,
                                    cast<TypedAttr>(builder.getZeroAttr(type)));
  } else {
    Value index = at.add(at.times(row, pitch), column);
    sum = isa<VectorType>(type)
              ? Value(vector::LoadOp::create(
                    builder, at.loc, cast<VectorType>(type), sums, index))
              : Value(memref::LoadOp::create(builder, at.loc, sums, index));
  }
  body.setComplete(product,
                   roundTo(builder, product.getLoc(), sum,
                           tensorType(product.getResult()).getElementType()));
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(0, group.getNumResults()));
  return body.storeResults(builder, all);
}

LogicalResult ampc::emitContractionKernel(OpBuilder &builder, GroupOp group,
                                          BodyEmitter &body,
                                          int64_t vectorBytes) {
  MatmulOp product = *group.getBody().front().getOps<MatmulOp>().begin();
  ProductBlocks blocks = blocksOf(product, vectorBytes);
  SmallVector<Value> tile = beginParallel(
      builder, group.getLoc(),
      {blocks.extents.batch, blocks.rowTiles(), blocks.columnTiles()},
      blocks.work());
  auto memoryOf = [&](Value operand) {
    return body.pointerOf(cast<BlockArgument>(operand).getArgNumber());
  };
  return TileEmitter(builder, group, product, blocks, body,
                     memoryOf(product.getLhs()), memoryOf(product.getRhs()),
                     product.getInit() ? memoryOf(product.getInit()) : Value())
      .emit(tile);
}

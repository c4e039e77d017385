// Contraction groups: one point a tile of the product (ProductBlocks.h).
//
// A tile takes K in stretches, which add to its sums, in scratch memory, by
// vectors or by a matrix unit (ContractionTile.h), from +0 or the product's
// init, all of which is read before anything is stored. After the last stretch
// the epilogue walks the sums row by row while the cache has them. Where K is
// one stretch it follows each block of a matrix unit, which multiplies on
// meanwhile.
#include "codegen/kernel/ContractionTile.h"
#include "codegen/kernel/Kernels.h"
#include "codegen/kernel/PrimitiveEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

/// Smaller operands and results stay in the second level of cache.
static constexpr int64_t kLargeBytes = int64_t(1) << 20;

namespace {

/// The loops of one tile.
class TileEmitter {
public:
  TileEmitter(OpBuilder &builder, GroupOp group, MatmulOp product,
              const ProductBlocks &blocks, BodyEmitter &body, Value a, Value b,
              Value init)
      : tile({builder, group.getLoc()}, blocks, a, b, init), at(tile.at),
        group(group), product(product), blocks(blocks), body(body) {}

  LogicalResult emit(ArrayRef<Value> point);

private:
  void findEpilogueRows();
  /// `count` rows of the tile from `first` on.
  LogicalResult emitEpilogue(Value first, Value count);
  LogicalResult emitElements(Value row, Value column, int64_t count);

  ContractionTile tile;
  IndexMath &at;
  GroupOp group;
  MatmulOp product;
  const ProductBlocks &blocks;
  BodyEmitter &body;
};

} // namespace

LogicalResult TileEmitter::emit(ArrayRef<Value> point) {
  auto [batch, m, n, k] = blocks.extents;
  tile.matrix = point[0];
  Value row = point[blocks.byRows ? 2 : 1],
        column = point[blocks.byRows ? 1 : 2], one = at.constant(1);
  Value inside = blocks.span > 1 ? point[3] : one;
  Value rowPoints = blocks.byRows ? inside : one,
        columnPoints = blocks.byRows ? one : inside;
  tile.firstRow = at.times(row, blocks.pointRows);
  tile.firstColumn = at.times(column, blocks.pointColumns);
  tile.isLastRow =
      at.isLast(at.add(row, at.add(rowPoints, -1)), blocks.rowPoints());
  tile.isLastColumn = at.isLast(at.add(column, at.add(columnPoints, -1)),
                                blocks.columnPoints());
  tile.rows =
      tile.partOf(tile.firstRow, at.times(rowPoints, blocks.pointRows), m);
  tile.columns = tile.partOf(tile.firstColumn,
                             at.times(columnPoints, blocks.pointColumns), n);
  tile.sums = tile.scratch(blocks.sumCount(), blocks.sum);
  findEpilogueRows();
  LogicalResult emitted = success();
  tile.finish = [&](Value row, Value column, int64_t rows, int64_t columns) {
    at.loop(at.constant(rows), [&](Value i) {
      if (failed(emitElements(at.add(row, i), column, columns)))
        emitted = failure();
    });
  };
  tile.finishRows = [&](Value row, int64_t rows) {
    if (failed(emitEpilogue(row, at.constant(rows))))
      emitted = failure();
  };
  if (blocks.beginsInMemory())
    tile.beginSums();
  if (k > 0) {
    std::unique_ptr<ProductLoops> loops =
        (blocks.unit ? unitProduct : vectorProduct)(tile);
    at.loop(at.constant(blocks.stretches()), [&](Value stretch) {
      Value start = at.times(stretch, blocks.depth);
      loops->emitStretch(start,
                         tile.partOf(start, at.constant(blocks.depth), k));
    });
  }
  if (k == 0 || blocks.keepsSums())
    return emitEpilogue(at.constant(0), tile.rows);
  return emitted;
}

void TileEmitter::findEpilogueRows() {
  const GroupSpace &space = body.iterationSpace();
  AxisSet all = space.fullMap().covered;
  auto add = [&](Value memory, Value value) {
    auto type = tensorType(value);
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    bool isNew = llvm::none_of(tile.epilogueRows, [&](EpilogueRows &rows) {
      return rows.memory == memory; // an update in place
    });
    if (isNew && type.getNumElements() * bytes >= kLargeBytes)
      tile.epilogueRows.push_back({memory, bytes});
  };
  for (unsigned i = 0; i < group.getNumResults(); ++i)
    if (space.resultMap(i).covered == all)
      add(body.resultPointerOf(i), group.getResult(i));
  for (unsigned i = 0; i < group.getNumOperands(); ++i)
    if (!space.isReadElsewhere(i) &&
        llvm::any_of(space.argumentMaps(i),
                     [&](const AxisMap &map) { return map.covered == all; }))
      add(body.pointerOf(i), group.getOperand(i));
}

LogicalResult TileEmitter::emitEpilogue(Value first, Value count) {
  LogicalResult emitted = success();
  at.loop(count, [&](Value i) {
    Value row = at.add(first, i);
    tile.eachColumns(2 * blocks.lanes, [&](Value column, int64_t count) {
      if (failed(emitElements(row, column, count)))
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
    point.laneBase = at.add(tile.firstColumn, column);
    point.lanes = count;
  }
  // The other axes share the rows of all matrices.
  Value rest = at.add(at.times(tile.matrix, blocks.extents.m),
                      at.add(tile.firstRow, row));
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
  if (blocks.extents.k == 0 && !tile.init) {
    sum = arith::ConstantOp::create(builder, at.loc,
                                    cast<TypedAttr>(builder.getZeroAttr(type)));
  } else {
    Value index = tile.sumAt(row, column);
    sum =
        isa<VectorType>(type)
            ? Value(vector::LoadOp::create(
                  builder, at.loc, cast<VectorType>(type), tile.sums, index))
            : Value(memref::LoadOp::create(builder, at.loc, tile.sums, index));
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
                                          TargetAttr target) {
  MatmulOp product = *group.getBody().front().getOps<MatmulOp>().begin();
  ProductBlocks blocks = blocksOf(product, target);
  int64_t outer = blocks.byRows ? blocks.columnPoints() : blocks.rowPoints(),
          inner = blocks.byRows ? blocks.rowPoints() : blocks.columnPoints();
  SmallVector<int64_t> extents{blocks.extents.batch, outer, inner};
  if (blocks.span > 1)
    extents.push_back(1);
  SmallVector<Value> point =
      beginParallel(builder, group.getLoc(), extents, blocks.work());
  if (blocks.span > 1)
    builder.getInsertionBlock()->getParentOp()->setAttr(
        kSpanAttr, builder.getI64IntegerAttr(blocks.span));
  auto memoryOf = [&](Value operand) {
    return body.pointerOf(cast<BlockArgument>(operand).getArgNumber());
  };
  return TileEmitter(builder, group, product, blocks, body,
                     memoryOf(product.getLhs()), memoryOf(product.getRhs()),
                     product.getInit() ? memoryOf(product.getInit()) : Value())
      .emit(point);
}

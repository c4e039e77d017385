// Products in the tiles of a matrix unit (AMX): a register block is 2 by 2 of
// its tiles of sums, each of 16 by 16. A block of 32 of K is summed by the unit
// and added to the sum so far (N10); it reads subnormals as 0 (N1).
#include "codegen/kernel/ContractionTile.h"
#include "codegen/kernel/PackTiles.h"

#include "mlir/Dialect/AMX/AMXDialect.h"

using namespace mlir;
using namespace ampc;

namespace {

/// Tiles of an operand in memory: tile (i, s) begins at
/// base + i * across + s * along, its rows are `pitch` elements apart.
struct UnitOperand {
  Value memory, base;
  int64_t across, along, pitch;
};

class UnitProduct final : public ProductLoops {
public:
  explicit UnitProduct(ContractionTile &tile);

  void emitStretch(Value start, Value length) override;

private:
  /// Tiles of A from row `first` of the tile on, `count` rows.
  UnitOperand leftTiles(Value first, Value count, Value start, Value length);
  /// Those of a panel of B from `column` on, `width` columns.
  UnitOperand rightTiles(Value column, int64_t width);
  void packRight(Value column, int64_t width, Value start, Value length);
  void emitDown(Value start, Value length);
  void emitByRows(Value start, Value length);
  /// Fetches, in step `step` of K of a block, its share of what the epilogue
  /// touches.
  void fetchShare(Value step, Value row, Value column, int64_t rowTiles,
                  int64_t columnTiles);
  /// The sums of `rows` by `width` elements from (row, column) on; A's tiles
  /// begin at `corner`.
  void emitBlock(const UnitOperand &left, Value corner,
                 const UnitOperand &right, Value row, Value column,
                 Value length, int64_t rows, int64_t width);
  Value load(const UnitOperand &operand, Value first, int64_t i);

  ContractionTile &tile;
  IndexMath &at;
  const ProductBlocks &blocks;
  amx::TileType operandTile, sumTile;
  Value panelA, panelB; // scratch
};

} // namespace

UnitProduct::UnitProduct(ContractionTile &tile)
    : tile(tile), at(tile.at), blocks(tile.blocks),
      operandTile(
          amx::TileType::get({kUnitRows, kUnitDepth}, blocks.a.element)),
      sumTile(amx::TileType::get({kUnitRows, kUnitRows}, blocks.sum)) {
  int64_t rows = blocks.byRows ? blocks.rows : blocks.sumRows(),
          columns = blocks.byRows ? blocks.sumColumns() : blocks.blockColumns();
  if (blocks.packA)
    panelA = tile.scratch(rows * blocks.depth, blocks.a.element);
  panelB = tile.scratch(columns * blocks.depth, blocks.b.element);
}

UnitOperand UnitProduct::leftTiles(Value first, Value count, Value start,
                                   Value length) {
  TileOperand left = tile.left(first, start);
  if (!blocks.packA)
    return {left.memory, left.base, kUnitRows * left.layout.across, kUnitDepth,
            left.layout.across};
  int64_t tiles = blocks.depth / kUnitDepth;
  bool whole =
      blocks.extents.m % kUnitRows == 0 && blocks.extents.k % kUnitDepth == 0;
  packLeftTiles(at, {left, count, length, whole}, panelA, tiles);
  return {panelA, at.constant(0), tiles * kTileElements, kTileElements,
          kUnitDepth};
}

UnitOperand UnitProduct::rightTiles(Value column, int64_t width) {
  int64_t columnTiles = llvm::divideCeil(width, kUnitRows);
  Value base = blocks.byRows ? at.times(column, blocks.depth) : at.constant(0);
  return {panelB, base, kTileElements, columnTiles * kTileElements, kUnitDepth};
}

void UnitProduct::packRight(Value column, int64_t width, Value start,
                            Value length) {
  bool whole = width % kUnitRows == 0 && blocks.extents.k % kUnitDepth == 0;
  packRightTiles(at,
                 {tile.right(column, start), at.constant(width), length, whole},
                 panelB, rightTiles(column, width).base,
                 llvm::divideCeil(width, kUnitRows));
}

void UnitProduct::emitStretch(Value start, Value length) {
  if (blocks.byRows)
    emitByRows(start, length);
  else
    emitDown(start, length);
}

void UnitProduct::emitDown(Value start, Value length) {
  UnitOperand left = leftTiles(at.constant(0), tile.rows, start, length);
  tile.eachColumns(blocks.blockColumns(), [&](Value column, int64_t width) {
    packRight(column, width, start, length);
    UnitOperand right = rightTiles(column, width);
    tile.eachRows(blocks.rows, [&](Value row, int64_t rows) {
      Value corner =
          at.add(left.base, at.times(at.divide(row, kUnitRows), left.across));
      emitBlock(left, corner, right, row, column, length, rows, width);
      if (!blocks.keepsSums())
        tile.finish(row, column, rows, width);
    });
  });
}

void UnitProduct::emitByRows(Value start, Value length) {
  tile.eachColumns(blocks.blockColumns(), [&](Value column, int64_t width) {
    packRight(column, width, start, length);
  });
  tile.eachRows(blocks.rows, [&](Value row, int64_t rows) {
    UnitOperand left = leftTiles(row, at.constant(rows), start, length);
    tile.eachColumns(blocks.blockColumns(), [&](Value column, int64_t width) {
      emitBlock(left, left.base, rightTiles(column, width), row, column, length,
                rows, width);
    });
    tile.finishRows(row, rows);
  });
}

Value UnitProduct::load(const UnitOperand &operand, Value first, int64_t i) {
  return amx::TileLoadOp::create(at.builder, at.loc, operandTile,
                                 operand.memory,
                                 ValueRange(at.add(first, i * operand.across)),
                                 at.constant(operand.pitch));
}

void UnitProduct::fetchShare(Value step, Value row, Value column,
                             int64_t rowTiles, int64_t columnTiles) {
  int64_t steps = llvm::divideCeil(blocks.extents.k, kUnitDepth),
          rows = rowTiles * kUnitRows, share = llvm::divideCeil(rows, steps);
  for (int64_t i = 0; i < share; ++i) {
    Value inBlock = at.add(at.times(step, share), i);
    if (share * steps > rows)
      inBlock = at.smaller(inBlock, at.constant(rows - 1));
    tile.fetchRow(at.add(row, inBlock), column, columnTiles * kUnitRows);
  }
}

void UnitProduct::emitBlock(const UnitOperand &left, Value corner,
                            const UnitOperand &right, Value row, Value column,
                            Value length, int64_t rows, int64_t width) {
  OpBuilder &builder = at.builder;
  int64_t rowTiles = llvm::divideCeil(rows, kUnitRows),
          columnTiles = llvm::divideCeil(width, kUnitRows);
  Value steps = at.divide(at.add(length, kUnitDepth - 1), kUnitDepth);
  Value pitch = at.constant(blocks.sumPitch());
  auto sumIndex = [&](int64_t i, int64_t j) {
    return at.add(tile.sumAt(at.add(row, i * kUnitRows), column),
                  j * kUnitRows);
  };
  SmallVector<Value> first;
  for (int64_t i = 0; i < rowTiles; ++i)
    for (int64_t j = 0; j < columnTiles; ++j)
      first.push_back(
          blocks.beginsInMemory()
              ? Value(
                    amx::TileLoadOp::create(builder, at.loc, sumTile, tile.sums,
                                            ValueRange(sumIndex(i, j)), pitch))
              : Value(amx::TileZeroOp::create(builder, at.loc, sumTile)));
  auto loop = scf::ForOp::create(builder, at.loc, at.constant(0), steps,
                                 at.constant(1), first);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar();
    if (!blocks.keepsSums())
      fetchShare(step, row, column, rowTiles, columnTiles);
    SmallVector<Value> a, b, sums;
    for (int64_t j = 0; j < columnTiles; ++j)
      b.push_back(
          load(right, at.add(right.base, at.times(step, right.along)), j));
    for (int64_t i = 0; i < rowTiles; ++i) {
      a.push_back(load(left, at.add(corner, at.times(step, left.along)), i));
      for (int64_t j = 0; j < columnTiles; ++j)
        sums.push_back(amx::TileMulFOp::create(
            builder, at.loc, sumTile, a[i], b[j],
            loop.getRegionIterArgs()[i * columnTiles + j]));
    }
    scf::YieldOp::create(builder, at.loc, sums);
  }
  for (int64_t i = 0; i < rowTiles; ++i)
    for (int64_t j = 0; j < columnTiles; ++j)
      amx::TileStoreOp::create(builder, at.loc, tile.sums,
                               ValueRange(sumIndex(i, j)),
                               loop.getResult(i * columnTiles + j), pitch);
}

std::unique_ptr<ProductLoops> ampc::unitProduct(ContractionTile &tile) {
  return std::make_unique<UnitProduct>(tile);
}

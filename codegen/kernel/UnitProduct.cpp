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
  UnitOperand leftTiles(Value start, Value length);
  UnitOperand rightTiles(Value column, int64_t width, Value start,
                         Value length);
  /// The sums of `rowTiles` by `columnTiles` tiles from (row, column) on.
  void emitBlock(const UnitOperand &left, const UnitOperand &right, Value row,
                 Value column, Value steps, int64_t rowTiles,
                 int64_t columnTiles);
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
  if (blocks.packA)
    panelA = tile.scratch(blocks.sumRows() * blocks.depth, blocks.a.element);
  panelB = tile.scratch(blocks.blockColumns() * blocks.depth, blocks.b.element);
}

UnitOperand UnitProduct::leftTiles(Value start, Value length) {
  TileOperand left = tile.left(start);
  if (!blocks.packA)
    return {left.memory, left.base, kUnitRows * left.layout.across, kUnitDepth,
            left.layout.across};
  int64_t tiles = blocks.depth / kUnitDepth;
  bool whole =
      blocks.extents.m % kUnitRows == 0 && blocks.extents.k % kUnitDepth == 0;
  packLeftTiles(at, {left, tile.rows, length, whole}, panelA, tiles);
  return {panelA, at.constant(0), tiles * kTileElements, kTileElements,
          kUnitDepth};
}

UnitOperand UnitProduct::rightTiles(Value column, int64_t width, Value start,
                                    Value length) {
  int64_t columnTiles = llvm::divideCeil(width, kUnitRows);
  bool whole = width % kUnitRows == 0 && blocks.extents.k % kUnitDepth == 0;
  packRightTiles(at,
                 {tile.right(column, start), at.constant(width), length, whole},
                 panelB, columnTiles);
  return {panelB, at.constant(0), kTileElements, columnTiles * kTileElements,
          kUnitDepth};
}

void UnitProduct::emitStretch(Value start, Value length) {
  UnitOperand left = leftTiles(start, length);
  Value steps = at.divide(at.add(length, kUnitDepth - 1), kUnitDepth);
  tile.eachColumns(blocks.blockColumns(), [&](Value column, int64_t width) {
    UnitOperand right = rightTiles(column, width, start, length);
    tile.eachRows(blocks.rows, [&](Value row, int64_t rows) {
      emitBlock(left, right, row, column, steps,
                llvm::divideCeil(rows, kUnitRows),
                llvm::divideCeil(width, kUnitRows));
      if (!blocks.keepsSums())
        tile.finish(row, column, rows, width);
    });
  });
}

Value UnitProduct::load(const UnitOperand &operand, Value first, int64_t i) {
  return amx::TileLoadOp::create(at.builder, at.loc, operandTile,
                                 operand.memory,
                                 ValueRange(at.add(first, i * operand.across)),
                                 at.constant(operand.pitch));
}

void UnitProduct::emitBlock(const UnitOperand &left, const UnitOperand &right,
                            Value row, Value column, Value steps,
                            int64_t rowTiles, int64_t columnTiles) {
  OpBuilder &builder = at.builder;
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
  Value corner =
      at.add(left.base, at.times(at.divide(row, kUnitRows), left.across));
  auto loop = scf::ForOp::create(builder, at.loc, at.constant(0), steps,
                                 at.constant(1), first);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value step = loop.getInductionVar();
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

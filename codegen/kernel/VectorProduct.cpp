// Products by fused multiply-adds of vectors.
//
// Of each stretch of K what does not lie in order is packed, and register
// blocks add to the tile's sums: every sum is one chain of fused multiply-adds,
// K ascending. Where K is one stretch and there is no init the sums begin in
// the registers, at +0.
#include "codegen/kernel/ContractionTile.h"
#include "codegen/kernel/PackPanel.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc;

namespace {

class VectorProduct final : public ProductLoops {
public:
  explicit VectorProduct(ContractionTile &tile);

  void emitStretch(Value start, Value length) override;

private:
  /// Register blocks down the tile's rows for `width` columns from `column` on.
  void emitPanel(const TileOperand &left, Value column, Value start,
                 Value length, int64_t width);
  void emitBlock(const TileOperand &left, const TileOperand &right, Value row,
                 Value column, Value length, int64_t rows, int64_t width);
  /// A vector of B: `count` elements, zeros behind them.
  Value loadPart(Value memory, Value index, int64_t count);

  ContractionTile &tile;
  IndexMath &at;
  const ProductBlocks &blocks;
  VectorType vector;
  Value panelA, panelB; // scratch
};

} // namespace

VectorProduct::VectorProduct(ContractionTile &tile)
    : tile(tile), at(tile.at), blocks(tile.blocks),
      vector(VectorType::get({blocks.lanes}, blocks.sum)) {
  auto [batch, m, n, k] = blocks.extents;
  if (blocks.packA)
    panelA =
        tile.scratch(std::min(blocks.tileRows, m) * blocks.depth, blocks.sum);
  if (blocks.packB)
    panelB = tile.scratch((blocks.depth + blocks.lanes) *
                              std::min<int64_t>(blocks.blockColumns(),
                                                llvm::alignTo(n, blocks.lanes)),
                          blocks.sum);
}

void VectorProduct::emitStretch(Value start, Value length) {
  int64_t m = blocks.extents.m;
  TileOperand left = tile.left(at.constant(0), start);
  if (blocks.packA) {
    bool alongK = blocks.a.runsAlongK();
    Panel from{left.memory, left.base,
               alongK ? blocks.a.across : blocks.a.along};
    int64_t packed = alongK ? blocks.depth : std::min(blocks.tileRows, m);
    Value zero = at.constant(0);
    copyRows(at, blocks.a.element, from, {panelA, zero, packed},
             alongK ? tile.rows : length, alongK ? length : tile.rows,
             blocks.lanes);
    left = {panelA, zero,
            alongK ? ProductOperand{blocks.sum, packed, 1}
                   : ProductOperand{blocks.sum, 1, packed}};
  }
  tile.eachColumns(blocks.blockColumns(), [&](Value column, int64_t width) {
    emitPanel(left, column, start, length, width);
  });
}

void VectorProduct::emitPanel(const TileOperand &left, Value column,
                              Value start, Value length, int64_t width) {
  TileOperand right = tile.right(column, start);
  if (blocks.packB) {
    int64_t packed = llvm::alignTo(width, blocks.lanes);
    // copyTransposed may begin earlier.
    Panel to{panelB, at.constant(blocks.lanes * packed), packed};
    if (blocks.b.across == 1)
      copyRowsPadded(at, blocks.b.element,
                     {right.memory, right.base, blocks.b.along}, to, length,
                     width, blocks.lanes);
    else
      copyTransposed(at, blocks.b.element,
                     {right.memory, right.base, blocks.b.across}, to, length,
                     width, blocks.lanes, blocks.extents.k);
    right = {panelB, to.base, ProductOperand{blocks.sum, 1, packed}};
    width = packed;
  }
  tile.eachRows(blocks.rows, [&](Value row, int64_t rows) {
    emitBlock(left, right, row, column, length, rows, width);
  });
}

Value VectorProduct::loadPart(Value memory, Value index, int64_t count) {
  OpBuilder &builder = at.builder;
  if (count == blocks.lanes)
    return vector::LoadOp::create(builder, at.loc, vector, memory, index);
  auto mask = VectorType::get({blocks.lanes}, builder.getI1Type());
  SmallVector<bool> there;
  for (int64_t lane = 0; lane < blocks.lanes; ++lane)
    there.push_back(lane < count);
  return vector::MaskedLoadOp::create(
      builder, at.loc, vector, memory, ValueRange(index),
      arith::ConstantOp::create(builder, at.loc,
                                DenseElementsAttr::get(mask, ArrayRef(there))),
      arith::ConstantOp::create(builder, at.loc, builder.getZeroAttr(vector)));
}

void VectorProduct::emitBlock(const TileOperand &left, const TileOperand &right,
                              Value row, Value column, Value length,
                              int64_t rows, int64_t width) {
  OpBuilder &builder = at.builder;
  int64_t lanes = blocks.lanes, vectors = llvm::divideCeil(width, lanes);
  auto sumIndex = [&](int64_t i, int64_t v) {
    return at.add(tile.sumAt(at.add(row, i), column), v * lanes);
  };
  SmallVector<Value> first;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      first.push_back(
          blocks.beginsInMemory()
              ? Value(vector::LoadOp::create(builder, at.loc, vector, tile.sums,
                                             sumIndex(i, v)))
              : Value(arith::ConstantOp::create(builder, at.loc,
                                                builder.getZeroAttr(vector))));
  auto loop = scf::ForOp::create(builder, at.loc, at.constant(0), length,
                                 at.constant(1), first);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    SmallVector<Value> of;
    Value source = right.at(at, at.constant(0), k);
    for (int64_t v = 0; v < vectors; ++v)
      of.push_back(loadPart(right.memory, at.add(source, v * lanes),
                            std::min(lanes, width - v * lanes)));
    SmallVector<Value> next;
    Value corner = left.at(at, row, k);
    for (int64_t i = 0; i < rows; ++i) {
      Value scalar = memref::LoadOp::create(
          builder, at.loc, left.memory, at.add(corner, i * left.layout.across));
      Value wide = vector::BroadcastOp::create(builder, at.loc, vector, scalar);
      for (int64_t v = 0; v < vectors; ++v)
        next.push_back(
            math::FmaOp::create(builder, at.loc, wide, of[v],
                                loop.getRegionIterArgs()[i * vectors + v]));
    }
    scf::YieldOp::create(builder, at.loc, next);
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      vector::StoreOp::create(builder, at.loc, loop.getResult(i * vectors + v),
                              tile.sums, sumIndex(i, v));
}

std::unique_ptr<ProductLoops> ampc::vectorProduct(ContractionTile &tile) {
  return std::make_unique<VectorProduct>(tile);
}

// Places and pieces of a tile; see ContractionTile.h.
#include "codegen/kernel/ContractionTile.h"

#include "codegen/kernel/PackPanel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc;

/// A line of the cache, and a vector register.
static constexpr int64_t kLineBytes = 64;

Value ContractionTile::scratch(int64_t elements, Type element) {
  return memref::AllocaOp::create(at.builder, at.loc,
                                  MemRefType::get({elements}, element),
                                  at.builder.getI64IntegerAttr(kLineBytes));
}

Value ContractionTile::partOf(Value first, Value piece, int64_t whole) {
  if (std::optional<int64_t> known = getConstantIntValue(piece);
      known && *known >= whole)
    return at.constant(whole);
  return at.smaller(piece, at.subtract(at.constant(whole), first));
}

TileOperand ContractionTile::left(Value row, Value start) {
  auto [batch, m, n, k] = blocks.extents;
  TileOperand operand{a, at.times(matrix, m * k), blocks.a};
  operand.base = operand.at(at, at.add(firstRow, row), start);
  return operand;
}

TileOperand ContractionTile::right(Value column, Value start) {
  auto [batch, m, n, k] = blocks.extents;
  TileOperand operand{b, at.times(matrix, k * n), blocks.b};
  operand.base = operand.at(at, at.add(firstColumn, column), start);
  return operand;
}

/// `extent` of the tile in pieces; those of `whole` in all, whose last tile
/// `isLast` tells.
static void eachPiece(IndexMath &at, Value extent, Value isLast, int64_t whole,
                      int64_t piece,
                      llvm::function_ref<void(Value, int64_t)> body) {
  if (whole >= piece)
    at.loop(at.divide(extent, piece),
            [&](Value i) { body(at.times(i, piece), piece); });
  if (whole % piece)
    at.when(isLast, [&] {
      body(at.times(at.divide(extent, piece), piece), whole % piece);
    });
}

void ContractionTile::eachRows(int64_t piece,
                               llvm::function_ref<void(Value, int64_t)> body) {
  eachPiece(at, rows, isLastRow, blocks.extents.m, piece, body);
}

void ContractionTile::eachColumns(
    int64_t piece, llvm::function_ref<void(Value, int64_t)> body) {
  eachPiece(at, columns, isLastColumn, blocks.extents.n, piece, body);
}

void ContractionTile::fetchRow(Value row, Value column, int64_t columns) {
  auto [batch, m, n, k] = blocks.extents;
  Value inAll = at.add(at.times(matrix, m), at.add(firstRow, row));
  Value first = at.add(at.times(inAll, n), at.add(firstColumn, column));
  for (const EpilogueRows &rows : epilogueRows)
    for (int64_t byte = 0; byte < columns * rows.bytes; byte += kLineBytes)
      memref::PrefetchOp::create(at.builder, at.loc, rows.memory,
                                 ValueRange(at.add(first, byte / rows.bytes)),
                                 /*isWrite=*/false,
                                 /*localityHint=*/2, /*isDataCache=*/true);
}

Value ContractionTile::sumAt(Value row, Value column) {
  int64_t pitch = blocks.sumPitch();
  if (!blocks.keepsSums()) {
    Value inBlock = at.times(at.remainder(row, blocks.rows), pitch);
    return blocks.byRows ? at.add(inBlock, column) : inBlock;
  }
  Value inPanel = at.times(row, pitch);
  // Panels follow each other.
  return blocks.sumColumns() > pitch
             ? at.add(inPanel, at.times(column, blocks.sumRows()))
             : at.add(inPanel, column);
}

void ContractionTile::beginSums() {
  if (init) {
    auto [batch, m, n, k] = blocks.extents;
    Value corner = at.add(at.times(matrix, m * n),
                          at.add(at.times(firstRow, n), firstColumn));
    auto copy = [&](Value column, Value width) {
      Panel to{sums, sumAt(at.constant(0), column), blocks.sumPitch()};
      copyRows(at, blocks.sum, {init, at.add(corner, column), n}, to, rows,
               width, blocks.lanes);
    };
    if (!blocks.unit)
      return copy(at.constant(0), columns);
    return eachColumns(blocks.sumPitch(), [&](Value column, int64_t width) {
      copy(column, at.constant(width));
    });
  }
  auto type = VectorType::get({blocks.lanes}, blocks.sum);
  Value zeros = arith::ConstantOp::create(at.builder, at.loc,
                                          at.builder.getZeroAttr(type));
  int64_t count = blocks.sumRows() * blocks.sumColumns();
  at.loop(at.constant(count / blocks.lanes), [&](Value i) {
    vector::StoreOp::create(at.builder, at.loc, zeros, sums,
                            at.times(i, blocks.lanes));
  });
}

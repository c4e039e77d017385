// Packing for a matrix unit; see PackTiles.h.
#include "codegen/kernel/PackTiles.h"

#include "codegen/kernel/PackPanel.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc;

namespace {

/// Vectors of an operand.
class TileReader {
public:
  TileReader(IndexMath &at, const TileSource &from) : at(at), from(from) {}

  /// `lanes` neighbours from (i, k) on, along K or across it as they lie; 0
  /// what is not there.
  Value load(Value i, Value k, int64_t lanes) {
    OpBuilder &builder = at.builder;
    const TileOperand &operand = from.operand;
    auto type = VectorType::get({lanes}, operand.layout.element);
    Value index = operand.at(at, i, k);
    if (from.whole)
      return vector::LoadOp::create(builder, at.loc, type, operand.memory,
                                    index);
    Value rows = at.subtract(from.count, i),
          depth = at.subtract(from.length, k);
    bool alongK = operand.layout.runsAlongK();
    Value zeros =
        arith::ConstantOp::create(builder, at.loc, builder.getZeroAttr(type));
    return vector::MaskedLoadOp::create(
        builder, at.loc, type, operand.memory, ValueRange(index),
        alongK ? mask(depth, rows, lanes) : mask(rows, depth, lanes), zeros);
  }

  /// The same as 16 pairs: elements k and k + 1 of 16 rows or columns.
  Value loadPairs(Value i, Value k) {
    OpBuilder &builder = at.builder;
    auto pairs = VectorType::get({kUnitRows}, builder.getI32Type());
    if (from.operand.layout.runsAlongK())
      return vector::BitCastOp::create(builder, at.loc, pairs,
                                       load(i, k, kUnitDepth));
    auto words = VectorType::get({kUnitRows}, builder.getI16Type());
    Value even = vector::BitCastOp::create(builder, at.loc, words,
                                           load(i, k, kUnitRows));
    Value odd = vector::BitCastOp::create(builder, at.loc, words,
                                          load(i, at.add(k, 1), kUnitRows));
    SmallVector<int64_t> both;
    for (int64_t lane = 0; lane < kUnitRows; ++lane)
      llvm::append_values(both, lane, kUnitRows + lane);
    return vector::BitCastOp::create(
        builder, at.loc, pairs,
        vector::ShuffleOp::create(builder, at.loc, even, odd, both));
  }

  /// Writes a tile of the rows or columns from `i` and K from `k` on: rows of
  /// pairs along K (`alongK`, as A's are) or across it.
  void copyTile(Value i, Value k, bool alongK, Value panel, Value to) {
    SmallVector<Value> rows;
    bool lies = from.operand.layout.runsAlongK();
    for (int64_t row = 0; row < kUnitRows; ++row)
      rows.push_back(lies ? loadPairs(at.add(i, row), k)
                          : loadPairs(i, at.add(k, 2 * row)));
    if (lies != alongK)
      transposeSquare(at, rows);
    auto type = VectorType::get({kUnitDepth}, from.operand.layout.element);
    for (auto [row, pairs] : llvm::enumerate(rows))
      vector::StoreOp::create(
          at.builder, at.loc,
          vector::BitCastOp::create(at.builder, at.loc, type, pairs), panel,
          at.add(to, int64_t(row) * kUnitDepth));
  }

  Value tilesOf(Value count, int64_t unit) {
    return at.divide(at.add(count, unit - 1), unit);
  }

private:
  /// The first `count` of `lanes`, none where `others` is not above 0.
  Value mask(Value count, Value others, int64_t lanes) {
    OpBuilder &builder = at.builder;
    Value none = at.constant(0);
    Value isThere = arith::CmpIOp::create(
        builder, at.loc, arith::CmpIPredicate::sgt, others, none);
    count = arith::SelectOp::create(builder, at.loc, isThere, count, none);
    auto type = VectorType::get({lanes}, builder.getI32Type());
    Value wide = vector::BroadcastOp::create(
        builder, at.loc, type,
        arith::IndexCastOp::create(builder, at.loc, builder.getI32Type(),
                                   count));
    auto numbers = llvm::to_vector(llvm::seq<int32_t>(0, int32_t(lanes)));
    Value lane = arith::ConstantOp::create(
        builder, at.loc, DenseElementsAttr::get(type, ArrayRef(numbers)));
    return arith::CmpIOp::create(builder, at.loc, arith::CmpIPredicate::slt,
                                 lane, wide);
  }

  IndexMath &at;
  const TileSource &from;
};

} // namespace

/// Rows that lie along K, one after another: each is one stream.
static void copyRowTiles(IndexMath &at, const TileSource &from, Value panel,
                         int64_t pitch) {
  auto type = VectorType::get({kUnitDepth}, from.operand.layout.element);
  at.loop(from.count, [&](Value row) {
    Value source = from.operand.at(at, row, at.constant(0));
    Value target =
        at.add(at.times(at.divide(row, kUnitRows), pitch * kTileElements),
               at.times(at.remainder(row, kUnitRows), kUnitDepth));
    at.loop(at.divide(from.length, kUnitDepth), [&](Value step) {
      Value loaded =
          vector::LoadOp::create(at.builder, at.loc, type, from.operand.memory,
                                 at.add(source, at.times(step, kUnitDepth)));
      vector::StoreOp::create(at.builder, at.loc, loaded, panel,
                              at.add(target, at.times(step, kTileElements)));
    });
  });
}

void ampc::packLeftTiles(IndexMath &at, const TileSource &from, Value panel,
                         int64_t pitch) {
  TileReader reader(at, from);
  Value tiles = reader.tilesOf(from.count, kUnitRows),
        steps = reader.tilesOf(from.length, kUnitDepth);
  // Neighbours are read one after another.
  bool alongK = from.operand.layout.runsAlongK();
  if (alongK && from.whole)
    return copyRowTiles(at, from, panel, pitch);
  at.loop(alongK ? tiles : steps, [&](Value outer) {
    at.loop(alongK ? steps : tiles, [&](Value inner) {
      Value i = alongK ? outer : inner, step = alongK ? inner : outer;
      Value to = at.times(at.add(at.times(i, pitch), step), kTileElements);
      reader.copyTile(at.times(i, kUnitRows), at.times(step, kUnitDepth),
                      /*alongK=*/true, panel, to);
    });
  });
}

void ampc::packRightTiles(IndexMath &at, const TileSource &from, Value panel,
                          Value base, int64_t columnTiles) {
  TileReader reader(at, from);
  at.loop(reader.tilesOf(from.length, kUnitDepth), [&](Value step) {
    for (int64_t j = 0; j < columnTiles; ++j) {
      Value to = at.add(base, at.times(at.add(at.times(step, columnTiles), j),
                                       kTileElements));
      reader.copyTile(at.constant(j * kUnitRows), at.times(step, kUnitDepth),
                      /*alongK=*/false, panel, to);
    }
  });
}

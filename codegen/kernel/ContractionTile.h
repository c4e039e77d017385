// The tile of a product that one point of a contraction kernel computes, and
// the two ways to compute its sums.
#ifndef AMPC_CODEGEN_KERNEL_CONTRACTIONTILE_H
#define AMPC_CODEGEN_KERNEL_CONTRACTIONTILE_H

#include "codegen/kernel/IndexMath.h"
#include "codegen/kernel/ProductBlocks.h"

#include <functional>
#include <memory>

namespace ampc {

/// An operand of a tile: element (i, k), i counted from the tile's first row or
/// column and k from the start of a stretch, stands at
/// base + i * across + k * along.
struct TileOperand {
  mlir::Value memory, base;
  ProductOperand layout;

  mlir::Value at(IndexMath &math, mlir::Value i, mlir::Value k) const {
    return math.add(base, math.add(math.times(i, layout.across),
                                   math.times(k, layout.along)));
  }
};

/// Memory of a large operand or result of the epilogue, an element a sum.
struct EpilogueRows {
  mlir::Value memory;
  int64_t bytes; ///< of an element
};

/// Where a tile lies, what it is made of, and its sums in scratch memory.
struct ContractionTile {
  ContractionTile(const IndexMath &at, const ProductBlocks &blocks,
                  mlir::Value a, mlir::Value b, mlir::Value init)
      : at(at), blocks(blocks), a(a), b(b), init(init) {}

  IndexMath at;
  const ProductBlocks &blocks;
  mlir::Value a, b, init; ///< the operands' memory; init or null
  llvm::SmallVector<EpilogueRows> epilogueRows;

  mlir::Value matrix, firstRow, firstColumn;
  mlir::Value isLastRow, isLastColumn; ///< of the tiles
  mlir::Value rows, columns;           ///< that the tile has
  /// Sums lie in panels of blocks.sumPitch() columns, row after row; those of
  /// one register block, or of its rows, where blocks.keepsSums() is false.
  mlir::Value sums;
  /// Where blocks.keepsSums() is false one of these is called. Emits what
  /// follows the sums of a register block: (first row, first column, rows,
  /// columns).
  std::function<void(mlir::Value, mlir::Value, int64_t, int64_t)> finish;
  /// By rows: what follows those of all columns of a block's rows: (first row,
  /// rows).
  std::function<void(mlir::Value, int64_t)> finishRows;

  /// Scratch memory, taken once a kernel (TileKernels).
  mlir::Value scratch(int64_t elements, mlir::Type element);
  /// How much of `whole` a piece of `piece` that begins at `first` has.
  mlir::Value partOf(mlir::Value first, mlir::Value piece, int64_t whole);
  /// The rows of A from row `row` of the tile on, K from `start` on.
  TileOperand left(mlir::Value row, mlir::Value start);
  /// The columns of B from column `column` of the tile on, K from `start` on.
  TileOperand right(mlir::Value column, mlir::Value start);
  /// Runs `body(first, count)` for the rows of the tile in pieces of `piece`,
  /// the last of which may be shorter; counts are known here.
  void eachRows(int64_t piece,
                llvm::function_ref<void(mlir::Value, int64_t)> body);
  /// The same for the columns.
  void eachColumns(int64_t piece,
                   llvm::function_ref<void(mlir::Value, int64_t)> body);
  /// Fetches what the epilogue will touch of `columns` sums from (row, column)
  /// on.
  void fetchRow(mlir::Value row, mlir::Value column, int64_t columns);
  /// Element number of a sum; `column` is any where sums of all columns follow
  /// each other, else it begins a panel.
  mlir::Value sumAt(mlir::Value row, mlir::Value column);
  /// Writes init, or +0, to all sums.
  void beginSums();
};

/// Adds to the sums of a tile.
class ProductLoops {
public:
  virtual ~ProductLoops() = default;
  /// Emits what adds the products of one stretch of K, `length` from `start`
  /// on. The sums begin here, or at what is in memory where
  /// blocks.beginsInMemory().
  virtual void emitStretch(mlir::Value start, mlir::Value length) = 0;
};

/// Fused multiply-adds of vectors.
std::unique_ptr<ProductLoops> vectorProduct(ContractionTile &tile);
/// Tiles of a matrix unit (AMX).
std::unique_ptr<ProductLoops> unitProduct(ContractionTile &tile);

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_CONTRACTIONTILE_H

// How the kernel of a matrix product is cut: register blocks, tiles, stretches
// of K, and what is packed. Speed alone depends on it: every element is one
// sum with K ascending, whatever the cut (N10). A matrix unit (`unit`) adds K
// in blocks of kUnitDepth, each summed by the unit first.
#ifndef AMPC_CODEGEN_KERNEL_PRODUCTBLOCKS_H
#define AMPC_CODEGEN_KERNEL_PRODUCTBLOCKS_H

#include "ir/dialect/Dialect.h"

namespace ampc {

/// One operand in memory: elements from one to the next along the result's
/// axis (rows of A, columns of B), and along K.
struct ProductOperand {
  mlir::Type element;
  int64_t across = 0, along = 0;

  /// Whether K is the axis of neighbours.
  bool runsAlongK() const { return along == 1; }
};

/// Rows, and columns, of a matrix unit's tile of sums, and K of one of its
/// products.
inline constexpr int64_t kUnitRows = 16, kUnitDepth = 32;

/// Extent `whole` in equal tiles of at most `most`, a multiple of `unit`.
inline int64_t equalTiles(int64_t whole, int64_t most, int64_t unit) {
  int64_t tiles = std::max<int64_t>(llvm::divideCeil(whole, most), 1);
  return std::max<int64_t>(llvm::alignTo(llvm::divideCeil(whole, tiles), unit),
                           unit);
}

/// The product of a group and its cut.
struct ProductBlocks {
  amp::MatmulOp::Extents extents;
  ProductOperand a, b;
  mlir::Type sum; ///< f32 or f64
  bool unit;      ///< whether a matrix unit multiplies
  bool hasInit;   ///< whether the sums go on from an operand

  int64_t lanes;   ///< sums of one vector register
  int64_t rows;    ///< rows of a register block
  int64_t vectors; ///< vectors of a row of it
  /// The most rows and columns of a tile, multiples of the block's.
  int64_t tileRows, tileColumns;
  /// A tile has up to `span` points side by side, of so many rows and columns:
  /// as many as a thread takes at once. They share what is packed.
  int64_t span = 1, pointRows, pointColumns;
  int64_t depth; ///< K at a time
  bool packA, packB;
  /// Whether a matrix unit's blocks go row by row over a panel of all columns
  /// of B, and the epilogue follows the blocks of a row: what it touches is
  /// then long runs of memory. Else they go down one panel of columns.
  bool byRows = false;

  int64_t blockColumns() const { return vectors * lanes; }
  /// Extents of a tile's sums in scratch memory: whole vectors, and whole tiles
  /// of a matrix unit.
  int64_t sumRows() const {
    return std::min<int64_t>(tileRows,
                             llvm::alignTo(extents.m, unit ? kUnitRows : 1));
  }
  int64_t sumColumns() const {
    return std::min<int64_t>(
        tileColumns, llvm::alignTo(extents.n, unit ? blockColumns() : lanes));
  }
  /// Whether the sums of a tile stay in scratch memory until all of K is added;
  /// else a register block's pass through it.
  bool keepsSums() const { return !unit || beginsInMemory(); }
  /// Whether the sums stand in scratch memory before the first stretch.
  bool beginsInMemory() const { return hasInit || stretches() > 1; }
  /// Columns of a panel of sums: a register block's for a matrix unit, whose
  /// blocks then are bytes in a row, else all; by rows a vector more, so that
  /// rows differ in their places of the cache.
  int64_t sumPitch() const {
    if (byRows)
      return sumColumns() + lanes;
    return unit ? blockColumns() : sumColumns();
  }
  /// Sums in scratch memory.
  int64_t sumCount() const {
    if (keepsSums())
      return sumRows() * sumColumns();
    return rows * (byRows ? sumPitch() : blockColumns());
  }
  int64_t rowTiles() const { return llvm::divideCeil(extents.m, tileRows); }
  int64_t columnTiles() const {
    return llvm::divideCeil(extents.n, tileColumns);
  }
  int64_t rowPoints() const { return llvm::divideCeil(extents.m, pointRows); }
  int64_t columnPoints() const {
    return llvm::divideCeil(extents.n, pointColumns);
  }
  int64_t stretches() const { return llvm::divideCeil(extents.k, depth); }
  /// What a point's work counts in elements of a map.
  int64_t work() const;
};

/// The cut for `target`, or for one that the module does not describe: a
/// function of the product's types and extents.
ProductBlocks blocksOf(amp::MatmulOp product, amp::TargetAttr target);

/// Cuts for a matrix unit of a core with `cacheBytes` of its own.
void cutForUnit(ProductBlocks &blocks, int64_t cacheBytes);

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_PRODUCTBLOCKS_H

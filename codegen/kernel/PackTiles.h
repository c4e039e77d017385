// Copies of parts of a bf16 product's operands as the tiles of a matrix unit:
// kilobytes that a load takes at once. A tile of A has 16 rows of 32 elements
// along K; a tile of B has 16 rows of 16 columns, of each the pair of elements
// 2r and 2r + 1 of K. What the operand does not have is 0.
#ifndef AMPC_CODEGEN_KERNEL_PACKTILES_H
#define AMPC_CODEGEN_KERNEL_PACKTILES_H

#include "codegen/kernel/ContractionTile.h"

namespace ampc {

/// Elements of a tile of operands.
inline constexpr int64_t kTileElements = kUnitRows * kUnitDepth;

/// What is packed: `operand` from its base on, `count` rows (of B columns) and
/// `length` of K (both index). `whole`: both are multiples of a tile's.
struct TileSource {
  TileOperand operand;
  mlir::Value count, length;
  bool whole;
};

/// Tile (row tile i, K tile s) of A at element (i * pitch + s) * kTileElements
/// of `panel`.
void packLeftTiles(IndexMath &at, const TileSource &from, mlir::Value panel,
                   int64_t pitch);

/// Tile (K tile s, column tile j of `columnTiles`) of B at element
/// (s * columnTiles + j) * kTileElements of `panel` from `base` on.
void packRightTiles(IndexMath &at, const TileSource &from, mlir::Value panel,
                    mlir::Value base, int64_t columnTiles);

} // namespace ampc

#endif // AMPC_CODEGEN_KERNEL_PACKTILES_H

// The cut of a product for a matrix unit: of the tiles that leave a few to each
// thread and stay in a core's cache, those that pack least. Every tile packs
// its part of both operands, so that B is packed once a row of tiles and A once
// a column of them.
#include "codegen/kernel/ProductBlocks.h"

using namespace ampc;

/// The most of K at a time: a panel of each operand beside the sums.
static constexpr int64_t kDepth = 1024;

/// Cycles of a step of a register block (four products), more where rows of A
/// are read where they stand, and of packing a tile of B and one of A: as it
/// lies, and transposed (docs/performance.md).
static constexpr double kStepCycles = 75, kNearStepCycles = 85,
                        kFarStepCycles = 150;

/// Rows of A that are further apart, in bytes, share few places of the cache.
static constexpr int64_t kFarBytes = 1024;

namespace {

struct PackCycles {
  double asItLies, transposed;
};

} // namespace

static constexpr PackCycles kPackB{40, 85}, kPackA{70, 130};

/// Fewer tiles than kEnoughTiles leave threads idle; a tile of fewer than
/// kTileCycles is not worth handing out.
static constexpr double kEnoughTiles = 8, kTileCycles = 1 << 15;

/// The largest extent of a tile that is tried.
static constexpr int64_t kMostExtent = 2048;

/// The most scratch memory of a tile: it is on the stack of the thread.
static constexpr int64_t kMostScratch = int64_t(1) << 20;

/// A block of rows of A that fewer than this many panels read is read where it
/// stands, if it can be.
static constexpr int64_t kFewPanels = 3;

static bool packsA(const ProductBlocks &blocks) {
  // Tiles that stand where they are must be whole.
  bool stands = blocks.a.runsAlongK() && blocks.extents.m % kUnitRows == 0 &&
                blocks.extents.k % kUnitDepth == 0;
  return !stands || blocks.tileColumns >= kFewPanels * blocks.blockColumns();
}

static double stepCycles(const ProductBlocks &blocks) {
  if (packsA(blocks))
    return kStepCycles;
  return blocks.a.across * 2 > kFarBytes ? kFarStepCycles : kNearStepCycles;
}

/// Cycles that all tiles take.
static double cyclesOf(const ProductBlocks &blocks) {
  auto [batch, m, n, k] = blocks.extents;
  double steps = double(batch) * llvm::divideCeil(k, kUnitDepth);
  double ofA = double(blocks.columnTiles()) * llvm::divideCeil(m, kUnitRows),
         ofB = double(blocks.rowTiles()) * llvm::divideCeil(n, kUnitRows);
  double cycles =
      ofB * (blocks.b.runsAlongK() ? kPackB.transposed : kPackB.asItLies);
  if (packsA(blocks))
    cycles +=
        ofA * (blocks.a.runsAlongK() ? kPackA.asItLies : kPackA.transposed);
  cycles += double(llvm::divideCeil(m, blocks.rows)) *
            llvm::divideCeil(n, blocks.blockColumns()) * stepCycles(blocks);
  return steps * cycles;
}

static int64_t scratchBytes(const ProductBlocks &blocks) {
  if (blocks.byRows)
    return blocks.tileColumns * (blocks.depth * 2 + blocks.rows * 4);
  int64_t bytes =
      blocks.keepsSums() ? blocks.tileRows * blocks.tileColumns * 4 : 0;
  if (packsA(blocks))
    bytes += blocks.tileRows * blocks.depth * 2;
  return bytes;
}

void ampc::cutForUnit(ProductBlocks &blocks, int64_t cacheBytes) {
  auto [batch, m, n, k] = blocks.extents;
  blocks.lanes = kUnitRows;
  blocks.vectors = n > kUnitRows ? 2 : 1;
  blocks.rows = m > kUnitRows ? 2 * kUnitRows : kUnitRows;
  blocks.depth = equalTiles(k, kDepth, kUnitDepth);
  // What is written outweighs what is read.
  blocks.byRows = !blocks.beginsInMemory() && m * n > k * (m + n);
  double steps = double(batch) * llvm::divideCeil(m, blocks.rows) *
                 llvm::divideCeil(n, blocks.blockColumns()) *
                 llvm::divideCeil(k, kUnitDepth);
  double enough =
      std::clamp(steps * kStepCycles / kTileCycles, 1.0, kEnoughTiles);
  blocks.tileRows = blocks.rows; // what any product can have
  blocks.tileColumns = blocks.blockColumns();
  ProductBlocks tried = blocks;
  double least = cyclesOf(blocks);
  int64_t most = std::min(kMostScratch, cacheBytes / 4 * 3);
  for (int64_t rows = kMostExtent; rows >= blocks.rows; rows /= 2)
    for (int64_t columns = kMostExtent; columns >= blocks.blockColumns();
         columns /= 2) {
      tried.tileRows = equalTiles(m, rows, blocks.rows);
      tried.tileColumns = equalTiles(n, columns, blocks.blockColumns());
      double tiles = double(batch) * tried.rowTiles() * tried.columnTiles();
      double cycles = cyclesOf(tried);
      if (tiles < enough || scratchBytes(tried) > most || cycles >= least)
        continue;
      least = cycles;
      blocks.tileRows = tried.tileRows;
      blocks.tileColumns = tried.tileColumns;
    }
  blocks.packA = packsA(blocks);
  blocks.packB = true;
}

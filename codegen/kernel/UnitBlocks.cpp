// The cut of a product for a matrix unit: of the tiles that stay in a core's
// cache, those that pack least. Every tile packs its part of both operands, so
// that B is packed once a row of tiles and A once a column of them. A tile is
// as many points as a thread has side by side, up to what fits: few threads
// pack little, many still find work.
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

/// Points of a run where there are kEnoughTiles of those: so many times more
/// threads find work.
static constexpr double kRunPoints = 4;

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

/// Tiles that share nothing.
static double outerTiles(const ProductBlocks &blocks) {
  return double(blocks.extents.batch) *
         (blocks.byRows ? blocks.columnTiles() : blocks.rowTiles());
}

/// Cycles that all tiles take if threads take them in at least `runs` runs.
static double cyclesOf(const ProductBlocks &blocks, double runs) {
  auto [batch, m, n, k] = blocks.extents;
  double steps = double(batch) * llvm::divideCeil(k, kUnitDepth);
  // An operand is packed once a tile along the other one's axis, and each run
  // begins a tile.
  double ofA = blocks.columnTiles(), ofB = blocks.rowTiles();
  double &inside = blocks.byRows ? ofB : ofA;
  inside = std::max(inside, runs / outerTiles(blocks));
  ofA *= llvm::divideCeil(m, kUnitRows);
  ofB *= llvm::divideCeil(n, kUnitRows);
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

/// Points, of which a thread takes several neighbours at once. They cut the
/// tile that was chosen in equal parts.
static void cutPoints(ProductBlocks &blocks, double enough) {
  blocks.pointRows = blocks.tileRows;
  blocks.pointColumns = blocks.tileColumns;
  auto [batch, m, n, k] = blocks.extents;
  if (batch == 0 || m == 0 || n == 0)
    return;
  int64_t inside = int64_t(enough * kRunPoints / outerTiles(blocks));
  if (inside < 2)
    return;
  int64_t extent = blocks.byRows ? m : n,
          unit = blocks.byRows ? blocks.rows : blocks.blockColumns(),
          tile = blocks.byRows ? blocks.tileRows : blocks.tileColumns;
  int64_t units = tile / unit,
          ofPoint =
              std::min<int64_t>(llvm::divideCeil(extent, inside * unit), units);
  while (units % ofPoint)
    --ofPoint;
  blocks.span = units / ofPoint;
  (blocks.byRows ? blocks.pointRows : blocks.pointColumns) = ofPoint * unit;
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
  double least = cyclesOf(blocks, enough);
  int64_t most = std::min(kMostScratch, cacheBytes / 4 * 3);
  int64_t blocksInside = blocks.byRows
                             ? llvm::divideCeil(m, blocks.rows)
                             : llvm::divideCeil(n, blocks.blockColumns());
  for (int64_t rows = kMostExtent; rows >= blocks.rows; rows /= 2)
    for (int64_t columns = kMostExtent; columns >= blocks.blockColumns();
         columns /= 2) {
      tried.tileRows = equalTiles(m, rows, blocks.rows);
      tried.tileColumns = equalTiles(n, columns, blocks.blockColumns());
      double cycles = cyclesOf(tried, enough);
      if (outerTiles(tried) * blocksInside < enough ||
          scratchBytes(tried) > most || cycles >= least)
        continue;
      least = cycles;
      blocks.tileRows = tried.tileRows;
      blocks.tileColumns = tried.tileColumns;
    }
  blocks.packA = packsA(blocks);
  blocks.packB = true;
  cutPoints(blocks, enough);
}

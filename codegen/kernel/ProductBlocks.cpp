// The cut of a product; see ProductBlocks.h.
//
// A register block of R rows by V vectors takes R * V fused multiply-adds, V
// loads of B and R broadcasts of A a step of K. The sums, the vectors of B and
// one broadcast stand in registers.
#include "codegen/kernel/ProductBlocks.h"

#include "codegen/kernel/PrimitiveEmitter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::amp;

/// Rows of a register block of 1, 2, .. vectors, with 32 registers and with 16.
static constexpr int64_t kRowsOf32[] = {14, 14, 8, 6}, kRowsOf16[] = {12, 6};

/// The most of K at a time: a panel of B of so many rows is to stay close while
/// the rows of a tile pass over it.
static constexpr int64_t kDepth = 512;

/// The most rows and columns of a tile.
static constexpr int64_t kTileRows = 192, kTileColumns = 256;

/// A tile is halved while there are fewer than kEnoughTiles of them and it has
/// more multiply-adds than kSmallTile; below kReuseRows by kReuseColumns
/// packing weighs, and only too few tiles for a few threads halve it further.
static constexpr int64_t kEnoughTiles = 32, kSmallTile = int64_t(1) << 22,
                         kReuseRows = 96, kReuseColumns = 128, kFewTiles = 8;

/// Rows of an operand that are further apart, in bytes, are packed: each would
/// be on a page of its own.
static constexpr int64_t kFarBytes = 1024;

/// An operand that fewer than this many blocks read is read where it stands.
static constexpr int64_t kFewBlocks = 2;

/// Registers of a target that the module does not describe.
static constexpr int64_t kVectorBytes = 32;

static void cutTiles(ProductBlocks &blocks) {
  auto [batch, m, n, k] = blocks.extents;
  int64_t unitRows = blocks.rows, unitColumns = blocks.blockColumns();
  int64_t mostRows = kTileRows, mostColumns = kTileColumns;
  while (true) {
    blocks.tileRows = equalTiles(m, mostRows, unitRows);
    blocks.tileColumns = equalTiles(n, mostColumns, unitColumns);
    int64_t tiles = batch * blocks.rowTiles() * blocks.columnTiles();
    bool reuses =
        blocks.tileRows > kReuseRows || blocks.tileColumns > kReuseColumns;
    bool enough = tiles >= (reuses ? kEnoughTiles : kFewTiles);
    bool small = blocks.tileRows * blocks.tileColumns * k <= kSmallTile;
    bool isOneBlock =
        blocks.tileRows <= unitRows && blocks.tileColumns <= unitColumns;
    if (enough || small || isOneBlock)
      return;
    bool wide = blocks.tileColumns >= blocks.tileRows;
    if ((wide && blocks.tileColumns > unitColumns) ||
        blocks.tileRows <= unitRows)
      mostColumns = blocks.tileColumns / 2;
    else
      mostRows = blocks.tileRows / 2;
  }
}

int64_t ProductBlocks::work() const {
  int64_t elements = pointRows * pointColumns;
  int64_t multiplied = unit ? 128 : 16; // while a map moves an element
  return std::max<int64_t>(
      elements * std::max<int64_t>(extents.k, 1) / multiplied, elements);
}

/// The register block of vectors, and what is packed for it.
static void cutForVectors(ProductBlocks &blocks, int64_t vectorBytes) {
  auto [batch, m, n, k] = blocks.extents;
  int64_t bytes = blocks.sum.getIntOrFloatBitWidth() / 8;
  blocks.lanes = vectorBytes / bytes;
  ArrayRef<int64_t> rows =
      vectorBytes >= 64 ? ArrayRef(kRowsOf32) : ArrayRef(kRowsOf16);
  blocks.vectors =
      std::clamp<int64_t>(llvm::divideCeil(n, blocks.lanes), 1, rows.size());
  blocks.rows = std::clamp<int64_t>(m, 1, rows[blocks.vectors - 1]);
  cutTiles(blocks);
  blocks.pointRows = blocks.tileRows;
  blocks.pointColumns = blocks.tileColumns;
  blocks.depth = equalTiles(k, kDepth, 1);
  bool narrow = blocks.a.element != blocks.sum;
  auto isFar = [&](int64_t pitch, int64_t readers) {
    return pitch * bytes > kFarBytes && readers >= kFewBlocks;
  };
  blocks.packA =
      narrow || (!blocks.a.runsAlongK() &&
                 isFar(m, blocks.tileColumns / blocks.blockColumns()));
  // Vectors of B are neighbours across K. A panel that is not all of a row
  // leaves parts of the first level of cache unused.
  blocks.packB = narrow || blocks.b.across != 1 ||
                 (n > blocks.blockColumns() &&
                  blocks.tileRows >= kFewBlocks * blocks.rows);
}

ProductBlocks ampc::blocksOf(MatmulOp product, TargetAttr target) {
  ProductBlocks blocks;
  blocks.extents = product.extents();
  blocks.hasInit = bool(product.getInit());
  auto [batch, m, n, k] = blocks.extents;
  Type a = tensorType(product.getLhs()).getElementType(),
       b = tensorType(product.getRhs()).getElementType();
  blocks.sum = product.getAccumulation();
  blocks.a = product.getTransposeA() ? ProductOperand{a, 1, m}
                                     : ProductOperand{a, k, 1};
  blocks.b = product.getTransposeB() ? ProductOperand{b, k, 1}
                                     : ProductOperand{b, 1, n};
  blocks.unit = target && target.isFast(a) && a == b && a.isBF16();
  if (blocks.unit)
    cutForUnit(blocks, target.getCacheBytes());
  else
    cutForVectors(blocks, target ? target.getVectorBytes() : kVectorBytes);
  return blocks;
}

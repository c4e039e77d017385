// Contractions on the CPU: products cut into tiles by shape alone, each tile
// one serial product over the whole of K, so that bits do not depend on the
// number of threads (docs/numerics.md, N10).
//
// The cut. A tile has up to 256 rows (a multiple of 32) and 256 columns (a
// multiple of 64), edges excepted. While there are too few tiles in all and a
// tile has many multiply-adds, the larger side is halved (rows down to 32,
// columns down to 64): enough tiles for many threads, none so small that
// packing and launching dominate. What is few and many depends on how fast
// products are: a matrix unit of bf16 wants larger tiles.
#pragma once

#include "runtime/core/Status.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/device/ContractionSpec.h"
#include "runtime/device/cpu/Matmul.h"
#include "runtime/device/cpu/NarrowFloats.h"

#include <array>
#include <functional>
#include <memory>

namespace ampc::rt {

/// The sides of a tile.
struct TileCut {
  int64_t rows, columns;
};

/// Tiles are halved while there are fewer than `enough` and one has more than
/// `small` multiply-adds.
struct CutRule {
  int64_t enough, small;
};
inline constexpr CutRule kCutF32{64, int64_t(1) << 21};
inline constexpr CutRule kCutBf16{16, int64_t(1) << 23};

/// The cut of a product, a function of its extents only.
TileCut cutTiles(int64_t m, int64_t n, int64_t k, int64_t batch,
                 const CutRule &rule);

/// One contraction, ready to run; accumulates in f32 (f64 for f64) and rounds
/// a 16-bit result once. Three ways:
/// - f32, and bf16 on a processor with a matrix unit: one library product a
///   tile. A bf16 tile that is not as wide as C is made dense in scratch memory
///   and copied: the library's fastest product writes dense matrices only.
/// - Other operands of 16 bits: the tile's panels are widened to f32, `kDepth`
///   of K at a time, in the thread's scratch memory, and each product is added
///   to an f32 tile.
/// - f64: an own loop (K ascending in blocks of 32, each block added to one
///   accumulator).
/// With `init` every product is added to what the tile holds, a copy of init at
/// first.
class Contraction {
public:
  /// Lays a contraction out for `threads` threads and finds what memory it
  /// needs, without making anything that runs. See MatmulCache::get for the
  /// calling thread.
  [[nodiscard]] static Expected<Contraction>
  describe(const ContractionSpec &spec, MatmulCache &cache,
           const CpuFeatures &features, int threads);

  /// Makes what is needed for `threads` threads. See MatmulCache::get for the
  /// calling thread.
  [[nodiscard]] static Expected<Contraction> create(const ContractionSpec &spec,
                                                    MatmulCache &cache,
                                                    const CpuFeatures &features,
                                                    int threads);

  /// Memory `run` needs, in bytes.
  uint64_t workspaceBytes() const { return threadBytes * uint64_t(threads); }

  /// Computes C. `init` is null where the spec has none, and may be C. `work`
  /// is 64-byte aligned and `workspaceBytes` long. False if the library fails.
  bool run(ThreadPool::Lease &pool, const std::byte *a, const std::byte *b,
           const std::byte *init, std::byte *c, std::byte *work) const;

private:
  struct Call;
  /// Where one operand stands: `matrix` elements from one of the batch to the
  /// next, `row` and `column` from one to the next.
  struct Operand {
    DType type;
    int64_t matrix, row, column;
  };
  /// The products of a tile: of the first stretch of K, of those between, of
  /// the last.
  enum Stretch : uint8_t { kFirst, kMiddle, kLast, kStretches };

  /// Calls `see(lastRow, lastColumn, stretch)` for every product there is.
  Expected<void>
  eachProduct(const std::function<Expected<void>(int, int, Stretch)> &see);
  Expected<void> layScratchOut(MatmulCache &cache);
  MatmulShape productShape(bool lastRow, bool lastColumn,
                           Stretch stretch) const;
  bool isWidened(const Operand &operand) const;
  /// Whether a product takes no library: of f64, of nothing.
  bool isOwn() const;
  bool tile(const Call &call, int thread, int64_t index) const;
  /// Copies a tile's `m` by `n` elements of `init` to `sums`, whose rows are
  /// `pitch` elements apart.
  void beginTile(const std::byte *init, std::byte *sums, int64_t pitch,
                 int64_t m, int64_t n) const;

  ContractionSpec spec;
  Operand a, b, c;
  TileCut cut;
  int64_t rowTiles = 0, columnTiles = 0;
  int64_t depth = 0;    ///< of a stretch of K
  bool widened = false; ///< 16-bit operands become f32 panels
  bool staged = false;  ///< a tile of C is made in scratch memory
  NarrowFloats floats;
  int threads = 1;
  /// Of full and edge tiles: [last row?][last column?].
  std::array<std::array<std::array<std::shared_ptr<Matmul>, kStretches>, 2>, 2>
      products;
  /// A thread's scratch memory: the library's, then panels of A, B and C.
  uint64_t panelA = 0, panelB = 0, panelC = 0, threadBytes = 0;
};

} // namespace ampc::rt

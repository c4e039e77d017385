// Contractions on the CPU: products cut into tiles by shape alone, each tile
// one serial product over the whole of K, so that bits do not depend on the
// number of threads (docs/numerics.md, N10).
//
// The cut. A tile has up to 256 rows (a multiple of 32) and 256 columns (a
// multiple of 64), edges excepted. While there are fewer than 64 tiles in all
// and a tile is over 2^21 multiply-adds, the larger side is halved (rows down
// to 32, columns down to 64): enough tiles for many threads, none so small that
// packing and launching dominate.
#pragma once

#include "runtime/core/Status.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/device/cpu/Matmul.h"

#include <array>
#include <memory>

namespace ampc::rt {

/// C[m, n] = sum_k A(m, k) * B(k, n) for each of `batch` matrices; as
/// `Contraction` of plan.fbs.
struct ContractionSpec {
  DType typeA, typeB, typeC;
  int64_t m, n, k;
  bool transposeA, transposeB;
  int64_t batch, strideA, strideB, strideC; ///< strides in elements
};

/// The sides of a tile.
struct TileCut {
  int64_t rows, columns;
};

/// The cut of a product, a function of its extents only.
TileCut cutTiles(int64_t m, int64_t n, int64_t k, int64_t batch);

/// One contraction, ready to run. 16-bit operands are widened to f32 and a
/// 16-bit result is rounded once; f64 runs in an own loop (K ascending in
/// blocks of 32, each block added to one accumulator).
class Contraction {
public:
  /// Makes what is needed for `threads` threads. See MatmulCache::get for the
  /// calling thread.
  [[nodiscard]] static Expected<Contraction>
  create(const ContractionSpec &spec, MatmulCache &cache, int threads);

  /// Memory `run` needs, in bytes.
  uint64_t workspaceBytes() const { return workspace; }

  /// Computes C. `work` is 64-byte aligned and `workspaceBytes` long. False if
  /// the library fails.
  bool run(ThreadPool::Lease &pool, const std::byte *a, const std::byte *b,
           std::byte *c, std::byte *work) const;

private:
  struct Call;
  void tile(const Call &call, int thread, int64_t index) const;
  bool product(ThreadPool::Lease &pool, const void *a, const void *b, void *c,
               std::byte *work, int64_t batch) const;

  ContractionSpec spec;
  TileCut cut;
  int64_t rowTiles = 0, columnTiles = 0;
  int threads = 1;
  /// Primitives of full and edge tiles: [last row?][last column?].
  std::array<std::array<std::shared_ptr<Matmul>, 2>, 2> matmuls;
  uint64_t scratch = 0; ///< a thread's, in bytes, a multiple of 64
  uint64_t workspace = 0;
};

} // namespace ampc::rt

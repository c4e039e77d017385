// Contractions: tile cut, the f32 path through oneDNN, widening of 16-bit
// operands, f64.
#include "runtime/device/cpu/Contraction.h"
#include "runtime/core/Float16.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace ampc::rt {

static int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}
static int64_t divideUp(int64_t value, int64_t by) {
  return (value + by - 1) / by;
}

TileCut cutTiles(int64_t m, int64_t n, int64_t k, int64_t batch) {
  constexpr int64_t kEnough = 64, kSmall = int64_t(1) << 21;
  TileCut cut{std::clamp<int64_t>(roundUp(m, 32), 32, 256),
              std::clamp<int64_t>(roundUp(n, 64), 64, 256)};
  auto tiles = [&] {
    return divideUp(m, cut.rows) * divideUp(n, cut.columns) * batch;
  };
  while (tiles() < kEnough &&
         cut.rows * cut.columns * std::max<int64_t>(k, 1) > kSmall &&
         (cut.rows > 32 || cut.columns > 64)) {
    if (cut.columns > 64 && (cut.columns >= cut.rows || cut.rows == 32))
      cut.columns = std::max<int64_t>(64, roundUp(cut.columns / 2, 64));
    else
      cut.rows = std::max<int64_t>(32, roundUp(cut.rows / 2, 32));
  }
  return cut;
}

/// What the tiles of one run share.
struct Contraction::Call {
  const std::byte *a, *b;
  std::byte *c;
  std::byte *scratch;
  const Contraction *self;
  mutable std::atomic<bool> good{true};
};

Expected<Contraction> Contraction::create(const ContractionSpec &spec,
                                          MatmulCache &cache, int threads) {
  Contraction result;
  result.spec = spec;
  result.threads = threads;
  result.cut = cutTiles(spec.m, spec.n, spec.k, spec.batch);
  result.rowTiles = divideUp(spec.m, result.cut.rows);
  result.columnTiles = divideUp(spec.n, result.cut.columns);
  bool empty = spec.m == 0 || spec.n == 0 || spec.batch == 0;
  if (spec.typeA == DType::F64 || spec.k == 0 || empty)
    return result;

  for (int lastRow = 0; lastRow < 2; ++lastRow)
    for (int lastColumn = 0; lastColumn < 2; ++lastColumn) {
      int64_t m = lastRow ? spec.m - (result.rowTiles - 1) * result.cut.rows
                          : std::min(spec.m, result.cut.rows);
      int64_t n = lastColumn
                      ? spec.n - (result.columnTiles - 1) * result.cut.columns
                      : std::min(spec.n, result.cut.columns);
      MatmulShape shape{m,
                        n,
                        spec.k,
                        spec.transposeA ? 1 : spec.k,
                        spec.transposeA ? spec.m : 1,
                        spec.transposeB ? 1 : spec.n,
                        spec.transposeB ? spec.k : 1,
                        spec.n};
      AMPC_ASSIGN(result.matmuls[lastRow][lastColumn], cache.get(shape));
      result.scratch = std::max<uint64_t>(
          result.scratch,
          uint64_t(roundUp(
              int64_t(result.matmuls[lastRow][lastColumn]->scratchBytes()),
              64)));
    }
  result.workspace = result.scratch * uint64_t(threads);
  auto widened = [](DType type, int64_t elements) {
    return type == DType::F32 ? 0 : uint64_t(roundUp(elements * 4, 64));
  };
  result.workspace += widened(spec.typeA, spec.m * spec.k) +
                      widened(spec.typeB, spec.k * spec.n) +
                      widened(spec.typeC, spec.m * spec.n);
  return result;
}

/// A tile of f64, or of any type with K = 0 (zeros).
template <class T>
static void plainTile(const ContractionSpec &spec, const T *a, const T *b, T *c,
                      int64_t m, int64_t n) {
  constexpr int64_t kBlock = 32, kColumns = 256;
  T sum[kColumns], block[kColumns];
  int64_t bRow = spec.transposeB ? 1 : spec.n,
          bColumn = spec.transposeB ? spec.k : 1;
  int64_t aRow = spec.transposeA ? 1 : spec.k,
          aColumn = spec.transposeA ? spec.m : 1;
  for (int64_t i = 0; i < m; ++i) {
    std::fill_n(sum, n, T(0));
    for (int64_t start = 0; start < spec.k; start += kBlock) {
      std::fill_n(block, n, T(0));
      for (int64_t k = start; k < std::min(start + kBlock, spec.k); ++k) {
        T left = a[i * aRow + k * aColumn];
        const T *right = b + k * bRow;
        for (int64_t j = 0; j < n; ++j)
          block[j] += left * right[j * bColumn];
      }
      for (int64_t j = 0; j < n; ++j)
        sum[j] += block[j];
    }
    std::copy_n(sum, n, c + i * spec.n);
  }
}

void Contraction::tile(const Call &call, int thread, int64_t index) const {
  int64_t column = index % columnTiles, row = index / columnTiles % rowTiles;
  int64_t matrix = index / columnTiles / rowTiles;
  bool lastRow = row == rowTiles - 1, lastColumn = column == columnTiles - 1;
  int64_t i = row * cut.rows, j = column * cut.columns;
  int64_t a = matrix * spec.strideA + (spec.transposeA ? i : i * spec.k);
  int64_t b = matrix * spec.strideB + (spec.transposeB ? j * spec.k : j);
  int64_t c = matrix * spec.strideC + i * spec.n + j;
  int64_t m = std::min(cut.rows, spec.m - i),
          n = std::min(cut.columns, spec.n - j);
  if (spec.typeA == DType::F64) {
    plainTile(spec, reinterpret_cast<const double *>(call.a) + a,
              reinterpret_cast<const double *>(call.b) + b,
              reinterpret_cast<double *>(call.c) + c, m, n);
    return;
  }
  auto *out = reinterpret_cast<float *>(call.c) + c;
  if (spec.k == 0) {
    for (int64_t r = 0; r < m; ++r)
      std::fill_n(out + r * spec.n, n, 0.0f);
    return;
  }
  bool good = matmuls[lastRow][lastColumn]->run(
      thread, reinterpret_cast<const float *>(call.a) + a,
      reinterpret_cast<const float *>(call.b) + b, out,
      call.scratch + uint64_t(thread) * scratch);
  if (!good)
    call.good.store(false, std::memory_order_relaxed);
}

bool Contraction::product(ThreadPool::Lease &pool, const void *a, const void *b,
                          void *c, std::byte *work, int64_t batch) const {
  Call call{static_cast<const std::byte *>(a),
            static_cast<const std::byte *>(b),
            static_cast<std::byte *>(c),
            work,
            this,
            {true}};
  pool.run(
      rowTiles * columnTiles * batch, 1, threads,
      [](void *context, int thread, int64_t begin, int64_t end) {
        auto &call = *static_cast<Call *>(context);
        for (int64_t i = begin; i < end; ++i)
          call.self->tile(call, thread, i);
      },
      &call);
  return call.good.load(std::memory_order_relaxed);
}

namespace {

/// Elements a piece of a conversion has.
constexpr int64_t kPiece = 16384;

struct Conversion {
  DType narrow;
  const std::byte *from;
  std::byte *to;
  int64_t count;
  bool widen;
};

void convertPiece(const Conversion &job, int64_t piece) {
  int64_t begin = piece * kPiece, end = std::min(begin + kPiece, job.count);
  bool bf16 = job.narrow == DType::BF16;
  if (job.widen) {
    auto *from = reinterpret_cast<const uint16_t *>(job.from);
    auto *to = reinterpret_cast<float *>(job.to);
    for (int64_t i = begin; i < end; ++i)
      to[i] = bf16 ? bf16ToFloat(from[i]) : f16ToFloat(from[i]);
  } else {
    auto *from = reinterpret_cast<const float *>(job.from);
    auto *to = reinterpret_cast<uint16_t *>(job.to);
    for (int64_t i = begin; i < end; ++i)
      to[i] = bf16 ? floatToBf16(from[i]) : floatToF16(from[i]);
  }
}

void convertAll(ThreadPool::Lease &pool, int threads, Conversion job) {
  pool.run(
      divideUp(job.count, kPiece), 1, threads,
      [](void *context, int, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          convertPiece(*static_cast<Conversion *>(context), i);
      },
      &job);
}

} // namespace

bool Contraction::run(ThreadPool::Lease &pool, const std::byte *a,
                      const std::byte *b, std::byte *c, std::byte *work) const {
  if (spec.m == 0 || spec.n == 0 || spec.batch == 0)
    return true;
  bool plain = spec.typeA == spec.typeB && spec.typeA == spec.typeC &&
               (spec.typeA == DType::F32 || spec.typeA == DType::F64);
  if (plain)
    return product(pool, a, b, c, work, spec.batch);
  if (spec.k == 0) { // +0 is all zero bits in every format
    size_t size = sizeOf(spec.typeC);
    for (int64_t i = 0; i < spec.batch; ++i)
      std::memset(c + size_t(i * spec.strideC) * size, 0,
                  size_t(spec.m * spec.n) * size);
    return true;
  }

  std::byte *next = work + scratch * uint64_t(threads);
  auto take = [&](DType type, int64_t elements) -> std::byte * {
    if (type == DType::F32)
      return nullptr;
    std::byte *place = next;
    next += roundUp(elements * 4, 64);
    return place;
  };
  std::byte *wideA = take(spec.typeA, spec.m * spec.k);
  std::byte *wideB = take(spec.typeB, spec.k * spec.n);
  std::byte *wideC = take(spec.typeC, spec.m * spec.n);
  for (int64_t i = 0; i < spec.batch; ++i) {
    const std::byte *ai = a + size_t(i * spec.strideA) * sizeOf(spec.typeA);
    const std::byte *bi = b + size_t(i * spec.strideB) * sizeOf(spec.typeB);
    std::byte *ci = c + size_t(i * spec.strideC) * sizeOf(spec.typeC);
    // A broadcast operand keeps its widened form from the first matrix.
    if (wideA && (i == 0 || spec.strideA))
      convertAll(pool, threads, {spec.typeA, ai, wideA, spec.m * spec.k, true});
    if (wideB && (i == 0 || spec.strideB))
      convertAll(pool, threads, {spec.typeB, bi, wideB, spec.k * spec.n, true});
    if (!product(pool, wideA ? wideA : ai, wideB ? wideB : bi,
                 wideC ? wideC : ci, work, 1))
      return false;
    if (wideC)
      convertAll(pool, threads,
                 {spec.typeC, wideC, ci, spec.m * spec.n, false});
  }
  return true;
}

} // namespace ampc::rt

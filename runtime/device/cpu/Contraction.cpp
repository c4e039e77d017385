// Contractions: tile cut, library products, widening of 16-bit panels, f64.
#include "runtime/device/cpu/Contraction.h"

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

TileCut cutTiles(int64_t m, int64_t n, int64_t k, int64_t batch,
                 const CutRule &rule) {
  TileCut cut{std::clamp<int64_t>(roundUp(m, 32), 32, 256),
              std::clamp<int64_t>(roundUp(n, 64), 64, 256)};
  auto tiles = [&] {
    return divideUp(m, cut.rows) * divideUp(n, cut.columns) * batch;
  };
  while (tiles() < rule.enough &&
         cut.rows * cut.columns * std::max<int64_t>(k, 1) > rule.small &&
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
  const Contraction *self;
  const std::byte *a, *b, *init;
  std::byte *c, *work;
  std::atomic<bool> good{true};
};

/// Elements of K that are widened at a time: two panels of 256 by 512 stay in a
/// core's second-level cache.
static constexpr int64_t kDepth = 512;

bool Contraction::isWidened(const Operand &operand) const {
  return widened && operand.type != DType::F32;
}

/// The product of one stretch of a tile at the last row of tiles or another,
/// the last column or another.
MatmulShape Contraction::productShape(bool lastRow, bool lastColumn,
                                      Stretch stretch) const {
  int64_t m =
      lastRow ? spec.m - (rowTiles - 1) * cut.rows : std::min(spec.m, cut.rows);
  int64_t n = lastColumn ? spec.n - (columnTiles - 1) * cut.columns
                         : std::min(spec.n, cut.columns);
  int64_t k = stretch == kLast ? spec.k - (divideUp(spec.k, depth) - 1) * depth
                               : std::min(spec.k, depth);
  // A panel keeps the orientation of its operand.
  auto strides = [&](const Operand &operand, bool transposed, int64_t rows,
                     int64_t columns) {
    if (!isWidened(operand))
      return std::pair(operand.row, operand.column);
    return transposed ? std::pair(int64_t(1), rows)
                      : std::pair(columns, int64_t(1));
  };
  auto [aRow, aColumn] = strides(a, spec.transposeA, m, k);
  auto [bRow, bColumn] = strides(b, spec.transposeB, k, n);
  return {widened ? DType::F32 : a.type,
          widened ? DType::F32 : c.type,
          spec.hasInit || stretch != kFirst,
          m,
          n,
          k,
          aRow,
          aColumn,
          bRow,
          bColumn,
          staged ? n : spec.n};
}

Expected<void> Contraction::eachProduct(
    const std::function<Expected<void>(int, int, Stretch)> &see) {
  int64_t stretches = divideUp(spec.k, depth);
  for (int lastRow = 0; lastRow < 2; ++lastRow)
    for (int lastColumn = 0; lastColumn < 2; ++lastColumn)
      for (Stretch stretch : {kFirst, kMiddle, kLast}) {
        if ((stretch == kMiddle && stretches < 3) ||
            (stretch == kLast && stretches < 2))
          continue;
        AMPC_TRY(see(lastRow, lastColumn, stretch));
      }
  return {};
}

Expected<void> Contraction::layScratchOut(MatmulCache &cache) {
  uint64_t library = 0;
  AMPC_TRY(eachProduct([&](int lastRow, int lastColumn,
                           Stretch stretch) -> Expected<void> {
    AMPC_ASSIGN(uint64_t bytes,
                cache.scratchBytes(productShape(lastRow, lastColumn, stretch)));
    library = std::max(library, bytes);
    return {};
  }));
  auto bytes = [&](const Operand &operand, int64_t rows, int64_t columns) {
    return isWidened(operand) ? uint64_t(roundUp(rows * columns * 4, 64)) : 0;
  };
  int64_t rows = std::min(cut.rows, spec.m),
          columns = std::min(cut.columns, spec.n),
          deep = std::min(depth, spec.k);
  panelA = uint64_t(roundUp(int64_t(library), 64));
  panelB = panelA + bytes(a, rows, deep);
  panelC = panelB + bytes(b, deep, columns);
  threadBytes = panelC;
  if (staged)
    threadBytes += uint64_t(
        roundUp(rows * columns * int64_t(widened ? 4 : sizeOf(c.type)), 64));
  return {};
}

bool Contraction::isOwn() const {
  return spec.typeA == DType::F64 || spec.k == 0 || spec.m == 0 ||
         spec.n == 0 || spec.batch == 0;
}

Expected<Contraction> Contraction::describe(const ContractionSpec &spec,
                                            MatmulCache &cache,
                                            const CpuFeatures &features,
                                            int threads) {
  Contraction result;
  result.spec = spec;
  result.a = {spec.typeA, spec.strideA, spec.transposeA ? 1 : spec.k,
              spec.transposeA ? spec.m : 1};
  result.b = {spec.typeB, spec.strideB, spec.transposeB ? 1 : spec.n,
              spec.transposeB ? spec.k : 1};
  result.c = {spec.typeC, spec.strideC, spec.n, 1};
  result.floats = NarrowFloats::choose(features);
  result.threads = threads;
  bool f32 = spec.typeA == DType::F32 && spec.typeB == DType::F32 &&
             spec.typeC == DType::F32;
  bool bf16 = spec.typeA == DType::BF16 && spec.typeB == DType::BF16 &&
              spec.typeC != DType::F16 && cache.multipliesBf16();
  result.widened = !f32 && !bf16;
  result.depth = result.widened ? kDepth : spec.k;
  result.cut =
      cutTiles(spec.m, spec.n, spec.k, spec.batch, bf16 ? kCutBf16 : kCutF32);
  result.rowTiles = divideUp(spec.m, result.cut.rows);
  result.columnTiles = divideUp(spec.n, result.cut.columns);
  result.staged =
      result.isWidened(result.c) || (bf16 && result.columnTiles > 1);
  if (!result.isOwn())
    AMPC_TRY(result.layScratchOut(cache));
  return result;
}

Expected<Contraction> Contraction::create(const ContractionSpec &spec,
                                          MatmulCache &cache,
                                          const CpuFeatures &features,
                                          int threads) {
  AMPC_ASSIGN(Contraction result, describe(spec, cache, features, threads));
  if (result.isOwn())
    return result;
  AMPC_TRY(result.eachProduct([&](int lastRow, int lastColumn,
                                  Stretch stretch) -> Expected<void> {
    AMPC_ASSIGN(result.products[lastRow][lastColumn][stretch],
                cache.get(result.productShape(lastRow, lastColumn, stretch)));
    return {};
  }));
  return result;
}

/// A tile of f64. `init` may be null.
static void doubleTile(const ContractionSpec &spec, const double *a,
                       const double *b, const double *init, double *c,
                       int64_t m, int64_t n) {
  constexpr int64_t kBlock = 32, kColumns = 256;
  double sum[kColumns], block[kColumns];
  int64_t bRow = spec.transposeB ? 1 : spec.n,
          bColumn = spec.transposeB ? spec.k : 1;
  int64_t aRow = spec.transposeA ? 1 : spec.k,
          aColumn = spec.transposeA ? spec.m : 1;
  for (int64_t i = 0; i < m; ++i) {
    if (init)
      std::copy_n(init + i * spec.n, n, sum);
    else
      std::fill_n(sum, n, 0.0);
    for (int64_t start = 0; start < spec.k; start += kBlock) {
      std::fill_n(block, n, 0.0);
      for (int64_t k = start; k < std::min(start + kBlock, spec.k); ++k) {
        double left = a[i * aRow + k * aColumn];
        const double *right = b + k * bRow;
        for (int64_t j = 0; j < n; ++j)
          block[j] += left * right[j * bColumn];
      }
      for (int64_t j = 0; j < n; ++j)
        sum[j] += block[j];
    }
    std::copy_n(sum, n, c + i * spec.n);
  }
}

/// Widens `rows` runs of `count` elements, `stride` apart, into a dense panel.
static void widenPanel(NarrowFloats::Widen widen, const std::byte *from,
                       int64_t stride, int64_t rows, int64_t count,
                       std::byte *panel) {
  auto *source = reinterpret_cast<const uint16_t *>(from);
  auto *to = reinterpret_cast<float *>(panel);
  for (int64_t row = 0; row < rows; ++row)
    widen(source + row * stride, to + row * count, count);
}

void Contraction::beginTile(const std::byte *init, std::byte *sums,
                            int64_t pitch, int64_t m, int64_t n) const {
  if (sums == init)
    return; // continued in place
  size_t size = sizeOf(spec.typeC);
  for (int64_t r = 0; r < m; ++r)
    std::memcpy(sums + size_t(r * pitch) * size,
                init + size_t(r * spec.n) * size, size_t(n) * size);
}

/// Computes tile `index` of all matrices; false if the library fails.
bool Contraction::tile(const Call &call, int thread, int64_t index) const {
  int64_t column = index % columnTiles, row = index / columnTiles % rowTiles;
  int64_t matrix = index / columnTiles / rowTiles;
  int64_t i = row * cut.rows, j = column * cut.columns;
  int64_t m = std::min(cut.rows, spec.m - i),
          n = std::min(cut.columns, spec.n - j);
  auto at = [&](const Operand &operand, auto *base, int64_t r, int64_t s) {
    return base +
           (matrix * operand.matrix + r * operand.row + s * operand.column) *
               int64_t(sizeOf(operand.type));
  };
  std::byte *out = at(c, call.c, i, j);
  const std::byte *init = spec.hasInit ? at(c, call.init, i, j) : nullptr;
  if (spec.k == 0 && init) {
    beginTile(init, out, spec.n, m, n);
    return true;
  }
  if (spec.k == 0) { // +0 is all zero bits in every format
    size_t size = sizeOf(spec.typeC);
    for (int64_t r = 0; r < m; ++r)
      std::memset(out + size_t(r * spec.n) * size, 0, size_t(n) * size);
    return true;
  }
  if (spec.typeA == DType::F64) {
    doubleTile(spec, reinterpret_cast<const double *>(at(a, call.a, i, 0)),
               reinterpret_cast<const double *>(at(b, call.b, 0, j)),
               reinterpret_cast<const double *>(init),
               reinterpret_cast<double *>(out), m, n);
    return true;
  }

  std::byte *scratch = call.work + uint64_t(thread) * threadBytes;
  std::byte *sums = staged ? scratch + panelC : out;
  if (init)
    beginTile(init, sums, staged ? n : spec.n, m, n);
  const auto &stretches =
      products[row == rowTiles - 1][column == columnTiles - 1];
  for (int64_t start = 0; start < spec.k; start += depth) {
    int64_t k = std::min(depth, spec.k - start);
    const std::byte *left = at(a, call.a, i, start),
                    *right = at(b, call.b, start, j);
    if (isWidened(a)) {
      widenPanel(floats.widenOf(a.type), left,
                 spec.transposeA ? spec.m : spec.k, spec.transposeA ? k : m,
                 spec.transposeA ? m : k, scratch + panelA);
      left = scratch + panelA;
    }
    if (isWidened(b)) {
      widenPanel(floats.widenOf(b.type), right,
                 spec.transposeB ? spec.k : spec.n, spec.transposeB ? n : k,
                 spec.transposeB ? k : n, scratch + panelB);
      right = scratch + panelB;
    }
    Stretch stretch = start == 0            ? kFirst
                      : start + k == spec.k ? kLast
                                            : kMiddle;
    if (!stretches[stretch]->run(thread, left, right, sums, scratch))
      return false;
  }
  if (isWidened(c)) {
    auto *from = reinterpret_cast<const float *>(sums);
    auto *to = reinterpret_cast<uint16_t *>(out);
    for (int64_t r = 0; r < m; ++r)
      floats.roundOf(c.type)(from + r * n, to + r * spec.n, n);
  } else if (staged) {
    size_t run = size_t(n) * sizeOf(c.type),
           row = size_t(spec.n) * sizeOf(c.type);
    for (int64_t r = 0; r < m; ++r)
      std::memcpy(out + size_t(r) * row, sums + size_t(r) * run, run);
  }
  return true;
}

bool Contraction::run(ThreadPool::Lease &pool, const std::byte *a,
                      const std::byte *b, const std::byte *init, std::byte *c,
                      std::byte *work) const {
  Call call{this, a, b, init, c, work};
  pool.run(
      rowTiles * columnTiles * spec.batch, 1, threads,
      [](void *context, int thread, int64_t begin, int64_t end) {
        auto &call = *static_cast<Call *>(context);
        for (int64_t i = begin; i < end; ++i)
          if (!call.self->tile(call, thread, i))
            call.good.store(false, std::memory_order_relaxed);
      },
      &call);
  return call.good.load(std::memory_order_relaxed);
}

} // namespace ampc::rt

#include "test/hostgpu/blas/Matrix.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

using namespace ampc::hostgpu;

namespace {

/// Extents of a tile of D whose sums stand in registers, and of the part of A
/// and B packed at a time.
constexpr int64_t kTileRows = 16, kTileColumns = 4;
constexpr int64_t kBlockRows = 128, kBlockDepth = 512;

float fromHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00)
    return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  // Scaling by a power of two is exact, for subnormals as well.
  return std::bit_cast<float>(
      sign | std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << 13) *
                                     0x1p112f));
}

uint16_t toHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffff;
  uint16_t sign = uint16_t(bits >> 16 & 0x8000);
  if (magnitude > 0x7f800000)
    return 0x7fff;
  if (magnitude >= 0x47800000)
    return sign | 0x7c00;
  if (magnitude >= 0x38800000)
    return sign | uint16_t(((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) -
                           0x1c000);
  // The last bit of 0.5 is worth a unit of the least subnormal.
  float counted = std::bit_cast<float>(magnitude) + 0.5f;
  return sign | uint16_t(std::bit_cast<uint32_t>(counted) - 0x3f000000);
}

float fromBrain(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

uint16_t toBrain(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fff;
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <class T>
T load(Type type, const void *from, int64_t index) {
  switch (type) {
  case Type::F64:
    return T(static_cast<const double *>(from)[index]);
  case Type::F16:
    return fromHalf(static_cast<const uint16_t *>(from)[index]);
  case Type::BF16:
    return fromBrain(static_cast<const uint16_t *>(from)[index]);
  default:
    return T(static_cast<const float *>(from)[index]);
  }
}

template <class T>
void store(Type type, void *to, int64_t index, T value) {
  switch (type) {
  case Type::F64:
    static_cast<double *>(to)[index] = double(value);
    return;
  case Type::F16:
    static_cast<uint16_t *>(to)[index] = toHalf(float(value));
    return;
  case Type::BF16:
    static_cast<uint16_t *>(to)[index] = toBrain(float(value));
    return;
  default:
    static_cast<float *>(to)[index] = float(value);
  }
}

/// Copies `outer` x `inner` elements into panels of `width` of the outer
/// extent, inner after inner, the last panel filled with zeros.
template <class T>
void pack(Type type, const void *from, int64_t outer, int64_t inner,
          int64_t outerStride, int64_t innerStride, int64_t width, T *to) {
  for (int64_t first = 0; first < outer; first += width) {
    int64_t count = std::min(width, outer - first);
    for (int64_t k = 0; k < inner; ++k, to += width) {
      int64_t at = first * outerStride + k * innerStride;
      for (int64_t i = 0; i < count; ++i)
        to[i] = load<T>(type, from, at + i * outerStride);
      for (int64_t i = count; i < width; ++i)
        to[i] = 0;
    }
  }
}

/// sums[column][row] += a[k][row] * b[k][column], k ascending.
template <class T>
void multiplyTile(const T *a, const T *b, int64_t depth, T *sums,
                  int64_t columnStride) {
  constexpr int64_t lanes = 32 / int64_t(sizeof(T));
  typedef T Vector __attribute__((vector_size(32), aligned(alignof(T))));
  constexpr int64_t vectors = kTileRows / lanes;
  Vector sum[kTileColumns][vectors];
  for (int64_t j = 0; j < kTileColumns; ++j)
    for (int64_t v = 0; v < vectors; ++v)
      std::memcpy(&sum[j][v], sums + j * columnStride + v * lanes, 32);
  for (int64_t k = 0; k < depth; ++k, a += kTileRows, b += kTileColumns)
    for (int64_t v = 0; v < vectors; ++v) {
      Vector column;
      std::memcpy(&column, a + v * lanes, 32);
      for (int64_t j = 0; j < kTileColumns; ++j)
        sum[j][v] += column * b[j];
    }
  for (int64_t j = 0; j < kTileColumns; ++j)
    for (int64_t v = 0; v < vectors; ++v)
      std::memcpy(sums + j * columnStride + v * lanes, &sum[j][v], 32);
}

/// Rounds numbers to the 10 bits of mantissa that tf32 has.
template <class T>
void roundToTf32(std::vector<T> &values) {
  for (T &value : values) {
    uint32_t bits = std::bit_cast<uint32_t>(float(value));
    if ((bits & 0x7f800000) != 0x7f800000)
      bits = (bits + 0xfff + (bits >> 13 & 1)) & ~uint32_t(0x1fff);
    value = std::bit_cast<float>(bits);
  }
}

int64_t roundUp(int64_t value, int64_t to) {
  return (value + to - 1) / to * to;
}

/// Adds A[:, begin:end] B[begin:end, :] to `sums`, whose columns are `rows`
/// long and padded to whole tiles.
template <class T>
void addProduct(const Product &product, const std::byte *a, const std::byte *b,
                int64_t begin, int64_t end, std::vector<T> &sums,
                int64_t paddedRows) {
  int64_t m = product.d.rows, n = product.d.columns;
  const Matrix &ma = product.a, &mb = product.b;
  std::vector<T> packedA(size_t(kBlockRows * kBlockDepth)),
      packedB(size_t(roundUp(n, kTileColumns) * kBlockDepth));
  for (int64_t k = begin; k < end; k += kBlockDepth) {
    int64_t depth = std::min(kBlockDepth, end - k);
    pack(mb.type, b + k * mb.rowStride * int64_t(sizeOf(mb.type)), n, depth,
         mb.columnStride, mb.rowStride, kTileColumns, packedB.data());
    if (product.inTf32)
      roundToTf32(packedB);
    for (int64_t i = 0; i < m; i += kBlockRows) {
      int64_t rows = std::min(kBlockRows, m - i);
      pack(ma.type,
           a + (i * ma.rowStride + k * ma.columnStride) *
                   int64_t(sizeOf(ma.type)),
           rows, depth, ma.rowStride, ma.columnStride, kTileRows,
           packedA.data());
      if (product.inTf32)
        roundToTf32(packedA);
      for (int64_t j = 0; j < n; j += kTileColumns)
        for (int64_t r = 0; r < rows; r += kTileRows)
          multiplyTile(packedA.data() + r * depth, packedB.data() + j * depth,
                       depth, sums.data() + j * paddedRows + i + r, paddedRows);
    }
  }
}

template <class T>
void multiplyIn(const Product &product, const std::byte *a, const std::byte *b,
                const std::byte *c, std::byte *d, const std::byte *bias) {
  const Matrix &mc = product.c, &md = product.d;
  int64_t m = md.rows, n = md.columns, depth = product.a.columns;
  int64_t paddedRows = roundUp(m, kTileRows);
  size_t count = size_t(paddedRows * roundUp(n, kTileColumns));
  std::vector<T> sums(count), part;
  int64_t piece = (depth + product.splits - 1) / product.splits;
  for (int64_t begin = 0; begin < depth; begin += piece) {
    std::vector<T> &into = begin ? part : sums;
    into.assign(count, product.keepsMinusZero && begin == 0 ? -T(0) : T(0));
    addProduct(product, a, b, begin, std::min(begin + piece, depth), into,
               paddedRows);
    for (size_t i = 0; begin && i < count; ++i)
      sums[i] += part[i];
  }
  T alpha = T(product.alpha), beta = T(product.beta);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < m; ++i) {
      T value = alpha * sums[size_t(j * paddedRows + i)];
      if (beta != T(0))
        value +=
            beta * load<T>(mc.type, c, i * mc.rowStride + j * mc.columnStride);
      if (product.hasBias)
        value += load<T>(product.biasType, bias, i);
      if (product.relu) // -0 gives +0; a NaN stays one, unless asked otherwise
        value = value > T(0) || (value != value && !product.dropsNan) ||
                        (value == T(0) && product.keepsMinusZero)
                    ? value
                    : T(0);
      store(md.type, d, i * md.rowStride + j * md.columnStride, value);
    }
}

} // namespace

size_t ampc::hostgpu::sizeOf(Type type) {
  return type == Type::F64 ? 8 : type == Type::F32 ? 4 : 2;
}

void ampc::hostgpu::multiply(const Product &product, const void *a,
                             const void *b, const void *c, void *d,
                             const void *bias) {
  auto at = [](const void *base, int64_t elements, Type type) {
    return static_cast<const std::byte *>(base) +
           elements * int64_t(sizeOf(type));
  };
  for (int64_t batch = 0; batch < product.batches; ++batch) {
    const std::byte *ab = at(a, batch * product.a.batchStride, product.a.type);
    const std::byte *bb = at(b, batch * product.b.batchStride, product.b.type);
    const std::byte *cb =
        c ? at(c, batch * product.c.batchStride, product.c.type) : nullptr;
    auto *db = const_cast<std::byte *>(
        at(d, batch * product.d.batchStride, product.d.type));
    const std::byte *biasb =
        bias ? at(bias, batch * product.biasBatchStride, product.biasType)
             : nullptr;
    if (product.inDouble)
      multiplyIn<double>(product, ab, bb, cb, db, biasb);
    else
      multiplyIn<float>(product, ab, bb, cb, db, biasb);
  }
}

// Contractions: values against f64 sums, bits at 1 to 4 threads, all
// transposes, odd extents, K = 0, batches, 16-bit and f64 operands, the latter
// on this processor and on narrower ones.
#include "runtime/device/cpu/Contraction.h"
#include "runtime/core/Allocator.h"
#include "runtime/core/Philox.h"
#include "runtime/core/Tensor.h"
#include "runtime/device/cpu/Workspace.h"
#include "test/unit/runtime/TestPlans.h"

#include <cmath>
#include <cstring>

namespace ampc::rt::test {
namespace {

/// Puts the pool's size back.
class Contractions : public ::testing::Test {
protected:
  void TearDown() override { must(ThreadPool::instance().resize(2)); }
};

/// An aligned block of bytes.
struct Buffer {
  explicit Buffer(size_t bytes, uint8_t fill = 0) {
    Allocator allocator;
    block = must(allocator.allocate(MemoryKind::Workspace, bytes));
    if (bytes)
      std::memset(block.data(), fill, bytes);
  }
  std::byte *data() { return block.data(); }
  Block block;
};

void store(DType type, std::byte *base, int64_t index, double value) {
  std::byte *to = base + size_t(index) * sizeOf(type);
  must(convert(DType::F64, reinterpret_cast<std::byte *>(&value), type, to, 1));
}

double load(DType type, const std::byte *base, int64_t index) {
  double value;
  must(convert(type, base + size_t(index) * sizeOf(type), DType::F64,
               reinterpret_cast<std::byte *>(&value), 1));
  return value;
}

/// Uniform in [-1, 1), the same for the same site.
double draw(uint32_t site, int64_t index) {
  PhiloxWords words = philox({uint32_t(index), 0, 0, site}, 99);
  return 2.0 * uniformOf(words[0]) - 1;
}

ContractionSpec spec(int64_t m, int64_t n, int64_t k, bool ta, bool tb,
                     int64_t batch = 1, DType type = DType::F32) {
  return {type, type, type, m, n, k, ta, tb, batch, m * k, k * n, m * n};
}

int64_t elementsOfC(const ContractionSpec &s) {
  return (s.batch - 1) * s.strideC + s.m * s.n;
}

struct Operands {
  explicit Operands(const ContractionSpec &s)
      : a(size_t((s.batch - 1) * s.strideA + s.m * s.k) * sizeOf(s.typeA)),
        b(size_t((s.batch - 1) * s.strideB + s.k * s.n) * sizeOf(s.typeB)),
        init(s.hasInit ? size_t(elementsOfC(s)) * sizeOf(s.typeC) : 0) {
    for (int64_t i = 0; s.hasInit && i < elementsOfC(s); ++i)
      store(s.typeC, init.data(), i, 8 * draw(3, i));
    for (int64_t i = 0; i < (s.batch - 1) * s.strideA + s.m * s.k; ++i)
      store(s.typeA, a.data(), i, draw(1, i));
    for (int64_t i = 0; i < (s.batch - 1) * s.strideB + s.k * s.n; ++i)
      store(s.typeB, b.data(), i, draw(2, i));
  }
  Buffer a, b, init;
};

/// C at `threads` threads; bytes that are not written stay 0xff (NaN).
/// `inPlace`: C stands where init does.
std::vector<uint8_t> compute(const ContractionSpec &s, Operands &in,
                             int threads, CpuLevel limit = CpuLevel::Amx,
                             bool inPlace = false) {
  must(ThreadPool::instance().resize(threads));
  auto lease = ThreadPool::instance().lease();
  CpuFeatures features = CpuFeatures::probe(limit);
  auto cache = must(MatmulCache::create(threads, features));
  Contraction contraction =
      must(Contraction::create(s, *cache, features, threads));
  size_t bytes = size_t(elementsOfC(s)) * sizeOf(s.typeC);
  Buffer c(bytes, 0xff), work(contraction.workspaceBytes(), 0xff);
  const std::byte *init = s.hasInit ? in.init.data() : nullptr;
  if (inPlace) {
    std::memcpy(c.data(), init, bytes);
    init = c.data();
  }
  EXPECT_TRUE(contraction.run(lease, in.a.data(), in.b.data(), init, c.data(),
                              work.data()));
  auto *out = reinterpret_cast<uint8_t *>(c.data());
  return {out, out + bytes};
}

/// The largest |C - sum| / sum of |a b| over all elements.
double worstError(const ContractionSpec &s, Operands &in,
                  const std::vector<uint8_t> &c) {
  double worst = 0;
  auto *bytes = reinterpret_cast<const std::byte *>(c.data());
  for (int64_t batch = 0; batch < s.batch; ++batch)
    for (int64_t i = 0; i < s.m; ++i)
      for (int64_t j = 0; j < s.n; ++j) {
        double sum = s.hasInit ? load(s.typeC, in.init.data(),
                                      batch * s.strideC + i * s.n + j)
                               : 0;
        double mass = std::abs(sum);
        for (int64_t k = 0; k < s.k; ++k) {
          int64_t a =
              batch * s.strideA + (s.transposeA ? k * s.m + i : i * s.k + k);
          int64_t b =
              batch * s.strideB + (s.transposeB ? j * s.k + k : k * s.n + j);
          double term =
              load(s.typeA, in.a.data(), a) * load(s.typeB, in.b.data(), b);
          sum += term;
          mass += std::abs(term);
        }
        double got = load(s.typeC, bytes, batch * s.strideC + i * s.n + j);
        double error = std::abs(got - sum) / std::max(mass, 1e-300);
        worst = std::max(worst, std::isnan(got) ? 1e300 : error);
      }
  return worst;
}

/// K terms added in any order in a format with rounding unit `unit`.
double bound(int64_t k, double unit) { return double(k + 1) * unit; }

constexpr double kUnitF32 = 0x1p-24, kUnitF64 = 0x1p-53, kUnitBf16 = 0x1p-8;

TEST_F(Contractions, AllTransposesOddExtents) {
  for (bool ta : {false, true})
    for (bool tb : {false, true})
      for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                             {7, 5, 3},
                             {33, 65, 31},
                             {300, 129, 77},
                             {64, 256, 100},
                             {1, 300, 40},
                             {270, 1, 40}}) {
        ContractionSpec s = spec(m, n, k, ta, tb);
        Operands in(s);
        std::vector<uint8_t> one = compute(s, in, 1);
        EXPECT_LE(worstError(s, in, one), bound(k, kUnitF32))
            << m << " " << n << " " << k;
        for (int threads : {2, 3, 4})
          EXPECT_EQ(compute(s, in, threads), one)
              << m << "x" << n << "x" << k << " transposed " << ta << tb
              << " at " << threads;
      }
}

TEST_F(Contractions, LargeProductsKeepTheirBits) {
  // The forms of a linear layer: forward, input gradient, weight gradient.
  for (auto [m, n, k, ta, tb] :
       {std::tuple<int64_t, int64_t, int64_t, bool, bool>{256, 1024, 512, false,
                                                          true},
        {256, 512, 1024, false, false},
        {1024, 512, 256, true, false}}) {
    ContractionSpec s = spec(m, n, k, ta, tb);
    TileCut cut = cutTiles(m, n, k, 1, kCutF32);
    EXPECT_GE((m + cut.rows - 1) / cut.rows *
                  ((n + cut.columns - 1) / cut.columns),
              16);
    Operands in(s);
    std::vector<uint8_t> one = compute(s, in, 1);
    for (int threads : {1, 2, 3, 4})
      EXPECT_EQ(compute(s, in, threads), one) << threads << " threads";
  }
}

TEST_F(Contractions, EmptySumsAreZeros) {
  for (DType type : {DType::F32, DType::F64, DType::BF16}) {
    ContractionSpec s = spec(40, 70, 0, false, true, 2, type);
    Operands in(s);
    for (uint8_t byte : compute(s, in, 2))
      ASSERT_EQ(byte, 0);
  }
  ContractionSpec none = spec(0, 70, 8, false, true);
  Operands in(none);
  EXPECT_TRUE(compute(none, in, 2).empty());
}

TEST_F(Contractions, BatchesAndBroadcast) {
  for (bool broadcast : {false, true}) {
    ContractionSpec s = spec(19, 70, 33, false, true, 5);
    if (broadcast)
      s.strideB = 0;
    s.strideC = 19 * 70 + 3; // a gap is left alone
    Operands in(s);
    std::vector<uint8_t> one = compute(s, in, 1);
    EXPECT_LE(worstError(s, in, one), bound(33, kUnitF32));
    EXPECT_EQ(one[19 * 70 * 4], 0xff);
    for (int threads : {2, 3, 4})
      EXPECT_EQ(compute(s, in, threads), one);
  }
}

TEST_F(Contractions, DoublesUseTheOwnLoop) {
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      ContractionSpec s = spec(67, 300, 70, ta, tb, 2, DType::F64);
      Operands in(s);
      std::vector<uint8_t> one = compute(s, in, 1);
      EXPECT_LE(worstError(s, in, one), bound(70, kUnitF64));
      for (int threads : {2, 3, 4})
        EXPECT_EQ(compute(s, in, threads), one);
    }
}

// At every way of computing: f32, bf16 by the library and widened, f64; with
// several stretches of K and none; beside init and in its place.
TEST_F(Contractions, SumsBeginFromInit) {
  for (auto [type, result] : {std::pair(DType::F32, DType::F32),
                              {DType::BF16, DType::F32},
                              {DType::F16, DType::F32},
                              {DType::F64, DType::F64}})
    for (int64_t k : {0, 40, 1100}) {
      ContractionSpec s = spec(67, 300, k, true, false, 2, type);
      s.typeC = result;
      s.hasInit = true;
      Operands in(s);
      for (CpuLevel level : {CpuLevel::Amx, CpuLevel::Avx512, CpuLevel::Avx2}) {
        std::vector<uint8_t> one = compute(s, in, 1, level);
        EXPECT_LE(worstError(s, in, one),
                  bound(k + 1, type == DType::F64 ? kUnitF64 : kUnitF32))
            << name_of(type) << " " << k;
        for (int threads : {1, 3})
          EXPECT_EQ(compute(s, in, threads, level, /*inPlace=*/true), one)
              << name_of(type) << " " << k << " at " << threads;
      }
    }
}

constexpr CpuLevel kLevels[] = {CpuLevel::Amx, CpuLevel::Avx512, CpuLevel::Avx2,
                                CpuLevel::Baseline};

/// Rounding unit of a result's one rounding.
double unitOf(DType type) {
  return type == DType::BF16 ? kUnitBf16 : type == DType::F16 ? 0x1p-11 : 0;
}

TEST_F(Contractions, SixteenBitOperandsRoundOnce) {
  for (DType type : {DType::BF16, DType::F16})
    for (DType result : {type, DType::F32})
      for (CpuLevel level : kLevels) {
        ContractionSpec s = spec(70, 130, 90, true, false, 3, type);
        s.strideB = 0;
        s.typeC = result;
        Operands in(s);
        std::vector<uint8_t> one = compute(s, in, 1, level);
        // Products of 16-bit numbers are exact in f32: only sums and the one
        // rounding err.
        EXPECT_LE(worstError(s, in, one), bound(90, kUnitF32) + unitOf(result))
            << name_of(type) << " at " << name_of(level);
        for (int threads : {2, 3, 4})
          EXPECT_EQ(compute(s, in, threads, level), one);
      }
}

TEST_F(Contractions, SixteenBitTransposesAndExtents) {
  // K of one stretch, of two, and of three with an incomplete last one.
  for (DType type : {DType::BF16, DType::F16})
    for (CpuLevel level : {CpuLevel::Amx, CpuLevel::Avx512, CpuLevel::Avx2})
      for (bool ta : {false, true})
        for (bool tb : {false, true})
          for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                                 {7, 5, 3},
                                 {300, 129, 77},
                                 {1, 300, 40},
                                 {270, 1, 40},
                                 {33, 65, 1024},
                                 {40, 70, 1037}}) {
            ContractionSpec s = spec(m, n, k, ta, tb, 1, type);
            Operands in(s);
            std::vector<uint8_t> one = compute(s, in, 1, level);
            EXPECT_LE(worstError(s, in, one), bound(k, kUnitF32) + unitOf(type))
                << name_of(type) << " " << m << "x" << n << "x" << k
                << " transposed " << ta << tb << " at " << name_of(level);
            EXPECT_EQ(compute(s, in, 4, level), one);
          }
}

TEST_F(Contractions, MixedOperandsAreWidened) {
  for (auto [a, b, c] :
       {std::array<DType, 3>{DType::BF16, DType::F32, DType::F32},
        {DType::F32, DType::F16, DType::BF16},
        {DType::BF16, DType::F16, DType::F16},
        {DType::BF16, DType::BF16, DType::F16},
        {DType::F32, DType::F32, DType::BF16}}) {
    ContractionSpec s = spec(40, 70, 600, false, true, 2);
    s.typeA = a;
    s.typeB = b;
    s.typeC = c;
    Operands in(s);
    std::vector<uint8_t> one = compute(s, in, 1);
    EXPECT_LE(worstError(s, in, one), bound(600, kUnitF32) + unitOf(c))
        << name_of(a) << " " << name_of(b) << " " << name_of(c);
    EXPECT_EQ(compute(s, in, 4), one);
  }
}

TEST_F(Contractions, SixteenBitResultsAreNearestEven) {
  // Small whole numbers: every order of summing is exact in f32, so that the
  // result is the sum, rounded, to the bit. Many sums are ties.
  for (DType type : {DType::BF16, DType::F16})
    for (CpuLevel level : kLevels) {
      ContractionSpec s = spec(65, 67, 700, false, true, 1, type);
      Operands in(s);
      for (int64_t i = 0; i < s.m * s.k; ++i)
        store(type, in.a.data(), i, std::floor(16 * draw(3, i)));
      for (int64_t i = 0; i < s.k * s.n; ++i)
        store(type, in.b.data(), i, std::floor(16 * draw(4, i)));
      std::vector<uint8_t> got = compute(s, in, 2, level);
      s.typeC = DType::F32;
      std::vector<uint8_t> sums = compute(s, in, 2, level);
      EXPECT_EQ(worstError(s, in, sums), 0);
      std::vector<uint8_t> want(got.size());
      must(convert(DType::F32, reinterpret_cast<std::byte *>(sums.data()), type,
                   reinterpret_cast<std::byte *>(want.data()),
                   uint64_t(s.m * s.n)));
      EXPECT_EQ(got, want) << name_of(type) << " at " << name_of(level);
    }
}

TEST_F(Contractions, HalfSubnormalsCount) {
  // N1: f16 contractions lose no subnormal, of an operand or of the result.
  for (CpuLevel level : kLevels) {
    ContractionSpec s = spec(3, 5, 4, false, false, 1, DType::F16);
    Operands in(s);
    for (int64_t i = 0; i < s.m * s.k; ++i)
      store(DType::F16, in.a.data(), i, 3 * 0x1p-24);
    for (int64_t i = 0; i < s.k * s.n; ++i)
      store(DType::F16, in.b.data(), i, 0.5);
    std::vector<uint8_t> got = compute(s, in, 2, level);
    for (int64_t i = 0; i < s.m * s.n; ++i)
      EXPECT_EQ(load(DType::F16, reinterpret_cast<std::byte *>(got.data()), i),
                6 * 0x1p-24);
  }
}

TEST_F(Contractions, TheProbeChoosesTheWay) {
  CpuFeatures here = CpuFeatures::probe();
  auto narrower =
      must(MatmulCache::create(1, CpuFeatures::probe(CpuLevel::Avx2)));
  EXPECT_FALSE(narrower->multipliesBf16());
  auto cache = must(MatmulCache::create(1, here));
  if (!cache->multipliesBf16())
    GTEST_SKIP() << "no products of bf16 here";
  ContractionSpec s = spec(256, 256, 4096, false, true, 1, DType::BF16);
  auto lease = ThreadPool::instance().lease();
  auto product = must(cache->get({DType::BF16, DType::BF16, false, 256, 256,
                                  4096, 4096, 1, 1, 4096, 256}));
  EXPECT_EQ(product->implementation().find("ref"), std::string::npos)
      << product->implementation();
  // Widened panels need scratch memory bounded whatever K is.
  auto wide = must(
      Contraction::create(s, *narrower, CpuFeatures::probe(CpuLevel::Avx2), 1));
  EXPECT_LE(wide.workspaceBytes(), uint64_t(2) << 20);
}

/// What a planner says before there is a plan is what a session obtains.
TEST_F(Contractions, TheWorkspaceIsKnownBeforeAnythingIsMade) {
  std::vector<ContractionSpec> specs;
  for (DType type : {DType::F32, DType::BF16, DType::F16, DType::F64})
    for (int64_t side : {0, 1, 33, 300})
      for (int64_t k : {0, 1, 600, 1700})
        for (bool transposed : {false, true})
          specs.push_back(spec(side, 300, k, transposed, true, 2, type));
  for (int threads : {1, 3}) {
    must(ThreadPool::instance().resize(threads));
    ContractionWorkspace told = must(contraction_workspace(specs, threads));
    uint64_t most = 0;
    {
      auto lease = ThreadPool::instance().lease();
      auto cache = must(MatmulCache::create(threads, CpuFeatures::probe()));
      for (const ContractionSpec &s : specs) {
        uint64_t made =
            must(Contraction::create(s, *cache, CpuFeatures::probe(), threads))
                .workspaceBytes();
        most = std::max(most, made);
      }
    }
    EXPECT_EQ(told.bytes, most);
    EXPECT_GT(most, 0u);
    EXPECT_EQ(told.threads, threads);
    ContractionWorkspace alone =
        must(contraction_workspace({&specs[told.largest], 1}, threads));
    EXPECT_EQ(alone.bytes, most);
  }
  EXPECT_EQ(must(contraction_workspace({}, 0)).bytes, 0u);
  EXPECT_EQ(must(contraction_workspace({}, 0)).threads,
            ThreadPool::processors());
}

TEST(TileCut, DependsOnShapeAndCoversIt) {
  for (const CutRule &rule : {kCutF32, kCutBf16})
    for (int64_t m : {1, 31, 256, 1000, 4096})
      for (int64_t n : {1, 63, 256, 1000, 4096})
        for (int64_t k : {0, 1, 128, 4096}) {
          TileCut cut = cutTiles(m, n, k, 1, rule);
          EXPECT_EQ(cut.rows % 32, 0);
          EXPECT_EQ(cut.columns % 64, 0);
          EXPECT_LE(cut.rows, 256);
          EXPECT_LE(cut.columns, 256);
        }
  TileCut large = cutTiles(4096, 4096, 4096, 1, kCutF32);
  EXPECT_EQ(large.rows, 256);
  EXPECT_EQ(large.columns, 256);
  // A layer of 256 samples: a matrix unit gets its largest tile.
  TileCut layer = cutTiles(256, 4096, 1024, 1, kCutBf16);
  EXPECT_EQ(layer.rows, 256);
  EXPECT_EQ(layer.columns, 256);
}

} // namespace
} // namespace ampc::rt::test

// Philox, number formats, memory, tensors, the processor probe, atomic files.
#include "runtime/core/Allocator.h"
#include "runtime/core/CpuFeatures.h"
#include "runtime/core/Float16.h"
#include "runtime/core/Initialise.h"
#include "runtime/core/Philox.h"
#include "runtime/core/SystemMemory.h"
#include "runtime/core/Tensor.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/plan/FileIO.h"
#include "test/unit/runtime/Environment.h"
#include "test/unit/runtime/TestPlans.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace ampc::rt::test {
namespace {

TEST(Philox, KnownAnswers) { // the vectors published with the generator
  EXPECT_EQ(philox({0, 0, 0, 0}, 0),
            (PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, ~uint64_t(0)),
            (PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   0x299f31d0'a4093822),
            (PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, CounterLayout) {
  PhiloxWords words =
      randomCounter(0x1234'89abcdefull, RandomMode::Initialiser, 5, 77, 3);
  EXPECT_EQ(words, (PhiloxWords{0x89abcdef, 0x00031234, 77, 0xc0000005}));
}

TEST(Philox, Distributions) {
  double sum = 0, squares = 0;
  constexpr int kCount = 40000;
  for (uint32_t i = 0; i < kCount / 4; ++i)
    for (double n : normalsOf(philox({i, 0, 0, 0}, 5))) {
      sum += n;
      squares += n * n;
    }
  // Six standard errors: 1/sqrt(n) of the mean, sqrt(2/n) of the variance.
  EXPECT_LT(std::abs(sum / kCount), 6 / std::sqrt(kCount));
  EXPECT_LT(std::abs(squares / kCount - 1), 6 * std::sqrt(2.0 / kCount));
  EXPECT_EQ(uniformOf(0), 0.0f);
  EXPECT_EQ(uniformOf(~0u), 1 - 0x1p-24f);
}

TEST(Initialise, IsAFunctionOfSeedAndSite) {
  auto make = [](InitKind kind, uint64_t seed, uint32_t site) {
    std::vector<float> values(10);
    must(initialise(kind, {-2, 2, -3, 1}, site, seed, DType::F32, 10,
                    reinterpret_cast<std::byte *>(values.data())));
    return values;
  };
  EXPECT_EQ(make(InitKind::Normal, 1, 2), make(InitKind::Normal, 1, 2));
  EXPECT_NE(make(InitKind::Normal, 1, 2), make(InitKind::Normal, 1, 3));
  EXPECT_NE(make(InitKind::Normal, 1, 2), make(InitKind::Normal, 2, 2));
  std::vector<float> uniform = make(InitKind::Uniform, 1, 2);
  PhiloxWords words = philox({1, 0, 0, 0xc0000002}, 1);
  EXPECT_EQ(uniform[5], float(-2 + 4.0 * uniformOf(words[1])));
  // Elements [first, end) of a padded start are 0, the others the same numbers.
  std::vector<float> padded(10), normal = make(InitKind::Normal, 1, 2);
  must(initialise(InitKind::PaddedNormal, {-2, 2, 3, 6}, 2, 1, DType::F32, 10,
                  reinterpret_cast<std::byte *>(padded.data())));
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(padded[i], i >= 3 && i < 6 ? 0 : normal[i]);
  EXPECT_EQ(make(InitKind::Constant, 0, 0)[9], -2.0f);
  EXPECT_EQ(make(InitKind::Ones, 0, 0)[9], 1.0f);
}

/// Quantiles of truncated normal numbers against those of the distribution
/// (its function by erf), within six standard errors.
TEST(Initialise, TruncatedNormalNumbersHaveTheirDistribution) {
  constexpr int kCount = 100000;
  constexpr double kMean = 0.5, kStd = 2, kLow = -1, kHigh = 6;
  std::vector<double> values(kCount);
  must(initialise(InitKind::TruncNormal, {kMean, kStd, kLow, kHigh}, 3, 11,
                  DType::F64, kCount,
                  reinterpret_cast<std::byte *>(values.data())));
  auto below = [](double x) {
    return 0.5 + 0.5 * std::erf((x - kMean) / kStd / std::sqrt(2.0));
  };
  double low = below(kLow), high = below(kHigh);
  for (double x : {-0.9, -0.5, 0.0, 0.5, 1.7, 3.0, 5.0, 5.9}) {
    double wanted = (below(x) - low) / (high - low);
    double share = double(std::count_if(values.begin(), values.end(),
                                        [&](double v) { return v < x; })) /
                   kCount;
    EXPECT_LT(std::abs(share - wanted),
              6 * std::sqrt(wanted * (1 - wanted) / kCount))
        << x;
  }
  auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, kLow);
  EXPECT_LE(*most, kHigh);
}

TEST(Float16, EveryHalfSurvives) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    float f16 = f16ToFloat(uint16_t(bits)), bf16 = bf16ToFloat(uint16_t(bits));
    if (std::isnan(f16))
      EXPECT_TRUE(std::isnan(f16ToFloat(floatToF16(f16))));
    else
      EXPECT_EQ(floatToF16(f16), bits);
    if (std::isnan(bf16))
      EXPECT_TRUE(std::isnan(bf16ToFloat(floatToBf16(bf16))));
    else
      EXPECT_EQ(floatToBf16(bf16), bits);
  }
}

TEST(Float16, RoundsToNearestEven) {
  EXPECT_EQ(floatToF16(65519.996f), 0x7bff);
  EXPECT_EQ(floatToF16(65520.0f), 0x7c00);
  EXPECT_EQ(floatToF16(0x1p-25f), 0x0000) << "a tie goes to even";
  EXPECT_EQ(floatToF16(0x1.8p-24f), 0x0002);
  EXPECT_EQ(floatToF16(-0x1.002p0f), 0xbc00) << "half a unit: to even";
  EXPECT_EQ(floatToF16(-0x1.006p0f), 0xbc02);
  EXPECT_EQ(floatToBf16(std::bit_cast<float>(0x3f808000u)), 0x3f80);
  EXPECT_EQ(floatToBf16(std::bit_cast<float>(0x3f818000u)), 0x3f82);
  EXPECT_EQ(floatToBf16(std::bit_cast<float>(0x7f7fffffu)), 0x7f80);
  EXPECT_EQ(floatToBf16(std::bit_cast<float>(0x7f800001u)) & 0x7fff, 0x7fc0);
  EXPECT_EQ(floatToBf16(std::bit_cast<float>(0x00018000u)), 0x0002)
      << "subnormals stay";
}

TEST(Convert, RoundsOnceFromDouble) {
  // 1 + 2^-8 + 2^-30: just over the tie of bf16; rounding through f32 first
  // would lose the rest.
  double value = 1 + 0x1p-8 + 0x1p-30;
  uint16_t bits;
  must(convert(DType::F64, reinterpret_cast<std::byte *>(&value), DType::BF16,
               reinterpret_cast<std::byte *>(&bits), 1));
  EXPECT_EQ(bits, 0x3f81);
  value = 1 + 0x1p-8;
  must(convert(DType::F64, reinterpret_cast<std::byte *>(&value), DType::BF16,
               reinterpret_cast<std::byte *>(&bits), 1));
  EXPECT_EQ(bits, 0x3f80);
}

TEST(Convert, IntegersWidenFloatsDoNotNarrow) {
  int64_t whole = 300;
  float number;
  auto *from = reinterpret_cast<std::byte *>(&whole);
  must(convert(DType::I64, from, DType::F32,
               reinterpret_cast<std::byte *>(&number), 1));
  EXPECT_EQ(number, 300.0f);
  int8_t small;
  EXPECT_EQ(errorOf(convert(DType::I64, from, DType::I8,
                            reinterpret_cast<std::byte *>(&small), 1))
                .message,
            "element 0 is 300, outside i8");
  EXPECT_EQ(errorOf(convert(DType::F32, reinterpret_cast<std::byte *>(&number),
                            DType::I64, from, 1))
                .message,
            "elements of f32 do not convert to i64");
}

TEST(Allocator, CountsAndRefuses) {
  Allocator allocator(1000);
  {
    Block block = must(allocator.allocate(MemoryKind::Arena, 600));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data()) % 64, 0u);
    EXPECT_EQ(allocator.current(MemoryKind::Arena), 600u);
    Error error = errorOf(allocator.allocate(MemoryKind::Batch, 401));
    EXPECT_EQ(error.code, Code::DoesNotFit);
    EXPECT_NE(error.message.find(
                  "401 bytes of batch do not fit: the limit is 1000 bytes"),
              std::string::npos)
        << error.message;
  }
  EXPECT_EQ(allocator.current(), 0u);
  EXPECT_EQ(allocator.peak(), 600u);
  EXPECT_EQ(
      errorOf(Allocator().allocate(MemoryKind::Batch, uint64_t(1) << 50)).code,
      Code::DoesNotFit);
}

TEST(Allocator, LargeBlocksAreZeroAndHeldFromTheStart) {
  std::optional<uint64_t> before = residentMemory();
  if (!before)
    GTEST_SKIP() << "the system does not say what a process holds";
  for (const char *pages : {"", "off"}) {
    Environment asked("AMPC_LARGE_PAGES", pages);
    constexpr uint64_t kBytes = (uint64_t(33) << 20) + 100;
    Allocator allocator;
    Block block = must(allocator.allocate(MemoryKind::Arena, kBytes));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data()) % (1 << 21), 0u);
    uint64_t held = *residentMemory() - *before;
    EXPECT_GE(held + (1 << 20), kBytes) << "touched when it is obtained";
    EXPECT_LE(held, kBytes + (3 << 20)) << "and no more than that";
    for (uint64_t i = 0; i < kBytes; ++i)
      if (block.data()[i] != std::byte(0))
        FAIL() << "byte " << i << " is " << int(block.data()[i]);
    block.data()[kBytes - 1] = std::byte(1);
    block = Block();
    EXPECT_LE(*residentMemory(), *before + (1 << 20)) << "given back";
  }
}

TEST(Initialise, ThreadsAndLengthChangeNoBit) {
  constexpr size_t kMost = 20011;
  auto drawn = [](InitKind kind, size_t count) {
    std::vector<float> values(count + 1, -7);
    must(initialise(kind, {-2, 2, 50, 9000}, 5, 3, DType::F32, count,
                    reinterpret_cast<std::byte *>(values.data())));
    EXPECT_EQ(values[count], -7) << "no element more";
    values.pop_back();
    return values;
  };
  for (InitKind kind : {InitKind::Normal, InitKind::Uniform,
                        InitKind::PaddedNormal, InitKind::Constant}) {
    must(ThreadPool::instance().resize(1));
    std::vector<float> one = drawn(kind, kMost);
    for (int threads : {2, 5}) {
      must(ThreadPool::instance().resize(threads));
      EXPECT_EQ(drawn(kind, kMost), one) << int(kind);
    }
    // What fits one piece is drawn by the caller.
    for (size_t count : {0, 1, 3, 4095, 4096, 4097, 12287})
      EXPECT_EQ(drawn(kind, count),
                std::vector<float>(one.begin(), one.begin() + long(count)))
          << int(kind) << " " << count;
  }
  must(ThreadPool::instance().resize(2));
  std::vector<int64_t> ones(1000, 5);
  must(initialise(InitKind::Ones, {}, 0, 0, DType::I64, 999,
                  reinterpret_cast<std::byte *>(ones.data())));
  EXPECT_EQ(std::ranges::count(ones, 1), 999);
  EXPECT_EQ(ones.back(), 5);
}

TEST(Tensor, RefusesNonsense) {
  EXPECT_EQ(errorOf(Tensor::zeros(DType::F32, std::vector<int64_t>{-1})).code,
            Code::BadInput);
  EXPECT_EQ(
      errorOf(Tensor::zeros(DType::F32, std::vector<int64_t>{1 << 30, 1 << 30}))
          .code,
      Code::BadInput);
  Tensor empty = must(
      Tensor::zeros(DType::F32, std::vector<int64_t>{0, int64_t(1) << 40}));
  EXPECT_EQ(empty.count(), 0u);
}

TEST(CpuFeatures, LevelsNestAndNarrow) {
  CpuFeatures all = CpuFeatures::probe();
  EXPECT_TRUE(all.has("sse2"));
  EXPECT_TRUE(all.has("+sse2") || all.has("sse2"));
  EXPECT_FALSE(all.has("no-such-feature"));
  CpuFeatures narrow = CpuFeatures::probe(CpuLevel::Baseline);
  EXPECT_EQ(narrow.level(), CpuLevel::Baseline);
  EXPECT_FALSE(narrow.has("avx2"));
  EXPECT_FALSE(narrow.has_amx());
  CpuFeatures middle = CpuFeatures::probe(CpuLevel::Avx2);
  EXPECT_LE(middle.level(), CpuLevel::Avx2);
  EXPECT_FALSE(middle.has("avx512f"));
  if (all.level() >= CpuLevel::Avx512) {
    EXPECT_TRUE(all.has("avx512f") && all.has("avx512vl") && all.has("fma") &&
                all.has("bmi"));
  }
  EXPECT_EQ(cpu_level_by_name("avx2"), CpuLevel::Avx2);
  EXPECT_FALSE(cpu_level_by_name("sse9"));
}

TEST(AtomicFile, LeavesOldOrNew) {
  std::string path = temporary("atomic.bin");
  std::vector<uint8_t> old = {1, 2, 3};
  spill(path, old);
  Error error = errorOf(AtomicFile::create(path, false));
  EXPECT_EQ(error.code, Code::Usage);
  EXPECT_EQ(error.message, "the file exists; give --force to replace it");
  {
    AtomicFile abandoned = must(AtomicFile::create(path, true));
    must(abandoned.write(std::as_bytes(std::span("new"))));
  }
  EXPECT_EQ(contents(path), old);
  AtomicFile file = must(AtomicFile::create(path, true));
  must(file.write(std::as_bytes(std::span("new", 3))));
  must(file.commit());
  EXPECT_EQ(contents(path), (std::vector<uint8_t>{'n', 'e', 'w'}));
  size_t files = 0;
  for (auto &entry : std::filesystem::directory_iterator(temporary("")))
    files += entry.path().filename().string().starts_with("atomic.bin");
  EXPECT_EQ(files, 1u) << "no temporary file is left";
  EXPECT_EQ(
      errorOf(AtomicFile::create(temporary("no/such/folder"), false)).code,
      Code::Environment);
}

} // namespace
} // namespace ampc::rt::test

// Conversions of runs at every level against the scalar ones: all 16-bit
// patterns, f32 patterns of every exponent, runs of every length.
#include "runtime/device/cpu/NarrowFloats.h"
#include "runtime/core/Float16.h"
#include "runtime/core/Philox.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace ampc::rt::test {
namespace {

constexpr CpuLevel kLevels[] = {CpuLevel::Baseline, CpuLevel::Avx2,
                                CpuLevel::Avx512};
constexpr DType kTypes[] = {DType::BF16, DType::F16};

float widen(DType type, uint16_t bits) {
  return type == DType::BF16 ? bf16ToFloat(bits) : f16ToFloat(bits);
}
uint16_t round(DType type, float value) {
  return type == DType::BF16 ? floatToBf16(value) : floatToF16(value);
}

TEST(NarrowFloats, EveryPatternWidensExactly) {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = uint16_t(i);
  for (CpuLevel level : kLevels)
    for (DType type : kTypes) {
      std::vector<float> wide(all.size());
      NarrowFloats::choose(CpuFeatures::probe(level))
          .widenOf(type)(all.data(), wide.data(), int64_t(all.size()));
      for (size_t i = 0; i < all.size(); ++i) {
        float want = widen(type, all[i]);
        if (std::isnan(want))
          ASSERT_TRUE(std::isnan(wide[i])) << i;
        else
          ASSERT_EQ(std::bit_cast<uint32_t>(wide[i]),
                    std::bit_cast<uint32_t>(want))
              << name_of(type) << " " << i << " at " << name_of(level);
      }
    }
}

TEST(NarrowFloats, RoundsToNearestEven) {
  // Every exponent and sign with mantissas about the ties of both formats.
  std::vector<float> values;
  for (uint32_t high = 0; high < 512; ++high)
    for (uint32_t mantissa :
         {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x7fffu, 0x8000u,
          0x8001u, 0x17fffu, 0x18000u, 0x18001u, 0x7fefffu, 0x7ff000u,
          0x7f7fffu, 0x7f8000u, 0x7fffffu, 0x400000u})
      values.push_back(std::bit_cast<float>(high << 23 | mantissa));
  for (uint32_t i = 0; i < 65536; ++i)
    values.push_back(std::bit_cast<float>(philox({i, 0, 0, 0}, 7)[0]));
  for (CpuLevel level : kLevels)
    for (DType type : kTypes) {
      std::vector<uint16_t> narrow(values.size());
      NarrowFloats::choose(CpuFeatures::probe(level))
          .roundOf(type)(values.data(), narrow.data(), int64_t(values.size()));
      for (size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i]))
          ASSERT_TRUE(std::isnan(widen(type, narrow[i]))) << i;
        else
          ASSERT_EQ(narrow[i], round(type, values[i]))
              << name_of(type) << " of " << values[i] << " at "
              << name_of(level);
      }
    }
}

TEST(NarrowFloats, RunsOfEveryLengthStayInside) {
  for (CpuLevel level : kLevels)
    for (DType type : kTypes)
      for (int64_t count = 0; count < 70; ++count) {
        NarrowFloats floats = NarrowFloats::choose(CpuFeatures::probe(level));
        std::vector<uint16_t> narrow(size_t(count) + 1, 0xabcd);
        std::vector<float> wide(size_t(count) + 1, 1.5f);
        floats.roundOf(type)(wide.data(), narrow.data(), count);
        EXPECT_EQ(narrow[size_t(count)], 0xabcd);
        wide[size_t(count)] = -7;
        for (int64_t i = 0; i < count; ++i)
          wide[size_t(i)] = 0;
        floats.widenOf(type)(narrow.data(), wide.data(), count);
        for (int64_t i = 0; i < count; ++i)
          EXPECT_EQ(wide[size_t(i)], 1.5f) << i << " of " << count;
        EXPECT_EQ(wide[size_t(count)], -7);
      }
}

} // namespace
} // namespace ampc::rt::test

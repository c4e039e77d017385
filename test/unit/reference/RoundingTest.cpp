// Rounding (N1): every 16-bit and 8-bit pattern, every midpoint between
// neighbours and its two neighbours in f64, against an independent statement of
// round to nearest, ties to even.
#include "ir/reference/Rounding.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace ampc::reference;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

class RoundingTest : public testing::Test {
protected:
  MLIRContext context;
  Builder builder{&context};
  Type f16 = builder.getF16Type(), bf16 = builder.getBF16Type(),
       f32 = builder.getF32Type();
  Type f64 = builder.getF64Type();
  Type e4m3 = Float8E4M3FNType::get(&context),
       e5m2 = Float8E5M2Type::get(&context);
};

/// Each pattern decodes as LLVM reads it and encodes back to itself (NaNs
/// become quiet).
void checkPatterns(Type type) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  unsigned bits = type.getIntOrFloatBitWidth();
  for (uint64_t pattern = 0; pattern < (uint64_t(1) << bits); ++pattern) {
    llvm::APFloat exact(semantics, llvm::APInt(bits, pattern));
    double value = decode(pattern, type);
    if (exact.isNaN()) {
      ASSERT_TRUE(std::isnan(value)) << pattern;
      double again = decode(encode(value, type), type);
      ASSERT_TRUE(std::isnan(again)) << pattern;
      ASSERT_EQ(std::signbit(again), std::signbit(value)) << pattern;
      ASSERT_TRUE(std::isnan(roundTo(value, type))) << pattern;
      continue;
    }
    bool lost = false;
    exact.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &lost);
    ASSERT_FALSE(lost);
    ASSERT_EQ(std::bit_cast<uint64_t>(value),
              std::bit_cast<uint64_t>(exact.convertToDouble()))
        << pattern;
    ASSERT_EQ(encode(value, type), pattern);
    ASSERT_EQ(std::bit_cast<uint64_t>(roundTo(value, type)),
              std::bit_cast<uint64_t>(value))
        << pattern;
  }
}

/// Between each finite number and the next, both signs: the midpoint goes to
/// the even pattern, the f64 just below it down, the one just above it up.
void checkMidpoints(Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  for (uint64_t pattern = 0; pattern + 1 < (uint64_t(1) << (bits - 1));
       ++pattern) {
    double low = decode(pattern, type), high = decode(pattern + 1, type);
    if (!std::isfinite(low) || !std::isfinite(high))
      break;
    double middle = low + (high - low) / 2; // exact: f64 has many more digits
    double even = pattern % 2 == 0 ? low : high;
    for (double sign : {1.0, -1.0}) {
      ASSERT_EQ(roundTo(sign * middle, type), sign * even) << pattern;
      ASSERT_EQ(roundTo(sign * std::nextafter(middle, 0.0), type), sign * low)
          << pattern;
      ASSERT_EQ(roundTo(sign * std::nextafter(middle, kInf), type), sign * high)
          << pattern;
      ASSERT_EQ(std::signbit(roundTo(sign * middle, type)), sign < 0)
          << pattern;
    }
  }
}

TEST_F(RoundingTest, EveryPatternOfF16) { checkPatterns(f16); }
TEST_F(RoundingTest, EveryPatternOfBF16) { checkPatterns(bf16); }
TEST_F(RoundingTest, EveryPatternOfF8E4M3FN) { checkPatterns(e4m3); }
TEST_F(RoundingTest, EveryPatternOfF8E5M2) { checkPatterns(e5m2); }

TEST_F(RoundingTest, EveryMidpointOfF16) { checkMidpoints(f16); }
TEST_F(RoundingTest, EveryMidpointOfBF16) { checkMidpoints(bf16); }
TEST_F(RoundingTest, EveryMidpointOfF8E4M3FN) { checkMidpoints(e4m3); }
TEST_F(RoundingTest, EveryMidpointOfF8E5M2) { checkMidpoints(e5m2); }

TEST_F(RoundingTest, OverflowGivesInfinity) {
  EXPECT_EQ(roundTo(std::nextafter(65520.0, 0.0), f16), 65504.0);
  EXPECT_EQ(roundTo(65520.0, f16), kInf);
  EXPECT_EQ(roundTo(-65520.0, f16), -kInf);
  EXPECT_EQ(roundTo(61439.0, e5m2), 57344.0);
  EXPECT_EQ(roundTo(61440.0, e5m2), kInf);
  // bf16: halfway between the largest finite number and 2^128.
  EXPECT_EQ(roundTo(0x1.fefffffffffffp127, bf16), 0x1.fep127);
  EXPECT_EQ(roundTo(0x1.ffp127, bf16), kInf);
  EXPECT_EQ(roundTo(0x1.ffffffp127, f32), kInf);
  EXPECT_EQ(roundTo(std::numeric_limits<double>::max(), bf16), kInf);
  EXPECT_EQ(roundTo(-kInf, f16), -kInf);
}

TEST_F(RoundingTest, OverflowOfF8E4M3FNGivesNaN) {
  EXPECT_EQ(roundTo(464.0, e4m3), 448.0); // a tie, and 448 is even
  EXPECT_TRUE(std::isnan(roundTo(std::nextafter(464.0, kInf), e4m3)));
  EXPECT_TRUE(std::isnan(roundTo(kInf, e4m3)));
  EXPECT_TRUE(std::isnan(roundTo(-1e300, e4m3)));
  EXPECT_EQ(encode(roundTo(kInf, e4m3), e4m3), 0x7fu);
}

TEST_F(RoundingTest, SmallestSubnormals) {
  for (auto [type, smallest] :
       {std::pair(f16, 0x1p-24), std::pair(bf16, 0x1p-133),
        std::pair(f32, 0x1p-149), std::pair(e4m3, 0x1p-9),
        std::pair(e5m2, 0x1p-16)}) {
    EXPECT_EQ(roundTo(smallest, type), smallest);
    EXPECT_EQ(roundTo(smallest / 2, type), 0.0); // a tie, and 0 is even
    EXPECT_EQ(roundTo(std::nextafter(smallest / 2, 1.0), type), smallest);
    EXPECT_EQ(roundTo(smallest * 1.5, type), smallest * 2);
    EXPECT_TRUE(std::signbit(roundTo(-smallest / 4, type)));
    EXPECT_EQ(encode(smallest, type), 1u);
  }
  EXPECT_EQ(roundTo(std::numeric_limits<double>::denorm_min(), bf16), 0.0);
}

TEST_F(RoundingTest, OneRoundingOnly) {
  // Just above the midpoint of 1 and its bf16 neighbour, by less than f32 can
  // tell: a way through f32 would land on the midpoint and then on 1.
  double value = 1 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(roundTo(value, bf16), 1 + 0x1p-7);
  EXPECT_EQ(roundTo(roundTo(value, f32), bf16), 1.0);
}

TEST_F(RoundingTest, NaNStaysNaN) {
  // A bf16 NaN with a low payload must not become inf.
  double lowPayload = std::bit_cast<double>(uint64_t(0x7ff0000000000001));
  for (Type type : {f16, bf16, f32, f64, e4m3, e5m2}) {
    EXPECT_TRUE(std::isnan(roundTo(lowPayload, type)));
    EXPECT_TRUE(std::isnan(decode(encode(lowPayload, type), type)));
  }
  EXPECT_TRUE(std::isnan(decode(0x7f81, bf16)));
}

TEST_F(RoundingTest, IntegersRoundOnce) {
  EXPECT_EQ(roundInteger(16777217, f32), 16777216.0);
  EXPECT_EQ(roundInteger(4095, f16), 4096.0);
  EXPECT_EQ(roundInteger(257, bf16), 256.0);
  EXPECT_EQ(roundInteger(259, bf16), 260.0);
  EXPECT_EQ(roundInteger(std::numeric_limits<int64_t>::min(), bf16), -0x1p63);
  EXPECT_EQ(roundInteger(std::numeric_limits<int64_t>::max(), f16), kInf);
  // 2^62 + 2^54 is halfway between bf16 neighbours; one more must go up, though
  // f64 drops it.
  int64_t middle = (int64_t(1) << 62) + (int64_t(1) << 54);
  EXPECT_EQ(roundInteger(middle, bf16), 0x1p62);
  EXPECT_EQ(roundInteger(middle + 1, bf16), 0x1p62 + 0x1p55);
  EXPECT_EQ(roundInteger(-middle - 1, bf16), -0x1p62 - 0x1p55);
}

TEST_F(RoundingTest, IntegersWrapAndTruncate) {
  Type i1 = builder.getI1Type(), i8 = builder.getI8Type(),
       i32 = builder.getI32Type();
  Type i64 = builder.getI64Type();
  EXPECT_EQ(wrapTo(128, i8), -128);
  EXPECT_EQ(wrapTo(-129, i8), 127);
  EXPECT_EQ(wrapTo(int64_t(1) << 31, i32), -(int64_t(1) << 31));
  EXPECT_EQ(wrapTo(-1, i1), 1);
  EXPECT_EQ(truncateTo(-2.9, i8), -2);
  EXPECT_EQ(truncateTo(127.9, i8), 127);
  EXPECT_EQ(truncateTo(128.0, i8), 127);
  EXPECT_EQ(truncateTo(-kInf, i32), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(truncateTo(0x1p63, i64), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(truncateTo(-0x1p63, i64), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(truncateTo(std::nextafter(0x1p63, 0.0), i64), INT64_MAX - 1023);
  EXPECT_EQ(truncateTo(std::nan(""), i64), 0);
  EXPECT_EQ(truncateTo(0.25, i1), 1);
  EXPECT_EQ(truncateTo(-0.0, i1), 0);
  EXPECT_EQ(truncateTo(std::nan(""), i1), 1);
}

} // namespace

// Bounds: the roundings they state are reached and never exceeded, and sums in
// the specified orders stay within the table on data it has not seen.
#include "test/numerics/Bounds.h"

#include "ir/reference/Rounding.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "test/numerics/Graph.h"
#include "test/numerics/Orders.h"

using namespace mlir;
using namespace ampc::test;
using ampc::reference::roundTo;

namespace {

class BoundsTest : public testing::Test {
protected:
  MLIRContext context;
  Builder builder{&context};
  Type f16 = builder.getF16Type(), bf16 = builder.getBF16Type();
  Type f32 = builder.getF32Type(), f64 = builder.getF64Type();
};

TEST_F(BoundsTest, OneRounding) {
  EXPECT_EQ(roundingBound(1, f32), 0x1p-24);
  EXPECT_EQ(roundingBound(-1, bf16), 0x1p-8);
  EXPECT_EQ(roundingBound(0, f16), 0x1p-25); // half the smallest subnormal
  EXPECT_EQ(roundingBound(0x1p-20, f16), 0x1p-25);
  EXPECT_EQ(roundingBound(0, f32), 0x1p-150);
  Numbers numbers(1);
  for (Type type : {f16, bf16, f32})
    for (int i = 0; i < 10000; ++i) {
      double x = std::ldexp(numbers.between(-2, 2) + numbers.unit() * 0x1p-10,
                            static_cast<int>(numbers.integer(-30, 10)));
      EXPECT_LE(std::fabs(roundTo(x, type) - x), roundingBound(x, type)) << x;
    }
}

TEST_F(BoundsTest, Ulps) {
  double ulp = 0x1p-23;
  EXPECT_EQ(ulpBound(1, f32, 2), 2.5 * ulp);
}

TEST_F(BoundsTest, LengthsRoundUpAndGrow) {
  EXPECT_EQ(accumulationBound(f32, Accumulation::row, 0), 0);
  EXPECT_EQ(accumulationBound(f32, Accumulation::row, 1),
            0); // one term: no addition rounds
  EXPECT_GT(accumulationBound(f32, Accumulation::contraction, 1),
            0); // the product rounds
  EXPECT_EQ(accumulationBound(bf16, Accumulation::contraction, 1),
            0); // it is exact in f32
  EXPECT_EQ(accumulationBound(f32, Accumulation::row, 100),
            accumulationBound(f32, Accumulation::row, 256));
  double last = accumulationBound(f32, Accumulation::column, 1 << 20);
  EXPECT_EQ(accumulationBound(f32, Accumulation::column, 1 << 22), 4 * last);
  for (Type type : {f16, bf16, f32, f64})
    for (Accumulation order :
         {Accumulation::row, Accumulation::column, Accumulation::contraction}) {
      double before = 0;
      for (int64_t length = 1; length <= 1 << 20; length *= 2) {
        double bound = accumulationBound(type, order, length);
        EXPECT_GE(bound, before);
        before = bound;
      }
      // Far below what a wrong format, order or missing term would show.
      EXPECT_LT(before, type.isF64() ? 1e-11 : 1e-3);
    }
}

TEST_F(BoundsTest, UnseenSumsStayWithin) {
  Numbers numbers(99);
  for (int64_t length : {1, 2, 7, 33, 64, 65, 100, 1000, 5000, 70000})
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<float> a, b;
      double sum = 0, magnitude = 0, dot = 0, dotMagnitude = 0;
      for (int64_t i = 0; i < length; ++i) {
        a.push_back(static_cast<float>(numbers.unit() - 0.25));
        b.push_back(static_cast<float>(numbers.unit() - 0.25));
        sum += a.back();
        magnitude += std::fabs(a.back());
        dot += double(a.back()) * b.back();
        dotMagnitude += std::fabs(double(a.back()) * b.back());
      }
      EXPECT_LE(std::fabs(rowSum(a) - roundTo(sum, f32)),
                sumBound(f32, f32, Accumulation::row, length, magnitude, sum));
      EXPECT_LE(
          std::fabs(columnSum(a) - roundTo(sum, f32)),
          sumBound(f32, f32, Accumulation::column, length, magnitude, sum));
      EXPECT_LE(std::fabs(blockedDot<float, true>(a, b) - roundTo(dot, f32)),
                sumBound(f32, f32, Accumulation::contraction, length,
                         dotMagnitude, dot));
    }
}

TEST_F(BoundsTest, AnAccumulatorInBF16IsCaught) {
  // The fault the bounds exist for: a sum kept in bf16 stalls.
  double stalled = 0, sum = 0;
  for (int i = 0; i < 1600; ++i) {
    stalled = roundTo(stalled + 1, bf16);
    sum += 1;
  }
  EXPECT_GT(std::fabs(stalled - sum),
            sumBound(bf16, bf16, Accumulation::column, 1600, sum, sum));
}

} // namespace

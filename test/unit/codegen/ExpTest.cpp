// The exponential: at most 2 ulp of error over the whole range, subnormal
// results kept (N1).
#include "test/unit/codegen/Program.h"
#include "test/unit/codegen/Ulps.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <random>

using namespace ampc::test;

namespace {

std::string expText(size_t n, const std::string &element) {
  std::string type = std::to_string(n) + "x" + element,
              t = "tensor<" + type + ">";
  return groupModule("map", std::to_string(n), {type}, {type},
                     "%0 = amp.exp %a0 : " + t + "\namp.yield %0 : " + t);
}

} // namespace

TEST(Exp, DenseF32GridIsWithinTwoUlp) {
  constexpr size_t kChunk = size_t(1) << 22;
  Program program(expText(kChunk, "f32"), "host");
  std::vector<float> x(kChunk);
  double worst = 0;
  float worstAt = 0;
  size_t checked = 0;
  // Every 97th of all patterns: sign, exponent and low bits all vary.
  uint64_t pattern = 0;
  while (pattern < (uint64_t(1) << 32)) {
    size_t filled = 0;
    for (; filled < kChunk && pattern < (uint64_t(1) << 32); pattern += 97)
      x[filled++] = std::bit_cast<float>(uint32_t(pattern));
    auto y = valuesOf<float>(program.run("infer", {bytesOf(x)})[0]);
    for (size_t i = 0; i < filled; ++i) {
      if (std::isnan(x[i])) {
        ASSERT_TRUE(std::isnan(y[i]));
        continue;
      }
      // Outside the interval the answer is known; inside, the library's f64 is
      // exact enough.
      if (x[i] > 89.0f) {
        ASSERT_EQ(y[i], INFINITY);
        continue;
      }
      if (x[i] < -105.0f) {
        ASSERT_EQ(std::bit_cast<uint32_t>(y[i]), 0u);
        continue;
      }
      if (std::fabs(x[i]) < 0x1p-26f) {
        ASSERT_EQ(y[i], 1.0f);
        continue;
      }
      double exact = std::exp(double(x[i]));
      if (exact >= 0x1.ffffffp127) { // rounds to infinity
        ASSERT_EQ(y[i], INFINITY) << x[i];
        continue;
      }
      double error = ulps32(y[i], exact);
      if (error > worst) {
        worst = error;
        worstAt = x[i];
      }
      ++checked;
    }
  }
  std::printf("exp f32: %zu arguments, worst %.3f ulp at %a\n", checked, worst,
              worstAt);
  EXPECT_LE(worst, 2.0);
  EXPECT_GT(checked, size_t(5'000'000));
}

TEST(Exp, F64IsWithinTwoUlp) {
  constexpr size_t n = size_t(1) << 20;
  std::vector<double> x(n);
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> whole(-746, 710), unit(-1, 1);
  for (size_t i = 0; i < n; ++i)
    x[i] = i % 4 == 0 ? unit(engine) * std::exp2(-double(i / 4 % 60))
                      : whole(engine);
  const double special[] = {0.0,   -0.0,   INFINITY, -INFINITY, NAN,
                            1e308, -1e308, 709.78,   -745.1};
  std::copy(std::begin(special), std::end(special), x.begin());
  for (const std::string &level : levelsHere()) {
    auto y =
        valuesOf<double>(runGroup(expText(n, "f64"), level, {bytesOf(x)})[0]);
    long double worst = 0;
    for (size_t i = 0; i < n; ++i) {
      if (std::isnan(x[i])) {
        EXPECT_TRUE(std::isnan(y[i]));
        continue;
      }
      long double exact = std::exp((long double)x[i]);
      if (double(exact) == INFINITY || double(exact) == 0) {
        EXPECT_EQ(y[i], double(exact)) << x[i];
        continue;
      }
      long double unitOfExact =
          std::exp2((long double)std::max(std::ilogb(exact), -1022) - 52);
      worst =
          std::max(worst, std::fabs((long double)y[i] - exact) / unitOfExact);
    }
    std::printf("exp f64, %s: worst %.3Lf ulp\n", level.c_str(), worst);
    EXPECT_LE(worst, 2.0L);
  }
}

TEST(Exp, LevelsAndVectorsGiveTheSameBits) {
  // 1003 elements: whole vectors and a scalar rest; each level has its own
  // vector width.
  constexpr size_t n = 1003;
  std::vector<float> x(n);
  std::mt19937 engine(2);
  std::uniform_real_distribution<float> draw(-104, 89);
  for (float &value : x)
    value = draw(engine);
  std::vector<std::vector<uint8_t>> first;
  for (const std::string &level : levelsHere()) {
    auto y = runGroup(expText(n, "f32"), level, {bytesOf(x)});
    if (first.empty())
      first = y;
    EXPECT_EQ(y, first) << level;
  }
}

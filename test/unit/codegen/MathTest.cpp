// The math functions over the whole range of their argument: exp, log, log1p,
// tanh and erf within 2 ulp, sin, cos and pow within 4, the special values of C
// (N1).
#include "test/unit/codegen/Program.h"
#include "test/unit/codegen/Ulps.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <random>

using namespace ampc::test;

namespace {

/// A function of one argument, what it should be, and its bound in ulp.
struct Function {
  const char *name;
  double (*exact)(double);
  long double (*wide)(long double);
  double bound;
};

void PrintTo(const Function &function, std::ostream *out) {
  *out << function.name;
}

std::string unaryText(const std::string &op, size_t n,
                      const std::string &element) {
  std::string type = std::to_string(n) + "x" + element,
              t = "tensor<" + type + ">";
  return groupModule("map", std::to_string(n), {type}, {type},
                     "%0 = amp." + op + " %a0 : " + t +
                         "\namp.yield %0 : " + t);
}

std::string binaryText(const std::string &op, size_t n,
                       const std::string &element) {
  std::string type = std::to_string(n) + "x" + element,
              t = "tensor<" + type + ">";
  return groupModule("map", std::to_string(n), {type, type}, {type},
                     "%0 = amp." + op + " %a0, %a1 : " + t +
                         "\namp.yield %0 : " + t);
}

long double ulps64(double actual, long double exact) {
  double nearest = double(exact);
  if (std::isnan(exact) || std::isinf(nearest) || exact == 0) {
    bool same = std::isnan(exact) ? std::isnan(actual)
                                  : std::bit_cast<uint64_t>(actual) ==
                                        std::bit_cast<uint64_t>(nearest);
    return same ? 0 : INFINITY;
  }
  if (!std::isfinite(actual))
    return INFINITY;
  long double unit =
      std::exp2((long double)std::max(std::ilogb(exact), -1022) - 52);
  return std::fabs((long double)actual - exact) / unit;
}

/// Arguments around which formulas change.
const double kSpecial[] = {0.0,
                           -0.0,
                           INFINITY,
                           -INFINITY,
                           NAN,
                           1.0,
                           -1.0,
                           0.5,
                           -0.5,
                           2.0,
                           0.6,
                           0x1p-5,
                           3.84375,
                           6.0,
                           20.0,
                           0x1p-24,
                           0x1p-54,
                           0x1p-126,
                           0x1p-149,
                           -0x1p-149,
                           M_PI_2,
                           M_PI,
                           1e10,
                           0x1.fffffep127,
                           -0x1.fffffep127,
                           0x1.6ac5b2p107,
                           0x1.921fb6p0,
                           0x1.fffffep-1,
                           -0x1.fffffep-1};

class Unary : public testing::TestWithParam<Function> {};

} // namespace

TEST_P(Unary, F32IsWithinItsBoundOverTheWholeRange) {
  const Function &function = GetParam();
  constexpr size_t kChunk = size_t(1) << 20;
  Program program(unaryText(function.name, kChunk, "f32"), "host");
  std::vector<float> x(kChunk);
  double worst = 0;
  float worstAt = 0;
  size_t checked = 0;
  auto check = [&](size_t filled) {
    auto y = valuesOf<float>(program.run("infer", {bytesOf(x)})[0]);
    for (size_t i = 0; i < filled; ++i) {
      double error = ulps32(y[i], function.exact(x[i]));
      if (!(error <= worst)) {
        worst = error;
        worstAt = x[i];
      }
    }
    checked += filled;
  };
  // Every 397th of all patterns: sign, exponent and low bits all vary.
  uint64_t pattern = 0;
  while (pattern < (uint64_t(1) << 32)) {
    size_t filled = 0;
    for (; filled < kChunk && pattern < (uint64_t(1) << 32); pattern += 397)
      x[filled++] = std::bit_cast<float>(uint32_t(pattern));
    check(filled);
  }
  // Every pattern near the special arguments.
  size_t filled = 0;
  for (double special : kSpecial)
    for (int32_t step = -8192; step <= 8192; ++step)
      x[filled++] = std::bit_cast<float>(
          std::bit_cast<uint32_t>(float(special)) + uint32_t(step));
  check(filled);
  std::printf("%s f32: %zu arguments, worst %.3f ulp at %a\n", function.name,
              checked, worst, worstAt);
  EXPECT_LE(worst, function.bound) << "at " << worstAt;
}

TEST_P(Unary, F64IsWithinItsBound) {
  const Function &function = GetParam();
  constexpr size_t n = size_t(1) << 18;
  std::vector<double> x(n);
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> small(-8, 8);
  for (size_t i = 0; i < n; ++i)
    x[i] = i % 2 ? std::bit_cast<double>(engine()) : small(engine);
  size_t at = 0;
  for (double special : kSpecial)
    for (int64_t step = -64; step <= 64; ++step)
      x[at++] = std::bit_cast<double>(std::bit_cast<uint64_t>(special) +
                                      uint64_t(step));
  x[at++] = 0x1.6ac5b262ca1ffp849; // the closest to a multiple of pi/2
  auto y = valuesOf<double>(
      runGroup(unaryText(function.name, n, "f64"), "host", {bytesOf(x)})[0]);
  long double worst = 0;
  double worstAt = 0;
  for (size_t i = 0; i < n; ++i) {
    long double error = ulps64(y[i], function.wide(x[i]));
    if (!(error <= worst)) {
      worst = error;
      worstAt = x[i];
    }
  }
  std::printf("%s f64: worst %.3Lf ulp at %a\n", function.name, worst, worstAt);
  EXPECT_LE(worst, function.bound) << "at " << worstAt;
}

TEST_P(Unary, LevelsAndVectorsGiveTheSameBits) {
  // 1003 elements: whole vectors and a scalar rest.
  constexpr size_t n = 1003;
  std::vector<float> x(n);
  std::mt19937 engine(2);
  for (float &value : x)
    value = std::bit_cast<float>(uint32_t(engine()) & 0xc7ffffff);
  std::vector<std::vector<uint8_t>> first;
  for (const std::string &level : levelsHere()) {
    auto y =
        runGroup(unaryText(GetParam().name, n, "f32"), level, {bytesOf(x)});
    if (first.empty())
      first = y;
    EXPECT_EQ(y, first) << level;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Math, Unary,
    testing::Values(Function{"log", std::log, std::log, 2},
                    Function{"log1p", std::log1p, std::log1p, 2},
                    Function{"tanh", std::tanh, std::tanh, 2},
                    Function{"erf", std::erf, std::erf, 2},
                    Function{"sin", std::sin, std::sin, 4},
                    Function{"cos", std::cos, std::cos, 4},
                    Function{"floor", std::floor, std::floor, 0}),
    [](const auto &info) { return std::string(info.param.name); });

namespace {

/// Pairs on a dense grid: both arguments over all exponents, and bases near 1
/// with exponents that bring the result back into range.
template <class T>
void fillPairs(std::vector<T> &x, std::vector<T> &y) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (size_t i = 0; i < x.size(); ++i) {
    double base = std::exp2(unit(engine) * (i % 3 ? 8 : 140));
    if (i % 5 == 0)
      base = 1 + unit(engine) * std::exp2(-double(i % 23));
    double limit = sizeof(T) == 4 ? 110 : 750;
    double power =
        unit(engine) * limit / std::max(std::fabs(std::log(base)), 1e-30);
    if (i % 7 == 0)
      power = std::nearbyint(unit(engine) * 40);
    x[i] = T(i % 7 == 0 && i % 2 ? -base : base);
    y[i] = T(power);
  }
  const double special[] = {0.0,  -0.0,  1.0,      -1.0,      2.0,
                            -2.0, 3.0,   -3.0,     0.5,       -0.5,
                            1e30, -1e30, INFINITY, -INFINITY, NAN};
  size_t at = 0;
  for (double a : special)
    for (double b : special) {
      x[at] = T(a);
      y[at++] = T(b);
    }
}

} // namespace

TEST(Pow, F32IsWithinFourUlpWithTheSpecialValuesOfC) {
  constexpr size_t n = size_t(1) << 21;
  std::vector<float> x(n), y(n);
  fillPairs(x, y);
  auto z = valuesOf<float>(runGroup(binaryText("pow", n, "f32"), "host",
                                    {bytesOf(x), bytesOf(y)})[0]);
  double worst = 0;
  size_t worstAt = 0;
  for (size_t i = 0; i < n; ++i) {
    double error = ulps32(z[i], std::pow(double(x[i]), double(y[i])));
    if (!(error <= worst)) {
      worst = error;
      worstAt = i;
    }
  }
  std::printf("pow f32: worst %.3f ulp at %a, %a\n", worst, x[worstAt],
              y[worstAt]);
  EXPECT_LE(worst, 4) << x[worstAt] << " to the " << y[worstAt] << " is not "
                      << z[worstAt];
}

TEST(Pow, F64IsWithinFourUlpWithTheSpecialValuesOfC) {
  constexpr size_t n = size_t(1) << 18;
  std::vector<double> x(n), y(n);
  fillPairs(x, y);
  auto z = valuesOf<double>(runGroup(binaryText("pow", n, "f64"), "host",
                                     {bytesOf(x), bytesOf(y)})[0]);
  long double worst = 0;
  size_t worstAt = 0;
  for (size_t i = 0; i < n; ++i) {
    long double error =
        ulps64(z[i], std::pow((long double)x[i], (long double)y[i]));
    if (!(error <= worst)) {
      worst = error;
      worstAt = i;
    }
  }
  std::printf("pow f64: worst %.3Lf ulp at %a, %a\n", worst, x[worstAt],
              y[worstAt]);
  EXPECT_LE(worst, 4) << x[worstAt] << " to the " << y[worstAt] << " is not "
                      << z[worstAt];
}

namespace {

template <class T>
T floorRemainder(T a, T b) {
  T r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

template <class T>
T floorQuotient(T a, T b) {
  if (b == 0)
    return a / b;
  T r = std::fmod(a, b);
  T q = std::nearbyint((a - r) / b);
  if (r != 0 && (r < 0) != (b < 0))
    q -= 1;
  return q == 0 ? std::copysign(T(0), a / b) : q;
}

template <class T, class Bits>
void expectFloorDivision(const std::string &element) {
  constexpr size_t n = 20011;
  std::vector<T> x(n), y(n);
  std::mt19937_64 engine(4);
  for (size_t i = 0; i < n; ++i) {
    x[i] = std::bit_cast<T>(Bits(engine()));
    y[i] = std::bit_cast<T>(Bits(engine()));
    if (i % 3 == 0) {
      x[i] = T(int(engine() % 2001) - 1000) / 8;
      y[i] = T(int(engine() % 33) - 16) / 8;
    }
  }
  const T special[] = {0,
                       T(-0.0),
                       1,
                       -1,
                       INFINITY,
                       -INFINITY,
                       NAN,
                       T(0.1),
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::denorm_min()};
  size_t at = 0;
  for (T a : special)
    for (T b : special) {
      x[at] = a;
      y[at++] = b;
    }
  auto run = [&](const char *op) {
    return valuesOf<T>(runGroup(binaryText(op, n, element), "host",
                                {bytesOf(x), bytesOf(y)})[0]);
  };
  std::vector<T> remainder = run("remainder"), quotient = run("floor_div");
  auto same = [](T a, T b) {
    return std::isnan(a) ? std::isnan(b)
                         : std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
  };
  for (size_t i = 0; i < n; ++i) {
    EXPECT_TRUE(same(floorRemainder(x[i], y[i]), remainder[i]))
        << x[i] << " mod " << y[i] << " is not " << remainder[i];
    EXPECT_TRUE(same(floorQuotient(x[i], y[i]), quotient[i]))
        << x[i] << " by " << y[i] << " is not " << quotient[i];
  }
}

} // namespace

TEST(FloorDivision, F32IsExact) { expectFloorDivision<float, uint32_t>("f32"); }
TEST(FloorDivision, F64IsExact) {
  expectFloorDivision<double, uint64_t>("f64");
}

TEST(FloorDivision, IntegersRoundDownAndNeverTrap) {
  const std::vector<int32_t> special = {0, 1,  -1,  2,         -2,
                                        7, -7, 100, INT32_MAX, INT32_MIN};
  std::vector<int32_t> x, y;
  for (int32_t a : special)
    for (int32_t b : special) {
      x.push_back(a);
      y.push_back(b);
    }
  auto run = [&](const char *op) {
    return valuesOf<int32_t>(runGroup(binaryText(op, x.size(), "i32"), "host",
                                      {bytesOf(x), bytesOf(y)})[0]);
  };
  std::vector<int32_t> remainder = run("remainder"),
                       quotient = run("floor_div");
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t a = x[i], b = y[i], q = 0, r = 0;
    if (b != 0) {
      q = a / b - (a % b != 0 && (a % b < 0) != (b < 0));
      r = a - q * b;
    }
    EXPECT_EQ(quotient[i], int32_t(q)) << a << " by " << b;
    EXPECT_EQ(remainder[i], int32_t(r)) << a << " mod " << b;
  }
}

TEST(Map, AbsSignAndLogic) {
  std::string text = groupModule(
      "map", "9", {"9xf32", "9xi32"},
      {"9xf32", "9xf32", "9xi32", "9xi32", "9xi1", "9xi1", "9xi1", "9xi1"}, R"(
      %0 = amp.abs %a0 : tensor<9xf32>
      %1 = amp.sign %a0 : tensor<9xf32>
      %2 = amp.abs %a1 : tensor<9xi32>
      %3 = amp.sign %a1 : tensor<9xi32>
      %z = amp.constant dense<0> : tensor<9xi32>
      %o = amp.constant dense<0.0> : tensor<9xf32>
      %p = amp.compare gt %a0, %o : tensor<9xf32>
      %q = amp.compare gt %a1, %z : tensor<9xi32>
      %4 = amp.and %p, %q : tensor<9xi1>
      %5 = amp.or %p, %q : tensor<9xi1>
      %6 = amp.xor %p, %q : tensor<9xi1>
      %7 = amp.not %p : tensor<9xi1>
      amp.yield %0, %1, %2, %3, %4, %5, %6, %7 : tensor<9xf32>, tensor<9xf32>,
        tensor<9xi32>, tensor<9xi32>, tensor<9xi1>, tensor<9xi1>, tensor<9xi1>, tensor<9xi1>)");
  std::vector<float> x = {0, -0.0f, 2, -2, INFINITY, -INFINITY, 1e-45f, NAN, 3};
  std::vector<int32_t> k = {0, 1, -1, 5, -5, INT32_MAX, INT32_MIN, 2, 3};
  auto results = runGroup(text, "host", {bytesOf(x), bytesOf(k)});
  auto magnitude = valuesOf<float>(results[0]),
       sign = valuesOf<float>(results[1]);
  auto wholeMagnitude = valuesOf<int32_t>(results[2]),
       wholeSign = valuesOf<int32_t>(results[3]);
  for (size_t i = 0; i < x.size(); ++i) {
    float expected = x[i] > 0 ? 1 : x[i] < 0 ? -1 : x[i];
    EXPECT_EQ(std::bit_cast<uint32_t>(magnitude[i]),
              std::bit_cast<uint32_t>(x[i]) & 0x7fffffffu);
    EXPECT_EQ(std::bit_cast<uint32_t>(sign[i]),
              std::bit_cast<uint32_t>(expected));
    EXPECT_EQ(wholeMagnitude[i], k[i] == INT32_MIN ? k[i] : std::abs(k[i]));
    EXPECT_EQ(wholeSign[i], (k[i] > 0) - (k[i] < 0));
    bool p = x[i] > 0, q = k[i] > 0;
    EXPECT_EQ(results[4][i], p && q);
    EXPECT_EQ(results[5][i], p || q);
    EXPECT_EQ(results[6][i], p != q);
    EXPECT_EQ(results[7][i], !p);
  }
}

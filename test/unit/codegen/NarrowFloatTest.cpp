// Floats of 8 and 16 bits: every bit pattern out, and roundings against exact
// arithmetic (N1, N3).
#include "test/unit/codegen/Program.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace ampc::test;

namespace {

struct Format {
  const char *name;
  unsigned bits, mantissa;
  int bias;
  bool hasInf; ///< else only all-ones is NaN
};
const Format kFormats[] = {{"bf16", 16, 7, 127, true},
                           {"f16", 16, 10, 15, true},
                           {"f8E4M3FN", 8, 3, 7, false},
                           {"f8E5M2", 8, 2, 15, true}};

/// The value of a pattern, from the definition of the format.
double valueOf(const Format &format, uint32_t pattern) {
  uint32_t sign = pattern >> (format.bits - 1) & 1;
  uint32_t fraction = pattern & ((1u << format.mantissa) - 1);
  uint32_t exponents = (1u << (format.bits - 1 - format.mantissa)) - 1;
  uint32_t exponent = pattern >> format.mantissa & exponents;
  double value;
  if (exponent == exponents && format.hasInf)
    value = fraction ? NAN : INFINITY;
  else if (exponent == exponents && fraction == (1u << format.mantissa) - 1)
    value = NAN;
  else if (exponent == 0)
    value =
        std::ldexp(double(fraction), 1 - format.bias - int(format.mantissa));
  else
    value = std::ldexp(double(fraction + (1u << format.mantissa)),
                       int(exponent) - format.bias - int(format.mantissa));
  return sign ? -value : value;
}

/// Nearest value by search over all patterns, ties to the even pattern; beyond
/// the largest finite number plus half a step: infinity, or NaN where there is
/// none.
uint32_t nearest(const Format &format, double value) {
  static std::map<const Format *, std::vector<double>> tables;
  std::vector<double> &positive = tables[&format];
  uint32_t last = 0;
  if (positive.empty())
    for (uint32_t p = 0; std::isfinite(valueOf(format, p)); ++p)
      positive.push_back(valueOf(format, p));
  last = uint32_t(positive.size()) - 1;
  uint32_t sign = std::signbit(value) ? 1u << (format.bits - 1) : 0;
  double magnitude = std::fabs(value);
  double limit = positive[last] + (positive[last] - positive[last - 1]) / 2;
  bool lastIsOdd = last & 1;
  if (magnitude > limit || (magnitude == limit && lastIsOdd))
    return sign | (last + 1);
  uint32_t above =
      uint32_t(std::lower_bound(positive.begin(), positive.end(), magnitude) -
               positive.begin());
  if (above > last)
    return sign | last;
  if (above == 0 || positive[above] == magnitude)
    return sign | above;
  double up = positive[above] - magnitude,
         down = magnitude - positive[above - 1];
  if (up != down)
    return sign | (up < down ? above : above - 1);
  return sign | (above & 1 ? above - 1 : above);
}

uint32_t patternAt(const Format &format, const std::vector<uint8_t> &bytes,
                   size_t i) {
  return format.bits == 8 ? bytes[i] : bytes[2 * i] | bytes[2 * i + 1] << 8;
}

std::string typed(size_t n, const std::string &element) {
  return std::to_string(n) + "x" + element;
}

std::string castText(size_t n, const std::string &from, const std::string &to) {
  return groupModule("map", std::to_string(n), {typed(n, from)}, {typed(n, to)},
                     "%0 = amp.cast %a0 origin user : tensor<" +
                         typed(n, from) + "> -> tensor<" + typed(n, to) +
                         ">\namp.yield %0 : tensor<" + typed(n, to) + ">");
}

/// All values, all midpoints, their f64 neighbours, and what lies beyond.
std::vector<double> interesting(const Format &format) {
  std::vector<double> values = {0.0,   -0.0,   INFINITY, -INFINITY,
                                1e300, -1e300, 1e-320};
  double previous = 0;
  for (uint32_t p = 0; p < 1u << (format.bits - 1); ++p) {
    double value = valueOf(format, p);
    if (!std::isfinite(value))
      break;
    double middle = (previous + value) / 2;
    for (double v : {value, middle, std::nextafter(middle, 1e308),
                     std::nextafter(middle, 0.0)}) {
      values.push_back(v);
      values.push_back(-v);
    }
    previous = value;
  }
  double top = 2 * previous;
  for (double v : {previous * 1.01, previous * 1.0625, previous * 1.03125, top})
    values.push_back(v);
  return values;
}

} // namespace

TEST(NarrowFloat, EveryPatternExtendsExactly) {
  for (const std::string &level : levelsHere())
    for (const Format &format : kFormats) {
      size_t n = size_t(1) << format.bits;
      std::vector<uint8_t> input;
      for (size_t p = 0; p < n; ++p) {
        input.push_back(uint8_t(p));
        if (format.bits == 16)
          input.push_back(uint8_t(p >> 8));
      }
      auto y = valuesOf<float>(
          runGroup(castText(n, format.name, "f32"), level, {input})[0]);
      for (size_t p = 0; p < n; ++p) {
        double expected = valueOf(format, uint32_t(p));
        if (std::isnan(expected))
          ASSERT_TRUE(std::isnan(y[p])) << format.name << " " << p;
        else
          ASSERT_EQ(std::bit_cast<uint32_t>(y[p]),
                    std::bit_cast<uint32_t>(float(expected)))
              << level << " " << format.name << " pattern " << p;
      }
    }
}

TEST(NarrowFloat, RoundsOnceToNearestEvenFromF32AndF64) {
  for (const std::string &level : levelsHere())
    for (const Format &format : kFormats) {
      std::vector<double> wide = interesting(format);
      std::vector<float> single;
      for (double value : wide)
        single.push_back(float(value));
      size_t n = wide.size();
      auto from32 = runGroup(castText(n, "f32", format.name), level,
                             {bytesOf(single)})[0];
      auto from64 =
          runGroup(castText(n, "f64", format.name), level, {bytesOf(wide)})[0];
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(patternAt(format, from32, i), nearest(format, single[i]))
            << level << " " << format.name << " f32 " << single[i];
        ASSERT_EQ(patternAt(format, from64, i), nearest(format, wide[i]))
            << level << " " << format.name << " f64 " << wide[i];
      }
    }
}

TEST(NarrowFloat, NanStaysNan) {
  std::vector<float> nans;
  for (uint32_t payload : {0x7f800001u, 0x7fc00000u, 0xff800001u, 0x7fffffffu,
                           0xffffffffu, 0x7f80ffffu})
    nans.push_back(std::bit_cast<float>(payload));
  for (const std::string &level : levelsHere())
    for (const Format &format : kFormats) {
      auto y = runGroup(castText(nans.size(), "f32", format.name), level,
                        {bytesOf(nans)})[0];
      for (size_t i = 0; i < nans.size(); ++i)
        EXPECT_TRUE(std::isnan(valueOf(format, patternAt(format, y, i))))
            << format.name;
    }
}

TEST(NarrowFloat, WideIntegersRoundOnce) {
  // 2^24 + 2^15 + 1 rounds up to a bf16; by way of f32 the last bit would be
  // lost and the tie to even would go down.
  std::vector<int64_t> values = {0,
                                 1,
                                 -1,
                                 (1 << 24) + (1 << 16) + 1,
                                 -((1 << 24) + (1 << 16) + 1),
                                 (1ll << 54) + (1ll << 46) + 1,
                                 INT64_MAX,
                                 INT64_MIN,
                                 255,
                                 257,
                                 -((1ll << 60) + (1ll << 52) + 1)};
  const Format &bf16 = kFormats[0];
  for (const std::string &level : levelsHere()) {
    auto y = runGroup(castText(values.size(), "i64", "bf16"), level,
                      {bytesOf(values)})[0];
    for (size_t i = 0; i < values.size(); ++i) {
      // Exact in f64 after dropping bits that only matter as "not zero".
      bool negative = values[i] < 0;
      uint64_t magnitude =
          negative ? 0 - uint64_t(values[i]) : uint64_t(values[i]);
      if (magnitude >> 53)
        magnitude =
            (magnitude & ~uint64_t(0xfff)) | (magnitude & 0xfff ? 0x800 : 0);
      double exact = negative ? -double(magnitude) : double(magnitude);
      EXPECT_EQ(patternAt(bf16, y, i), nearest(bf16, exact)) << values[i];
    }
  }
}

TEST(NarrowFloat, EachOpRoundsToItsType) {
  // (x + y) + z in bf16: three roundings if the load is exact, none shared.
  const Format &bf16 = kFormats[0];
  size_t n = 5000;
  std::mt19937 engine(11);
  std::vector<uint16_t> x(n), y(n), z(n);
  for (auto *values : {&x, &y, &z})
    for (uint16_t &value : *values)
      value = uint16_t(0x3f00 + engine() % 0x200) | (engine() % 2 ? 0x8000 : 0);
  std::string t = "tensor<5000xbf16>";
  std::string text = groupModule(
      "map", "5000", {"5000xbf16", "5000xbf16", "5000xbf16"}, {"5000xbf16"},
      "%0 = amp.add %a0, %a1 : " + t + "\n%1 = amp.mul %0, %a2 : " + t +
          "\namp.yield %1 : " + t);
  for (const std::string &level : levelsHere()) {
    auto out = runGroup(text, level, {bytesOf(x), bytesOf(y), bytesOf(z)})[0];
    for (size_t i = 0; i < n; ++i) {
      double sum = valueOf(
          bf16, nearest(bf16, valueOf(bf16, x[i]) + valueOf(bf16, y[i])));
      ASSERT_EQ(patternAt(bf16, out, i),
                nearest(bf16, sum * valueOf(bf16, z[i])))
          << level;
    }
  }
}

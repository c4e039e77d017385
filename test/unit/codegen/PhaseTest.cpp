// Groups whose reductions wait for each other, bit for bit against plain loops
// in the order of amp.reduce; first elements; normal numbers.
#include "test/numerics/Orders.h"
#include "test/unit/codegen/Program.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

using namespace ampc::test;

namespace {

std::vector<float> numbers(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> draw;
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return draw(engine) * 3; });
  return values;
}

std::string shape(size_t rows, size_t length) {
  return std::to_string(rows) + "x" + std::to_string(length) + "xf32";
}

/// amp.exp of each number, by a kernel of its own.
std::vector<float> expOf(const std::vector<float> &x,
                         const std::string &level) {
  std::string type = std::to_string(x.size()) + "xf32",
              t = "tensor<" + type + ">";
  return valuesOf<float>(
      runGroup(groupModule("map", std::to_string(x.size()), {type}, {type},
                           "%0 = amp.exp %a0 : " + t + "\namp.yield %0 : " + t),
               level, {bytesOf(x)})[0]);
}

/// Replaces FULL, KEPT and the like in a body.
std::string with(std::string body, size_t rows, size_t length) {
  for (auto [word, type] :
       {std::pair<std::string, std::string>{"FULL", shape(rows, length)},
        {"ROWS", std::to_string(rows) + "xf32"},
        {"COLS", std::to_string(length) + "xf32"}})
    for (size_t at = 0; (at = body.find(word, at)) != std::string::npos;)
      body.replace(at, word.size(), "tensor<" + type + ">");
  return body;
}

} // namespace

TEST(Phases, Softmax) {
  // 40000 elements are more than the kernel keeps between passes.
  for (const std::string &level : levelsHere())
    for (size_t length : {1, 63, 64, 200, 40000}) {
      size_t rows = 3;
      std::string text =
          groupModule("row", "3, " + std::to_string(length),
                      {shape(rows, length)}, {shape(rows, length), "3xf32"},
                      with(R"(
          %m = amp.reduce max %a0 over [1] order row accumulate f32 : FULL -> ROWS
          %mb = amp.broadcast %m along [0] : ROWS -> FULL
          %d = amp.sub %a0, %mb : FULL
          %e = amp.exp %d : FULL
          %s = amp.reduce sum %e over [1] order row accumulate f32 : FULL -> ROWS
          %sb = amp.broadcast %s along [0] : ROWS -> FULL
          %y = amp.div %e, %sb : FULL
          amp.yield %y, %s : FULL, ROWS)",
                           rows, length));
      std::vector<float> x = numbers(rows * length, 1);
      auto results = runGroup(text, level, {bytesOf(x)});
      auto y = valuesOf<float>(results[0]), sums = valuesOf<float>(results[1]);
      for (size_t row = 0; row < rows; ++row) {
        float *values = &x[row * length];
        float max = *std::max_element(values, values + length);
        std::vector<float> shifted(values, values + length);
        for (float &value : shifted)
          value -= max;
        std::vector<float> e = expOf(shifted, level);
        float sum = rowSum(e.data(), length);
        ASSERT_EQ(sums[row], sum) << level << " length " << length;
        for (size_t i = 0; i < length; ++i)
          ASSERT_EQ(y[row * length + i], e[i] / sum)
              << level << " length " << length << " element " << i;
      }
    }
}

TEST(Phases, VarianceShiftedByTheFirstElement) {
  for (const std::string &level : levelsHere())
    for (size_t length : {1, 3, 64, 130}) {
      size_t rows = 4;
      std::string text = groupModule("row", "4, " + std::to_string(length),
                                     {shape(rows, length)},
                                     {"4xf32", "4xf32", shape(rows, length)},
                                     with(R"(
          %f = amp.reduce first %a0 over [1] order row accumulate f32 : FULL -> ROWS
          %fb = amp.broadcast %f along [0] : ROWS -> FULL
          %d = amp.sub %a0, %fb : FULL
          %m = amp.reduce mean %d over [1] order row accumulate f32 : FULL -> ROWS
          %mb = amp.broadcast %m along [0] : ROWS -> FULL
          %c = amp.sub %d, %mb : FULL
          %g = amp.reduce first %c over [1] order row accumulate f32 : FULL -> ROWS
          %q = amp.mul %c, %c : FULL
          %v = amp.reduce mean %q over [1] order row accumulate f32 : FULL -> ROWS
          amp.yield %v, %g, %c : ROWS, ROWS, FULL)",
                                          rows, length));
      std::vector<float> x = numbers(rows * length, 2);
      std::fill_n(x.begin(), length, 0.1f); // deviates by exactly 0
      auto results = runGroup(text, level, {bytesOf(x)});
      auto variance = valuesOf<float>(results[0]),
           first = valuesOf<float>(results[1]),
           centred = valuesOf<float>(results[2]);
      EXPECT_EQ(variance[0], 0.0f);
      for (size_t row = 0; row < rows; ++row) {
        std::vector<float> d(&x[row * length], &x[row * length] + length);
        float start = d[0];
        for (float &value : d)
          value -= start;
        float mean = rowSum(d.data(), length) / float(length);
        std::vector<float> squares;
        for (float &value : d) {
          value -= mean;
          squares.push_back(value * value);
        }
        EXPECT_EQ(variance[row], rowSum(squares.data(), length) / float(length))
            << level << " length " << length;
        EXPECT_EQ(first[row], d[0]);
        for (size_t i = 0; i < length; ++i)
          ASSERT_EQ(centred[row * length + i], d[i]);
      }
    }
}

TEST(Phases, FirstOfColumns) {
  // Also within the pass of a sum that waits for it.
  for (size_t width : {1, 5, 64, 100}) {
    size_t rows = 70;
    std::string text = groupModule(
        "column", "70, " + std::to_string(width), {shape(rows, width)},
        {std::to_string(width) + "xf32", std::to_string(width) + "xf32"},
        with(R"(
        %f = amp.reduce first %a0 over [0] order column accumulate f32 : FULL -> COLS
        %fb = amp.broadcast %f along [1] : COLS -> FULL
        %d = amp.sub %a0, %fb : FULL
        %s = amp.reduce max %d over [0] order column accumulate f32 : FULL -> COLS
        amp.yield %f, %s : COLS, COLS)",
             rows, width));
    std::vector<float> x = numbers(rows * width, 3);
    auto results = runGroup(text, "host", {bytesOf(x)});
    auto first = valuesOf<float>(results[0]), max = valuesOf<float>(results[1]);
    for (size_t j = 0; j < width; ++j) {
      float expected = -INFINITY;
      for (size_t i = 0; i < rows; ++i)
        expected = std::max(expected, x[i * width + j] - x[j]);
      EXPECT_EQ(first[j], x[j]);
      EXPECT_EQ(max[j], expected) << "width " << width << " column " << j;
    }
  }
}

TEST(Phases, AxesReducedTogetherAndKeptBetweenThem) {
  // Two reduced axes, rows of three kept axes, a broadcast operand over both.
  std::string text =
      groupModule("row", "2, 3, 5, 13", {"2x3x5x13xf32", "13xf32", "3xf32"},
                  {"2x3x5x13xf32"}, R"(
      %b = amp.broadcast %a1 along [3] : tensor<13xf32> -> tensor<2x3x5x13xf32>
      %c = amp.broadcast %a2 along [1] : tensor<3xf32> -> tensor<2x3x5x13xf32>
      %p = amp.mul %a0, %b : tensor<2x3x5x13xf32>
      %q = amp.add %p, %c : tensor<2x3x5x13xf32>
      %s = amp.reduce sum %q over [2, 3] order row accumulate f32 : tensor<2x3x5x13xf32> -> tensor<2x3xf32>
      %sb = amp.broadcast %s along [0, 1] : tensor<2x3xf32> -> tensor<2x3x5x13xf32>
      %y = amp.sub %q, %sb : tensor<2x3x5x13xf32>
      amp.yield %y : tensor<2x3x5x13xf32>)");
  std::vector<float> x = numbers(2 * 3 * 65, 4), b = numbers(13, 5),
                     c = numbers(3, 6);
  for (const std::string &level : levelsHere()) {
    auto y = valuesOf<float>(
        runGroup(text, level, {bytesOf(x), bytesOf(b), bytesOf(c)})[0]);
    for (size_t row = 0; row < 6; ++row) {
      std::vector<float> q(65);
      for (size_t i = 0; i < 65; ++i)
        q[i] = x[row * 65 + i] * b[i % 13] + c[row % 3];
      float sum = rowSum(q.data(), 65);
      for (size_t i = 0; i < 65; ++i)
        ASSERT_EQ(y[row * 65 + i], q[i] - sum) << level;
    }
  }
}

TEST(Phases, IntegersAndIndexOfTheMaximum) {
  std::string text = groupModule("row", "6, 100", {"6x100xi32"},
                                 {"6xi64", "6xi32", "6xi32", "6xi64"}, R"(
      %max = amp.reduce max %a0 over [1] order row accumulate i64 : tensor<6x100xi32> -> tensor<6xi32>
      %min = amp.reduce min %a0 over [1] order row accumulate i64 : tensor<6x100xi32> -> tensor<6xi32>
      %sum = amp.reduce sum %a0 over [1] order row accumulate i64 : tensor<6x100xi32> -> tensor<6xi64>
      %mb = amp.broadcast %max along [0] : tensor<6xi32> -> tensor<6x100xi32>
      %hit = amp.compare eq %a0, %mb : tensor<6x100xi32>
      %i = amp.iota : tensor<100xi64>
      %ib = amp.broadcast %i along [1] : tensor<100xi64> -> tensor<6x100xi64>
      %far = amp.constant dense<100> : tensor<6x100xi64>
      %at = amp.select %hit, %ib, %far : tensor<6x100xi64>
      %arg = amp.reduce min %at over [1] order row accumulate i64 : tensor<6x100xi64> -> tensor<6xi64>
      amp.yield %sum, %max, %min, %arg : tensor<6xi64>, tensor<6xi32>, tensor<6xi32>, tensor<6xi64>)");
  std::mt19937 engine(8);
  std::vector<int32_t> x(600);
  for (int32_t &value : x)
    value = int32_t(engine() % 64) * 40000000 - 1200000000; // with ties
  auto results = runGroup(text, "host", {bytesOf(x)});
  for (size_t row = 0; row < 6; ++row) {
    const int32_t *values = &x[row * 100];
    int64_t sum = 0;
    for (size_t i = 0; i < 100; ++i)
      sum += values[i];
    const int32_t *max = std::max_element(values, values + 100);
    EXPECT_EQ(valuesOf<int64_t>(results[0])[row], sum);
    EXPECT_EQ(valuesOf<int32_t>(results[1])[row], *max);
    EXPECT_EQ(valuesOf<int32_t>(results[2])[row],
              *std::min_element(values, values + 100));
    EXPECT_EQ(valuesOf<int64_t>(results[3])[row], max - values);
  }
}

TEST(Random, NormalNumbersAreBoxMuller) {
  constexpr size_t n = 4096;
  auto draw = [&](const char *distribution) {
    std::string text =
        groupModule("map", "4096", {"i64", "i64", "i64"}, {"4096xf32"},
                    std::string("%0 = amp.random ") + distribution +
                        "(%a0, %a1, %a2) mode train site 3 : tensor<4096xf32>\n"
                        "amp.yield %0 : tensor<4096xf32>");
    std::vector<int64_t> seed = {77}, index = {5}, micro = {1};
    return valuesOf<float>(runGroup(
        text, "host", {bytesOf(seed), bytesOf(index), bytesOf(micro)})[0]);
  };
  // The uniform numbers are the upper 24 bits of the words.
  std::vector<float> u = draw("uniform"), z = draw("normal");
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; ++i) {
    size_t pair = i / 2 * 2;
    double radius = std::sqrt(-2 * std::log(double(u[pair]) + 0x1p-24));
    double angle = 2 * std::numbers::pi * double(u[pair + 1]);
    double exact = radius * (i % 2 ? std::sin(angle) : std::cos(angle));
    // In f32: an angle of up to 2 pi is rounded twice (2 pi and the product),
    // the radius and the cosine to about an ulp each.
    double bound = radius * 0x1p-24 * (2 * 2 * std::numbers::pi + 4);
    EXPECT_NEAR(z[i], exact, bound) << i;
    sum += z[i];
    squares += z[i] * z[i];
  }
  EXPECT_NEAR(sum / n, 0, 4 / std::sqrt(double(n)));
  EXPECT_NEAR(squares / n, 1, 4 * std::sqrt(2.0 / n));
}

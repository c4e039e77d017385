// Row and column reductions, bit for bit, against plain loops in the orders of
// amp.reduce (N10).
#include "test/numerics/Orders.h"
#include "test/unit/codegen/Program.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace ampc::test;

namespace {

std::vector<float> numbers(size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> draw;
  std::vector<float> values(count);
  for (float &value : values)
    value = draw(engine) * std::exp2(float(int(engine() % 17)) - 8);
  return values;
}

const size_t kLengths[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 1000, 4096 + 5};
// The last one makes strips of 4 chunks, a strip of one, and 8 columns.
const size_t kWidths[] = {1, 3, 16, 17, 1000, 33 * 64 + 8};

std::string shape(std::initializer_list<size_t> extents, const char *element) {
  std::string text;
  for (size_t extent : extents)
    text += std::to_string(extent) + "x";
  return text + element;
}

std::string tensor(std::initializer_list<size_t> extents, const char *element) {
  return "tensor<" + shape(extents, element) + ">";
}

} // namespace

TEST(Row, SumIsInterleavedPartialsThenTree) {
  for (const std::string &level : levelsHere())
    for (size_t length : kLengths) {
      size_t rows = 5;
      std::string text = groupModule(
          "row", std::to_string(rows) + ", " + std::to_string(length),
          {shape({rows, length}, "f32")}, {shape({rows}, "f32")},
          "%0 = amp.reduce sum %a0 over [1] order row accumulate f32 : " +
              tensor({rows, length}, "f32") + " -> " + tensor({rows}, "f32") +
              "\namp.yield %0 : " + tensor({rows}, "f32"));
      std::vector<float> x = numbers(rows * length, unsigned(length));
      auto y = valuesOf<float>(runGroup(text, level, {bytesOf(x)})[0]);
      for (size_t row = 0; row < rows; ++row)
        EXPECT_EQ(y[row], rowSum(&x[row * length], length))
            << level << " length " << length;
    }
}

TEST(Column, SumIsBlocksThenPairs) {
  for (const std::string &level : levelsHere())
    for (size_t width : kWidths)
      for (size_t rows : kLengths) {
        if (width >= 1000 && rows > 1000)
          continue;
        std::string text = groupModule(
            "column", std::to_string(rows) + ", " + std::to_string(width),
            {shape({rows, width}, "f32")}, {shape({width}, "f32")},
            "%0 = amp.reduce sum %a0 over [0] order column accumulate f32 : " +
                tensor({rows, width}, "f32") + " -> " + tensor({width}, "f32") +
                "\namp.yield %0 : " + tensor({width}, "f32"));
        std::vector<float> x = numbers(rows * width, unsigned(rows + width));
        auto y = valuesOf<float>(runGroup(text, level, {bytesOf(x)})[0]);
        for (size_t column = 0; column < width; ++column)
          ASSERT_EQ(y[column], columnSum(&x[column], rows, width))
              << level << " rows " << rows << " width " << width << " column "
              << column;
      }
}

TEST(Row, KindsTypesAndEpilogue) {
  // Two reductions over one prologue, their joint epilogue, and the prologue
  // stored.
  size_t rows = 7, length = 201;
  std::string full = tensor({rows, length}, "f32"),
              kept = tensor({rows}, "f32");
  std::string text = groupModule(
      "row", "7, 201",
      {shape({rows, length}, "f32"), shape({length}, "f32"),
       shape({rows}, "f32")},
      {shape({rows, length}, "f32"), shape({rows}, "f32"), shape({rows}, "f32"),
       shape({rows}, "f32"), shape({rows}, "f32")},
      "%b = amp.broadcast %a1 along [1] : " + tensor({length}, "f32") + " -> " +
          full + "\n%d = amp.sub %a0, %b : " + full +
          "\n%s = amp.reduce sum %d over [1] order row accumulate f32 : " +
          full + " -> " + kept +
          "\n%m = amp.reduce max %d over [1] order row accumulate f32 : " +
          full + " -> " + kept +
          "\n%n = amp.reduce min %d over [1] order row accumulate f32 : " +
          full + " -> " + kept +
          "\n%a = amp.reduce mean %d over [1] order row accumulate f32 : " +
          full + " -> " + kept + "\n%e = amp.mul %s, %a2 : " + kept +
          "\n%f = amp.add %e, %m : " + kept +
          "\namp.yield %d, %f, %m, %n, %a : " + full + ", " + kept + ", " +
          kept + ", " + kept + ", " + kept);
  std::vector<float> x = numbers(rows * length, 1), b = numbers(length, 2),
                     c = numbers(rows, 3);
  x[3 * length + 100] = -std::nanf("");
  for (const std::string &level : levelsHere()) {
    auto out = runGroup(text, level, {bytesOf(x), bytesOf(b), bytesOf(c)});
    auto d = valuesOf<float>(out[0]), f = valuesOf<float>(out[1]),
         m = valuesOf<float>(out[2]), n = valuesOf<float>(out[3]),
         a = valuesOf<float>(out[4]);
    for (size_t row = 0; row < rows; ++row) {
      std::vector<float> line(length);
      for (size_t i = 0; i < length; ++i)
        line[i] = x[row * length + i] - b[i];
      if (row == 3) { // NaN reaches every kind
        EXPECT_TRUE(std::isnan(f[row]) && std::isnan(a[row]));
        for (float extremum : {m[row], n[row]}) // always the same one
          EXPECT_EQ(std::bit_cast<uint32_t>(extremum), 0x7fc00000u);
        continue;
      }
      EXPECT_EQ(0, std::memcmp(&d[row * length], line.data(), length * 4));
      float sum = rowSum(line.data(), length),
            most = *std::max_element(line.begin(), line.end());
      float product = sum * c[row];
      EXPECT_EQ(f[row], product + most);
      EXPECT_EQ(m[row], most);
      EXPECT_EQ(n[row], *std::min_element(line.begin(), line.end()));
      EXPECT_EQ(a[row], sum / float(length));
    }
  }
}

TEST(Row, WholeTensorWithOperandsOverSomeOfItsAxes) {
  // The reduced run is [rows, width]; one operand varies along its last axis,
  // one along its first.
  for (size_t width : {128, 37})
    for (const std::string &level : levelsHere()) {
      size_t rows = 6;
      std::string full = tensor({rows, width}, "f32");
      std::string text = groupModule(
          "row", "6, " + std::to_string(width),
          {shape({rows, width}, "f32"), shape({width}, "f32"),
           shape({rows}, "f32")},
          {"f32"},
          "%b = amp.broadcast %a1 along [1] : " + tensor({width}, "f32") +
              " -> " + full +
              "\n%c = amp.broadcast %a2 along [0] : " + tensor({rows}, "f32") +
              " -> " + full + "\n%0 = amp.mul %a0, %b : " + full +
              "\n%1 = amp.add %0, %c : " + full +
              "\n%2 = amp.reduce sum %1 over [0, 1] order row accumulate f32 "
              ": " +
              full + " -> tensor<f32>\namp.yield %2 : tensor<f32>");
      std::vector<float> x = numbers(rows * width, 4), b = numbers(width, 5),
                         c = numbers(rows, 6);
      std::vector<float> line(rows * width);
      for (size_t i = 0; i < line.size(); ++i) {
        float product = x[i] * b[i % width];
        line[i] = product + c[i / width];
      }
      auto y = valuesOf<float>(
          runGroup(text, level, {bytesOf(x), bytesOf(b), bytesOf(c)})[0]);
      EXPECT_EQ(y[0], rowSum(line.data(), line.size()))
          << level << " width " << width;
    }
}

TEST(Row, ResultReadBackOverTheWholeSpace) {
  // x - max(x), then the sum of it: two passes over the row, the second stores.
  size_t rows = 3, length = 130;
  std::string full = tensor({rows, length}, "f32"),
              kept = tensor({rows}, "f32");
  std::string text = groupModule(
      "row", "3, 130", {shape({rows, length}, "f32")},
      {shape({rows, length}, "f32"), shape({rows}, "f32")},
      "%m = amp.reduce max %a0 over [1] order row accumulate f32 : " + full +
          " -> " + kept + "\n%b = amp.broadcast %m along [0] : " + kept +
          " -> " + full + "\n%d = amp.sub %a0, %b : " + full +
          "\n%s = amp.reduce sum %d over [1] order row accumulate f32 : " +
          full + " -> " + kept + "\namp.yield %d, %s : " + full + ", " + kept);
  std::vector<float> x = numbers(rows * length, 9);
  for (const std::string &level : levelsHere()) {
    auto out = runGroup(text, level, {bytesOf(x)});
    for (size_t row = 0; row < rows; ++row) {
      std::vector<float> line(x.begin() + row * length,
                              x.begin() + (row + 1) * length);
      float most = *std::max_element(line.begin(), line.end());
      for (float &value : line)
        value -= most;
      EXPECT_EQ(
          0, std::memcmp(&out[0][row * length * 4], line.data(), length * 4));
      EXPECT_EQ(valuesOf<float>(out[1])[row], rowSum(line.data(), length));
    }
  }
}

TEST(Row, OtherTypes) {
  // i8 sums in i64 and wraps into i32's own type; f64 keeps f64; bf16 sums in
  // f32, one rounding.
  size_t length = 300;
  std::string text =
      groupModule("row", "2, 300", {"2x300xi32", "2x300xf64", "2x300xbf16"},
                  {"2xi32", "2xf64", "2xbf16", "2xi32"}, R"(
      %0 = amp.reduce sum %a0 over [1] order row accumulate i64 : tensor<2x300xi32> -> tensor<2xi32>
      %1 = amp.reduce sum %a1 over [1] order row accumulate f64 : tensor<2x300xf64> -> tensor<2xf64>
      %2 = amp.reduce sum %a2 over [1] order row accumulate f32 : tensor<2x300xbf16> -> tensor<2xbf16>
      %3 = amp.reduce max %a0 over [1] order row accumulate i64 : tensor<2x300xi32> -> tensor<2xi32>
      amp.yield %0, %1, %2, %3 : tensor<2xi32>, tensor<2xf64>, tensor<2xbf16>, tensor<2xi32>)");
  std::vector<int32_t> i(2 * length);
  std::vector<double> d(2 * length);
  std::vector<uint16_t> h(2 * length,
                          0x3f80); // ones: 300 needs nine bits, 256 + 44 rounds
  for (size_t n = 0; n < i.size(); ++n) {
    i[n] = int32_t(n * 2654435761u);
    d[n] = double(i[n]) * 1e-3;
  }
  for (const std::string &level : levelsHere()) {
    auto out = runGroup(text, level, {bytesOf(i), bytesOf(d), bytesOf(h)});
    for (size_t row = 0; row < 2; ++row) {
      uint32_t sum = 0;
      for (size_t n = 0; n < length; ++n)
        sum += uint32_t(i[row * length + n]);
      EXPECT_EQ(valuesOf<int32_t>(out[0])[row], int32_t(sum));
      EXPECT_EQ(valuesOf<double>(out[1])[row],
                rowSum(&d[row * length], length));
      EXPECT_EQ(valuesOf<uint16_t>(out[2])[row], 0x4396); // 300
      EXPECT_EQ(valuesOf<int32_t>(out[3])[row],
                *std::max_element(i.begin() + row * length,
                                  i.begin() + (row + 1) * length));
    }
  }
}

TEST(Row, EmptyRowsGiveIdentities) {
  std::string text =
      groupModule("row", "3, 0", {"3x0xf32"}, {"3xf32", "3xf32", "3xf32"}, R"(
      %0 = amp.reduce sum %a0 over [1] order row accumulate f32 : tensor<3x0xf32> -> tensor<3xf32>
      %1 = amp.reduce prod %a0 over [1] order row accumulate f32 : tensor<3x0xf32> -> tensor<3xf32>
      %2 = amp.reduce mean %a0 over [1] order row accumulate f32 : tensor<3x0xf32> -> tensor<3xf32>
      amp.yield %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)");
  auto out = runGroup(text, "host", {{}});
  for (int row = 0; row < 3; ++row) {
    EXPECT_EQ(valuesOf<float>(out[0])[row], 0.0f);
    EXPECT_EQ(valuesOf<float>(out[1])[row], 1.0f);
    EXPECT_TRUE(std::isnan(valuesOf<float>(out[2])[row]));
  }
}

TEST(Column, LeadingAxesPrologueAndEpilogue) {
  // [12, 70, 147] over axis 1, two factors before, the mean's scale after;
  // strips of two chunks and 19 columns.
  size_t lead = 12, rows = 70, width = 147;
  std::string full = tensor({lead, rows, width}, "f32"),
              kept = tensor({lead, width}, "f32");
  std::string text = groupModule(
      "column", "12, 70, 147",
      {shape({lead, rows, width}, "f32"), shape({rows}, "f32"),
       shape({width}, "f32")},
      {shape({lead, width}, "f32"), shape({lead, rows, width}, "f32"),
       shape({lead, width}, "f32")},
      "%b = amp.broadcast %a1 along [1] : " + tensor({rows}, "f32") + " -> " +
          full + "\n%p = amp.mul %a0, %b : " + full +
          "\n%s = amp.reduce sum %p over [1] order column accumulate f32 : " +
          full + " -> " + kept +
          "\n%x = amp.reduce max %p over [1] order column accumulate f32 : " +
          full + " -> " + kept +
          "\n%c = amp.broadcast %a2 along [1] : " + tensor({width}, "f32") +
          " -> " + kept + "\n%e = amp.sub %s, %c : " + kept +
          "\namp.yield %e, %p, %x : " + kept + ", " + full + ", " + kept);
  std::vector<float> x = numbers(lead * rows * width, 1), b = numbers(rows, 2),
                     c = numbers(width, 3);
  std::vector<float> p(x.size());
  for (size_t i = 0; i < p.size(); ++i)
    p[i] = x[i] * b[i / width % rows];
  for (const std::string &level : levelsHere()) {
    auto out = runGroup(text, level, {bytesOf(x), bytesOf(b), bytesOf(c)});
    EXPECT_EQ(out[1], bytesOf(p));
    for (size_t l = 0; l < lead; ++l)
      for (size_t w = 0; w < width; ++w) {
        const float *column = &p[l * rows * width + w];
        EXPECT_EQ(valuesOf<float>(out[0])[l * width + w],
                  columnSum(column, rows, width) - c[w]);
        float most = column[0];
        for (size_t r = 0; r < rows; ++r)
          most = std::max(most, column[r * width]);
        EXPECT_EQ(valuesOf<float>(out[2])[l * width + w], most);
      }
  }
}

// Row and column reductions, bit for bit, against plain loops in the orders of amp.reduce (N10).
#include "test/unit/codegen/Program.h"

#include <array>
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

/// 64 interleaved partials, then the tree.
template <class T>
T rowSum(const T *row, size_t count) {
  std::array<T, 64> partial{};
  for (size_t i = 0; i < count; ++i)
    partial[i % 64] += row[i];
  for (size_t width = 32; width; width /= 2)
    for (size_t j = 0; j < width; ++j)
      partial[j] += partial[j + width];
  return partial[0];
}

/// Blocks of 32 rows in ascending order, neighbours pairwise, an odd last one carried up.
template <class T>
T columnSum(const T *column, size_t rows, size_t stride) {
  std::vector<T> blocks;
  for (size_t from = 0; from < rows; from += 32) {
    T block = 0;
    for (size_t row = from; row < std::min(rows, from + 32); ++row)
      block += column[row * stride];
    blocks.push_back(block);
  }
  if (blocks.empty())
    return 0;
  while (blocks.size() > 1) {
    std::vector<T> joined;
    for (size_t i = 0; i + 1 < blocks.size(); i += 2)
      joined.push_back(blocks[i] + blocks[i + 1]);
    if (blocks.size() % 2)
      joined.push_back(blocks.back());
    blocks = joined;
  }
  return blocks[0];
}

const size_t kLengths[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 1000, 4096 + 5};
const size_t kWidths[] = {1, 3, 16, 17, 1000};

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
              tensor({rows, length}, "f32") + " -> " + tensor({rows}, "f32") + "\namp.yield %0 : " +
              tensor({rows}, "f32"));
      std::vector<float> x = numbers(rows * length, unsigned(length));
      auto y = valuesOf<float>(runGroup(text, level, {bytesOf(x)})[0]);
      for (size_t row = 0; row < rows; ++row)
        EXPECT_EQ(y[row], rowSum(&x[row * length], length)) << level << " length " << length;
    }
}

TEST(Column, SumIsBlocksThenPairs) {
  for (const std::string &level : levelsHere())
    for (size_t width : kWidths)
      for (size_t rows : kLengths) {
        if (width == 1000 && rows > 1000)
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
              << level << " rows " << rows << " width " << width << " column " << column;
      }
}

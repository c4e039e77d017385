// Movements, lookups and scatters against plain loops: alone, before a row
// reduction (lanes along the last axis) and before a column reduction (lanes
// along the kept axes).
#include "test/unit/codegen/Program.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace ampc::test;

namespace {

using Shape = std::vector<int64_t>;
using Index = std::vector<int64_t>;

int64_t count(const Shape &shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

std::string text(const Shape &shape, const std::string &element) {
  std::string result;
  for (int64_t extent : shape)
    result += std::to_string(extent) + "x";
  return result + element;
}

std::string list(const Shape &shape) {
  std::string result;
  for (int64_t extent : shape)
    result += (result.empty() ? "" : ", ") + std::to_string(extent);
  return result;
}

int64_t offset(const Shape &shape, const Index &index) {
  int64_t at = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    at = at * shape[i] + index[i];
  return at;
}

/// Calls `visit` with every index of `shape` in row-major order.
void each(const Shape &shape, const std::function<void(const Index &)> &visit) {
  Index index(shape.size(), 0);
  for (int64_t n = count(shape); n-- > 0;) {
    visit(index);
    for (size_t i = shape.size(); i-- > 0 && ++index[i] == shape[i];)
      index[i] = 0;
  }
}

std::vector<float> numbers(int64_t count) {
  std::mt19937 engine(7);
  std::normal_distribution<float> draw;
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return draw(engine); });
  return values;
}

void expectSame(const std::vector<float> &actual,
                const std::vector<float> &expected, const std::string &what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (size_t i = 0; i < actual.size(); ++i)
    if (std::isnan(expected[i]))
      ASSERT_TRUE(std::isnan(actual[i])) << what << " element " << i;
    else
      ASSERT_EQ(actual[i], expected[i]) << what << " element " << i;
}

/// An op with an f32 result, its operands and what it should give.
struct Case {
  std::string op;                 ///< without operand and result types
  std::vector<std::string> types; ///< of the operands
  std::vector<std::vector<uint8_t>> inputs;
  Shape shape; ///< of the result
  std::vector<float> expected;
};

void check(const Case &test) {
  std::string full = "tensor<" + text(test.shape, "f32") + ">", types;
  for (const std::string &type : test.types)
    types += (types.empty() ? "tensor<" : ", tensor<") + type + ">";
  std::string body = "%0 = " + test.op + " : " + types + " -> " + full + "\n";
  std::string type = text(test.shape, "f32"), space = list(test.shape);
  auto first = [](const std::vector<std::vector<uint8_t>> &results) {
    return valuesOf<float>(results[0]);
  };
  expectSame(first(runGroup(groupModule("map", space, test.types, {type},
                                        body + "amp.yield %0 : " + full),
                            "host", test.inputs)),
             test.expected, "map " + test.op);
  if (test.shape.empty())
    return;
  // Maxima along one axis: their order does not matter.
  for (bool isRow : {true, false}) {
    size_t axis = isRow ? test.shape.size() - 1 : 0;
    if (test.shape[axis] == 0 || (!isRow && test.shape.size() == 1))
      continue;
    Shape keptShape = test.shape;
    keptShape.erase(keptShape.begin() + axis);
    std::string kept = "tensor<" + text(keptShape, "f32") + ">";
    std::string kind = isRow ? "row" : "column";
    auto results = runGroup(
        groupModule(kind, space, test.types, {type, text(keptShape, "f32")},
                    body + "%1 = amp.reduce max %0 over [" +
                        std::to_string(axis) + "] order " + kind +
                        " accumulate f32 : " + full + " -> " + kept +
                        "\namp.yield %0, %1 : " + full + ", " + kept),
        "host", test.inputs);
    expectSame(first(results), test.expected, kind + " " + test.op);
    std::vector<float> maxima(count(keptShape), -INFINITY);
    each(test.shape, [&](const Index &index) {
      Index outer = index;
      outer.erase(outer.begin() + axis);
      float value = test.expected[offset(test.shape, index)];
      float &max = maxima[offset(keptShape, outer)];
      max = std::isnan(value) || std::isnan(max) ? NAN : std::max(max, value);
    });
    expectSame(valuesOf<float>(results[1]), maxima, kind + " max " + test.op);
  }
}

/// A movement of one f32 input: `source` gives the input's index, empty where
/// the result is `fill`.
void checkMovement(const std::string &op, const Shape &from, const Shape &to,
                   const std::function<Index(const Index &)> &source,
                   float fill = 0) {
  std::vector<float> x = numbers(count(from));
  Case test{"amp." + op, {text(from, "f32")}, {bytesOf(x)}, to, {}};
  each(to, [&](const Index &index) {
    Index at = source(index);
    test.expected.push_back(at.empty() ? fill : x[offset(from, at)]);
  });
  check(test);
}

} // namespace

TEST(Gather, Transpose) {
  auto transpose = [](const Shape &from, const Shape &perm) {
    Shape to;
    for (int64_t axis : perm)
      to.push_back(from[axis]);
    checkMovement("transpose %a0 perm [" + list(perm) + "]", from, to,
                  [&](const Index &index) {
                    Index at(index.size());
                    for (size_t i = 0; i < perm.size(); ++i)
                      at[perm[i]] = index[i];
                    return at;
                  });
  };
  transpose({3, 70}, {1, 0});
  transpose({70, 3}, {1, 0});
  transpose({130, 67}, {1, 0});
  transpose({2, 3, 4, 65}, {0, 2, 1, 3});
  transpose({2, 3, 4, 65}, {0, 1, 3, 2});
  transpose({2, 1, 3, 5}, {3, 1, 0, 2});
  transpose({4, 5, 6}, {1, 2, 0});
  transpose({1, 1}, {1, 0});
}

TEST(Gather, Slice) {
  auto slice = [](const Shape &from, const Shape &starts, const Shape &sizes,
                  const Shape &steps) {
    checkMovement("slice %a0 starts [" + list(starts) + "] steps [" +
                      list(steps) + "]",
                  from, sizes, [&](const Index &index) {
                    Index at;
                    for (size_t i = 0; i < index.size(); ++i)
                      at.push_back(starts[i] + index[i] * steps[i]);
                    return at;
                  });
  };
  slice({5, 200}, {1, 7}, {3, 130}, {1, 1});
  slice({5, 200}, {0, 1}, {5, 66}, {1, 3});
  slice({9, 4, 3}, {1, 0, 0}, {4, 4, 3}, {2, 1, 1});
  slice({9, 4, 3}, {8, 1, 2}, {1, 1, 1}, {1, 1, 1});
  slice({300}, {100}, {150}, {1});
}

TEST(Gather, Pad) {
  auto pad = [](const Shape &from, const Shape &low, const Shape &high,
                const Shape &interior) {
    Shape to;
    for (size_t i = 0; i < from.size(); ++i)
      to.push_back(from[i] == 0 ? low[i] + high[i]
                                : low[i] + high[i] + from[i] +
                                      (from[i] - 1) * interior[i]);
    checkMovement(
        "pad %a0 low [" + list(low) + "] high [" + list(high) + "] interior [" +
            list(interior) + "] value 2.5",
        from, to,
        [&](const Index &index) {
          Index at;
          for (size_t i = 0; i < index.size(); ++i) {
            int64_t place = index[i] - low[i], step = interior[i] + 1;
            if (place < 0 || place % step || place / step >= from[i])
              return Index();
            at.push_back(place / step);
          }
          return at;
        },
        2.5f);
  };
  pad({3, 100}, {0, 1}, {0, 40}, {0, 0});
  pad({3, 70}, {2, 0}, {1, 0}, {0, 0});
  pad({3, 70}, {1, 2}, {1, 0}, {1, 2});
  pad({2, 3, 4}, {0, 1, 0}, {0, 0, 0}, {0, 1, 0});
  pad({0, 4}, {2, 0}, {1, 0}, {3, 0});
  pad({1}, {0}, {3}, {0});
}

TEST(Gather, Concat) {
  auto concat = [](const std::vector<Shape> &parts, int64_t axis) {
    Case test;
    test.op = "amp.concat ";
    test.shape = parts[0];
    test.shape[axis] = 0;
    std::vector<std::vector<float>> values;
    for (size_t i = 0; i < parts.size(); ++i) {
      test.op += (i ? ", %a" : "%a") + std::to_string(i);
      test.types.push_back(text(parts[i], "f32"));
      std::vector<float> x = numbers(count(parts[i]));
      for (float &value : x)
        value += float(i);
      test.inputs.push_back(bytesOf(x));
      values.push_back(x);
      test.shape[axis] += parts[i][axis];
    }
    test.op += " axis " + std::to_string(axis);
    each(test.shape, [&](Index index) {
      size_t part = 0;
      while (index[axis] >= parts[part][axis])
        index[axis] -= parts[part++][axis];
      test.expected.push_back(values[part][offset(parts[part], index)]);
    });
    check(test);
  };
  concat({{2, 70}, {3, 70}}, 0);
  concat({{4, 40}, {4, 1}, {4, 90}}, 1);
  concat({{2, 3, 4}, {2, 0, 4}, {2, 2, 4}}, 1);
  concat({{1}, {1}, {1}}, 0);
  concat({{0, 3}, {1, 3}}, 0);
  concat({{5, 6}}, 1);
}

TEST(Gather, TakeIsNanOutOfBounds) {
  auto take = [](const Shape &from, const Shape &indexShape, int64_t axis) {
    std::vector<float> x = numbers(count(from));
    std::vector<int32_t> index(count(indexShape));
    std::mt19937 engine(3);
    for (int32_t &value : index)
      value = int32_t(engine() % uint32_t(from[axis]));
    index[0] = -1;
    index.back() = int32_t(from[axis]);
    if (index.size() > 2)
      index[1] = std::numeric_limits<int32_t>::min();
    Shape to(from.begin(), from.begin() + axis);
    to.insert(to.end(), indexShape.begin(), indexShape.end());
    to.insert(to.end(), from.begin() + axis + 1, from.end());
    Case test{"amp.take %a0, %a1 axis " + std::to_string(axis),
              {text(from, "f32"), text(indexShape, "i32")},
              {bytesOf(x), bytesOf(index)},
              to,
              {}};
    each(to, [&](const Index &at) {
      Index chosen(at.begin() + axis, at.begin() + axis + indexShape.size());
      int64_t row = index[offset(indexShape, chosen)];
      Index source(at.begin(), at.begin() + axis);
      source.push_back(row);
      source.insert(source.end(), at.begin() + axis + indexShape.size(),
                    at.end());
      bool inside = row >= 0 && row < from[axis];
      test.expected.push_back(inside ? x[offset(from, source)] : NAN);
    });
    check(test);
  };
  take({10, 70}, {4, 5}, 0);
  take({3, 20}, {100}, 1);
  take({3, 20, 2}, {5}, 1);
  take({2, 1, 9}, {1}, 1);
  take({50}, {7}, 0);
  take({6, 3}, {}, 0);
}

TEST(Gather, GatherIsNanOutOfBounds) {
  auto gather = [](const Shape &from, const Shape &to, int64_t axis) {
    std::vector<float> x = numbers(count(from));
    std::vector<int64_t> index(count(to));
    std::mt19937 engine(3);
    for (int64_t &value : index)
      value = int64_t(engine() % uint32_t(from[axis]));
    index[0] = -1;
    index.back() = int64_t(1) << 40;
    Case test{"amp.gather %a0, %a1 axis " + std::to_string(axis),
              {text(from, "f32"), text(to, "i64")},
              {bytesOf(x), bytesOf(index)},
              to,
              {}};
    each(to, [&](const Index &at) {
      Index source = at;
      source[axis] = index[offset(to, at)];
      bool inside = source[axis] >= 0 && source[axis] < from[axis];
      test.expected.push_back(inside ? x[offset(from, source)] : NAN);
    });
    check(test);
  };
  gather({4, 100}, {4, 70}, 1);
  gather({9, 70}, {4, 70}, 0);
  gather({4, 5, 6}, {4, 2, 6}, 1);
  gather({4, 5}, {4, 1}, 1);
}

TEST(Gather, IntegersGiveZeroOutOfBounds) {
  std::vector<int32_t> x = {1, 2, 3};
  std::vector<int64_t> index = {2, 3, -1, 0};
  auto y = valuesOf<int32_t>(
      runGroup(groupModule("map", "4", {"3xi32", "4xi64"}, {"4xi32"},
                           "%0 = amp.take %a0, %a1 axis 0 : tensor<3xi32>, "
                           "tensor<4xi64> -> tensor<4xi32>\n"
                           "amp.yield %0 : tensor<4xi32>"),
               "host", {bytesOf(x), bytesOf(index)})[0]);
  EXPECT_EQ(y, (std::vector<int32_t>{3, 0, 0, 1}));
}

TEST(Gather, NarrowFloatsAndTruthValuesMoveUnchanged) {
  // bf16 bits and bytes of i1, through a map and through lanes.
  std::vector<uint16_t> x(6 * 100);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = uint16_t(0x3f80 + i);
  std::string text =
      groupModule("map", "100, 6", {"6x100xbf16"}, {"100x6xbf16"},
                  "%0 = amp.transpose %a0 perm [1, 0] : tensor<6x100xbf16> -> "
                  "tensor<100x6xbf16>\namp.yield %0 : tensor<100x6xbf16>");
  auto y = valuesOf<uint16_t>(runGroup(text, "host", {bytesOf(x)})[0]);
  for (size_t i = 0; i < 100; ++i)
    for (size_t j = 0; j < 6; ++j)
      ASSERT_EQ(y[i * 6 + j], x[j * 100 + i]);
  std::vector<uint8_t> b(6 * 100);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = i % 3 == 0;
  text = groupModule(
      "row", "100, 6", {"6x100xi1"}, {"100xi64"},
      "%0 = amp.transpose %a0 perm [1, 0] : tensor<6x100xi1> -> "
      "tensor<100x6xi1>\n"
      "%1 = amp.cast %0 origin policy : tensor<100x6xi1> -> tensor<100x6xi64>\n"
      "%2 = amp.reduce sum %1 over [1] order row accumulate i64 : "
      "tensor<100x6xi64> -> tensor<100xi64>\namp.yield %2 : tensor<100xi64>");
  auto sums = valuesOf<int64_t>(runGroup(text, "host", {b})[0]);
  for (size_t i = 0; i < 100; ++i) {
    int64_t expected = 0;
    for (size_t j = 0; j < 6; ++j)
      expected += b[j * 100 + i];
    ASSERT_EQ(sums[i], expected);
  }
}

TEST(Scatter, RowsAddInAscendingOrder) {
  struct Sizes {
    Shape before;
    Shape index;
    Shape after;
    int64_t extent;
    bool padded;
  };
  const Sizes cases[] = {{{}, {6, 50}, {70}, 9, false},
                         {{}, {300}, {}, 5, true},
                         {{3}, {40}, {64}, 7, true},
                         {{2}, {10}, {2, 100}, 3, false},
                         {{}, {0}, {4}, 3, false}};
  for (const Sizes &sizes : cases) {
    int64_t positions = count(sizes.index), before = count(sizes.before),
            after = count(sizes.after);
    int64_t axis = sizes.before.size();
    Shape updateShape = sizes.before, to = sizes.before;
    updateShape.insert(updateShape.end(), sizes.index.begin(),
                       sizes.index.end());
    updateShape.insert(updateShape.end(), sizes.after.begin(),
                       sizes.after.end());
    to.push_back(sizes.extent);
    to.insert(to.end(), sizes.after.begin(), sizes.after.end());
    std::vector<float> x = numbers(count(updateShape));
    std::vector<int32_t> index(positions);
    std::mt19937 engine(5);
    for (int32_t &value : index) // some are out of bounds
      value = int32_t(engine() % uint32_t(sizes.extent + 2)) - 1;
    std::vector<float> expected(count(to), 0.0f);
    for (int64_t b = 0; b < before; ++b)
      for (int64_t p = 0; p < positions; ++p) {
        int64_t row = index[p];
        if (row < 0 || row >= sizes.extent || (sizes.padded && row == 1))
          continue;
        for (int64_t a = 0; a < after; ++a)
          expected[(b * sizes.extent + row) * after + a] +=
              x[(b * positions + p) * after + a];
      }
    std::string result = "tensor<" + text(to, "f32") + ">";
    auto y = runGroup(
        groupModule("scatter", list(updateShape),
                    {text(sizes.index, "i32"), text(updateShape, "f32")},
                    {text(to, "f32")},
                    "%0 = amp.scatter_rows %a0, %a1 axis " +
                        std::to_string(axis) +
                        (sizes.padded ? " padding_idx 1" : "") + " : tensor<" +
                        text(sizes.index, "i32") + ">, tensor<" +
                        text(updateShape, "f32") + "> -> " + result +
                        "\namp.yield %0 : " + result),
        "host", {bytesOf(index), bytesOf(x)});
    expectSame(valuesOf<float>(y[0]), expected, list(updateShape));
  }
}

TEST(Scatter, ElementsAddAlongTheAxis) {
  for (auto [shape, axis, extent] :
       {std::tuple<Shape, int64_t, int64_t>{{4, 30}, 1, 7},
        {{30, 70}, 0, 7},
        {{3, 20, 5}, 1, 4}}) {
    Shape to = shape;
    to[axis] = extent;
    std::vector<float> x = numbers(count(shape)), expected(count(to), 0.0f);
    std::vector<int64_t> index(count(shape));
    std::mt19937 engine(5);
    for (int64_t &value : index)
      value = int64_t(engine() % uint32_t(extent + 2)) - 1;
    each(shape, [&](Index at) {
      int64_t from = offset(shape, at);
      at[axis] = index[from];
      if (at[axis] >= 0 && at[axis] < extent)
        expected[offset(to, at)] += x[from];
    });
    std::string result = "tensor<" + text(to, "f32") + ">";
    auto y = runGroup(
        groupModule("scatter", list(shape),
                    {text(shape, "i64"), text(shape, "f32")}, {text(to, "f32")},
                    "%0 = amp.scatter_add %a0, %a1 axis " +
                        std::to_string(axis) + " : tensor<" +
                        text(shape, "i64") + ">, tensor<" + text(shape, "f32") +
                        "> -> " + result + "\namp.yield %0 : " + result),
        "host", {bytesOf(index), bytesOf(x)});
    expectSame(valuesOf<float>(y[0]), expected, list(shape));
  }
}

TEST(Map, IotaIsTheElementNumber) {
  std::string text = groupModule("map", "3, 100", {},
                                 {"3x100xi32", "3x100xf32", "3x100xi64"}, R"(
      %0 = amp.iota : tensor<100xi32>
      %1 = amp.broadcast %0 along [1] : tensor<100xi32> -> tensor<3x100xi32>
      %2 = amp.iota : tensor<3xf32>
      %3 = amp.broadcast %2 along [0] : tensor<3xf32> -> tensor<3x100xf32>
      %4 = amp.iota : tensor<100xi64>
      %5 = amp.broadcast %4 along [1] : tensor<100xi64> -> tensor<3x100xi64>
      amp.yield %1, %3, %5 : tensor<3x100xi32>, tensor<3x100xf32>, tensor<3x100xi64>)");
  auto results = runGroup(text, "host", {});
  auto a = valuesOf<int32_t>(results[0]);
  auto b = valuesOf<float>(results[1]);
  auto c = valuesOf<int64_t>(results[2]);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 100; ++j) {
      ASSERT_EQ(a[i * 100 + j], j);
      ASSERT_EQ(b[i * 100 + j], float(i));
      ASSERT_EQ(c[i * 100 + j], j);
    }
}

// Kernels of matrix products, bit for bit: every element is one chain of fused
// multiply-adds, K ascending (N10), whatever the cut, the vectors, the
// epilogue.
#include "runtime/core/Float16.h"
#include "test/numerics/Orders.h"
#include "test/unit/codegen/Program.h"

#include <gtest/gtest.h>
#include <random>

using namespace ampc::test;
using ampc::rt::bf16ToFloat;
using ampc::rt::f16ToFloat;
using ampc::rt::floatToBf16;
using ampc::rt::floatToF16;

namespace {

struct Product {
  int64_t batch, m, n, k;
  bool transposeA = false, transposeB = false;
  std::string operands = "f32", result = "f32";
};

std::string tensor(std::initializer_list<int64_t> extents,
                   const std::string &element) {
  std::string text;
  for (int64_t extent : extents)
    text += std::to_string(extent) + "x";
  return text + element;
}

std::string nameOf(const Product &p) {
  return std::to_string(p.batch) + " of " + std::to_string(p.m) + " x " +
         std::to_string(p.n) + " x " + std::to_string(p.k) +
         (p.transposeA ? " ta" : "") + (p.transposeB ? " tb" : "") + " " +
         p.operands + " -> " + p.result;
}

std::string shapeA(const Product &p) {
  return p.transposeA ? tensor({p.batch, p.k, p.m}, p.operands)
                      : tensor({p.batch, p.m, p.k}, p.operands);
}
std::string shapeB(const Product &p) {
  return p.transposeB ? tensor({p.batch, p.n, p.k}, p.operands)
                      : tensor({p.batch, p.k, p.n}, p.operands);
}
std::string shapeC(const Product &p) {
  return tensor({p.batch, p.m, p.n}, p.result);
}

/// `%c = amp.matmul %a0, %a1`, its sums from `init` where there is one.
std::string matmul(const Product &p, const std::string &init = "") {
  std::string sum = p.operands == "f64" ? "f64" : "f32";
  return std::string("%c = amp.matmul %a0, %a1 ") +
         (init.empty() ? ""
                       : "from " + init + " : tensor<" + shapeC(p) + "> ") +
         (p.transposeA ? "transpose_a " : "") +
         (p.transposeB ? "transpose_b " : "") + "accumulate " + sum +
         " : tensor<" + shapeA(p) + ">, tensor<" + shapeB(p) + "> -> tensor<" +
         shapeC(p) + ">\n";
}

std::string space(const Product &p) {
  return std::to_string(p.batch) + ", " + std::to_string(p.m) + ", " +
         std::to_string(p.n);
}

/// `text` for a target with registers of `bytes`, with a matrix unit for bf16
/// at level amx.
std::string withVectors(std::string text, int64_t bytes,
                        const std::string &level) {
  const std::string stage = "amp.stage = #amp.stage<placed>";
  return text.replace(
      text.find(stage), stage.size(),
      stage +
          ", amp.target = #amp.target<kind = \"cpu\", level = \"avx2\", "
          "vector_bytes = " +
          std::to_string(bytes) +
          ", cache_bytes = 1048576, bandwidth = 10.0 : f64, launch_ns = "
          "2000.0 : f64" +
          (level == kUnitLevel ? ", fast = [bf16]>" : ">"));
}

/// The widths of registers that a level's kernels are made for.
std::vector<int64_t> widthsOf(const std::string &level) {
  if (level == "avx512")
    return {64, 32};
  return {level == "avx2" ? 32 : 64};
}

std::vector<uint8_t> stored(const std::vector<float> &values,
                            const std::string &type) {
  if (type == "f32")
    return bytesOf(values);
  if (type == "f64")
    return bytesOf(std::vector<double>(values.begin(), values.end()));
  std::vector<uint16_t> narrow;
  for (float value : values)
    narrow.push_back(type == "bf16" ? floatToBf16(value) : floatToF16(value));
  return bytesOf(narrow);
}

std::vector<double> loaded(const std::vector<uint8_t> &bytes,
                           const std::string &type) {
  if (type == "f64")
    return valuesOf<double>(bytes);
  std::vector<double> values;
  if (type == "f32")
    for (float value : valuesOf<float>(bytes))
      values.push_back(value);
  else
    for (uint16_t value : valuesOf<uint16_t>(bytes))
      values.push_back(type == "bf16" ? bf16ToFloat(value) : f16ToFloat(value));
  return values;
}

std::vector<uint8_t> numbers(int64_t count, unsigned seed,
                             const std::string &type) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> draw;
  std::vector<float> values(count);
  for (float &value : values)
    value = draw(engine);
  return stored(values, type);
}

/// The levels whose kernels of `p` differ.
std::vector<std::string> levelsOf(const Product &p) {
  std::vector<std::string> levels = levelsHere();
  if (p.operands == "bf16" && hasMatrixUnit())
    levels.push_back(kUnitLevel);
  return levels;
}

template <class T>
using Dot = T (*)(const std::vector<T> &, const std::vector<T> &, T);

/// The order of a level's kernels in f32.
Dot<float> dotOf(const Product &p, const std::string &level) {
  return level == kUnitLevel && p.operands == "bf16" ? unitDot
                                                     : straightDot<float, true>;
}

/// The product in the order of `dot`, from `init` where there is one.
template <class T>
std::vector<T> sumsOf(const Product &p, const std::vector<double> &a,
                      const std::vector<double> &b, Dot<T> dot,
                      const std::vector<double> &init = {}) {
  std::vector<T> sums;
  std::vector<T> left(p.k), right(p.k);
  for (int64_t matrix = 0; matrix < p.batch; ++matrix)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j) {
        for (int64_t k = 0; k < p.k; ++k) {
          left[k] = T(a[matrix * p.m * p.k +
                        (p.transposeA ? k * p.m + i : i * p.k + k)]);
          right[k] = T(b[matrix * p.k * p.n +
                         (p.transposeB ? j * p.k + k : k * p.n + j)]);
        }
        sums.push_back(
            dot(left, right, init.empty() ? T(0) : T(init[sums.size()])));
      }
  return sums;
}

std::vector<uint8_t> expected(const Product &p, const std::vector<uint8_t> &a,
                              const std::vector<uint8_t> &b,
                              const std::string &level) {
  std::vector<double> left = loaded(a, p.operands),
                      right = loaded(b, p.operands);
  if (p.operands == "f64")
    return bytesOf(sumsOf<double>(p, left, right, straightDot<double, true>));
  return stored(sumsOf(p, left, right, dotOf(p, level)), p.result);
}

/// `only`: the one level that it runs at; empty: all.
void check(const Product &p, const std::string &only = "") {
  std::string text =
      groupModule("contraction", space(p), {shapeA(p), shapeB(p)}, {shapeC(p)},
                  matmul(p) + "amp.yield %c : tensor<" + shapeC(p) + ">");
  std::vector<uint8_t> a = numbers(p.batch * p.m * p.k, 1, p.operands),
                       b = numbers(p.batch * p.k * p.n, 2, p.operands);
  for (const std::string &level : levelsOf(p)) {
    if (!only.empty() && level != only)
      continue;
    std::vector<uint8_t> want = expected(p, a, b, level);
    for (int64_t bytes : widthsOf(level))
      EXPECT_EQ(runGroup(withVectors(text, bytes, level), level, {a, b})[0],
                want)
          << nameOf(p) << " on " << level << ", registers of " << bytes;
  }
}

const int64_t kExtents[] = {0, 1, 2, 5, 6, 7, 31, 32, 33, 63, 64, 65, 200};

} // namespace

// Each pair of extents meets in one of the three roles, in each orientation.
TEST(Contraction, ExtentsAndTransposes) {
  unsigned turn = 0;
  for (int64_t m : kExtents)
    for (int64_t n : kExtents) {
      ++turn;
      int64_t k = kExtents[(turn * 5 + turn / 13) % std::size(kExtents)];
      check({1, m, n, k, turn % 2 == 1, turn % 4 >= 2});
    }
}

TEST(Contraction, NarrowOperandsWidenAndRoundOnce) {
  unsigned turn = 0;
  for (const char *operands : {"bf16", "f16"})
    for (const char *result : {operands, "f32"})
      for (int64_t extent : {1, 7, 33, 65}) {
        ++turn;
        check({1, extent, 200 / extent + 3, 37, turn % 2 == 1, turn % 4 >= 2,
               operands, result});
        check({2, 70, extent, extent, turn % 4 >= 2, turn % 2 == 1, operands,
               result});
      }
}

// Whole tiles of a matrix unit and parts of them, in each orientation; K in
// several stretches, several tiles.
TEST(Contraction, MatrixUnit) {
  if (!hasMatrixUnit())
    GTEST_SKIP() << "this machine lacks amx";
  const int64_t extents[] = {1, 16, 17, 32, 33, 65, 200};
  unsigned turn = 0;
  for (int64_t m : extents)
    for (int64_t n : extents) {
      ++turn;
      int64_t k = extents[(turn * 5 + turn / 7) % std::size(extents)];
      check({1, m, n, k, turn % 2 == 1, turn % 4 >= 2, "bf16", "f32"},
            kUnitLevel);
    }
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true}) {
      for (auto [batch, m, n, k] : {std::array<int64_t, 4>{3, 48, 96, 64},
                                    {1, 300, 530, 1056},
                                    {1, 272, 288, 1030},
                                    {1, 64, 1100, 2500}})
        check({batch, m, n, k, transposeA, transposeB, "bf16", "bf16"},
              kUnitLevel);
      check({1, 33, 65, 0, transposeA, transposeB, "bf16", "f32"}, kUnitLevel);
      // Blocks row by row; what the epilogue writes is fetched.
      check({1, 530, 600, 70, transposeA, transposeB, "bf16", "f32"},
            kUnitLevel);
    }
}

// A thread takes points of several matrices and tiles, row by row and down,
// with K whole and in stretches.
TEST(Contraction, NeighboursOfAMatrixUnit) {
  if (!hasMatrixUnit())
    GTEST_SKIP() << "this machine lacks amx";
  check({2, 530, 544, 250, false, true, "bf16", "f32"}, kUnitLevel);
  check({2, 96, 1100, 320, true, false, "bf16", "f32"}, kUnitLevel);
  check({2, 80, 1100, 1056, false, false, "bf16", "bf16"}, kUnitLevel);
}

TEST(Contraction, Batches) {
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true}) {
      check({5, 64, 64, 32, transposeA, transposeB});
      check({3, 7, 33, 5, transposeA, transposeB});
    }
  check({0, 4, 4, 4});
}

// K in several stretches, rows and columns in several tiles.
TEST(Contraction, ManyTilesAndStretches) {
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true}) {
      check({1, 203, 331, 1021, transposeA, transposeB});
      check({1, 20, 77, 1537, transposeA, transposeB, "bf16", "bf16"});
    }
}

TEST(Contraction, DoublesSumInDoubles) {
  for (bool transpose : {false, true})
    check({2, 33, 19, 65, transpose, transpose, "f64", "f64"});
}

// Sums that begin from an operand: one chain, whatever the cut, an epilogue
// included.
TEST(Contraction, SumsBeginFromInit) {
  for (Product p :
       {Product{1, 65, 33, 300}, Product{2, 7, 64, 20, false, true},
        Product{1, 200, 1, 64}, Product{1, 1, 200, 64}, Product{2, 40, 100, 0},
        Product{1, 203, 331, 1021, true, false},
        Product{2, 50, 70, 90, true, false, "bf16", "f32"},
        Product{1, 33, 90, 1100, false, true, "bf16", "f32"},
        Product{2, 33, 19, 65, true, true, "f64", "f64"}}) {
    std::string c = "tensor<" + shapeC(p) + ">";
    std::string text =
        groupModule("contraction", space(p), {shapeA(p), shapeB(p), shapeC(p)},
                    {shapeC(p), shapeC(p)},
                    matmul(p, "%a2") + "%d = amp.neg %c : " + c +
                        "\namp.yield %c, %d : " + c + ", " + c);
    std::vector<uint8_t> a = numbers(p.batch * p.m * p.k, 1, p.operands),
                         b = numbers(p.batch * p.k * p.n, 2, p.operands),
                         init = numbers(p.batch * p.m * p.n, 3, p.result);
    std::vector<double> left = loaded(a, p.operands),
                        right = loaded(b, p.operands),
                        begin = loaded(init, p.result);
    for (const std::string &level : levelsOf(p)) {
      std::vector<uint8_t> want =
          p.operands == "f64"
              ? bytesOf(sumsOf<double>(p, left, right,
                                       straightDot<double, true>, begin))
              : bytesOf(sumsOf(p, left, right, dotOf(p, level), begin));
      for (int64_t bytes : widthsOf(level))
        EXPECT_EQ(
            runGroup(withVectors(text, bytes, level), level, {a, b, init})[0],
            want)
            << nameOf(p) << " on " << level << ", registers of " << bytes;
    }
  }
}

// The same bits as the product and maps of their own.
TEST(Contraction, EpilogueChangesNoBit) {
  for (Product p :
       {Product{1, 65, 33, 300}, Product{3, 7, 64, 20, false, true},
        Product{1, 200, 1, 64}, Product{1, 1, 200, 64}, Product{2, 40, 100, 0},
        Product{2, 50, 70, 90, true, false, "bf16", "bf16"}}) {
    std::string c = "tensor<" + shapeC(p) + ">", bias = tensor({p.n}, p.result);
    std::string column = tensor({p.batch, p.m}, p.result);
    auto epilogue = [&](const std::string &b, const std::string &r,
                        const std::string &w) {
      return "%b = amp.broadcast " + b + " along [2] : tensor<" + bias +
             "> -> " + c + "\n%w = amp.broadcast " + w +
             " along [0, 1] : tensor<" + column + "> -> " + c +
             "\n%1 = amp.add %c, %b : " + c + "\n%2 = amp.tanh %1 : " + c +
             "\n%3 = amp.mul %2, %w : " + c + "\n%4 = amp.add %3, " + r +
             " : " + c + "\n";
    };
    std::string fused = groupModule(
        "contraction", space(p),
        {shapeA(p), shapeB(p), bias, shapeC(p), column}, {shapeC(p), shapeC(p)},
        matmul(p) + epilogue("%a2", "%a3", "%a4") + "amp.yield %1, %4 : " + c +
            ", " + c);
    std::string alone =
        groupModule("contraction", space(p), {shapeA(p), shapeB(p)},
                    {shapeC(p)}, matmul(p) + "amp.yield %c : " + c);
    std::string map =
        groupModule("map", space(p), {shapeC(p), bias, shapeC(p), column},
                    {shapeC(p), shapeC(p)},
                    "%z = amp.constant dense<-0.0> : " + c +
                        "\n%c = amp.add %a0, %z : " + c + "\n" +
                        epilogue("%a1", "%a2", "%a3") +
                        "amp.yield %1, %4 : " + c + ", " + c);
    std::vector<uint8_t> a = numbers(p.batch * p.m * p.k, 1, p.operands),
                         b = numbers(p.batch * p.k * p.n, 2, p.operands),
                         d = numbers(p.n, 3, p.result),
                         r = numbers(p.batch * p.m * p.n, 4, p.result),
                         w = numbers(p.batch * p.m, 5, p.result);
    for (const std::string &level : levelsOf(p))
      for (int64_t bytes : widthsOf(level)) {
        auto sums =
            runGroup(withVectors(alone, bytes, level), level, {a, b})[0];
        EXPECT_EQ(
            runGroup(withVectors(fused, bytes, level), level, {a, b, d, r, w}),
            runGroup(map, level, {sums, d, r, w}))
            << nameOf(p) << " on " << level << ", registers of " << bytes;
      }
  }
}

// Other extents of the rows: what varies along them is found.
TEST(Contraction, ViewsOfTheRows) {
  std::string text = groupModule(
      "contraction", "2, 3, 4, 20",
      {"24x9xf32", "9x20xf32", "3x20xf32", "2x4xf32"},
      {"2x3x4x20xf32", "24x20xf32"},
      "%c = amp.matmul %a0, %a1 accumulate f32 : tensor<24x9xf32>, "
      "tensor<9x20xf32> -> tensor<24x20xf32>\n"
      "%v = amp.reshape %c : tensor<24x20xf32> -> tensor<2x3x4x20xf32>\n"
      "%b = amp.broadcast %a2 along [1, 3] : tensor<3x20xf32> -> "
      "tensor<2x3x4x20xf32>\n"
      "%w = amp.broadcast %a3 along [0, 2] : tensor<2x4xf32> -> "
      "tensor<2x3x4x20xf32>\n"
      "%1 = amp.add %v, %b : tensor<2x3x4x20xf32>\n"
      "%2 = amp.mul %1, %w : tensor<2x3x4x20xf32>\n"
      "amp.yield %2, %c : tensor<2x3x4x20xf32>, tensor<24x20xf32>");
  Product p{1, 24, 20, 9};
  std::vector<uint8_t> a = numbers(24 * 9, 1, "f32"),
                       b = numbers(9 * 20, 2, "f32"), d = numbers(60, 3, "f32"),
                       w = numbers(8, 4, "f32");
  auto sums = valuesOf<float>(expected(p, a, b, "avx2")),
       bias = valuesOf<float>(d), weight = valuesOf<float>(w);
  std::vector<float> want;
  for (int64_t row = 0; row < 24; ++row)
    for (int64_t j = 0; j < 20; ++j)
      want.push_back((sums[row * 20 + j] + bias[row / 4 % 3 * 20 + j]) *
                     weight[row / 12 * 4 + row % 4]);
  for (const std::string &level : levelsHere()) {
    auto got = runGroup(withVectors(text, 32, level), level, {a, b, d, w});
    EXPECT_EQ(got[0], bytesOf(want)) << level;
    EXPECT_EQ(got[1], bytesOf(sums)) << level;
  }
}

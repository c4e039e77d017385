// Map groups: elementwise ops, broadcasts, views and shared bytes, bit for bit.
#include "test/unit/codegen/Program.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace ampc::test;

namespace {

const float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Every pair of values where signs of zero, NaNs, infinities and subnormals
/// matter.
const std::vector<float> kSpecial = {0.0f,
                                     -0.0f,
                                     1.0f,
                                     -1.0f,
                                     kInf,
                                     -kInf,
                                     kNaN,
                                     -kNaN,
                                     1e-40f,
                                     -1e-40f,
                                     3e38f,
                                     -3e38f,
                                     0x1p-149f,
                                     0x1p-126f,
                                     2.5f,
                                     -7.0f,
                                     std::bit_cast<float>(0xffc01234u)};

void pairs(std::vector<float> &a, std::vector<float> &b) {
  for (float x : kSpecial)
    for (float y : kSpecial) {
      a.push_back(x);
      b.push_back(y);
    }
}

uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

/// Equal bits, or both NaN.
void expectSame(float actual, float expected, const std::string &what) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(actual)) << what << " gives " << actual;
  else
    EXPECT_EQ(bitsOf(actual), bitsOf(expected)) << what << " gives " << actual;
}

float maximum(float a, float b) {
  if (std::isnan(a) || std::isnan(b))
    return kNaN;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

float minimum(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? kNaN : -maximum(-a, -b);
}

std::string repeat(size_t n, const char *element) {
  return std::to_string(n) + "x" + element;
}

} // namespace

TEST(Map, BinaryOpsOnSpecialValues) {
  std::vector<float> a, b;
  pairs(a, b);
  std::string type = "tensor<" + repeat(a.size(), "f32") + ">";
  std::string body;
  const char *ops[] = {"add", "sub", "mul", "div", "maximum", "minimum"};
  for (const char *op : ops)
    body +=
        std::string("%") + op + " = amp." + op + " %a0, %a1 : " + type + "\n";
  body += "amp.yield %add, %sub, %mul, %div, %maximum, %minimum : ";
  std::vector<std::string> results(6, repeat(a.size(), "f32"));
  for (int i = 0; i < 6; ++i)
    body += (i ? ", " : "") + type;
  std::string text = groupModule("map", std::to_string(a.size()),
                                 {results[0], results[0]}, results, body);
  for (const std::string &level : levelsHere()) {
    auto out = runGroup(text, level, {bytesOf(a), bytesOf(b)});
    for (size_t i = 0; i < a.size(); ++i) {
      float expected[] = {a[i] + b[i],         a[i] - b[i],
                          a[i] * b[i],         a[i] / b[i],
                          maximum(a[i], b[i]), minimum(a[i], b[i])};
      for (int op = 0; op < 6; ++op) {
        float actual = valuesOf<float>(out[op])[i];
        std::string what = level + " " + ops[op] + "(" + std::to_string(a[i]) +
                           ", " + std::to_string(b[i]) + ")";
        if (op < 4)
          expectSame(actual, expected[op], what);
        else // one NaN, whichever of them came in
          EXPECT_EQ(bitsOf(actual), bitsOf(expected[op])) << what;
      }
    }
  }
}

TEST(Map, UnaryOpsCompareAndSelect) {
  std::vector<float> a, b;
  pairs(a, b);
  std::string n = std::to_string(a.size()), f = n + "xf32",
              t = "tensor<" + f + ">";
  std::string bools = "tensor<" + n + "xi1>";
  std::string text = groupModule(
      "map", n, {f, f}, {f, f, f, n + "xi1", n + "xi1"},
      "%neg = amp.neg %a0 : " + t + "\n%sqrt = amp.sqrt %a0 : " + t +
          "\n%lt = amp.compare lt %a0, %a1 : " + t +
          "\n%ne = amp.compare ne %a0, %a1 : " + t +
          "\n%sel = amp.select %lt, %a0, %a1 : " + t +
          "\namp.yield %neg, %sqrt, %sel, %lt, %ne : " + t + ", " + t + ", " +
          t + ", " + bools + ", " + bools);
  for (const std::string &level : levelsHere()) {
    auto out = runGroup(text, level, {bytesOf(a), bytesOf(b)});
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(bitsOf(valuesOf<float>(out[0])[i]), bitsOf(a[i]) ^ 0x80000000u);
      expectSame(valuesOf<float>(out[1])[i], std::sqrt(a[i]), "sqrt");
      EXPECT_EQ(bitsOf(valuesOf<float>(out[2])[i]),
                bitsOf(a[i] < b[i] ? a[i] : b[i]));
      EXPECT_EQ(out[3][i], a[i] < b[i] ? 1 : 0);
      EXPECT_EQ(out[4][i], a[i] != b[i] ? 1 : 0);
    }
  }
}

TEST(Map, BoolsAreZeroAndOne) {
  // Stored bools may be any non-zero byte; every predicate orders false before
  // true; casts give 0 and 1; a condition may be broadcast along either axis.
  const char *predicates[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  const char *numbers[] = {"f32",    "f64", "f16", "bf16", "f8E4M3FN",
                           "f8E5M2", "i8",  "i32", "i64"};
  std::string bools = "tensor<4x33xi1>", floats = "tensor<4x33xf32>";
  std::string body, yields, types;
  std::vector<std::string> results;
  auto yield = [&](const std::string &value, const std::string &element) {
    yields += (yields.empty() ? "" : ", ") + value;
    types += (types.empty() ? "" : ", ") + ("tensor<4x33x" + element + ">");
    results.push_back("4x33x" + element);
  };
  for (std::string predicate : predicates) {
    body += "%" + predicate + " = amp.compare " + predicate +
            " %a0, %a1 : " + bools + "\n";
    yield("%" + predicate, "i1");
  }
  for (std::string number : numbers) {
    body += "%to_" + number + " = amp.cast %a0 origin user : " + bools +
            " -> tensor<4x33x" + number + ">\n";
    yield("%to_" + number, number);
  }
  body += "%rows = amp.broadcast %a2 along [0] : tensor<4xi1> -> " + bools +
          "\n%cols = amp.broadcast %a3 along [1] : tensor<33xi1> -> " + bools +
          "\n%one = amp.broadcast %a4 along [] : tensor<i1> -> " + bools +
          "\n%by_row = amp.select %rows, %a5, %a6 : " + floats +
          "\n%by_col = amp.select %cols, %a5, %a6 : " + floats +
          "\n%by_one = amp.select %one, %a5, %a6 : " + floats +
          "\n%of_bools = amp.select %rows, %a0, %cols : " + bools + "\n";
  for (const char *name : {"%by_row", "%by_col", "%by_one"})
    yield(name, "f32");
  yield("%of_bools", "i1");
  std::string text = groupModule(
      "map", "4, 33",
      {"4x33xi1", "4x33xi1", "4xi1", "33xi1", "i1", "4x33xf32", "4x33xf32"},
      results, body + "amp.yield " + yields + " : " + types);
  std::vector<uint8_t> a(132), b(132), rows = {0, 1, 0xff, 0}, cols(33),
                                       one = {0x80};
  std::vector<float> x(132, -0.0f), y(132, 0.0f);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = i % 2 ? uint8_t(i) : 0;
    b[i] = i / 2 % 2 ? 0xfe : 0;
    cols[i % 33] = i % 33 % 3 ? 0 : 2;
  }
  x[5] = kNaN; // moved by the select, bits and all
  // 1 of each number, little endian.
  const std::vector<uint8_t> ones[] = {{0, 0, 0x80, 0x3f},
                                       {0, 0, 0, 0, 0, 0, 0xf0, 0x3f},
                                       {0, 0x3c},
                                       {0x80, 0x3f},
                                       {0x38},
                                       {0x3c},
                                       {1},
                                       {1, 0, 0, 0},
                                       {1, 0, 0, 0, 0, 0, 0, 0}};
  for (const std::string &level : levelsHere()) {
    auto out =
        runGroup(text, level, {a, b, rows, cols, one, bytesOf(x), bytesOf(y)});
    for (size_t i = 0; i < a.size(); ++i) {
      unsigned p = a[i] != 0, q = b[i] != 0;
      const bool compared[] = {p == q, p != q, p<q, p <= q, p> q, p >= q};
      for (int n = 0; n < 6; ++n)
        EXPECT_EQ(out[n][i], compared[n]) << predicates[n] << p << q;
      for (int n = 0; n < 9; ++n)
        for (size_t byte = 0; byte < ones[n].size(); ++byte)
          EXPECT_EQ(out[6 + n][i * ones[n].size() + byte],
                    p ? ones[n][byte] : 0)
              << numbers[n];
      bool row = rows[i / 33], col = cols[i % 33];
      EXPECT_EQ(bitsOf(valuesOf<float>(out[15])[i]), bitsOf(row ? x[i] : y[i]));
      EXPECT_EQ(bitsOf(valuesOf<float>(out[16])[i]), bitsOf(col ? x[i] : y[i]));
      EXPECT_EQ(bitsOf(valuesOf<float>(out[17])[i]), bitsOf(x[i]));
      EXPECT_EQ(out[18][i], row ? p : col);
    }
  }
}

TEST(Map, MultiplyAddIsNotContracted) {
  std::vector<float> a, b, c;
  std::mt19937 engine(3);
  std::uniform_real_distribution<float> draw(-2, 2);
  for (int i = 0; i < 4099; ++i) {
    a.push_back(draw(engine));
    b.push_back(draw(engine));
    c.push_back(-a.back() * b.back() * (1 + draw(engine) * 1e-7f));
  }
  std::string f = repeat(a.size(), "f32"), t = "tensor<" + f + ">";
  std::string text = groupModule(
      "map", std::to_string(a.size()), {f, f, f}, {f},
      "%0 = amp.mul %a0, %a1 : " + t + "\n%1 = amp.add %0, %a2 : " + t +
          "\namp.yield %1 : " + t);
  for (const std::string &level : levelsHere()) {
    auto y = valuesOf<float>(
        runGroup(text, level, {bytesOf(a), bytesOf(b), bytesOf(c)})[0]);
    for (size_t i = 0; i < a.size(); ++i) {
      float product = a[i] * b[i];
      ASSERT_EQ(bitsOf(y[i]), bitsOf(product + c[i]))
          << level << " element " << i;
    }
  }
}

TEST(Map, BroadcastsAlongEveryAxis) {
  // x[6, 5, 7] + row[5, 7] + middle[5] + first[6, 1, 1] + scalar
  std::vector<float> x(210), row(35), middle(5), first(6), scalar = {0.25f};
  std::mt19937 engine(5);
  for (auto *values : {&x, &row, &middle, &first})
    for (float &value : *values)
      value = float(int(engine() % 1000)) / 8;
  std::string text = groupModule(
      "map", "6, 5, 7", {"6x5x7xf32", "5x7xf32", "5xf32", "6x1x1xf32", "f32"},
      {"6x5x7xf32"},
      R"(
      %1 = amp.broadcast %a1 along [1, 2] : tensor<5x7xf32> -> tensor<6x5x7xf32>
      %2 = amp.broadcast %a2 along [1] : tensor<5xf32> -> tensor<6x5x7xf32>
      %3 = amp.broadcast %a3 along [0, 1, 2] : tensor<6x1x1xf32> -> tensor<6x5x7xf32>
      %4 = amp.broadcast %a4 along [] : tensor<f32> -> tensor<6x5x7xf32>
      %5 = amp.add %a0, %1 : tensor<6x5x7xf32>
      %6 = amp.add %5, %2 : tensor<6x5x7xf32>
      %7 = amp.add %6, %3 : tensor<6x5x7xf32>
      %8 = amp.add %7, %4 : tensor<6x5x7xf32>
      amp.yield %8 : tensor<6x5x7xf32>)");
  for (const std::string &level : levelsHere()) {
    auto y =
        valuesOf<float>(runGroup(text, level,
                                 {bytesOf(x), bytesOf(row), bytesOf(middle),
                                  bytesOf(first), bytesOf(scalar)})[0]);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 5; ++j)
        for (int k = 0; k < 7; ++k) {
          int at = (i * 5 + j) * 7 + k;
          EXPECT_EQ(y[at], (((x[at] + row[j * 7 + k]) + middle[j]) + first[i]) +
                               scalar[0]);
        }
  }
}

TEST(Map, ReshapeInsideAGroupKeepsRowMajorOrder) {
  std::string text = groupModule("map", "4, 6", {"24xf32", "2x12xf32"},
                                 {"4x6xf32", "24xf32"}, R"(
      %0 = amp.neg %a0 : tensor<24xf32>
      %1 = amp.reshape %0 : tensor<24xf32> -> tensor<4x6xf32>
      %2 = amp.reshape %a1 : tensor<2x12xf32> -> tensor<4x6xf32>
      %3 = amp.add %1, %2 : tensor<4x6xf32>
      %4 = amp.reshape %3 : tensor<4x6xf32> -> tensor<24xf32>
      amp.yield %3, %4 : tensor<4x6xf32>, tensor<24xf32>)");
  std::vector<float> a(24), b(24);
  for (int i = 0; i < 24; ++i) {
    a[i] = float(i);
    b[i] = float(100 * i);
  }
  auto out = runGroup(text, "host", {bytesOf(a), bytesOf(b)});
  for (int i = 0; i < 24; ++i) {
    EXPECT_EQ(valuesOf<float>(out[0])[i], b[i] - a[i]);
    EXPECT_EQ(valuesOf<float>(out[1])[i], b[i] - a[i]);
  }
}

TEST(Map, IntegersWrapAndCastsSaturate) {
  std::string text =
      groupModule("map", "8", {"8xi32", "8xf32", "8xi64"},
                  {"8xi32", "8xi32", "8xi64", "8xi8", "8xi1", "8xf32"},
                  R"(
      %0 = amp.mul %a0, %a0 : tensor<8xi32>
      %1 = amp.cast %a1 origin user : tensor<8xf32> -> tensor<8xi32>
      %2 = amp.cast %a1 origin user : tensor<8xf32> -> tensor<8xi64>
      %3 = amp.cast %a1 origin user : tensor<8xf32> -> tensor<8xi8>
      %4 = amp.cast %a1 origin user : tensor<8xf32> -> tensor<8xi1>
      %5 = amp.cast %a2 origin user : tensor<8xi64> -> tensor<8xf32>
      amp.yield %0, %1, %2, %3, %4, %5 : tensor<8xi32>, tensor<8xi32>, tensor<8xi64>, tensor<8xi8>, tensor<8xi1>, tensor<8xf32>)");
  std::vector<int32_t> i32 = {0, 1, -1, 65536, 46341, INT32_MIN, INT32_MAX, 7};
  std::vector<float> f32 = {kNaN,  kInf,  -kInf,  3e9f,
                            -3e9f, -1.9f, 127.9f, 0x1p-149f};
  std::vector<int64_t> i64 = {
      0, 1, -1, (1ll << 24) + 1, (1ll << 25) + 3, INT64_MAX, INT64_MIN, -5};
  std::vector<int32_t> toI32 = {0,         INT32_MAX, INT32_MIN, INT32_MAX,
                                INT32_MIN, -1,        127,       0};
  std::vector<int64_t> toI64 = {
      0, INT64_MAX, INT64_MIN, 3000000000ll, -3000000000ll, -1, 127, 0};
  std::vector<int8_t> toI8 = {0, 127, -128, 127, -128, -1, 127, 0};
  std::vector<uint8_t> toBool = {1, 1, 1, 1, 1, 1, 1, 1};
  for (const std::string &level : levelsHere()) {
    auto out =
        runGroup(text, level, {bytesOf(i32), bytesOf(f32), bytesOf(i64)});
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(valuesOf<int32_t>(out[0])[i],
                int32_t(uint32_t(i32[i]) * uint32_t(i32[i])));
      EXPECT_EQ(valuesOf<int32_t>(out[1])[i], toI32[i]) << f32[i];
      EXPECT_EQ(valuesOf<int64_t>(out[2])[i], toI64[i]) << f32[i];
      EXPECT_EQ(valuesOf<int8_t>(out[3])[i], toI8[i]) << f32[i];
      EXPECT_EQ(out[4][i], toBool[i]);
      EXPECT_EQ(valuesOf<float>(out[5])[i], float(i64[i]));
    }
  }
}

TEST(Map, UniformNumbersArePhilox) {
  // Known answers of Philox4x32-10 for key and counter of all ones bits cannot
  // be reached through the op's counter; zero can: words 6627e8d5 e169c58d
  // bc57ac4c 9b00dbd8.
  std::string text =
      groupModule("map", "9", {"i64", "i64", "i64"}, {"9xf32"}, R"(
      %0 = amp.random uniform(%a0, %a1, %a2) mode train site 0 : tensor<9xf32>
      amp.yield %0 : tensor<9xf32>)");
  std::vector<int64_t> zero = {0};
  const uint32_t words[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  for (const std::string &level : levelsHere()) {
    auto y = valuesOf<float>(runGroup(
        text, level, {bytesOf(zero), bytesOf(zero), bytesOf(zero)})[0]);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(y[i], float(words[i] >> 8) * 0x1p-24f);
    EXPECT_NE(y[4], y[0]); // the next counter
  }
}

// Attention and dropout on small tensors. Expected numbers by hand.
#include "ir/reference/Random.h"
#include "test/unit/reference/Parse.h"

#include <cmath>

using namespace ampc;
using namespace ampc::test;

namespace {

const std::vector<Written> kKey{
    {"tensor<i64>", {5}}, {"tensor<i64>", {3}}, {"tensor<i64>", {1}}};

std::vector<double> dropout(const std::vector<double> &x, const std::string &p,
                            const std::string &mode, bool hasKey,
                            const std::string &element = "f32") {
  std::string type = "tensor<" + std::to_string(x.size()) + "x" + element + ">";
  std::vector<Written> operands{{type, x}};
  if (hasKey)
    operands.insert(operands.end(), kKey.begin(), kKey.end());
  return evaluate("%r = amp.dropout %a " +
                      std::string(hasKey ? "key(%b, %c, %d) " : "") + "p " + p +
                      " mode " + mode + " site 4 : " + type,
                  operands, type);
}

TEST(Dropout, KeepsByTheUniformNumbers) {
  std::vector<double> x{1, 2, 3, kInf, kNaN, -6, 7, 8};
  reference::RandomStream stream{5, amp::RandomMode::train, 4, 3, 1};
  std::vector<double> expected(x);
  for (size_t i = 0; i < x.size(); ++i)
    expected[i] =
        stream.uniform(i) >= 0.25 ? static_cast<float>(x[i] / 0.75) : 0;
  EXPECT_TRUE(same(dropout(x, "0.25", "train", true), expected));
}

TEST(Dropout, OtherModesAndExtremeShares) {
  std::vector<double> x{1, kNaN, kInf, -0.0};
  for (const char *mode : {"eval", "infer"})
    EXPECT_TRUE(same(dropout(x, "0.5", mode, false), x));
  EXPECT_TRUE(same(dropout(x, "0.0", "train", true), x));
  EXPECT_TRUE(same(dropout(x, "1.0", "train", true), {0, 0, 0, 0}));
  EXPECT_NE(evaluationError(
                "%r = amp.dropout %a p 0.5 mode train site 0 : tensor<2xf32>",
                {{"tensor<2xf32>", {1, 2}}}, "tensor<2xf32>")
                .find("has no seed, index and micro yet"),
            std::string::npos);
}

// E04: the kept share, and masks of neighbouring steps.
TEST(Cases, E04DropoutShare) {
  std::vector<double> kept =
      dropout(std::vector<double>(4096, 1.0), "0.5", "train", true);
  EXPECT_NEAR(std::count(kept.begin(), kept.end(), 2.0) / 4096.0, 0.5, 0.04);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), 2.0) +
                std::count(kept.begin(), kept.end(), 0.0),
            4096);
}

/// Attention of one batch; `rest` stands before the types.
std::vector<double> attention(const std::string &rest, const Written &q,
                              const Written &k, const Written &v,
                              std::vector<Written> others,
                              const std::string &out, const std::string &row,
                              bool wantsRow = false) {
  std::vector<Written> operands{q, k, v};
  operands.insert(operands.end(), others.begin(), others.end());
  return evaluate((wantsRow ? "%o, %r = " : "%r, %l = ") +
                      std::string("amp.attention %a, %b, %c ") + rest + " : " +
                      q.type + ", " + k.type + ", " + v.type + " -> " + out +
                      ", " + row,
                  operands, wantsRow ? row : out);
}

const std::string kEval = " dropout 0.5 mode eval site 0";

TEST(Attention, EqualScoresAverageTheValues) {
  Written q{"tensor<1x1x2x1xf32>", {0, 0}}, v{"tensor<1x1x2x1xf32>", {2, 6}};
  EXPECT_TRUE(same(
      attention("scale 1.0" + kEval, q, q, v, {}, q.type, "tensor<1x1x2xf32>"),
      {4, 4}));
  // The first query sees the first key alone.
  EXPECT_TRUE(same(attention("causal scale 1.0" + kEval, q, q, v, {}, q.type,
                             "tensor<1x1x2xf32>"),
                   {2, 4}));
  EXPECT_TRUE(same(attention("causal scale 1.0" + kEval, q, q, v, {}, q.type,
                             "tensor<1x1x2xf32>", /*wantsRow=*/true),
                   {0, static_cast<float>(std::log(2.0))}));
}

TEST(Attention, ScaledScores) {
  Written q{"tensor<1x1x1x2xf64>", {1, 2}};
  Written k{"tensor<1x1x2x2xf64>", {3, 4, 5, 6}};
  Written v{"tensor<1x1x2x1xf64>", {0, 1}};
  double share = 1 / (1 + std::exp(0.5 * (11 - 17)));
  EXPECT_NEAR(attention("scale 0.5" + kEval, q, k, v, {}, "tensor<1x1x1x1xf64>",
                        "tensor<1x1x1xf64>")[0],
              share, 1e-15);
}

// N13: a row that sees no key gives 0, whatever the mask is.
TEST(Attention, FullyMaskedRows) {
  Written q{"tensor<1x1x2x1xf32>", {1, 2}}, v{"tensor<1x1x2x1xf32>", {2, 6}};
  for (const Written &mask :
       {Written{"tensor<1x1x2x2xi1>", {0, 0, 0, 1}},
        Written{"tensor<1x1x2x2xf32>", {-kInf, -kInf, -kInf, 0}}}) {
    std::string text = "mask %d : " + mask.type + " scale 1.0" + kEval;
    EXPECT_TRUE(same(
        attention(text, q, q, v, {mask}, q.type, "tensor<1x1x2xf32>"), {0, 6}));
    EXPECT_TRUE(same(attention(text, q, q, v, {mask}, q.type,
                               "tensor<1x1x2xf32>", /*wantsRow=*/true),
                     {-kInf, 4}));
  }
  EXPECT_TRUE(same(
      attention("scale 1.0" + kEval, q, {"tensor<1x1x0x1xf32>", {}},
                {"tensor<1x1x0x1xf32>", {}}, {}, q.type, "tensor<1x1x2xf32>"),
      {0, 0}));
}

TEST(Attention, GroupedQueriesShareTheirKeyHead) {
  // Heads 0 and 1 read key head 0, heads 2 and 3 key head 1.
  Written q{"tensor<1x4x1x1xf32>", {0, 0, 0, 0}};
  Written k{"tensor<1x2x2x1xf32>", {1, 2, 3, 4}};
  Written v{"tensor<1x2x2x1xf32>", {1, 3, 10, 30}};
  EXPECT_TRUE(same(
      attention("scale 1.0" + kEval, q, k, v, {}, q.type, "tensor<1x4x1xf32>"),
      {2, 2, 20, 20}));
  // A mask a head, repeated over the queries.
  Written mask{"tensor<1x4x1x2xi1>", {1, 0, 0, 1, 1, 0, 0, 1}};
  EXPECT_TRUE(same(attention("mask %d : " + mask.type + " scale 1.0" + kEval, q,
                             k, v, {mask}, q.type, "tensor<1x4x1xf32>"),
                   {1, 3, 10, 30}));
}

TEST(Attention, DropsProbabilities) {
  Written q{"tensor<1x1x4x1xf32>", {0, 0, 0, 0}},
      v{"tensor<1x1x4x1xf32>", {1, 10, 100, 1000}};
  reference::RandomStream stream{5, amp::RandomMode::train, 9, 3, 1};
  std::vector<double> expected(4, 0.0);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (stream.uniform(4 * i + j) >= 0.5)
        expected[i] += v.values[j] * 0.5;
  EXPECT_TRUE(same(attention("key(%d, %e, %f) scale 1.0 dropout 0.5 mode train "
                             "site 9",
                             q, q, v, kKey, q.type, "tensor<1x1x4xf32>"),
                   expected));
}

// Two keys with equal scores: p is 1/2 each.
TEST(Attention, GradientsOfOneQuery) {
  Written q{"tensor<1x1x1x1xf64>", {0}}, k{"tensor<1x1x2x1xf64>", {3, 5}},
      v{"tensor<1x1x2x1xf64>", {2, 6}}, out{"tensor<1x1x1x1xf64>", {4}},
      l{"tensor<1x1x1xf64>", {std::log(2.0)}}, g{"tensor<1x1x1x1xf64>", {1}},
      mask{"tensor<1x1x1x2xf64>", {0, 0}};
  auto gradient = [&](const std::string &names, const Written &of) {
    return evaluate(
        names + " = amp.attention_gradient %a, %b, %c, %d, %e, %f mask %g : " +
            mask.type + " scale 2.0" + kEval + " : " + q.type + ", " + k.type +
            ", " + v.type + ", " + out.type + ", " + l.type + ", " + g.type +
            " -> " + q.type + ", " + k.type + ", " + v.type + ", " + mask.type,
        {q, k, v, out, l, g, mask}, of.type);
  };
  // t = v, D = 4: p (t - D) = [-1, 1], twice that is the scores' gradient.
  EXPECT_TRUE(same(gradient("%r, %x, %y, %z", q), {4}));
  EXPECT_TRUE(same(gradient("%x, %r, %y, %z", k), {0, 0}));
  EXPECT_TRUE(same(gradient("%x, %y, %r, %z", v), {0.5, 0.5}));
  EXPECT_TRUE(same(gradient("%x, %y, %z, %r", mask), {-1, 1}));
}

} // namespace

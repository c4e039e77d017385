// Losses and metrics on special rows against PyTorch's formulas; cases B02,
// B09. Expected numbers by hand.
#include "test/unit/reference/Parse.h"

#include <cmath>

using namespace ampc::test;

namespace {

double f32(double value) { return static_cast<float>(value); }

std::vector<double> termLoss(const std::string &op,
                             const std::string &reduction,
                             const std::string &rest,
                             const std::vector<std::vector<double>> &operands,
                             const std::string &element = "f32") {
  std::string type =
      "tensor<" + std::to_string(operands[0].size()) + "x" + element + ">";
  std::string result =
      reduction == "none"
          ? "tensor<" + std::to_string(operands[0].size()) + "xf32>"
          : "tensor<f32>";
  std::vector<Written> written;
  for (const std::vector<double> &values : operands)
    written.push_back({type, values});
  return evaluate("%r = amp." + op + " " + reduction + " %a, %b" + rest +
                      " : " + type + " -> " + result,
                  written, result);
}

TEST(TermLoss, AbsoluteError) {
  std::vector<std::vector<double>> xy{{1, -2, 3, kNaN}, {3, -2, 1, 0}};
  EXPECT_TRUE(same(termLoss("l1", "none", "", xy), {2, 0, 2, kNaN}));
  EXPECT_TRUE(same(termLoss("l1", "sum", "", {{1, -2}, {3, -5}}), {5}));
  EXPECT_TRUE(same(termLoss("l1", "mean", "", {{1, -2}, {3, -5}}), {2.5}));
  EXPECT_TRUE(same(termLoss("l1", "mean", "", {{}, {}}), {kNaN}));
  // 60000 + 60000 does not fit f16; the loss is f32.
  EXPECT_TRUE(
      same(termLoss("l1", "sum", "", {{60000}, {-60000}}, "f16"), {120000}));
}

TEST(TermLoss, HuberChangesAtDelta) {
  EXPECT_TRUE(same(termLoss("huber", "none", " delta 2.0",
                            {{1, 2, -3, 100, kNaN}, {0, 0, 0, 0, 0}}),
                   {0.5, 2, 4, 198, kNaN}));
  EXPECT_TRUE(same(termLoss("huber", "mean", " delta 1.0", {{0.5, 3}, {0, 0}}),
                   {1.3125}));
}

// N12: from logits.
TEST(TermLoss, BinaryCrossEntropyNeverOverflows) {
  double log2 = f32(std::log(2.0));
  EXPECT_TRUE(same(termLoss("bce_with_logits", "none", "",
                            {{0, 1000, -1000, 1000, -1000}, {1, 1, 1, 0, 0}}),
                   {log2, 0, 1000, 1000, 0}));
  EXPECT_TRUE(
      same(termLoss("bce_with_logits", "sum", " weight %c pos_weight %d",
                    {{0, 0}, {1, 0}, {2, 3}, {5, 5}}),
           {f32(13 * std::log(2.0))}));
  EXPECT_TRUE(same(termLoss("bce_with_logits", "sum", " pos_weight %c",
                            {{0, 0}, {1, 0}, {5, 5}}),
                   {f32(6 * std::log(2.0))}));
}

/// A label op on rows of scores.
struct Labels {
  std::vector<double> scores, labels, weight;
  std::string ignore = "-100", element = "f32", index = "i64";

  std::vector<double> run(const std::string &op, const std::string &reduction,
                          const std::string &last = "") const {
    std::string rows = std::to_string(labels.size());
    size_t classes = scores.size() / labels.size();
    std::string x = "tensor<" + rows + "x" + std::to_string(classes) + "x" +
                    element + ">",
                t = "tensor<" + rows + "x" + index + ">",
                row = "tensor<" + rows + "xf32>",
                loss = reduction == "none" ? row : "tensor<f32>";
    std::vector<Written> operands{{x, scores}, {t, labels}};
    std::string text = "amp." + op + " " + reduction + " %a, %b";
    if (!weight.empty()) {
      std::string type = "tensor<" + std::to_string(classes) + "xf32>";
      operands.push_back({type, weight});
      text += " weight %c : " + type;
    }
    if (op == "accuracy")
      text += " k " + last;
    text += " ignore " + ignore;
    bool three = op == "cross_entropy";
    if (three)
      text += " smoothing " + (last.empty() ? "0.0" : last);
    text += " : " + x + ", " + t + " -> " + loss;
    if (three)
      text += ", " + row + ", " + row;
    return evaluate((three ? "%r, %m, %s = " : "%r = ") + text, operands, loss);
  }
};

TEST(CrossEntropy, MeanOverRowsThatCount) {
  double log2 = std::log(2.0), log4 = std::log(4.0);
  // Rows with losses log 2 (two equal classes), ignored, log 4.
  Labels rows{{0, 0, -kInf, -kInf, 9, 1, 2, 3, 5, 5, 5, 5}, {1, -100, 3}, {}};
  EXPECT_TRUE(
      same(rows.run("cross_entropy", "none"), {f32(log2), 0, f32(log4)}));
  EXPECT_TRUE(same(rows.run("cross_entropy", "sum"), {f32(log2 + log4)}));
  EXPECT_TRUE(
      same(rows.run("cross_entropy", "mean"), {f32((log2 + log4) / 2)}));
  // PyTorch divides by the sum of the labels' weights: 1 and 3.
  rows.weight = {7, 1, 7, 3};
  EXPECT_TRUE(
      same(rows.run("cross_entropy", "mean"), {f32((log2 + 3 * log4) / 4)}));
}

TEST(CrossEntropy, NothingCounts) {
  Labels rows{{1, 2, kNaN, 4}, {-100, -100}, {}};
  for (const char *op : {"cross_entropy", "nll"}) {
    EXPECT_TRUE(same(rows.run(op, "mean"), {0}));
    EXPECT_TRUE(same(rows.run(op, "sum"), {0}));
  }
  EXPECT_TRUE(same(rows.run("accuracy", "mean", "1"), {0}));
  Labels weightless{{1, 2, 3, 4}, {0, 0}, {0, 1}};
  EXPECT_TRUE(same(weightless.run("cross_entropy", "mean"), {0}));
}

// torch.nn.functional.cross_entropy(..., label_smoothing=s): (1 - s) of the
// label's term and s / C of every class's.
TEST(CrossEntropy, LabelSmoothing) {
  // Log probabilities of [log 1, log 3] are log 1/4 and log 3/4.
  double own = -std::log(0.25), other = -std::log(0.75);
  Labels rows{{0, std::log(3.0)}, {0}, {}, "-100"};
  rows.scores[1] = static_cast<float>(rows.scores[1]);
  double exact = 1 / (1 + std::exp(rows.scores[1]));
  own = -std::log(exact), other = -std::log(1 - exact);
  EXPECT_NEAR(rows.run("cross_entropy", "mean", "0.25")[0],
              0.75 * own + 0.125 * (own + other), 1e-7);
  rows.weight = {2, 5};
  EXPECT_NEAR(rows.run("cross_entropy", "sum", "0.25")[0],
              0.75 * 2 * own + 0.125 * (2 * own + 5 * other), 1e-6);
  EXPECT_NEAR(rows.run("cross_entropy", "mean", "0.25")[0],
              (0.75 * 2 * own + 0.125 * (2 * own + 5 * other)) / 2, 1e-6);
}

// B02: the loss subtracts the shifted logit; nothing underflows.
TEST(Cases, B02FarLogits) {
  Labels rows{{-431, 279, 427}, {0}, {}};
  EXPECT_TRUE(same(rows.run("cross_entropy", "mean"), {858}));
  // The shift keeps digits that a rounded logsumexp near 1e6 would lose.
  Labels large{{1000000, 1000000, 999990}, {1}, {}};
  EXPECT_NEAR(large.run("cross_entropy", "mean")[0],
              std::log(2 + std::exp(-10.0)), 1e-7);
}

// B09: labels are integers of any width; 4095 passes no narrow type.
TEST(Cases, B09WideLabels) {
  std::vector<double> scores(2 * 4096, 0.0);
  scores[4095] = 8;
  scores[4096 + 4095] = 8;
  double expected = f32(std::log(4095 + std::exp(8.0)) - 8);
  for (const char *index : {"i32", "i64"})
    for (const char *element : {"f32", "f16", "bf16"}) {
      Labels rows{scores, {4095, 4095}, {}, "-100", element, index};
      EXPECT_TRUE(same(rows.run("cross_entropy", "mean"), {expected}));
      EXPECT_TRUE(same(rows.run("accuracy", "mean", "1"), {1}));
      EXPECT_TRUE(same(rows.run("nll", "mean"), {-8}));
    }
}

TEST(Nll, PicksAndWeighs) {
  Labels rows{{-1, -2, -3, -4, -5, -6}, {1, 0}, {}};
  EXPECT_TRUE(same(rows.run("nll", "none"), {2, 4}));
  EXPECT_TRUE(same(rows.run("nll", "mean"), {3}));
  rows.weight = {1, 3, 9};
  EXPECT_TRUE(same(rows.run("nll", "mean"), {2.5}));
  rows.ignore = "0";
  EXPECT_TRUE(same(rows.run("nll", "mean"), {2}));
}

TEST(Labels, OutsideTheClassesPickNothing) {
  Labels rows{{1, 1, 2, 2}, {2, -1}, {}};
  double log2 = f32(std::log(2.0));
  EXPECT_TRUE(same(rows.run("cross_entropy", "none"), {log2, log2}));
  EXPECT_TRUE(same(rows.run("nll", "none"), {0, 0}));
  rows.weight = {3, 3};
  EXPECT_TRUE(same(rows.run("cross_entropy", "none"), {0, 0}));
}

TEST(Accuracy, TiesAndNaN) {
  Labels rows{
      {1, 5, 5, 5, 1, 5, kNaN, 9, 1, 2, kNaN, 3, 4, 4, 4}, {1, 2, 1, 1, 0}, {}};
  EXPECT_TRUE(same(rows.run("accuracy", "none", "1"), {1, 0, 0, 0, 1}));
  EXPECT_TRUE(same(rows.run("accuracy", "none", "2"), {1, 1, 1, 0, 1}));
  EXPECT_TRUE(same(rows.run("accuracy", "none", "3"), {1, 1, 1, 0, 1}));
  EXPECT_TRUE(same(rows.run("accuracy", "sum", "2"), {4}));
  EXPECT_TRUE(same(rows.run("accuracy", "mean", "1"), {f32(2.0 / 5)}));
  rows.ignore = "0";
  EXPECT_TRUE(same(rows.run("accuracy", "mean", "1"), {0.25}));
}

} // namespace

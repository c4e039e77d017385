// Gradients of reductions of rows, norms, losses, dropout and attention against
// finite differences.
#include "test/numerics/gradients/FiniteDifference.h"
#include "test/numerics/gradients/Shapes.h"

using namespace ampc::test;

namespace {

TEST(Gradient, LogsumexpAndVariance) {
  Numbers numbers(21);
  for (const Shape &shape : shapes(numbers, 1)) {
    Shape axes, rest;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      if (numbers.integer(0, 1) || (axis + 1 == shape.size() && axes.empty()))
        axes.push_back(static_cast<int64_t>(axis));
      else
        rest.push_back(shape[axis]);
    Written x = drawn(shape, numbers, -2, 2);
    std::string over = " %a over [" + list(axes) + "]",
                result = typeText(rest, "f64");
    bool isEmpty =
        llvm::any_of(axes, [&](int64_t axis) { return shape[axis] == 0; });
    if (isEmpty)
      continue; // -inf and NaN, at no operand
    checkGradient("%r = amp.logsumexp" + over + " : " + x.type + " -> " +
                      result,
                  {x}, result, 1, numbers);
    int64_t length = 1;
    for (int64_t axis : axes)
      length *= shape[axis];
    for (int64_t correction : {0, 1})
      if (correction < length)
        checkGradient("%r = amp.variance" + over + " correction " +
                          std::to_string(correction) + " : " + x.type + " -> " +
                          result,
                      {x}, result, 1, numbers);
  }
}

TEST(Gradient, ProductWithZeros) {
  Numbers numbers(22);
  for (const std::vector<double> &values : std::vector<std::vector<double>>{
           {2, 3, -1, 0.5}, {2, 0, -1, 0.5}, {0, 0, -1, 0.5}, {0, 0, 0, 0}})
    checkGradient("%r = amp.reduce prod %a over [0] order row accumulate f64 : "
                  "tensor<4xf64> -> tensor<f64>",
                  {{"tensor<4xf64>", values}}, "tensor<f64>", 1, numbers);
}

TEST(Gradient, Softmax) {
  Numbers numbers(23);
  for (const char *op : {"softmax", "log_softmax"})
    for (const Shape &shape : shapes(numbers, 1)) {
      Written x = drawn(shape, numbers, -2, 2);
      checkGradient("%r = amp." + std::string(op) + " %a : " + x.type, {x},
                    x.type, 1, numbers);
    }
}

TEST(Gradient, Norms) {
  Numbers numbers(24);
  for (const Shape &shape : shapes(numbers, 1))
    for (size_t axes = 1; axes <= shape.size(); ++axes)
      for (int affine = 0; affine < 4; ++affine) {
        size_t rows = shape.size() - axes;
        Shape row(shape.begin() + rows, shape.end());
        if (count(row) == 0)
          continue;
        bool hasWeight = affine & 1, hasBias = affine & 2;
        std::vector<Written> operands{drawn(shape, numbers, -2, 2)};
        std::string text = " %a", type = typeText(row, "f64"),
                    statistic = typeText(leading(shape, rows), "f64");
        if (hasWeight) {
          operands.push_back(drawn(row, numbers, 0.5, 2));
          text += " weight %b : " + type;
        }
        if (hasBias) {
          operands.push_back(drawn(row, numbers, -2, 2));
          text +=
              std::string(" bias ") + (hasWeight ? "%c" : "%b") + " : " + type;
        }
        std::string result = operands[0].type;
        std::string rest = " axes " + std::to_string(axes) +
                           " eps 0.5 : " + result + " -> " + result + ", " +
                           statistic;
        checkGradient("%r, %m, %s = amp.layer_norm" + text + rest + ", " +
                          statistic,
                      operands, result, operands.size(), numbers);
        if (!hasBias)
          checkGradient("%r, %s = amp.rms_norm" + text + rest, operands, result,
                        operands.size(), numbers);
      }
}

TEST(Gradient, TermLosses) {
  Numbers numbers(25);
  for (const char *reduction : {"none", "sum", "mean"})
    for (const Shape &shape : shapes(numbers)) {
      if (reduction[0] == 'm' && count(shape) == 0)
        continue; // the mean of no terms is NaN at every operand
      // Differences away from the kinks at 0 and +-delta = 1.
      Written x = drawn(shape, numbers, -2, 2), y = x;
      for (double &value : y.values)
        value += (numbers.integer(0, 1) ? 1 : -1) *
                 (numbers.integer(0, 1) ? numbers.between(0.25, 0.75)
                                        : numbers.between(1.25, 2));
      std::string result = reduction[0] == 'n' ? x.type : "tensor<f64>";
      std::string to = " : " + x.type + " -> " + result;
      std::string head = std::string(reduction) + " %a, %b";
      checkGradient("%r = amp.l1 " + head + to, {x, y}, result, 2, numbers);
      checkGradient("%r = amp.huber " + head + " delta 1.0" + to, {x, y},
                    result, 2, numbers);
      Written target = drawn(shape, numbers, 0, 1),
              weight = drawn(shape, numbers, 0.5, 2),
              positive = drawn(shape, numbers, 0.5, 4);
      Written logits = signedDrawn(shape, numbers, 0.25, 3);
      checkGradient("%r = amp.bce_with_logits " + head + to, {logits, target},
                    result, 2, numbers);
      checkGradient("%r = amp.bce_with_logits " + head + " weight %c" + to,
                    {logits, target, weight}, result, 2, numbers);
      checkGradient("%r = amp.bce_with_logits " + head +
                        " weight %c pos_weight %d" + to,
                    {logits, target, weight, positive}, result, 2, numbers);
    }
}

/// Labels of `rows`, a few of them -1, which the cases ignore.
Written labels(const Shape &rows, int64_t classes, Numbers &numbers) {
  Written written{typeText(rows, "i32"), {}};
  for (int64_t i = 0; i < count(rows); ++i)
    written.values.push_back(
        static_cast<double>(numbers.integer(-1, classes - 1)));
  return written;
}

TEST(Gradient, CrossEntropyAndNll) {
  Numbers numbers(26);
  for (const char *reduction : {"none", "sum", "mean"})
    for (const Shape &shape : shapes(numbers, 1))
      for (bool hasWeight : {false, true}) {
        if (shape.back() == 0)
          continue;
        Shape rows = leading(shape, shape.size() - 1);
        std::string row = typeText(rows, "f64"),
                    result = reduction[0] == 'n' ? row : "tensor<f64>";
        std::vector<Written> operands{drawn(shape, numbers, -2, 2),
                                      labels(rows, shape.back(), numbers)};
        std::string head = std::string(reduction) + " %a, %b";
        if (hasWeight) {
          operands.push_back(drawn({shape.back()}, numbers, 0.5, 2));
          head += " weight %c : " + operands[2].type;
        }
        head += " ignore -1";
        std::string to = " : " + operands[0].type + ", " + operands[1].type +
                         " -> " + result;
        checkGradient("%r = amp.nll " + head + to, operands, result, 1,
                      numbers);
        for (const char *smoothing : {"0.0", "0.25", "1.0"})
          checkGradient("%r, %m, %s = amp.cross_entropy " + head +
                            " smoothing " + smoothing + to + ", " + row + ", " +
                            row,
                        operands, result, 1, numbers);
      }
}

/// Seed, index and micro of a random op.
std::vector<Written> key() {
  return {{"tensor<i64>", {11}}, {"tensor<i64>", {2}}, {"tensor<i64>", {0}}};
}

TEST(Gradient, Dropout) {
  Numbers numbers(27);
  for (const Shape &shape : shapes(numbers))
    for (const char *p : {"0.0", "0.5", "1.0"})
      for (const char *mode : {"train", "eval"}) {
        std::vector<Written> operands{drawn(shape, numbers, -2, 2)};
        llvm::append_range(operands, key());
        checkGradient("%r = amp.dropout %a key(%b, %c, %d) p " +
                          std::string(p) + " mode " + mode +
                          " site 3 : " + operands[0].type,
                      operands, operands[0].type, 1, numbers);
      }
}

/// Extents b, h, kv, n, m, d, e of an attention.
struct Extents {
  int64_t b, h, kv, n, m, d, e;
};

void checkAttention(const Extents &x, const Shape &mask, bool isBoolean,
                    bool causal, bool drops, Numbers &numbers) {
  std::vector<Written> operands{drawn({x.b, x.h, x.n, x.d}, numbers, -1, 1),
                                drawn({x.b, x.kv, x.m, x.d}, numbers, -1, 1),
                                drawn({x.b, x.kv, x.m, x.e}, numbers, -1, 1)};
  std::string text, types = operands[0].type + ", " + operands[1].type + ", " +
                            operands[2].type;
  size_t expected = 3;
  if (!mask.empty()) {
    Written values = drawn(mask, numbers, -1, 1);
    if (isBoolean) {
      values.type = typeText(mask, "i1");
      for (double &value : values.values)
        value = value > -0.25;
    }
    operands.push_back(values);
    text += " mask %d : " + values.type;
    expected += !isBoolean;
  }
  if (drops) {
    text += mask.empty() ? " key(%d, %e, %f)" : " key(%e, %f, %g)";
    llvm::append_range(operands, key());
  }
  std::string out = typeText({x.b, x.h, x.n, x.e}, "f64");
  checkGradient("%r, %l = amp.attention %a, %b, %c" + text +
                    (causal ? " causal" : "") + " scale 0.75 dropout " +
                    (drops ? "0.25" : "0.0") + " mode train site 5 : " + types +
                    " -> " + out + ", " + typeText({x.b, x.h, x.n}, "f64"),
                operands, out, expected, numbers);
}

TEST(Gradient, Attention) {
  Numbers numbers(28);
  for (const Extents &x : std::vector<Extents>{{1, 1, 1, 3, 3, 2, 2},
                                               {2, 2, 1, 2, 3, 2, 1},
                                               {1, 4, 2, 2, 2, 1, 2},
                                               {1, 1, 1, 1, 1, 1, 1},
                                               {0, 2, 2, 2, 2, 2, 2},
                                               {1, 2, 2, 2, 0, 2, 2},
                                               {1, 2, 2, 0, 3, 2, 2}})
    for (bool causal : {false, true})
      for (bool drops : {false, true}) {
        checkAttention(x, {}, false, causal, drops, numbers);
        for (bool isBoolean : {false, true}) {
          checkAttention(x, {x.b, x.h, x.n, x.m}, isBoolean, causal, drops,
                         numbers);
          checkAttention(x, {1, x.h, 1, x.m}, isBoolean, causal, drops,
                         numbers);
          checkAttention(x, {x.b, 1, x.n, 1}, isBoolean, causal, drops,
                         numbers);
        }
      }
}

} // namespace

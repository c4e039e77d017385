// Reductions of rows, norms, losses, dropout and attention against their
// decompositions.
#include "test/numerics/decompositions/Composite.h"

#include <cmath>

using namespace mlir;
using namespace ampc::test;
using ampc::reference::Tensor;

namespace {

const std::vector<std::string> kElements{"f64", "f32", "f16", "bf16"};

std::string wideOf(const std::string &element) {
  return element == "f64" ? "f64" : "f32";
}

TEST(Decomposition, ArgmaxLogsumexpVariance) {
  Numbers numbers(31);
  for (const std::string &element : kElements)
    for (const Shape &shape :
         std::vector<Shape>{{1}, {7}, {3, 100}, {2, 1, 3}, {0, 2}})
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 0)
          continue;
        Shape rest(shape);
        rest.erase(rest.begin() + axis);
        Written x = drawn(shape, element, numbers);
        std::string at = std::to_string(axis);
        checkComposite(makeComposite("amp.argmax %a axis " + at + " : " +
                                         x.type + " -> " +
                                         typeText(rest, "i64"),
                                     {x}, {typeText(rest, "i64")}),
                       1);
        std::string result = typeText(rest, element);
        checkComposite(makeComposite("amp.logsumexp %a over [" + at +
                                         "] : " + x.type + " -> " + result,
                                     {x}, {result}),
                       16);
        checkComposite(makeComposite("amp.variance %a over [" + at +
                                         "] correction 0 : " + x.type + " -> " +
                                         result,
                                     {x}, {result}),
                       16);
      }
}

TEST(Decomposition, Softmax) {
  Numbers numbers(32);
  for (const char *op : {"softmax", "log_softmax"})
    for (const std::string &element : kElements)
      for (const Shape &shape :
           std::vector<Shape>{{1}, {7}, {3, 100}, {2, 1, 3}, {0, 2}, {2, 0}}) {
        Written x = drawn(shape, element, numbers);
        checkComposite(
            makeComposite("amp." + std::string(op) + " %a : " + x.type, {x},
                          {x.type}),
            16);
      }
}

TEST(Decomposition, Norms) {
  Numbers numbers(33);
  for (const std::string &element : kElements)
    for (const Shape &shape :
         std::vector<Shape>{{1}, {7}, {3, 100}, {2, 1, 3}, {0, 2}})
      for (size_t axes = 1; axes <= shape.size(); ++axes)
        for (int affine = 0; affine < 4; ++affine) {
          size_t rows = shape.size() - axes;
          Shape row(shape.begin() + rows, shape.end());
          if (ampc::amp::elementCount(row) == 0)
            continue;
          bool hasWeight = affine & 1, hasBias = affine & 2;
          // f32 weights beside narrower values are allowed.
          std::string own = affine == 1 ? wideOf(element) : element;
          std::vector<Written> operands{drawn(shape, element, numbers)};
          std::string text = " %a", type = typeText(row, own);
          std::string statistic =
              typeText(leading(shape, rows), wideOf(element));
          if (hasWeight) {
            operands.push_back(drawn(row, own, numbers));
            text += " weight %b : " + type;
          }
          if (hasBias) {
            operands.push_back(drawn(row, own, numbers));
            text += std::string(" bias ") + (hasWeight ? "%c" : "%b") + " : " +
                    type;
          }
          std::string result = operands[0].type;
          std::string rest = " axes " + std::to_string(axes) +
                             " eps 0.5 : " + result + " -> " + result + ", " +
                             statistic;
          checkComposite(
              makeComposite("amp.layer_norm" + text + rest + ", " + statistic,
                            operands, {result, statistic, statistic}),
              16);
          if (!hasBias)
            checkComposite(makeComposite("amp.rms_norm" + text + rest, operands,
                                         {result, statistic}),
                           16);
        }
}

TEST(Decomposition, TermLosses) {
  Numbers numbers(34);
  for (const std::string &element : kElements)
    for (const Shape &shape : std::vector<Shape>{{}, {1}, {5}, {9, 40}, {0, 2}})
      for (const std::string reduction : {"none", "sum", "mean"}) {
        int64_t count = ampc::amp::elementCount(shape);
        if (reduction == "mean" && count == 0)
          continue; // NaN in both, which the structure tests check
        std::vector<Written> operands{drawn(shape, element, numbers),
                                      drawn(shape, element, numbers, 0, 1)};
        std::string result =
            typeText(reduction == "none" ? shape : Shape{}, wideOf(element));
        std::string head = reduction + " %a, %b",
                    to = " : " + operands[0].type + " -> " + result;
        double scale = 16 * static_cast<double>(std::max<int64_t>(count, 1));
        for (const std::string &text :
             {"l1 " + head, "huber " + head + " delta 0.7",
              "bce_with_logits " + head})
          checkComposite(makeComposite("amp." + text + to, operands, {result}),
                         scale);
        operands.push_back(drawn(shape, element, numbers, 0, 2));
        operands.push_back(drawn(shape, element, numbers, 0, 4));
        checkComposite(makeComposite("amp.bce_with_logits " + head +
                                         " weight %c pos_weight %d" + to,
                                     operands, {result}),
                       8 * scale);
      }
}

TEST(Decomposition, LabelLosses) {
  Numbers numbers(35);
  for (const std::string &element : kElements)
    for (const Shape &shape :
         std::vector<Shape>{{1}, {5}, {6, 1}, {6, 3}, {2, 3, 100}, {0, 3}})
      for (const std::string reduction : {"none", "sum", "mean"})
        for (bool hasWeight : {false, true}) {
          Shape rows = leading(shape, shape.size() - 1);
          Written labels{typeText(rows, "i32"), {}};
          int64_t count = ampc::amp::elementCount(rows);
          for (int64_t i = 0; i < count; ++i)
            labels.values.push_back(
                static_cast<double>(numbers.integer(-1, shape.back() - 1)));
          std::vector<Written> operands{drawn(shape, element, numbers), labels};
          std::string row = typeText(rows, wideOf(element)),
                      loss = reduction == "none"
                                 ? row
                                 : typeText(Shape{}, wideOf(element));
          std::string types =
              " : " + operands[0].type + ", " + labels.type + " -> ";
          std::string head = reduction + " %a, %b";
          double scale = 16 * static_cast<double>(std::max<int64_t>(count, 1));
          std::string hits =
              typeText(reduction == "none" ? rows : Shape{}, "f32");
          for (const char *k : {"1", "3"})
            if (shape.back() >= 3)
              checkComposite(makeComposite("amp.accuracy " + head + " k " + k +
                                               " ignore -1" + types + hits,
                                           operands, {hits}),
                             scale);
          if (hasWeight) {
            operands.push_back(drawn({shape.back()}, element, numbers, 0.5, 2));
            head += " weight %c : " + operands[2].type;
          }
          head += " ignore -1";
          checkComposite(
              makeComposite("amp.nll " + head + types + loss, operands, {loss}),
              scale);
          for (const char *smoothing : {"0.0", "0.1"})
            checkComposite(makeComposite("amp.cross_entropy " + head +
                                             " smoothing " + smoothing + types +
                                             loss + ", " + row + ", " + row,
                                         operands, {loss, row, row}),
                           8 * scale);
        }
}

const std::vector<Written> kKey{
    {"tensor<i64>", {11}}, {"tensor<i64>", {2}}, {"tensor<i64>", {0}}};

TEST(Decomposition, Dropout) {
  Numbers numbers(36);
  for (const std::string &element : kElements)
    for (const Shape &shape : std::vector<Shape>{{}, {100}, {3, 5}, {0}})
      for (const char *p : {"0.0", "0.1", "0.5", "1.0"})
        for (const char *mode : {"train", "eval"}) {
          std::vector<Written> operands{drawn(shape, element, numbers)};
          llvm::append_range(operands, kKey);
          checkComposite(makeComposite("amp.dropout %a key(%b, %c, %d) p " +
                                           std::string(p) + " mode " + mode +
                                           " site 3 : " + operands[0].type,
                                       operands, {operands[0].type}),
                         4);
        }
}

TEST(Decomposition, Attention) {
  Numbers numbers(37);
  struct Extents {
    int64_t b, h, kv, n, m, d, e;
  };
  for (const std::string &element : kElements)
    for (const Extents &x : std::vector<Extents>{{1, 1, 1, 3, 3, 2, 2},
                                                 {2, 4, 2, 5, 70, 8, 3},
                                                 {0, 2, 2, 2, 2, 2, 2},
                                                 {1, 2, 2, 2, 0, 2, 2}})
      for (const std::string mask : {"", "i1", "f32"})
        for (bool causal : {false, true}) {
          std::vector<Written> operands{
              drawn({x.b, x.h, x.n, x.d}, element, numbers, -1, 1),
              drawn({x.b, x.kv, x.m, x.d}, element, numbers, -1, 1),
              drawn({x.b, x.kv, x.m, x.e}, element, numbers, -1, 1)};
          std::string text, types = operands[0].type + ", " + operands[1].type +
                                    ", " + operands[2].type;
          if (!mask.empty()) {
            operands.push_back(drawn({x.b, 1, x.n, x.m}, mask, numbers, -1, 1));
            for (double &value : operands[3].values)
              value = mask == "i1" ? value > -0.5 : value;
            text += " mask %d : " + operands[3].type;
          }
          text += mask.empty() ? " key(%d, %e, %f)" : " key(%e, %f, %g)";
          llvm::append_range(operands, kKey);
          std::string out = typeText({x.b, x.h, x.n, x.e}, element),
                      row = typeText({x.b, x.h, x.n}, wideOf(element));
          checkComposite(
              makeComposite("amp.attention %a, %b, %c" + text +
                                (causal ? " causal" : "") +
                                " scale 0.3 dropout 0.25 mode train site 5 : " +
                                types + " -> " + out + ", " + row,
                            operands, {out, row}),
              64);
        }
}

/// Values of both forms on special numbers: NaN meets NaN, an infinity itself.
void checkSpecial(const std::string &operation,
                  const std::vector<Written> &operands,
                  llvm::ArrayRef<std::string> results) {
  BothForms forms(makeComposite(operation, operands, results));
  ASSERT_FALSE(forms.direct.empty());
  for (size_t i = 0; i < forms.direct.size(); ++i)
    for (int64_t j = 0; j < forms.direct[i].size(); ++j) {
      double a = forms.direct[i].number(j), b = forms.primitive[i].number(j);
      bool agree = (std::isnan(a) && std::isnan(b)) || a == b ||
                   std::fabs(a - b) <= 0x1p-48 * std::fabs(a);
      EXPECT_TRUE(agree) << "result " << i << " element " << j << ": " << a
                         << " and " << b << " of " << operation;
    }
}

TEST(Decomposition, SpecialRows) {
  Written x{"tensor<7x3xf64>",
            {-kInf, -kInf, -kInf, kInf,  1,     2, kNaN,  1, kInf, -kInf, 3, 3,
             0.0,   -0.0,  0.0,   1e300, 1e300, 5, -kInf, 2, 7}};
  std::string rows = "tensor<7xf64>";
  for (const char *op : {"softmax", "log_softmax"})
    checkSpecial("amp." + std::string(op) + " %a : " + x.type, {x}, {x.type});
  checkSpecial("amp.logsumexp %a over [1] : " + x.type + " -> " + rows, {x},
               {rows});
  checkSpecial("amp.argmax %a axis 1 : " + x.type + " -> tensor<7xi64>", {x},
               {"tensor<7xi64>"});
  checkSpecial("amp.argmax %a axis 0 : " + x.type + " -> tensor<3xi64>", {x},
               {"tensor<3xi64>"});
  checkSpecial("amp.logsumexp %a over [1] : tensor<2x0xf64> -> tensor<2xf64>",
               {{"tensor<2x0xf64>", {}}}, {"tensor<2xf64>"});
  checkSpecial("amp.variance %a over [1] correction 0 : tensor<2x0xf64> -> "
               "tensor<2xf64>",
               {{"tensor<2x0xf64>", {}}}, {"tensor<2xf64>"});
  checkSpecial("amp.variance %a over [1] correction 1 : tensor<2x1xf64> -> "
               "tensor<2xf64>",
               {{"tensor<2x1xf64>", {1, kInf}}}, {"tensor<2xf64>"});
  for (const char *label : {"-1", "0", "2", "5"}) {
    Written t{"tensor<7xi64>", std::vector<double>(7, std::stod(label))};
    std::string types = " : " + x.type + ", " + t.type + " -> ";
    for (const char *ignore : {"-1", "2"}) {
      std::string head = "none %a, %b ", skip = "ignore " + std::string(ignore);
      checkSpecial("amp.cross_entropy " + head + skip + " smoothing 0.0" +
                       types + rows + ", " + rows + ", " + rows,
                   {x, t}, {rows, rows, rows});
      checkSpecial("amp.nll " + head + skip + types + rows, {x, t}, {rows});
      checkSpecial("amp.nll mean %a, %b " + skip + types + "tensor<f64>",
                   {x, t}, {"tensor<f64>"});
      for (const char *k : {"k 1 ", "k 3 "})
        checkSpecial("amp.accuracy " + head + k + skip + types +
                         "tensor<7xf32>",
                     {x, t}, {"tensor<7xf32>"});
    }
  }
}

} // namespace

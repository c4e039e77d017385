// The models of the sweep; see Sweep.h. Arguments are kept where functions have
// moderate slopes, so that derived bounds stay finite.
#include "test/train/Sweep.h"

namespace ampc::test {

namespace {

std::string extents(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

/// A model under construction.
class Builder {
public:
  explicit Builder(std::string name) : name(std::move(name)) {}

  /// Declares an input and gives its name.
  std::string input(const Shape &shape, int64_t limit = 0) {
    std::string made = (limit ? "n" : "x") + std::to_string(inputs.size());
    declarations += "  input " + made + ": " + (limit ? "i32" : "f32") +
                    extents(shape) + "\n";
    inputs.push_back({made, shape, limit});
    return made;
  }
  /// An output that `total` reaches.
  void smooth(const std::string &expression) {
    std::string output = plain(expression);
    total += " + sum(square(" + output + "))";
  }
  /// One that it does not: of integers, of bools, or with a bound that says
  /// nothing.
  std::string plain(const std::string &expression) {
    std::string output = "y" + std::to_string(outputs++);
    body += "  output " + output + " = " + expression + "\n";
    return output;
  }
  SweepModel model() {
    return {name,
            "model sweep {\n" + declarations + body + "  output total = " +
                (total.empty() ? "sum(x0)" : total.substr(3)) + "\n}\n",
            std::move(inputs)};
  }

private:
  std::string name, declarations, body, total;
  std::vector<SweepInput> inputs;
  int outputs = 0;
};

const Shape kShapes[] = {{}, {1}, {0}, {67}, {3, 1}, {2, 0, 3}, {2, 1, 3, 5}};

std::string nameOf(const char *family, const Shape &shape) {
  std::string text = family;
  for (int64_t extent : shape)
    text += "_" + std::to_string(extent);
  return text;
}

SweepModel maps(const Shape &shape) {
  Builder b(nameOf("Maps", shape));
  std::string x = b.input(shape), y = b.input(shape), i = b.input(shape, 7),
              j = b.input(shape, 5);
  for (const char *function :
       {"exp", "erf", "sin", "cos", "abs", "square", "relu", "sigmoid", "tanh",
        "silu", "gelu", "sign", "floor", "detach", "-"})
    b.smooth(std::string(function) + "(" + x + ")");
  for (const std::string &expression :
       {"gelu(" + x + ", \"tanh\")", "softplus(" + x + ", 2, 1)",
        "clip(" + x + ", -0.5, 0.75)", "clip(" + x + ", 0.5, -0.75)",
        "log(abs(" + x + ") + 0.5)", "sqrt(abs(" + x + ") + 0.5)",
        "rsqrt(abs(" + x + ") + 0.5)", x + " + " + y, x + " - " + y,
        x + " * " + y, x + " / (abs(" + y + ") + 0.5)",
        "maximum(" + x + ", " + y + ")", "minimum(" + x + ", " + y + ")",
        "pow(abs(" + x + ") + 0.5, " + y + ")",
        "where(" + x + " < " + y + ", " + x + ", 2 * " + y + ")"})
    b.smooth(expression);
  for (const char *op : {"<", "<=", "==", "!=", ">", ">="}) {
    b.plain(x + " " + op + " " + y);
    b.plain(i + " " + op + " " + j);
  }
  for (const char *op : {"and", "or", "xor"})
    b.plain(std::string("logical_") + op + "(" + x + " > 0, " + i + " > 2)");
  b.plain("logical_not(" + x + " > 0)");
  for (const char *op : {"+", "-", "*"})
    b.plain(i + " " + op + " " + j);
  for (const char *op : {"//", "%"})
    b.plain("(" + i + " - 3) " + op + " (" + j + " + 1)");
  for (const std::string &expression :
       {"abs(" + i + " - 3)", "sign(" + i + " - 3)", "-" + i,
        "maximum(" + i + ", " + j + ")", "minimum(" + i + ", " + j + ")",
        "clip(" + i + ", 1, 3)", "cast(" + i + ", f32)",
        "cast(" + x + ", bf16)", "cast(" + x + ", f16)",
        "cast(cast(" + x + ", f8e4m3, 4), f32, 4)",
        "cast(cast(" + x + ", f8e5m2, 0.5), f32, 3)",
        "cast(cast(" + i + ", i8), i64)", "cast(" + x + " > 0, f32)",
        x + " // 0.5", x + " % 0.75"})
    b.plain(expression);
  return b.model();
}

SweepModel rows(const Shape &shape) {
  Builder b(nameOf("Rows", shape));
  std::string x = b.input(shape), i = b.input(shape, 7);
  bool empty = llvm::is_contained(shape, 0);
  std::vector<std::string> axes{"none"};
  for (size_t axis = 0; axis < shape.size(); ++axis)
    axes.push_back(std::to_string(axis));
  if (shape.size() > 2)
    axes.push_back("[0, 2]");
  for (const std::string &axis : axes) {
    std::string over = ", axis = " + axis + ")";
    b.smooth("sum(" + x + over);
    b.smooth("prod(" + x + over);
    b.plain("sum(" + i + over);
    b.plain("prod(" + i + over);
    if (empty)
      continue;
    for (const char *function : {"mean(", "max(", "min("})
      b.smooth(function + x + over);
    b.plain("max(" + i + over);
    b.smooth("var(" + x + ", axis = " + axis + ", correction = 0)");
    if (axis != "none")
      b.smooth("logsumexp(" + x + over);
    if (axis[0] != '[')
      b.plain("argmax(" + x + over);
    if (axis != "none" && axis[0] != '[') {
      b.smooth("softmax(" + x + over);
      b.smooth("log_softmax(" + x + over);
    }
  }
  if (!shape.empty() && shape.back() != 0) {
    b.smooth("layer_norm(" + x + ", eps = 0.5)");
    b.smooth("rms_norm(" + x + ", eps = 0.5)");
  }
  return b.model();
}

SweepModel movement(const Shape &shape) {
  Builder b(nameOf("Movement", shape));
  std::string x = b.input(shape);
  b.smooth("flatten(unsqueeze(" + x + ", 0))");
  b.smooth("expand(" + x + ", " + extents([&] {
             Shape wide{3};
             wide.append(shape.begin(), shape.end());
             return wide;
           }()) +
           ")");
  b.smooth("stack([" + x + ", " + x + "])");
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    std::string at = std::to_string(axis), colons;
    for (size_t before = 0; before < axis; ++before)
      colons += ":, ";
    b.smooth("transpose(" + x + ", " + at + ", -1)");
    b.smooth("concat([" + x + ", 2 * " + x + "], " + at + ")");
    b.smooth(x + "[" + colons + "0:2]");
    b.smooth(x + "[" + colons + "::2]");
    int64_t extent = shape[axis];
    std::string picked = b.input({3}, std::max<int64_t>(extent, 1));
    if (extent > 0) {
      b.smooth("index_select(" + x + ", " + at + ", " + picked + ")");
      Shape chosen(shape);
      chosen[axis] = 2;
      b.smooth("gather(" + x + ", " + at + ", " + b.input(chosen, extent) +
               ")");
    }
  }
  if (!shape.empty()) {
    b.smooth("pad(" + x + ", [2, 1], value = 0.5)");
    if (shape.back() > 2)
      for (const char *mode : {"reflect", "replicate", "circular"})
        b.smooth("pad(" + x + ", [2, 1], mode = \"" + mode + "\")");
    if (shape.back() > 0)
      b.smooth("pad(" + x + ", [-1, 2])");
    std::string ids = b.input(shape, 5);
    b.smooth("embedding(" + ids + ", 5, 3, padding_idx = 2)");
    b.plain("one_hot(" + ids + ", 6)");
  }
  return b.model();
}

/// Products over batch axes that are broadcast, single or empty.
SweepModel products(const Shape &left, const Shape &right, int64_t k) {
  Builder b(nameOf("Products", left) + nameOf("_by", right) + "_k" +
            std::to_string(k));
  auto with = [](Shape batch, int64_t rows, int64_t columns) {
    batch.append({rows, columns});
    return batch;
  };
  std::string x = b.input(with(left, 5, k)), y = b.input(with(right, k, 3));
  b.smooth("matmul(" + x + ", " + y + ")");
  b.smooth("matmul(" + x + ", transpose(" + b.input(with(right, 3, k)) +
           ", -1, -2))");
  b.smooth("matmul(transpose(" + b.input(with(left, k, 5)) + ", -1, -2), " + y +
           ")");
  if (k > 0)
    b.smooth("linear(" + x + ", 4)");
  return b.model();
}

SweepModel attention(const Shape &q, int64_t keys, int64_t keyHeads) {
  Builder b(nameOf("Attention", q));
  Shape k(q);
  k[1] = keyHeads;
  k[2] = keys;
  std::string text =
      "attention(" + b.input(q) + ", " + b.input(k) + ", " + b.input(k);
  b.smooth(text + ")");
  b.smooth(text + ", causal = true)");
  return b.model();
}

SweepModel losses(int64_t count) {
  Builder b("Losses_" + std::to_string(count));
  std::string x = b.input({count, 5}), y = b.input({count, 5}),
              labels = b.input({count}, 5);
  for (const char *reduction : {"mean", "sum", "none"}) {
    if (count == 0 && reduction == std::string("mean"))
      continue; // NaN, as N18 has it
    std::string tail = std::string(", reduction = \"") + reduction + "\")";
    for (const char *loss : {"mse(", "l1(", "huber("})
      b.smooth(loss + x + ", " + y + tail);
    b.smooth("bce_with_logits(" + x + ", sigmoid(" + y + ")" + tail);
    b.smooth("cross_entropy(" + x + ", " + labels + tail);
    b.smooth("cross_entropy(" + x + ", " + labels +
             ", label_smoothing = 0.1, ignore_index = 2" + tail);
    b.smooth("nll(log_softmax(" + x + "), " + labels + tail);
    // Labels that are computed are checked where they are used.
    b.smooth("cross_entropy(" + x + ", cast(abs(" + y + "[:, 0]), i32)" + tail);
  }
  if (count > 0)
    b.plain("accuracy(" + x + ", " + labels + ")");
  return b.model();
}

SweepModel draws(const Shape &shape) {
  Builder b(nameOf("Draws", shape));
  std::string x = b.input(shape);
  b.smooth("dropout(" + x + ", 0.3)");
  b.smooth(x + " * rand_like(" + x + ")");
  b.smooth(x + " + randn_like(" + x + ")");
  b.plain("randint(-3, 4, " + extents(shape) + ")");
  b.plain("bernoulli(sigmoid(" + x + "))");
  b.plain("arange(7) + 1");
  b.smooth("if_training(" + x + ", 2 * " + x + ")");
  return b.model();
}

} // namespace

std::vector<SweepModel> sweepModels() {
  std::vector<SweepModel> models;
  for (const Shape &shape : kShapes) {
    models.push_back(maps(shape));
    models.push_back(rows(shape));
    models.push_back(movement(shape));
  }
  models.push_back(products({}, {}, 33));
  models.push_back(products({2, 1}, {1, 3}, 7));
  models.push_back(products({2, 0}, {1, 1}, 4));
  models.push_back(products({1, 1}, {2, 1}, 1));
  models.push_back(products({2, 2}, {2, 2}, 0));
  models.push_back(attention({2, 4, 5, 3}, 7, 2));
  models.push_back(attention({2, 8, 5, 3}, 7, 4)); // head by head
  models.push_back(attention({0, 2, 3, 4}, 3, 2));
  models.push_back(attention({1, 1, 1, 1}, 1, 1));
  models.push_back(losses(6));
  models.push_back(losses(1));
  models.push_back(losses(0));
  models.push_back(draws({3, 21}));
  models.push_back(draws({0}));
  return models;
}

} // namespace ampc::test

// The generator: a pool of float tensors grows by one random function a
// statement. Arguments are kept where functions have moderate slopes, so that
// derived bounds stay finite.
#include "test/train/RandomModel.h"

#include "test/numerics/Graph.h"

namespace ampc::test {

namespace {

using Shape = std::vector<int64_t>;

struct Value {
  std::string name;
  Shape shape;
};

constexpr int64_t kBatch = 6;
constexpr int64_t kMaxElements = 4096;

int64_t elements(const Shape &shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

std::string list(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {}

  std::string model(int statements) {
    Shape x{kBatch, extent()}, y{kBatch, extent(), extent()};
    Shape a{extent(), extent(), 4}, b{kBatch, 5}, c{extent()};
    pool = {{"x", x}, {"y", y}, {"a", a}, {"b", b}, {"c", c}};
    std::string body;
    for (const Value &parameter : {pool[2], pool[3], pool[4]})
      body += "  param " + parameter.name + ": f32" + list(parameter.shape) +
              " = normal()\n";
    for (int i = 0; i < statements;) {
      Value made{"v" + std::to_string(i), {}};
      std::string text = statement(made.shape);
      if (text.empty() || made.shape.size() > 4 ||
          elements(made.shape) > kMaxElements || elements(made.shape) == 0)
        continue;
      body += "  " + made.name + " = " + text + "\n";
      pool.push_back(made);
      ++i;
    }
    std::string loss = "  loss = mean(x)";
    for (const Value &value : llvm::drop_begin(pool))
      loss += " + mean(tanh(" + value.name + "))";
    return "model random {\n  dim batch = " + std::to_string(kBatch) +
           "\n  input x: f32[batch, " + std::to_string(x[1]) +
           "]\n  input y: f32[batch, " + std::to_string(y[1]) + ", " +
           std::to_string(y[2]) + "]\n  input i: i32[batch]\n" + body + loss +
           "\n}\ntrain { optimizer = sgd(lr = 0.5) }\ndata {\n  x = normal(1)\n"
           "  y = normal(2)\n  i = randint(3, low = 0, high = 5)\n}\n";
  }

private:
  int64_t below(int64_t n) { return random.integer(0, n - 1); }
  int64_t extent() {
    constexpr int64_t kExtents[] = {1, 2, 3, 4, 5, 8, 17, 64, 65};
    return kExtents[below(std::size(kExtents))];
  }
  const Value &any() { return pool[below(int64_t(pool.size()))]; }
  std::string axisOf(const Value &v) {
    return std::to_string(below(int64_t(v.shape.size())));
  }
  std::vector<int64_t> someAxes(const Value &v) {
    std::vector<int64_t> axes;
    for (size_t i = 0; i < v.shape.size(); ++i)
      if (below(2))
        axes.push_back(int64_t(i));
    if (axes.empty())
      axes.push_back(below(int64_t(v.shape.size())));
    return axes;
  }

  std::string statement(Shape &shape) {
    const Value &v = any();
    shape = v.shape;
    switch (below(9)) {
    case 0:
    case 1:
      return unary(v.name);
    case 2:
      return binary(v);
    case 3:
      return row(v);
    case 4:
      return reduction(v, shape);
    case 5:
      return movement(v, shape);
    case 6:
      return lookup(v, shape);
    default:
      return layer(v, shape);
    }
  }

  std::string unary(const std::string &x) {
    const std::string kCalls[] = {
        "exp(tanh(" + x + "))",
        "log(abs(" + x + ") + 0.5)",
        "sqrt(" + x + " * " + x + " + 0.25)",
        "rsqrt(abs(" + x + ") + 0.5)",
        "erf(" + x + ")",
        "sin(" + x + ")",
        "cos(2 * " + x + ")",
        "abs(" + x + ")",
        "sign(" + x + ") * " + x,
        x + " - floor(" + x + ")",
        "square(" + x + ")",
        "reciprocal(" + x + " * " + x + " + 0.5)",
        "relu(" + x + ")",
        "sigmoid(" + x + ")",
        "tanh(" + x + ")",
        "silu(" + x + ")",
        "gelu(" + x + ")",
        "gelu(" + x + ", approximate = \"tanh\")",
        "softplus(" + x + ", beta = 2, threshold = 1)",
        "clip(" + x + ", min = -0.5, max = 0.75)",
        "detach(" + x + ") * " + x,
        "dropout(" + x + ", 0.3)",
        "-" + x,
        "pow(abs(" + x + ") + 0.25, 1.5)",
        "pow(" + x + ", 2)",
        x + " + 0.1 * rand_like(" + x + ")",
        x + " * randn_like(" + x + ")",
        "if_training(" + x + ", 2 * " + x + ")",
        "where(" + x + " > 0, " + x + ", 0.1 * " + x + ")",
        "cast(" + x + " > 0.5, f32) - " + x};
    return kCalls[below(std::size(kCalls))];
  }

  std::string binary(const Value &v) {
    // The second operand has the first one's shape, or extent 1 in some axes.
    std::string x = v.name, y;
    std::vector<std::string> same;
    for (const Value &other : pool)
      if (other.shape == v.shape)
        same.push_back(other.name);
    y = same[below(int64_t(same.size()))];
    if (!v.shape.empty() && below(2))
      y = "mean(" + y + ", " + list(someAxes(v)) + ", keepdim = true)";
    const std::string kCalls[] = {x + " + " + y,
                                  x + " - " + y,
                                  x + " * " + y,
                                  x + " / (abs(" + y + ") + 0.5)",
                                  "maximum(" + x + ", " + y + ")",
                                  "minimum(" + y + ", " + x + ")",
                                  "where(" + x + " < " + y + ", " + x +
                                      ", 0.5 * " + y + ")",
                                  "where(logical_and(" + x + " > 0, " + y +
                                      " > 0), " + x + ", " + y + ")",
                                  "pow(abs(" + x + ") + 0.5, tanh(" + y + "))"};
    return kCalls[below(std::size(kCalls))];
  }

  std::string row(const Value &v) {
    if (v.shape.empty())
      return "";
    const std::string kCalls[] = {
        "softmax(" + v.name + ", axis = " + axisOf(v) + ")",
        "log_softmax(" + v.name + ", axis = " + axisOf(v) + ")",
        "layer_norm(" + v.name + ", eps = 0.1)",
        "rms_norm(" + v.name + ", eps = 0.1)"};
    return kCalls[below(std::size(kCalls))];
  }

  std::string reduction(const Value &v, Shape &shape) {
    if (v.shape.empty())
      return "";
    std::vector<int64_t> axes = someAxes(v);
    bool keep = below(2);
    shape.clear();
    for (size_t i = 0; i < v.shape.size(); ++i)
      if (!llvm::is_contained(axes, int64_t(i)))
        shape.push_back(v.shape[i]);
      else if (keep)
        shape.push_back(1);
    std::string rest =
        ", " + list(axes) + ", keepdim = " + (keep ? "true" : "false") + ")";
    switch (below(8)) {
    case 0:
      return "sum(" + v.name + rest + " * 0.125";
    case 1:
      return "max(" + v.name + rest;
    case 2:
      return "min(" + v.name + rest;
    case 3:
      return "prod(tanh(" + v.name + ")" + rest;
    case 4:
      return "logsumexp(" + v.name + rest;
    case 5:
      return "var(" + v.name + ", " + list(axes) +
             ", correction = 0, keepdim = " + (keep ? "true)" : "false)");
    case 6:
      return "std(" + v.name + ", " + list(axes) +
             ", correction = 0, keepdim = " + (keep ? "true)" : "false)");
    default:
      return "mean(" + v.name + rest;
    }
  }

  std::string movement(const Value &v, Shape &shape) {
    if (v.shape.empty())
      return "";
    auto axis = size_t(below(int64_t(v.shape.size())));
    int64_t extent = v.shape[axis];
    std::string at = std::to_string(axis);
    switch (below(9)) {
    case 0: {
      auto other = size_t(below(int64_t(v.shape.size())));
      std::swap(shape[axis], shape[other]);
      return "transpose(" + v.name + ", " + at + ", " + std::to_string(other) +
             ")";
    }
    case 1:
      shape = {elements(v.shape)};
      return "flatten(" + v.name + ")";
    case 2:
      shape.insert(shape.begin() + int64_t(axis), 1);
      return "unsqueeze(" + v.name + ", " + at + ")";
    case 3:
      shape[axis] *= 2;
      return "concat([" + v.name + ", tanh(" + v.name + ")], axis = " + at +
             ")";
    case 4: {
      shape[axis] = extent - extent / 2;
      std::string colons;
      for (size_t i = 0; i < axis; ++i)
        colons += ":, ";
      int64_t step = extent > 3 && below(2) ? 2 : 1;
      shape[axis] = (extent - extent / 2 + step - 1) / step;
      return v.name + "[" + colons + std::to_string(extent / 2) + ":" +
             std::to_string(extent) + (step == 2 ? ":2]" : "]");
    }
    case 5:
      shape.back() += 3;
      return "pad(" + v.name + ", [1, 2], value = 0.5)";
    case 6:
      if (extent % 2)
        return "";
      shape[axis] /= 2;
      return "chunk(" + v.name + ", 2, axis = " + at + ")[" +
             std::to_string(below(2)) + "]";
    case 7:
      shape.insert(shape.begin(), 2);
      return "stack([" + v.name + ", -" + v.name + "])";
    default:
      shape = {1, elements(v.shape)};
      return "reshape(" + v.name + ", [1, -1])";
    }
  }

  std::string lookup(const Value &v, Shape &shape) {
    if (v.shape.empty())
      return "";
    auto axis = size_t(below(int64_t(v.shape.size())));
    std::string at = std::to_string(axis),
                last = std::to_string(v.shape[axis] - 1);
    switch (below(4)) {
    case 0:
      shape[axis] = kBatch;
      return "index_select(" + v.name + ", " + at + ", minimum(i, " + last +
             "))";
    case 1:
      shape[axis] = 1;
      return "gather(" + v.name + ", " + at + ", argmax(" + v.name +
             ", axis = " + at + ", keepdim = true))";
    case 2:
      shape = {kBatch, 7};
      return "embedding(i, 5, 7, padding_idx = 2)";
    default:
      shape = {kBatch, 5};
      return "one_hot(i, 5, dtype = f32) * mean(" + v.name + ")";
    }
  }

  std::string layer(const Value &v, Shape &shape) {
    if (v.shape.empty())
      return "";
    switch (below(4)) {
    case 0: {
      shape.back() = extent();
      return "linear(" + v.name + ", " + std::to_string(shape.back()) + ")";
    }
    case 1:
      if (v.shape.size() < 2)
        return "";
      shape.back() = v.shape[v.shape.size() - 2];
      return "tanh(matmul(" + v.name + ", transpose(" + v.name + ", -1, -2)))";
    case 2:
      if (v.shape.size() != 3 || v.shape[2] % 2)
        return "";
      return "attention(" + v.name + ", tanh(" + v.name + "), " + v.name +
             ", heads = 2, causal = " + (below(2) ? "true" : "false") + ")";
    default:
      shape = {};
      if (v.shape.size() != 2 || v.shape[0] != kBatch || v.shape[1] < 5)
        return "";
      return "cross_entropy(" + v.name + ", i, label_smoothing = 0.1)";
    }
  }

  Numbers random;
  std::vector<Value> pool;
};

} // namespace

std::string randomModel(uint64_t seed, int statements) {
  return Generator(seed).model(statements);
}

} // namespace ampc::test

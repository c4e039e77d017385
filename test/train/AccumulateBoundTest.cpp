// A window of three micro-batches equals one batch of three times their size
// (N14), within the derived bound (N29): no tolerance is written here.
#include "test/train/BoundedEntry.h"

#include <random>

namespace ampc::test {
namespace {

constexpr int64_t kMicros = 3, kSamples = 4;

/// A loss and what it is of.
struct Case {
  const char *name, *loss;
};

void PrintTo(const Case &item, std::ostream *os) { *os << item.loss; }

/// Two layers, trained on `loss` for batches of `batch` samples.
Model modelOf(const Case &item, int64_t batch, const std::string &train) {
  return must(Model::parse("model m {\n"
                           "  dim batch = " +
                               std::to_string(batch) +
                               "\n"
                               "  input x: f32[batch, 6]\n"
                               "  target y: i32[batch]\n"
                               "  target t: f32[batch, 5]\n"
                               "  target m: f32[batch, 5]\n"
                               "  h = relu(linear(x, 7))\n"
                               "  p = linear(h, 5, name = \"out\")\n"
                               "  " +
                               item.loss +
                               "\n}\ntrain {\n  optimizer = sgd(lr = 1)\n" +
                               train + "}\n",
                           "m.amp"));
}

/// Inputs of a whole window. Labels and masks are uneven: micro-batches have 4,
/// 1 and 0 rows that count.
class Fed {
public:
  Fed() {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> number(-1, 1);
    for (rt::Tensor *tensor : {&x, &t, &m})
      for (float &value : tensor->as<float>())
        value = number(random);
    for (int64_t row = 0; row < kMicros * kSamples; ++row) {
      bool counts = row < kSamples + 1;
      y.as<int32_t>()[row] = counts ? int32_t(random() % 5) : -100;
      for (int64_t i = 0; i < 5; ++i)
        m.as<float>()[row * 5 + i] = counts && i % 2 ? 0.5f : 0.0f;
    }
    for (auto [name, tensor] :
         {std::pair("x", &x), {"y", &y}, {"t", &t}, {"m", &m}})
      batch.set(name, *tensor);
  }

  rt::Batch batch;
  rt::Tensor x = made(rt::DType::F32, {6}), y = made(rt::DType::I32, {}),
             t = made(rt::DType::F32, {5}), m = made(rt::DType::F32, {5});

private:
  static rt::Tensor made(rt::DType type, std::vector<int64_t> rest) {
    rest.insert(rest.begin(), kMicros * kSamples);
    return must(rt::Tensor::zeros(type, rest));
  }
};

class WindowBound : public testing::TestWithParam<Case> {};

/// Two executions, each within its bound of the reference's value, which is
/// within the same bound of the exact one: exact arithmetic is an execution.
double distance(const Bounded &one, const Bounded &other, size_t element) {
  return 2 * (one.error[element] + other.error[element]);
}

/// Trains one step of each, in `precision`; a bound above `useful` says
/// nothing.
void expectEqual(const Case &item, const std::string &precision,
                 double useful) {
  Model whole = modelOf(item, kMicros * kSamples, ""),
        parts = modelOf(item, kSamples, "  accumulate = 3\n");
  CompileOptions compile;
  compile.precision = precision;
  rt::Session one = must(open_session(whole, compile)),
              several = must(open_session(parts, compile));
  Fed fed;
  BoundedEntry step(whole, "train_step", compile, Roundings::optional),
      window(parts, "apply_step", compile, Roundings::optional);
  step.copyState(one);
  window.copyState(several);
  Bounded loss = step.run(fed.batch)[0],
          windowLoss = window.runWindow(fed.batch, kMicros)[0];
  rt::Tensor before = must(one.read("linear.weight"));
  must(one.step(fed.batch));
  must(several.step(fed.batch));

  // Of several losses the first.
  rt::StepResult result = *must(one.poll()), windowed = *must(several.poll());
  auto first = [](const rt::StepResult &result) {
    return result.extras.empty() ? result.loss : result.extras[0];
  };
  EXPECT_LE(std::abs(first(result) - first(windowed)),
            distance(loss, windowLoss, 0));
  for (const std::string &name : one.variables()) {
    if (name.starts_with("ampc."))
      continue;
    rt::Tensor a = must(one.read(name)), b = must(several.read(name));
    for (size_t i = 0; i < a.count(); ++i) {
      double bound = distance(step.variable(name), window.variable(name), i);
      EXPECT_LE(std::abs(a.as<float>()[i] - b.as<float>()[i]), bound)
          << name << "[" << i << "]";
      EXPECT_LT(bound, useful) << "the bound says nothing";
    }
  }
  EXPECT_FALSE(std::ranges::equal(must(one.read("linear.weight")).bytes(),
                                  before.bytes()))
      << "nothing was trained";
}

TEST_P(WindowBound, EqualsTheFullBatch) {
  expectEqual(GetParam(), "f32", 1e-3);
}

/// Activations are rounded to 16 bits, sums of gradients are not.
TEST_P(WindowBound, EqualsTheFullBatchInMixedPrecision) {
  expectEqual(GetParam(), "bf16", 0.5);
  expectEqual(GetParam(), "f16", 0.1);
}

INSTANTIATE_TEST_SUITE_P(
    Losses, WindowBound,
    testing::Values(
        Case{"Mean", "loss = mse(p, t)"},
        Case{"Sum", "loss = 0.01 * l1(p, t, reduction = \"sum\")"},
        Case{"MaskedMean",
             "loss = sum(square(p - t) * m) / maximum(sum(m), 1)"},
        Case{"MaskedMeanOfMeans", "loss = 0.5 * mean(p * m) / mean(m)"},
        Case{"CrossEntropy", "loss = cross_entropy(p, y)"},
        Case{"ClassWeights",
             "loss = cross_entropy(p, y, weight = tensor([1, 2, 0.5, 3, 1]))"},
        Case{"NegativeLogLikelihood", "loss = nll(log_softmax(p), y)"},
        Case{"Decay", "param k: f32[4] = 1\n"
                      "  loss = mse(p, t) + 0.1 * sum(square(k)) - 0.25"},
        Case{"ScaledByParameters",
             "param k: f32[4] = 1\n  loss = mse(p, t) * mean(k) / sum(k)"},
        Case{"Several",
             "loss a = mse(p, t)\n  loss b = -2 * mean(p) + l1(p, t)"}),
    [](const auto &info) { return std::string(info.param.name); });

/// No row counts in a whole window: no weight moves (N11).
TEST(Window, WithoutAnyRowMovesNothing) {
  Model model = modelOf({"", "loss = cross_entropy(p, y)"}, kSamples,
                        "  accumulate = 3\n");
  rt::Session session = must(open_session(model));
  Fed fed;
  std::fill(fed.y.as<int32_t>().begin(), fed.y.as<int32_t>().end(), -100);
  rt::Tensor before = must(session.read("linear.weight"));
  must(session.step(fed.batch));
  rt::StepResult result = *must(session.poll());
  EXPECT_EQ(result.loss, 0);
  EXPECT_TRUE(result.applied);
  EXPECT_TRUE(std::ranges::equal(must(session.read("linear.weight")).bytes(),
                                 before.bytes()));
}

} // namespace
} // namespace ampc::test

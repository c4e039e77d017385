// Cases that have broken other training stacks, through compiled code; each
// test starts with the row of the list that it holds.
#include "test/train/Compiled.h"

#include <cmath>

namespace ampc::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Cases, B02LogSoftmaxOfDistantLogits) {
  for (const char *loss : {"cross_entropy(x, i)", "nll(log_softmax(x), i)"}) {
    SCOPED_TRACE(loss);
    Results results = runCompiled(
        "input x: f32[1, 3]\ninput i: i64[1]\noutput l = " + std::string(loss),
        {floats("x", {1, 3}, {-431, 279, 427}),
         {"i", rt::DType::I64, {1}, {0}}},
        "l");
    EXPECT_EQ(results.values("l"), std::vector<double>{858});
    EXPECT_TRUE(near(results.values("grad.x"), {-1, 0, 1}, 1e-6));
  }
}

TEST(Cases, B04SoftplusOfLargeNumbers) {
  std::vector<double> x{5, 10, 11, 12, 88, 1000, -1000};
  Results results =
      runCompiled("input x: f32[7]\noutput y = softplus(x)",
                  {floats("x", {7}, x)}, "y", std::vector<double>(7, 1.0));
  std::vector<double> values, slopes;
  for (double number : x) {
    values.push_back(std::max(number, 0.0) +
                     std::log1p(std::exp(-std::fabs(number))));
    slopes.push_back(1 / (1 + std::exp(-number)));
  }
  // From the threshold of 20 on it is x itself.
  for (size_t i = 0; i < x.size(); ++i) {
    SCOPED_TRACE(x[i]);
    EXPECT_TRUE(near({results.values("y")[i]}, {values[i]},
                     2 * std::fabs(values[i]) * 0x1p-23));
    EXPECT_TRUE(near({results.values("grad.x")[i]}, {slopes[i]}, 0x1p-22));
  }
}

TEST(Cases, B06TheAttributeSelectsGelu) {
  Results results = runCompiled("input x: f32[2]\noutput exact = gelu(x)\n"
                                "output near = gelu(x, approximate = \"tanh\")",
                                {floats("x", {2}, {0.5, -2.5})});
  EXPECT_TRUE(near(results.values("exact"), {0.345731, -0.0155242}, 6e-7));
  EXPECT_TRUE(near(results.values("near"), {0.345714, -0.0150843}, 6e-7));
}

TEST(Cases, B09LabelsOfEitherWidth) {
  std::vector<double> logits(2 * 4096, 0.0);
  logits[4095] = 3;
  logits[4096 + 17] = -2;
  std::vector<std::vector<double>> losses, gradients;
  for (rt::DType dtype : {rt::DType::I32, rt::DType::I64}) {
    std::string type = dtype == rt::DType::I32 ? "i32" : "i64";
    Results results = runCompiled(
        "input x: f32[2, 4096]\ninput i: " + type +
            "[2]\noutput l = cross_entropy(x, i, reduction = \"none\")",
        {floats("x", {2, 4096}, logits), {"i", dtype, {2}, {4095, 17}}}, "l",
        {1, 1});
    losses.push_back(results.values("l"));
    gradients.push_back(results.values("grad.x"));
  }
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_EQ(gradients[0], gradients[1]);
  double first = std::log(4095 + std::exp(3.0)) - 3,
         second = std::log(4095 + std::exp(-2.0)) + 2;
  EXPECT_TRUE(near(losses[0], {first, second}, 1e-5));
  EXPECT_TRUE(near({gradients[0][4095]}, {std::exp(-first) - 1}, 1e-6));
}

TEST(Cases, B11MaskedScoresAreExactlyZero) {
  std::string mask = "input x: f32[2, 2]\n"
                     "m = tensor([[0.0, -1e9], [0.0, 0.0]])\n";
  Results results = runCompiled(
      mask + "output once = softmax(x + m)\noutput twice = softmax(x + m + m)",
      {floats("x", {2, 2}, {1, 2, 3, 4})});
  for (const char *name : {"once", "twice"}) {
    EXPECT_TRUE(
        near(results.values(name), {1, 0, 0.268941421, 0.731058579}, 0x1p-23));
    EXPECT_EQ(results.values(name)[1], 0);
  }
}

TEST(Cases, B11MasksOfF16Scores) {
  // A number would take the scores' type, where -1e9 is -inf: the op that adds
  // it stays in f32.
  Results results = runCompiled(
      "input x: f32[2, 2]\ninput keep: i64[2, 2]\ns = cast(x, f16)\n"
      "m = tensor([[0.0, -1e9], [0.0, 0.0]])\n"
      "output once = cast(softmax(cast(s + m, f32)), f32)\n"
      "output chosen = cast(softmax(where(keep > 0, s, -1e9)), f32)\n"
      "output twice = cast(softmax(where(keep > 0, s, s - 1e9) + m), f32)",
      {floats("x", {2, 2}, {1, 2, 3, 4}),
       {"keep", rt::DType::I64, {2, 2}, {1, 0, 1, 1}}});
  for (const char *name : {"once", "chosen", "twice"}) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(
        near(results.values(name), {1, 0, 0.268941421, 0.731058579}, 0x1p-11));
    EXPECT_EQ(results.values(name)[1], 0);
  }
}

TEST(Cases, B11MasksUnderAPolicy) {
  for (const char *precision : {"f16", "bf16"}) {
    SCOPED_TRACE(precision);
    Results results = runCompiled(
        "input x: f32[2, 2]\ninput w: f32[2, 2]\ns = matmul(x, w)\n"
        "m = tensor([[0.0, -1e9], [0.0, 0.0]])\n"
        "output y = matmul(softmax(s + m + m), w)",
        {floats("x", {2, 2}, {1, 2, 3, 4}), floats("w", {2, 2}, {1, 0, 0, 1})},
        "", {}, precision);
    EXPECT_TRUE(near(results.values("y"), {1, 0, 0.268941421, 0.731058579},
                     precision[0] == 'f' ? 0x1p-12 : 0x1p-9));
    EXPECT_EQ(results.values("y")[1], 0);
  }
}

TEST(Cases, B12LogsumexpOfMinusInfinity) {
  Results results =
      runCompiled("input x: f32[2, 2]\noutput y = logsumexp(x, 1)",
                  {floats("x", {2, 2}, {-kInf, -kInf, -kInf, 1})}, "y", {1, 1});
  EXPECT_TRUE(near(results.values("y"), {-kInf, 1}));
  EXPECT_TRUE(near(results.values("grad.x"), {0, 0, 0, 1}));
}

// N4: no float is simplified, and zero keeps its sign.
TEST(Cases, C04FloatsAreNotSimplified) {
  Results results =
      runCompiled("input x: f32[3]\ninput y: f32[1]\n"
                  "output a = x * 0\noutput b = x - x\noutput c = x / x\n"
                  "output d = log(exp(y))\noutput e = sqrt(square(y * 1e18))",
                  {floats("x", {3}, {kInf, kNaN, 2}), floats("y", {1}, {89})});
  EXPECT_TRUE(near(results.values("a"), {kNaN, kNaN, 0}));
  EXPECT_TRUE(near(results.values("b"), {kNaN, kNaN, 0}));
  EXPECT_TRUE(near(results.values("c"), {kNaN, kNaN, 1}));
  EXPECT_TRUE(near(results.values("d"), {kInf}));
  EXPECT_TRUE(near(results.values("e"), {kInf}));
}

TEST(Cases, C06ZeroKeepsItsSign) {
  Results results =
      runCompiled("input x: f32[1]\ninput y: f32[1]\n"
                  "output a = 1 / (x + 0.0)\noutput b = 1 / (x - 0.0)\n"
                  "output c = 1 / maximum(x, y)\noutput d = 1 / maximum(y, x)\n"
                  "output e = where(x == y, 1.0, 0.0)",
                  {floats("x", {1}, {-0.0}), floats("y", {1}, {0.0})});
  EXPECT_TRUE(near(results.values("a"), {kInf}));
  EXPECT_TRUE(near(results.values("b"), {-kInf}));
  EXPECT_TRUE(near(results.values("c"), {kInf}));
  EXPECT_TRUE(near(results.values("d"), {kInf}));
  EXPECT_TRUE(near(results.values("e"), {1}));
}

TEST(Cases, C08ProductsAreNotContracted) {
  Results results =
      runCompiled("input a: f32[1]\ninput b: f32[1]\ninput x: f32[1]\n"
                  "output y = a * x + b * x",
                  {floats("a", {1}, {1e20}), floats("b", {1}, {-1e20}),
                   floats("x", {1}, {1e10})});
  EXPECT_EQ(results.values("y"), std::vector<double>{0});
}

TEST(Cases, C10IntegersArePositionsExactly) {
  Results results =
      runCompiled("input i: i64[3]\noutput y = sin(cast(i, f32) * 0.001)",
                  {{"i", rt::DType::I64, {3}, {4095, 4096, 4097}}});
  EXPECT_TRUE(
      near(results.values("y"), {-0.815393, -0.815971, -0.816549}, 1e-5));
}

TEST(Cases, F01SquareRootsAtZero) {
  Results root = runCompiled("input x: f32[1]\noutput y = sqrt(x)",
                             {floats("x", {1}, {0})}, "y");
  EXPECT_TRUE(near(root.values("grad.x"), {kInf}));
  // With a term under the root the zeros stay; without, it is 0 * inf.
  for (const char *function : {"sum(square(x))", "sqrt(sum(x * x) + 1e-12)"}) {
    SCOPED_TRACE(function);
    Results results =
        runCompiled("input x: f32[3]\noutput y = " + std::string(function),
                    {floats("x", {3}, {0, 0, 0})}, "y");
    EXPECT_TRUE(near(results.values("grad.x"), {0, 0, 0}));
  }
}

TEST(Cases, F03TheOtherBranchGivesNoGradient) {
  Results results =
      runCompiled("input x: f32[3]\n"
                  "output y = where(x > 2, log(x) / 0.6931471805599453, 2 * x)",
                  {floats("x", {3}, {0, 2, 3})}, "y", {1, 1, 1});
  EXPECT_TRUE(near(results.values("grad.x"), {2, 2, 0.480898}, 1e-6));
}

TEST(Cases, F04TiesShareOrTakeOneUnitOfGradient) {
  Results pair =
      runCompiled("input x: f32[1]\ninput y: f32[1]\n"
                  "output m = maximum(x, y)",
                  {floats("x", {1}, {2}), floats("y", {1}, {2})}, "m");
  EXPECT_EQ(pair.values("grad.x")[0] + pair.values("grad.y")[0], 1);
  for (const char *kind : {"max(x)", "max(x, 0)", "-min(-x)"}) {
    SCOPED_TRACE(kind);
    Results results =
        runCompiled("input x: f32[4]\noutput m = " + std::string(kind),
                    {floats("x", {4}, {1, 2, 2, 2})}, "m");
    std::vector<double> gradient = results.values("grad.x");
    EXPECT_EQ(gradient[0], 0);
    EXPECT_NEAR(gradient[1] + gradient[2] + gradient[3], 1, 0x1p-22);
  }
}

TEST(Cases, F08GradientsOfReductionsHaveTheInputsShape) {
  for (const char *axes : {"[1, 2]", "[2, 1]", "[-1, -2]", "[-2, 2]"}) {
    SCOPED_TRACE(axes);
    Results results = runCompiled(
        "input x: f32[2, 3, 4]\noutput y = mean(x, " + std::string(axes) + ")",
        {floats("x", {2, 3, 4}, std::vector<double>(24, 1.0))}, "y", {1, 2});
    std::vector<double> expected(12, 1 / 12.0f);
    expected.resize(24, 2 / 12.0f);
    EXPECT_TRUE(near(results.values("grad.x"), expected, 0x1p-26));
    EXPECT_EQ(results.shape("grad.x"), (std::vector<int64_t>{2, 3, 4}));
  }
}

TEST(Cases, G05ThePaddingRowGetsNoGradient) {
  for (int64_t zeros : {1000, 5, 4000}) {
    std::vector<double> indices(size_t(zeros), 0.0);
    indices.insert(indices.end(), {1, 1, 2});
    std::string n = std::to_string(indices.size());
    Results results = runCompiled(
        "input i: i64[" + n +
            "]\noutput y = sum(embedding(i, 4, 2, "
            "padding_idx = 0, name = \"e\"))",
        {{"i", rt::DType::I64, {int64_t(indices.size())}, indices}}, "y");
    EXPECT_TRUE(
        near(results.values("grad.e.weight"), {0, 0, 2, 2, 1, 1, 0, 0}));
  }
}

TEST(Cases, H02ReductionsOfAnEmptyAxis) {
  std::string x = "input x: f32[2, 0, 3]\n";
  Results results = runCompiled(
      x + "output s = sum(x, 1)\noutput p = prod(x, 1)\n"
          "output m = mean(x, 1)\noutput k = sum(x, 1, keepdim = true)\n"
          "output q = prod(x, 1, keepdim = true)\n"
          "output n = mean(x, [0, 1], keepdim = true)\n"
          "output l = linear(reshape(x, [0, 6]), 4)",
      {floats("x", {2, 0, 3}, {})});
  EXPECT_TRUE(near(results.values("s"), std::vector<double>(6, 0.0)));
  EXPECT_TRUE(near(results.values("p"), std::vector<double>(6, 1.0)));
  EXPECT_TRUE(near(results.values("m"), std::vector<double>(6, kNaN)));
  EXPECT_EQ(results.shape("s"), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(results.shape("k"), (std::vector<int64_t>{2, 1, 3}));
  EXPECT_EQ(results.shape("l"), (std::vector<int64_t>{0, 4}));
  EXPECT_EQ(results.shape("q"), (std::vector<int64_t>{2, 1, 3}));
  EXPECT_TRUE(near(results.values("q"), std::vector<double>(6, 1.0)));
  EXPECT_EQ(results.shape("n"), (std::vector<int64_t>{1, 1, 3}));
  EXPECT_TRUE(near(results.values("n"), std::vector<double>(3, kNaN)));
}

TEST(Cases, H02NoSamplesThroughAWholeModel) {
  Results results = runCompiled(
      "input x: f32[0, 4, 6]\ninput t: i64[0, 4]\n"
      "h = linear(layer_norm(x, name = \"ln\"), 8, name = \"up\")\n"
      "h = h + attention(h, h, h, heads = 2, causal = true)\n"
      "h = dropout(gelu(rms_norm(h)), 0.1)\n"
      "output y = softmax(linear(concat([h, h], axis = 2), 5, name = \"f\"))\n"
      "output best = argmax(y, axis = 2)\n"
      "output l = cross_entropy(y, t, reduction = \"sum\")",
      {floats("x", {0, 4, 6}, {}), {"t", rt::DType::I64, {0, 4}, {}}}, "y", {});
  EXPECT_EQ(results.shape("y"), (std::vector<int64_t>{0, 4, 5}));
  EXPECT_EQ(results.shape("best"), (std::vector<int64_t>{0, 4}));
  EXPECT_EQ(results.values("l"), std::vector<double>{0});
  EXPECT_EQ(results.shape("grad.x"), (std::vector<int64_t>{0, 4, 6}));
  EXPECT_EQ(results.values("grad.f.weight"), std::vector<double>(5 * 16, 0.0));
  EXPECT_EQ(results.values("grad.ln.weight"), std::vector<double>(6, 0.0));
  EXPECT_EQ(results.values("grad.up.bias"), std::vector<double>(8, 0.0));
}

TEST(Cases, D07NormsThatOverflowNeverGiveNan) {
  // Its gradients are 1e20 each, their squares no number of f32.
  Model model = must(Model::parse(
      "model m {\n  dim batch = 1\n  input x: f32[batch]\n"
      "  param w: f32[2] = 0\n  loss = sum(w * 1e20) + 0 * sum(x)\n}\n"
      "train { optimizer = sgd(lr = 1)\n  clip_norm = 1 }\n"
      "data { x = normal(1) }\n",
      "norms.amp"));
  Training training(model);
  // The sum is taken in f64, which has room for them (N25).
  rt::StepResult result = training.step(0);
  rt::Tensor weight = must(training.session().read("w"));
  EXPECT_TRUE(result.applied);
  EXPECT_NEAR(*result.grad_norm, std::sqrt(2.0) * 1e20, 1e14);
  EXPECT_NEAR(weight.as<float>()[0], -std::sqrt(0.5), 1e-5);
}

// With checkpoint blocks and within the smallest budget the backward computes
// again what the forward did, in its types.
TEST(Cases, E03RecomputeHasTheForwardsTypes) {
  auto textOf = [](const char *begin, const char *end,
                   const std::string &settings) {
    return std::string(
               "model m {\n  input x: f32[32, 24]\n  target y: f32[32, 24]\n"
               "  h = x\n  repeat 3 {\n    ") +
           begin +
           " h = dropout(gelu(linear(layer_norm(h), 48)), 0.25)\n"
           "    h = linear(h, 24) " +
           end +
           "\n  }\n  loss = mse(h, y)\n}\n"
           "train { optimizer = sgd(lr = 1e-2)\n" +
           settings + " }\ndata { x = normal(1)\n y = normal(2) }\n";
  };
  for (const char *precision : {"bf16", "f16"}) {
    SCOPED_TRACE(precision);
    CompileOptions options;
    options.precision = precision;
    auto outcomeOf = [&](const std::string &text) {
      Model model = must(Model::parse(text, "remat.amp"));
      Training training(model, options);
      std::vector<float> losses = training.losses(4);
      return std::pair(losses, training.state());
    };
    auto kept = outcomeOf(textOf("", "", ""));
    EXPECT_EQ(outcomeOf(textOf("checkpoint {", "}", "")), kept);
    auto load = [&](const std::string &budget) {
      return must(Model::parse(textOf("", "", "memory_budget = " + budget),
                               "remat.amp"));
    };
    std::string least = std::to_string(smallestBudget(load, options));
    EXPECT_EQ(outcomeOf(textOf("", "", "memory_budget = " + least)), kept);
  }
}

// Masks show in parameters: the gradient of sum(dropout(p)) is 2 where p is
// kept and 0 elsewhere.
TEST(Cases, E04MasksOfTwoSitesAndTwoSteps) {
  for (const char *block : {"", "checkpoint "}) {
    SCOPED_TRACE(block);
    std::string text =
        std::string("model m {\n  input x: f32[1]\n"
                    "  param p: f32[4096] = 0\n  param q: f32[4096] = 0\n"
                    "  ") +
        block +
        "{\n    a = dropout(p, 0.5)\n    b = dropout(q, 0.5)\n  }\n"
        "  loss = sum(a) + sum(b) + sum(x)\n}\n"
        "train { optimizer = sgd(lr = 1) }\ndata { x = normal(1) }\n";
    if (!*block)
      text = text.replace(text.find("  {\n"), 4, "")
                 .replace(text.find("  }\n"), 4, "");
    Model model = must(Model::parse(text, "masks.amp"));
    Training training(model);
    auto numbers = [&](const char *name) {
      rt::Tensor tensor = must(training.session().read(name));
      return std::vector<float>(tensor.as<float>().begin(),
                                tensor.as<float>().end());
    };
    training.step(0);
    std::vector<float> p = numbers("p"), q = numbers("q");
    training.step(1);
    std::vector<float> later = numbers("p");
    unsigned keptP = 0, keptQ = 0, differ = 0, alike = 0, again = 0;
    for (size_t i = 0; i < p.size(); ++i) {
      ASSERT_TRUE(p[i] == 0 || p[i] == -2) << p[i];
      keptP += p[i] != 0;
      keptQ += q[i] != 0;
      differ += p[i] != q[i];
      again += p[i] != later[i] - p[i];
      alike += i % 4 == 0 && p[i] == p[i + 1] && p[i] == p[i + 2] &&
               p[i] == p[i + 3];
    }
    EXPECT_NEAR(keptP / 4096.0, 0.5, 0.04);
    EXPECT_NEAR(keptQ / 4096.0, 0.5, 0.04);
    EXPECT_NEAR(differ / 4096.0, 0.5, 0.1);
    EXPECT_NEAR(again / 4096.0, 0.5, 0.1);
    EXPECT_LT(alike / 1024.0, 0.2);
  }
}

} // namespace
} // namespace ampc::test

// What stands between gradients and weights: clipping by the global norm, and
// groups of parameters. The models' gradients are their inputs.
#include "test/train/Training.h"

#include <cmath>

namespace ampc::test {
namespace {

/// Two parameters whose gradients are the inputs `a` and `b`.
std::string text(const std::string &train) {
  return "model two {\n"
         "  input a: f32[2]\n"
         "  input b: f32[3, 2]\n"
         "  param first: f32[2] = 1\n"
         "  param second: f32[3, 2] = 1\n"
         "  loss = sum(first * a) + sum(second * b)\n"
         "}\n"
         "train {\n" +
         train + "}\n";
}

/// A model whose gradients are given, in one of the ways of evaluation.
class Given {
public:
  Given(const std::string &train, int optLevel)
      : model(must(Model::parse(text(train), "two.amp"))) {
    CompileOptions compile;
    compile.opt_level = optLevel;
    opened = std::make_unique<OpenedModel>(must(open_stepper(model, compile)));
  }

  /// One step with these gradients; its result.
  rt::StepResult step(std::vector<float> a, std::vector<float> b) {
    rt::Tensor first = tensor({2}, a), second = tensor({3, 2}, b);
    rt::Batch batch;
    batch.set("a", first);
    batch.set("b", second);
    must(opened->stepper->step(batch));
    return *must(opened->stepper->poll());
  }

  /// The file of the present state.
  rt::Safetensors saved() {
    std::string path = testing::TempDir() + "ampc-given.safetensors";
    must(opened->stepper->save(path, /*overwrite=*/true, ""));
    return must(rt::Safetensors::open(path));
  }
  std::vector<float> values(const std::string &name) {
    rt::Safetensors file = saved();
    const auto *entry = file.find(name);
    EXPECT_TRUE(entry) << name;
    const auto *data = reinterpret_cast<const float *>(entry->bytes.data());
    return {data, data + entry->bytes.size() / sizeof(float)};
  }

private:
  static rt::Tensor tensor(std::vector<int64_t> shape,
                           const std::vector<float> &from) {
    rt::Tensor made = must(rt::Tensor::zeros(rt::DType::F32, shape));
    std::copy(from.begin(), from.end(), made.as<float>().begin());
    return made;
  }

  Model model;
  std::unique_ptr<OpenedModel> opened;
};

const std::vector<float> kZeros(6, 0.0f);

/// One step of SGD at rate 1 from weights of 1: what is taken off is the
/// clipped gradient, here against the formula of clip_grad_norm_ in f64.
void expectClipped(const std::vector<float> &a, const std::vector<float> &b,
                   double limit) {
  double squares = 0;
  for (const std::vector<float> *gradient : {&a, &b})
    for (float g : *gradient)
      squares += double(g) * double(g);
  double norm = std::sqrt(squares);
  double share = std::min(limit / (norm + 1e-6), 1.0);
  for (int optLevel : {0, 2}) {
    SCOPED_TRACE(optLevel);
    Given given("optimizer = sgd(lr = 1.0)\nclip_norm = " +
                    std::to_string(limit) + "\n",
                optLevel);
    rt::StepResult result = given.step(a, b);
    ASSERT_TRUE(result.grad_norm);
    EXPECT_TRUE(result.applied);
    EXPECT_NEAR(*result.grad_norm, norm, norm * 0x1p-23);
    auto check = [&](const std::string &name, const std::vector<float> &given,
                     const std::vector<float> &gradient) {
      for (size_t i = 0; i < gradient.size(); ++i) {
        double clipped = double(gradient[i]) * share;
        // Roundings: of the share, of the product, of the difference.
        EXPECT_NEAR(1.0 - given[i], clipped,
                    std::abs(clipped) * 0x1p-22 + 0x1p-24)
            << name << " " << i;
      }
    };
    check("first", given.values("first"), a);
    check("second", given.values("second"), b);
  }
}

TEST(Clip, ScalesToTheLimit) {
  expectClipped({3, 4}, kZeros, 1);
  expectClipped({0.5f, -0.25f}, {1, 2, 3, -4, 5, 0.125f}, 2.5);
}

TEST(Clip, LeavesASmallNormAlone) {
  expectClipped({0.3f, 0.4f}, kZeros, 1);
  expectClipped({0, 0}, kZeros, 1);
}

TEST(Clip, SquaresNeitherOverflowNorVanish) {
  expectClipped({1e20f, 1e20f}, kZeros, 1); // their squares are no f32
  expectClipped({300, 0}, kZeros, 1);       // its square is no f16
  Given tiny("optimizer = sgd(lr = 1.0)\nclip_norm = 1\n", 2);
  EXPECT_FLOAT_EQ(*tiny.step({3e-30f, 4e-30f}, kZeros).grad_norm, 5e-30f);
}

TEST(Clip, LargeGradientsKeepTheirDirection) {
  for (int optLevel : {0, 2}) {
    Given given("optimizer = sgd(lr = 1.0)\nclip_norm = 1\n", optLevel);
    given.step({1e20f, 1e20f}, kZeros);
    for (float weight : given.values("first"))
      EXPECT_NEAR(1 - weight, 0.70711, 1e-5);
  }
}

TEST(Groups, FrozenParametersKeepTheirValueAndHaveNoState) {
  for (int optLevel : {0, 2}) {
    Given given("optimizer = adam(lr = 0.1)\n"
                "group \"first\" { frozen = true }\n",
                optLevel);
    given.step({1, 1}, std::vector<float>(6, 1));
    EXPECT_EQ(given.values("first"), (std::vector<float>{1, 1}));
    EXPECT_NE(given.values("second")[0], 1);
    rt::Safetensors file = given.saved();
    EXPECT_FALSE(file.find("ampc.exp_avg/first"));
    EXPECT_TRUE(file.find("ampc.exp_avg/second"));
  }
}

TEST(Groups, HaveTheirOwnRateAndDecay) {
  for (int optLevel : {0, 2}) {
    Given given("optimizer = sgd(lr = 0.5, weight_decay = 0.25)\n"
                "group \"first\" { lr = 0.125 }\n"
                "group \"fir*\" { weight_decay = 0 }\n",
                optLevel);
    rt::StepResult result = given.step({2, -2}, std::vector<float>(6, 1));
    EXPECT_EQ(result.lr, 0.5f) << "the optimizer's own";
    EXPECT_EQ(given.values("first"), (std::vector<float>{0.75f, 1.25f}));
    EXPECT_EQ(given.values("second"), std::vector<float>(6, 0.375f));
  }
}

TEST(Groups, FollowTheSchedule) {
  for (int optLevel : {0, 2}) {
    Given given("optimizer = sgd(lr = 0.5)\n"
                "schedule = step(every = 1, gamma = 0.5)\nsteps = 4\n"
                "group \"first\" { lr = 0.25 }\n",
                optLevel);
    given.step({1, 1}, kZeros);
    EXPECT_EQ(given.values("first")[0], 0.75f);
    EXPECT_EQ(given.step({1, 1}, kZeros).lr, 0.25f);
    EXPECT_EQ(given.values("first")[0], 0.625f);
  }
}

} // namespace
} // namespace ampc::test

// An index or label out of range that the entry computes itself: the step
// changes nothing and says what is wrong (N11, N32), by compiled code and by
// the reference evaluator.
#include "test/train/Training.h"

#include <deque>

namespace ampc::test {
namespace {

/// Labels 1 to 3; 0 is one too few, 4 one too many.
constexpr const char *kText =
    "model shifted {\n"
    "  input x: f32[4, 3]\n"
    "  target y: i32[4]\n"
    "  output logits = linear(x, 3)\n"
    "  loss = cross_entropy(logits, y - 1)\n"
    "  metric accuracy(logits, y - 1)\n"
    "  output row = embedding(argmax(x, 1) * 2, 3, 2)\n"
    "}\n"
    "train {\n"
    "  optimizer = adam(lr = 0.1)\n"
    "  schedule = cosine(warmup = 2)\n"
    "  clip_norm = 1.0\n"
    "}\n";

/// What a step is fed.
struct Fed {
  rt::Tensor x = must(rt::Tensor::zeros(rt::DType::F32, shape({4, 3})));
  rt::Tensor y = must(rt::Tensor::zeros(rt::DType::I32, shape({4})));
  rt::Batch batch;

  explicit Fed(std::array<int32_t, 4> labels) {
    for (int i = 0; i < 12; ++i) // the last of a row is never its largest
      x.as<float>()[i] = i % 3 == 2 ? -4.0f : float(i % 5) - 2;
    std::copy(labels.begin(), labels.end(), y.as<int32_t>().begin());
    batch.set("x", x);
    batch.set("y", y);
  }
  static std::vector<int64_t> shape(std::initializer_list<int64_t> extents) {
    return extents;
  }
};

class Fault : public testing::TestWithParam<int> {
protected:
  OpenedModel open(const std::string &text) {
    models.push_back(must(Model::parse(text, "m.amp")));
    CompileOptions compile;
    compile.opt_level = GetParam();
    return must(open_stepper(models.back(), compile));
  }
  /// Everything a run continues from, as bytes.
  std::vector<std::byte> state(rt::Stepper &stepper, const std::string &name) {
    std::string path = file(name);
    must(stepper.save(path, /*overwrite=*/true, ""));
    rt::Safetensors saved = must(rt::Safetensors::open(path));
    std::vector<std::byte> bytes;
    for (const auto &entry : saved.tensors())
      bytes.insert(bytes.end(), entry.bytes.begin(), entry.bytes.end());
    return bytes;
  }
  static std::string file(const std::string &name) {
    return testing::TempDir() + "ampc-fault-" + std::to_string(GetParam()) +
           name + ".safetensors";
  }

  std::deque<Model> models; ///< the evaluator reads them where they stand
};

rt::Error errorOf(const rt::Expected<void> &expected) {
  EXPECT_FALSE(expected);
  return expected ? rt::Error() : expected.error();
}

TEST_P(Fault, AStepWithOneChangesNothing) {
  OpenedModel opened = open(kText);
  rt::Stepper &stepper = *opened.stepper;
  Fed good({1, 2, 3, 1}), bad({1, 2, 4, 0});
  must(stepper.step(good.batch));
  std::vector<std::byte> before = state(stepper, "before");
  rt::Error error = errorOf(stepper.step(bad.batch));
  EXPECT_EQ(error.code, rt::Code::BadInput);
  EXPECT_EQ(error.where, "m.amp:5:10");
  EXPECT_EQ(error.message,
            "label 3 at [2] of the computed tensor is outside [0, 3) and is "
            "not the ignored -100 (cross_entropy); iteration 2 and all after "
            "it did not run");
  EXPECT_EQ(state(stepper, "after"), before);
  EXPECT_EQ(stepper.iteration(), 1);

  // No later step runs as if nothing had been; one that is loaded does.
  EXPECT_EQ(errorOf(stepper.step(good.batch)).message, error.message);
  EXPECT_EQ(state(stepper, "after"), before);
  must(stepper.load(file("before")));
  must(stepper.step(good.batch));

  OpenedModel other = open(kText);
  must(other.stepper->step(good.batch));
  must(other.stepper->step(good.batch));
  EXPECT_EQ(state(stepper, "after"), state(*other.stepper, "other"));
}

TEST_P(Fault, EveryVariableOfASessionStays) {
  if (GetParam() == 0)
    GTEST_SKIP() << "the evaluator's variables are seen in its checkpoints";
  OpenedModel opened = open(kText);
  auto &session = static_cast<rt::Session &>(*opened.stepper);
  auto variables = [&] {
    std::vector<std::vector<std::byte>> bytes;
    for (const std::string &name : session.variables()) {
      rt::Tensor value = must(session.read(name));
      bytes.emplace_back(value.bytes().begin(), value.bytes().end());
    }
    return bytes;
  };
  must(session.step(Fed({3, 3, 3, 3}).batch));
  auto before = variables();
  errorOf(session.step(Fed({0, 1, 1, 1}).batch));
  EXPECT_EQ(variables(), before);
}

TEST_P(Fault, OtherEntriesReportIt) {
  OpenedModel opened = open(kText);
  auto evaluated =
      opened.stepper->run(rt::EntryKind::EvalStep, Fed({1, 1, 0, 1}).batch);
  ASSERT_FALSE(evaluated);
  EXPECT_EQ(evaluated.error().code, rt::Code::BadInput);
  EXPECT_EQ(evaluated.error().message,
            "label -1 at [2] of the computed tensor is outside [0, 3) and is "
            "not the ignored -100 (cross_entropy)");

  Fed fed({1, 1, 1, 1});
  must(opened.stepper->infer(fed.batch));
  fed.x.as<float>()[5] = 9; // row 4 of a table of 3
  auto inferred = opened.stepper->infer(fed.batch);
  ASSERT_FALSE(inferred);
  EXPECT_EQ(inferred.error().where, "m.amp:7:16");
  EXPECT_EQ(inferred.error().message,
            "index 4 at [1] of the computed tensor is outside [0, 3) (take)");
}

/// The one that fails first is named, by its place in a tensor of any rank.
TEST_P(Fault, SeveralChecks) {
  OpenedModel opened = open("model several {\n"
                            "  input i: i64[2, 3]\n"
                            "  output a = embedding(i * 2, 8, 2)\n"
                            "  output b = one_hot(i - 1, 3)\n"
                            "  output c = one_hot(i[0, 0] + 1, 4)\n"
                            "}\n");
  rt::Tensor i = must(rt::Tensor::zeros(rt::DType::I64, Fed::shape({2, 3})));
  rt::Batch batch;
  batch.set("i", i);
  auto message = [&](std::array<int64_t, 6> values) -> std::string {
    std::copy(values.begin(), values.end(), i.as<int64_t>().begin());
    auto result = opened.stepper->infer(batch);
    return result ? "" : result.error().text();
  };
  EXPECT_EQ(message({1, 2, 3, 3, 2, 1}), "");
  EXPECT_EQ(message({1, 2, 3, 3, 0, 1}),
            "m.amp:4:14: index -1 at [1, 1] of the computed tensor is "
            "outside [0, 3) (one_hot)");
  EXPECT_EQ(message({-2, 2, 3, 3, 4, 0}),
            "m.amp:3:14: index -4 at [0, 0] of the computed tensor is "
            "outside [0, 8) (take)");
  EXPECT_EQ(message({3, 2, 3, 3, 1, 1}),
            "m.amp:5:14: index 4 at [] of the computed tensor is outside "
            "[0, 4) (one_hot)");
}

std::string levelName(const testing::TestParamInfo<int> &level) {
  return "Level" + std::to_string(level.param);
}
INSTANTIATE_TEST_SUITE_P(Levels, Fault, testing::Values(0, 1, 2), levelName);

} // namespace
} // namespace ampc::test

// What a checkpoint holds of a model, and which models take it.
#include "test/train/Training.h"

namespace ampc::test {
namespace {

std::string text(const std::string &activation) {
  return "model small {\n"
         "  input x: f32[4, 3]\n"
         "  buffer shift: f32[3] = 2\n"
         "  output y = linear(" +
         activation +
         "(x - shift), 3)\n"
         "  loss = mse(y, x)\n"
         "}\n"
         "train { optimizer = adam() }\n"
         "data { x = normal(1) }\n";
}

CompileOptions level(int optLevel) {
  CompileOptions compile;
  compile.opt_level = optLevel;
  return compile;
}

std::vector<float> valuesIn(const std::string &path, const std::string &name) {
  rt::Safetensors file = must(rt::Safetensors::open(path));
  const auto *entry = file.find(name);
  EXPECT_TRUE(entry) << name;
  const auto *data = reinterpret_cast<const float *>(entry->bytes.data());
  return {data, data + entry->bytes.size() / sizeof(float)};
}

/// A buffer is saved and loaded, by a checkpoint and as a weight, and no step
/// changes it.
TEST(Checkpoint, HoldsBuffers) {
  std::string path = testing::TempDir() + "ampc-buffer.safetensors";
  Model model = must(Model::parse(text("relu"), "small.amp"));
  Training training(model);
  training.losses(2);
  must(training.stepper().save(path, true, ""));
  EXPECT_EQ(valuesIn(path, "shift"), (std::vector<float>{2, 2, 2}));

  rt::Tensor other =
      must(rt::Tensor::zeros(rt::DType::F32, std::vector<int64_t>{3}));
  other.as<float>()[1] = 5;
  must(training.session().write("shift", other.view()));
  must(training.stepper().save(path, true, ""));
  for (int optLevel : {0, 2})
    for (bool weights : {false, true}) {
      OpenedModel opened = must(open_stepper(model, level(optLevel)));
      if (weights)
        must(opened.stepper->load_weights(path, /*partial=*/false));
      else
        must(opened.stepper->load(path));
      std::string again = testing::TempDir() + "ampc-buffer-2.safetensors";
      must(opened.stepper->save(again, true, ""));
      EXPECT_EQ(valuesIn(again, "shift"), (std::vector<float>{0, 5, 0}));
    }
}

/// The variables of two models may be the same where what they compute is not.
TEST(Checkpoint, OfAnotherActivationIsRefused) {
  std::string path = testing::TempDir() + "ampc-activation.safetensors";
  Model model = must(Model::parse(text("relu"), "small.amp"));
  Training training(model);
  must(training.stepper().save(path, true, ""));
  for (int optLevel : {0, 2}) {
    OpenedModel same = must(open_stepper(model, level(optLevel)));
    must(same.stepper->load(path));
    Model changed = must(Model::parse(text("tanh"), "small.amp"));
    OpenedModel opened = must(open_stepper(changed, level(optLevel)));
    rt::Expected<void> loaded = opened.stepper->load(path);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, rt::Code::BadInput);
    EXPECT_NE(loaded.error().message.find("checkpoint of another model"),
              std::string::npos)
        << loaded.error().message;
    must(opened.stepper->load_weights(path, false)); // a choice of its own
  }
}

/// A tied tensor is one weight of two names: a file may use either, or both for
/// the same values.
TEST(Checkpoint, WeightsTakeAliasNames) {
  Model model = must(Model::parse("model tied {\n"
                                  "  input x: f32[2, 3]\n"
                                  "  h = linear(x, 3, bias = false, "
                                  "name = \"up\")\n"
                                  "  loss = mean(linear(h, weight = up.weight, "
                                  "bias = false, name = \"down\"))\n"
                                  "}\n"
                                  "train { optimizer = sgd() }\n"
                                  "data { x = normal(1) }\n",
                                  "tied.amp"));
  std::string path = testing::TempDir() + "ampc-tied.safetensors";
  std::vector<int64_t> shape = {3, 3};
  rt::Tensor a = must(rt::Tensor::zeros(rt::DType::F32, shape));
  rt::Tensor b = must(rt::Tensor::zeros(rt::DType::F32, shape));
  for (int i = 0; i < 9; ++i)
    a.as<float>()[size_t(i)] = b.as<float>()[size_t(i)] = float(i);
  auto write = [&](std::vector<rt::NamedView> tensors) {
    must(rt::write_safetensors(path, tensors, {}, true));
  };
  for (int optLevel : {0, 2}) {
    OpenedModel opened = must(open_stepper(model, level(optLevel)));
    auto load = [&] { return opened.stepper->load_weights(path, false); };
    std::string saved = testing::TempDir() + "ampc-tied-2.safetensors";
    b.as<float>()[8] = 8;
    for (std::vector<rt::NamedView> tensors :
         {std::vector<rt::NamedView>{{"up.weight", a.view()}},
          std::vector<rt::NamedView>{{"down.weight", a.view()}},
          std::vector<rt::NamedView>{{"down.weight", a.view()},
                                     {"up.weight", b.view()}}}) {
      a.as<float>()[0] = b.as<float>()[0] = a.as<float>()[0] + 1;
      write(tensors);
      must(load());
      must(opened.stepper->save(saved, true, ""));
      EXPECT_EQ(valuesIn(saved, "up.weight")[0], a.as<float>()[0]);
      EXPECT_FALSE(must(rt::Safetensors::open(saved)).find("down.weight"));
    }
    b.as<float>()[8] = 9;
    write({{"down.weight", a.view()}, {"up.weight", b.view()}});
    rt::Expected<void> loaded = load();
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, rt::Code::BadInput);
    EXPECT_EQ(loaded.error().where, path);
    EXPECT_EQ(loaded.error().message,
              "'up.weight' and 'down.weight' are one tied tensor in the model, "
              "the file holds two that differ (f32[3, 3] and f32[3, 3])");
  }
}

/// A run that scales its loss has a state that one without has not.
TEST(Checkpoint, OfAnotherLossScaleIsRefused) {
  std::string path = testing::TempDir() + "ampc-scale.safetensors";
  Model model = must(Model::parse(text("relu"), "small.amp"));
  CompileOptions f16;
  f16.precision = "f16";
  Training plain(model), scaled(model, f16);
  must(scaled.stepper().save(path, true, ""));
  EXPECT_EQ(plain.stepper().load(path).error().message,
            "the model lacks 'ampc.state/scale', 'ampc.state/good_steps'; the "
            "checkpoint was made with a dynamic loss scale, as f16 has it: "
            "give the --precision and --loss-scale of its run, or --weights");
  must(plain.stepper().save(path, true, ""));
  EXPECT_EQ(scaled.stepper().load(path).error().message,
            "the file lacks 'ampc.state/scale', 'ampc.state/good_steps'; the "
            "checkpoint was made without a dynamic loss scale, as f16 has it: "
            "give the --precision and --loss-scale of its run, or --weights");
}

} // namespace
} // namespace ampc::test

// The train and data blocks, --set, and files: what is built, and the errors.
#include "test/unit/frontend/Load.h"

#include "ir/frontend/model/Patterns.h"

using namespace ampc::model;

namespace {

TEST(Settings, Optimizers) {
  auto optimizer = [](llvm::StringRef value) {
    Loaded loaded(("model m { }\ntrain { optimizer = " + value + " }\n").str());
    if (!loaded.module)
      return loaded.errors();
    std::string text;
    llvm::raw_string_ostream(text)
        << (*loaded.module)
               ->getAttrOfType<mlir::DictionaryAttr>(ampc::amp::kTrainAttr)
               .get("optimizer");
    return text;
  };
  EXPECT_EQ(optimizer("sgd(0.5, momentum = 0.9, nesterov = true)"),
            "{dampening = 0.000000e+00 : f64, lr = 5.000000e-01 : f64, "
            "momentum = 9.000000e-01 : f64, nesterov, op = \"amp.sgd\", "
            "weight_decay = 0.000000e+00 : f64}");
  EXPECT_EQ(optimizer("adamw(betas = [0.5, 0.25])"),
            "{beta1 = 5.000000e-01 : f64, beta2 = 2.500000e-01 : f64, "
            "decoupled, eps = 1.000000e-08 : f64, lr = 1.000000e-03 : f64, op "
            "= \"amp.adam\", weight_decay = 1.000000e-02 : f64}");
  EXPECT_EQ(optimizer("adam(lr = -1)"),
            "2:31 'adam': 'lr' must be at least 0, got -1.0\n");
  EXPECT_EQ(
      optimizer("adam(betas = [0.9, 1])"),
      "2:34 'adam': 'beta2' must be at least 0 and less than 1.0, got 1.0\n");
  EXPECT_EQ(
      optimizer("sgd(nesterov = true)"),
      "2:36 'sgd': 'nesterov' needs a momentum above 0 and no dampening\n");
  EXPECT_EQ(optimizer("lion()"), "2:21 'lion' is not available yet\n");
  EXPECT_EQ(optimizer("Adam()"),
            "2:21 unknown optimizer 'Adam'; did you mean 'adam'?\n");
  EXPECT_EQ(
      optimizer("adam(learning_rate = 1)"),
      "2:26 unknown argument 'learning_rate' of 'adam'; did you mean 'lr'?\n");
}

TEST(Settings, Init) {
  EXPECT_EQ(
      variablesOf(
          "model m {\n  const deviation = 0.5\n  input x: f32[2, 4]\n  a = "
          "linear(x, 4, name = \"net.0\")\n"
          "  b = linear(a, 4, name = \"net.1\")\n  param g: f32[] = 1\n}\n"
          "init {\n  \"*.weight\", \"g\" = normal(std = deviation)\n  "
          "\"net.?.bias\" = 0\n  \"net.1.*\" = 2\n}\n"),
      "amp.variable @net.0.weight : tensor<4x4xf32> role parameter init normal "
      "with [0.000000e+00, 5.000000e-01] site 0\n"
      "amp.variable @net.0.bias : tensor<4xf32> role parameter init zeros\n"
      "amp.variable @net.1.weight : tensor<4x4xf32> role parameter init "
      "constant with [2.000000e+00]\n"
      "amp.variable @net.1.bias : tensor<4xf32> role parameter init constant "
      "with [2.000000e+00]\n"
      "amp.variable @g : tensor<f32> role parameter init normal with "
      "[0.000000e+00, 5.000000e-01] site 4\n");
  EXPECT_EQ(
      errorsOf("model m {\n  input x: f32[2, 4]\n  a = linear(x, 4, name = "
               "\"net\")\n}\ninit {\n  \"*.wieght\" = 0\n}\n"),
      "6:3 pattern '*.wieght' matches nothing; nearest is 'net.weight'\n");
  EXPECT_EQ(errorsOf("model m { }\ninit {\n  \"a\" = 0\n}\n"),
            "3:3 pattern 'a' matches nothing\n");
  EXPECT_EQ(errorsOf("model m { }\ninit {\n  \"a\" = \"b\"\n  a = 0\n  \"c\" = "
                     "xavier_normal()\n}\n"),
            "3:9 expected a number or an initialiser, got string\n"
            "4:3 expected a pattern in quotes, as in \"*.weight\" = normal(std "
            "= 0.02)\n"
            "5:9 'xavier_normal' is not available yet\n");
}

TEST(Settings, Patterns) {
  for (auto [pattern, name] : {std::pair("*", ""),
                               {"*", "a.b"},
                               {"a*", "a"},
                               {"*.b", "a.a.b"},
                               {"a?c", "abc"},
                               {"*a*b*", "xaybz"},
                               {"a", "a"},
                               {"", ""}})
    EXPECT_TRUE(matchesPattern(pattern, name)) << pattern << " " << name;
  for (auto [pattern, name] : {std::pair("?", ""),
                               {"a", "ab"},
                               {"*.b", "a.bc"},
                               {"a?c", "ac"},
                               {"b*", "ab"},
                               {"", "a"}})
    EXPECT_FALSE(matchesPattern(pattern, name)) << pattern << " " << name;
  // Many stars take no exponential time.
  std::string stars, name(2000, 'a');
  for (int i = 0; i < 1000; ++i)
    stars += "*a";
  EXPECT_TRUE(matchesPattern(stars, name));
  EXPECT_FALSE(matchesPattern(stars + "b", name));
}

TEST(Settings, Train) {
  EXPECT_EQ(
      errorsOf("model m { }\n"
               "train {\n"
               "  steps = 0\n"
               "  stps = 1\n"
               "  seed = 1.5\n"
               "  log_every = 1\n"
               "  log_every = 2\n"
               "  precision = f64\n"
               "  schedule = cosin()\n"
               "  optimizer = 3\n"
               "  a, b = 1\n"
               "}\n"),
      "3:11 'steps' must be at least 1, got 0\n"
      "4:3 unknown key 'stps' of 'train'; did you mean 'steps'?\n"
      "5:10 expected a compile-time int, got float\n"
      "7:3 'log_every' given twice\n"
      "  6:3 the first is here\n"
      "8:15 'precision' must be one of auto, f32, tf32, bf16, f16, got 'f64'\n"
      "9:14 unknown schedule 'cosin'; did you mean 'cosine'?\n"
      "10:15 expected an optimizer, as in adam(lr = 1e-3)\n"
      "11:3 expected a key of 'train', found several names\n");
}

TEST(Settings, Data) {
  EXPECT_EQ(errorsOf("model m {\n"
                     "  input x: f32[2]\n"
                     "  input labels: i32[2]\n"
                     "}\n"
                     "data {\n"
                     "  x = normal()\n"
                     "  lables = normal(1)\n"
                     "  labels = normal(1)\n"
                     "  x = csv(\"f\")\n"
                     "  x, labels = npy(\"f\")\n"
                     "}\n"),
            "6:7 argument 'seed' of 'normal' is missing\n"
            "7:3 unknown input 'lables'; did you mean 'labels'?\n"
            "8:3 'normal' fills float tensors, 'labels' is i32[2]\n"
            "9:3 data of 'x' given twice\n"
            "  6:3 the first is here\n"
            "10:3 data of 'x' given twice\n"
            "  6:3 the first is here\n");
  EXPECT_EQ(errorsOf("model m {\n"
                     "  input x: f32[2]\n"
                     "  input y: f32[2]\n"
                     " input z: f32[2]\n"
                     "}\n"
                     "data {\n"
                     "  x = csv(\"f\")\n"
                     "  y, z = npy(\"f\")\n"
                     "}\n"),
            "7:7 'csv' is not available yet\n"
            "8:6 'npy' holds one tensor, got 2 names\n");
  EXPECT_EQ(
      errorsOf("model m {\n  input x: f32[2]\n}\ndata { x = normal(-1) }\n"),
      "4:19 'normal': 'seed' must be an int of at least 0, got -1\n");
}

TEST(Settings, Overrides) {
  const char *text = "model m { dim n = 2 }\n";
  EXPECT_EQ(errorsOf(text, {{"m", "3"}}), "1:1 no dim or const 'm'\n");
  EXPECT_EQ(errorsOf("model m { dim batch = 2 }\n", {{"bacth", "3"}}),
            "1:1 no dim or const 'bacth'; did you mean 'batch'?\n");
  EXPECT_EQ(errorsOf(text, {{"n", "0"}}),
            "1:1 dim 'n' must be at least 1, got 0\n");
  EXPECT_EQ(errorsOf(text, {{"n", "1 +"}}),
            "1:4 expected an expression, found the end of the file\n");
  EXPECT_EQ(errorsOf(text, {{"train.lr", "3"}}),
            "1:1 unknown key 'lr' of 'train'\n");
  Loaded loaded(text, {{"n", "x"}});
  EXPECT_EQ(loaded.diagnostics.str(),
            "--set n:1:1: error: unknown name 'x'\nx\n^\n");
}

TEST(Settings, Files) {
  EXPECT_EQ(errorsOf(""), "1:1 the file holds no model\n");
  EXPECT_EQ(errorsOf("train { }\n"), "1:1 the file holds no model\n");
  EXPECT_EQ(errorsOf(llvm::StringRef("\0", 1)),
            "1:1 not a text file (byte 0x00 at offset 0)\n");
  mlir::MLIRContext context;
  Diagnostics diagnostics;
  EXPECT_FALSE(loadModelFile(context, "/no/such/file.amp", {}, diagnostics));
  EXPECT_EQ(
      diagnostics.str(),
      "error: cannot read '/no/such/file.amp': No such file or directory\n");
}

} // namespace

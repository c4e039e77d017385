// Optimizers, init, precision, --set, and files: what is built, and the errors.
#include "test/unit/frontend/Load.h"

#include "ir/dialect/NamePatterns.h"

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
  EXPECT_EQ(errorsOf("model m { param a: f32[] = 0 }\ninit {\n  \"a\" = "
                     "\"b\"\n  a = 0\n  \"a\" = xavier_normal()\n  \"a\" "
                     "= 1e39\n}\n"),
            "3:9 expected a number or an initialiser, got string\n"
            "4:3 expected a pattern in quotes, as in \"*.weight\" = normal(std "
            "= 0.02)\n"
            "5:9 the fans of a parameter need two axes, got f32[]\n"
            "6:9 the number does not fit in f32\n");
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
    EXPECT_TRUE(ampc::amp::matchesPattern(pattern, name))
        << pattern << " " << name;
  for (auto [pattern, name] : {std::pair("?", ""),
                               {"a", "ab"},
                               {"*.b", "a.bc"},
                               {"a?c", "ac"},
                               {"b*", "ab"},
                               {"", "a"}})
    EXPECT_FALSE(ampc::amp::matchesPattern(pattern, name))
        << pattern << " " << name;
  // Many stars take no exponential time.
  std::string stars, name(2000, 'a');
  for (int i = 0; i < 1000; ++i)
    stars += "*a";
  EXPECT_TRUE(ampc::amp::matchesPattern(stars, name));
  EXPECT_FALSE(ampc::amp::matchesPattern(stars + "b", name));
}

/// The starts of torch.nn.init on a weight [2, 3, 5]: fans 15 in and 10 out.
TEST(Settings, Initialisers) {
  auto start = [](llvm::StringRef initialiser) {
    std::string text = variablesOf(
        ("model m {\nparam w: f32[2, 3, 5] = " + initialiser + "\n}\n").str());
    llvm::StringRef rest = text;
    return rest.consume_front(
               "amp.variable @w : tensor<2x3x5xf32> role parameter init ")
               ? rest.rtrim().str()
               : text;
  };
  EXPECT_EQ(start("trunc_normal(std = 0.5)"),
            "trunc_normal with [0.000000e+00, 5.000000e-01, -2.000000e+00, "
            "2.000000e+00] site 0");
  EXPECT_EQ(start("xavier_uniform(5)"), // 5 * sqrt(6 / 25)
            "uniform with [-2.4494897427831779, 2.4494897427831779] site 0");
  EXPECT_EQ(start("xavier_normal(5)"), // 5 * sqrt(2 / 25)
            "normal with [0.000000e+00, 1.4142135623730949] site 0");
  EXPECT_EQ(start("kaiming_normal(mode = \"fan_out\", nonlinearity = "
                  "\"linear\")"), // 1 / sqrt(10)
            "normal with [0.000000e+00, 0.31622776601683794] site 0");
  EXPECT_EQ(start("kaiming_uniform(a = sqrt(5.0))"), // 1 / sqrt(15)
            "uniform with [-0.2581988897471611, 0.2581988897471611] site 0");
  EXPECT_EQ(start("kaiming_normal(mode = \"in\")"),
            "2:47 'kaiming_normal': 'mode' must be one of \"fan_in\", "
            "\"fan_out\", got \"in\"\n");
  EXPECT_EQ(start("kaiming_normal(nonlinearity = \"gelu\")"),
            "2:55 'kaiming_normal': 'nonlinearity' must be one of "
            "\"leaky_relu\", \"relu\", \"tanh\", \"selu\", \"sigmoid\", "
            "\"linear\", got \"gelu\"\n");
  EXPECT_EQ(start("trunc_normal(a = 3)"),
            "2:25 'trunc_normal': 'b' must be at least 'a' (3.0), got 2.0\n");
}

TEST(Settings, Precision) {
  const std::string model = "model m {\n"
                            "  input x: f32[2, 4]\n"
                            "  a = linear(relu(x), 4, name = \"net\") + x\n"
                            "}\n";
  Loaded loaded(model + "precision { \"net\", \"a*\" = f32 }\n");
  ASSERT_TRUE(loaded.module) << loaded.errors();
  std::string text;
  llvm::raw_string_ostream(text)
      << (*loaded.module)->getAttr(ampc::amp::kPrecisionAttr);
  EXPECT_EQ(text, "[{patterns = [\"net\", \"a*\"], type = f32}]");
  EXPECT_EQ(errorsOf(model + "precision {\n"
                             "  \"net\" = i32\n"
                             "  net = f32\n"
                             "}\n"),
            "6:11 a call's precision must be one of f32, tf32, bf16, f16, got "
            "'i32'\n"
            "7:3 expected a pattern in quotes, as in \"blocks.*.attn.*\" = "
            "f32\n");
  Loaded set(model, {{"precision.net", "f32"}});
  ASSERT_TRUE(set.module) << set.errors();
  EXPECT_TRUE((*set.module)->getAttr(ampc::amp::kPrecisionAttr));
  // Kinds of op stand beside paths; later entries come last, where they win.
  Loaded kinds(model + "precision { \"op:re*\" = bf16\n \"net\" = tf32 }\n",
               {{"precision.op:relu", "f16"}});
  ASSERT_TRUE(kinds.module) << kinds.errors();
  text.clear();
  llvm::raw_string_ostream(text)
      << (*kinds.module)->getAttr(ampc::amp::kPrecisionAttr);
  EXPECT_EQ(text, "[{patterns = [\"op:re*\"], type = bf16}, "
                  "{patterns = [\"net\"], type = tf32}, "
                  "{patterns = [\"op:relu\"], type = f16}]");
  EXPECT_EQ(errorsOf(model + "precision { \"op:rely\" = f32 }\n"),
            "5:13 pattern 'op:rely' matches nothing; nearest is 'op:relu'\n");
  EXPECT_EQ(errorsOf(model, {{"precision.nett", "f32"}}),
            "1:1 pattern 'nett' matches nothing; nearest is 'net'\n");
  EXPECT_EQ(errorsOf(model + "precision { \"nett\" = f32 }\n"),
            "5:13 pattern 'nett' matches nothing; nearest is 'net'\n");
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

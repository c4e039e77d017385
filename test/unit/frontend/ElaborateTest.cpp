// What elaboration builds: the forward function, variables, attributes.
#include "test/unit/frontend/Load.h"

using namespace ampc::model;

namespace {

TEST(Elaborate, Mlp) {
  Loaded loaded("model mlp {\n"
                "  dim batch = 4\n"
                "  const width = 4, hidden = 16\n"
                "  input x: f32[batch, width]\n"
                "  target y: f32[batch, width]\n"
                "  h = relu(linear(x, hidden))\n"
                "  output p = linear(h, width)\n"
                "  loss = mse(p, y)\n"
                "}\n"
                "train {\n"
                "  optimizer = adam(lr = 1e-3)\n"
                "  steps = 20\n"
                "}\n"
                "data { x = normal(1)\n"
                " y = npy(\"y.npy\") }\n",
                {}, "models/t.amp");
  ASSERT_TRUE(loaded.module) << loaded.errors();
  std::string text;
  llvm::raw_string_ostream(text) << *loaded.module;
  EXPECT_EQ(
      text,
      "module attributes {amp.data = [{loc = loc(\"models/t.amp\":14:8), names "
      "= [\"x\"], spec = \"normal:1\"}, {loc = loc(\"models/t.amp\":15:2), "
      "names = [\"y\"], spec = \"npy:y.npy\"}], amp.model = \"mlp\", "
      "amp.stage = #amp.stage<model>, amp.train = {accumulate = 1 : i64, last "
      "= \"drop\", loc = loc(\"models/t.amp\":10:1), log_every = 10 : i64, "
      "max_skipped = 100 : i64, nonfinite = "
      "\"skip\", optimizer = {beta1 = 9.000000e-01 : f64, beta2 = "
      "0.99899999999999999 : "
      "f64, eps = 1.000000e-08 : f64, lr = 1.000000e-03 : f64, op = "
      "\"amp.adam\", weight_decay = 0.000000e+00 : f64}, precision = \"f32\", "
      "save_every = 0 : i64, schedule = {kind = \"constant\", warmup = 0 : "
      "i64}, seed = 0 : i64, steps = 20 : i64, validate_every = 0 : i64}} {\n"
      "  amp.variable @linear.weight : tensor<16x4xf32> role parameter init "
      "uniform with [-5.000000e-01, 5.000000e-01] site 0\n"
      "  amp.variable @linear.bias : tensor<16xf32> role parameter init "
      "uniform with [-5.000000e-01, 5.000000e-01] site 1\n"
      "  amp.variable @linear_1.weight : tensor<4x16xf32> role parameter init "
      "uniform with [-2.500000e-01, 2.500000e-01] site 2\n"
      "  amp.variable @linear_1.bias : tensor<4xf32> role parameter init "
      "uniform with [-2.500000e-01, 2.500000e-01] site 3\n"
      "  func.func @forward(%arg0: tensor<4x4xf32> {amp.io = #amp.io<input>, "
      "amp.name = \"x\"}, %arg1: tensor<4x4xf32> {amp.io = #amp.io<target>, "
      "amp.name = \"y\"}) -> (tensor<4x4xf32> {amp.io = #amp.io<output>, "
      "amp.name = \"p\"}, tensor<f32> {amp.io = #amp.io<loss>, amp.name = "
      "\"loss\"}) attributes {amp.entry = #amp.entry<forward>} {\n"
      "    %0 = amp.read @linear.weight : tensor<16x4xf32>\n"
      "    %1 = amp.read @linear.bias : tensor<16xf32>\n"
      "    %2 = amp.linear %arg0, %0, %1 accumulate f32 : tensor<4x4xf32>, "
      "tensor<16x4xf32>, tensor<16xf32> -> tensor<4x16xf32>\n"
      "    %3 = amp.relu %2 : tensor<4x16xf32>\n"
      "    %4 = amp.read @linear_1.weight : tensor<4x16xf32>\n"
      "    %5 = amp.read @linear_1.bias : tensor<4xf32>\n"
      "    %6 = amp.linear %3, %4, %5 accumulate f32 : tensor<4x16xf32>, "
      "tensor<4x16xf32>, tensor<4xf32> -> tensor<4x4xf32>\n"
      "    %7 = amp.mse mean %6, %arg1 : tensor<4x4xf32> -> tensor<f32>\n"
      "    return %6, %7 : tensor<4x4xf32>, tensor<f32>\n"
      "  }\n"
      "}");
}

TEST(Elaborate, PathsAndPlacesStandInLocations) {
  Loaded loaded("model m {\n"
                "  input x: f32[2]\n"
                "  y = x + x * 2\n"
                "  z = relu(y, name = \"act\")\n"
                "  z = relu(y + 1)\n"
                "}\n");
  ASSERT_TRUE(loaded.module) << loaded.errors();
  std::string seen;
  llvm::raw_string_ostream os(seen);
  for (mlir::Operation &op :
       (*loaded.module->getOps<mlir::func::FuncOp>().begin()).front())
    os << op.getName() << ' ' << op.getLoc() << '\n';
  EXPECT_EQ(seen, "amp.constant loc(\"mul\"(\"t.amp\":3:13))\n"
                  "amp.mul loc(\"mul\"(\"t.amp\":3:13))\n"
                  "amp.add loc(\"add\"(\"t.amp\":3:9))\n"
                  "amp.relu loc(\"act\"(\"t.amp\":4:7))\n"
                  "amp.constant loc(\"add_1\"(\"t.amp\":5:14))\n"
                  "amp.add loc(\"add_1\"(\"t.amp\":5:14))\n"
                  "amp.relu loc(\"relu\"(\"t.amp\":5:7))\n"
                  "func.return loc(\"t.amp\":1:1)\n");
}

TEST(Elaborate, Promotion) {
  EXPECT_EQ(
      forwardOf("input b: bool[2]\n"
                "input i: i32[2]\n"
                "input h: f16[2]\n"
                "input k: bf16[2]\n"
                "v = b * 2\n"
                "w = i + 0.5\n"
                "x = h + k\n"
                "y = i / i\n"
                "z = h * 2\n"
                "q = b + i"),
      "%0 = amp.cast %arg0 origin user : tensor<2xi1> -> tensor<2xi64>\n"
      "%1 = amp.constant dense<2> : tensor<2xi64>\n"
      "%2 = amp.mul %0, %1 : tensor<2xi64>\n"
      "%3 = amp.cast %arg1 origin user : tensor<2xi32> -> tensor<2xf32>\n"
      "%4 = amp.constant dense<5.000000e-01> : tensor<2xf32>\n"
      "%5 = amp.add %3, %4 : tensor<2xf32>\n"
      "%6 = amp.cast %arg2 origin user : tensor<2xf16> -> tensor<2xf32>\n"
      "%7 = amp.cast %arg3 origin user : tensor<2xbf16> -> tensor<2xf32>\n"
      "%8 = amp.add %6, %7 : tensor<2xf32>\n"
      "%9 = amp.cast %arg1 origin user : tensor<2xi32> -> tensor<2xf32>\n"
      "%10 = amp.cast %arg1 origin user : tensor<2xi32> -> tensor<2xf32>\n"
      "%11 = amp.div %9, %10 : tensor<2xf32>\n"
      "%12 = amp.constant dense<2.000000e+00> : tensor<2xf16>\n"
      "%13 = amp.mul %arg2, %12 : tensor<2xf16>\n"
      "%14 = amp.cast %arg0 origin user : tensor<2xi1> -> tensor<2xi32>\n"
      "%15 = amp.add %14, %arg1 : tensor<2xi32>\n"
      "func.return %2, %5, %8, %11, %13, %15 : tensor<2xi64>, tensor<2xf32>, "
      "tensor<2xf32>, tensor<2xf32>, tensor<2xf16>, tensor<2xi32>\n");
}

/// A number that f16 cannot hold is not rounded to 0 or inf: the op runs in f32
/// (N5).
TEST(Elaborate, NumbersOutsideTheRangeOfATypeComputeInF32) {
  EXPECT_EQ(forwardOf("input h: f16[2]\nx = h + -1e9\ny = maximum(h, 1e-9)"),
            "%0 = amp.cast %arg0 origin user : tensor<2xf16> -> tensor<2xf32>\n"
            "%1 = amp.constant dense<-1.000000e+09> : tensor<2xf32>\n"
            "%2 = amp.add %0, %1 : tensor<2xf32>\n"
            "%3 = amp.cast %2 origin user : tensor<2xf32> -> tensor<2xf16>\n"
            "%4 = amp.cast %arg0 origin user : tensor<2xf16> -> tensor<2xf32>\n"
            "%5 = amp.constant dense<9.99999971E-10> : tensor<2xf32>\n"
            "%6 = amp.maximum %4, %5 : tensor<2xf32>\n"
            "%7 = amp.cast %6 origin user : tensor<2xf32> -> tensor<2xf16>\n"
            "func.return %3, %7 : tensor<2xf16>, tensor<2xf16>\n");
}

TEST(Elaborate, Broadcasting) {
  EXPECT_EQ(
      forwardOf("input a: f32[3, 1]\n"
                "input b: f32[2, 1, 4]\n"
                "input c: bool[4]\n"
                "x = a - b\n"
                "y = where(c, a, 1)"),
      "%0 = amp.broadcast %arg0 along [1, 2] : tensor<3x1xf32> -> "
      "tensor<2x3x4xf32>\n"
      "%1 = amp.broadcast %arg1 along [0, 1, 2] : tensor<2x1x4xf32> -> "
      "tensor<2x3x4xf32>\n"
      "%2 = amp.sub %0, %1 : tensor<2x3x4xf32>\n"
      "%3 = amp.constant dense<1.000000e+00> : tensor<3x1xf32>\n"
      "%4 = amp.broadcast %arg0 along [0, 1] : tensor<3x1xf32> -> "
      "tensor<3x4xf32>\n"
      "%5 = amp.broadcast %3 along [0, 1] : tensor<3x1xf32> -> "
      "tensor<3x4xf32>\n"
      "%6 = amp.broadcast %arg2 along [1] : tensor<4xi1> -> tensor<3x4xi1>\n"
      "%7 = amp.select %6, %4, %5 : tensor<3x4xf32>\n"
      "func.return %2, %7 : tensor<2x3x4xf32>, tensor<3x4xf32>\n");
}

TEST(Elaborate, Reductions) {
  EXPECT_EQ(forwardOf("input x: f32[2, 3, 4]\n"
                      "input m: bool[2]\n"
                      "a = sum(x)\n"
                      "b = mean(x, axis = [-1, 0], keepdim = true)\n"
                      "c = max(x, axis = 1)\n"
                      "d = sum(m)\n"
                      "e = min(a)"),
            "%0 = amp.reduce sum %arg0 over [0, 1, 2] order row accumulate f32 "
            ": tensor<2x3x4xf32> -> tensor<f32>\n"
            "%1 = amp.reduce mean %arg0 over [0, 2] order column accumulate "
            "f32 : tensor<2x3x4xf32> -> tensor<3xf32>\n"
            "%2 = amp.reshape %1 : tensor<3xf32> -> tensor<1x3x1xf32>\n"
            "%3 = amp.reduce max %arg0 over [1] order column accumulate f32 : "
            "tensor<2x3x4xf32> -> tensor<2x4xf32>\n"
            "%4 = amp.cast %arg1 origin user : tensor<2xi1> -> tensor<2xi64>\n"
            "%5 = amp.reduce sum %4 over [0] order row accumulate i64 : "
            "tensor<2xi64> -> tensor<i64>\n"
            "func.return %0, %2, %3, %5 : tensor<f32>, tensor<1x3x1xf32>, "
            "tensor<2x4xf32>, tensor<i64>\n");
}

TEST(Elaborate, Views) {
  EXPECT_EQ(
      forwardOf("input x: f32[2, 1, 6]\n"
                "a = reshape(x, [-1, 4])\n"
                "b = flatten(x, 1)\n"
                "c = squeeze(x, 1)\n"
                "d = unsqueeze(x, -1)\n"
                "e = expand(x, [5, -1, 3, 6])\n"
                "f = reshape(x, [2, 1, 6]) + 1"),
      "%0 = amp.reshape %arg0 : tensor<2x1x6xf32> -> tensor<3x4xf32>\n"
      "%1 = amp.reshape %arg0 : tensor<2x1x6xf32> -> tensor<2x6xf32>\n"
      "%2 = amp.reshape %arg0 : tensor<2x1x6xf32> -> tensor<2x6xf32>\n"
      "%3 = amp.reshape %arg0 : tensor<2x1x6xf32> -> tensor<2x1x6x1xf32>\n"
      "%4 = amp.broadcast %arg0 along [1, 2, 3] : tensor<2x1x6xf32> -> "
      "tensor<5x2x3x6xf32>\n"
      "%5 = amp.constant dense<1.000000e+00> : tensor<2x1x6xf32>\n"
      "%6 = amp.add %arg0, %5 : tensor<2x1x6xf32>\n"
      "func.return %0, %1, %2, %3, %4, %6 : tensor<3x4xf32>, tensor<2x6xf32>, "
      "tensor<2x6xf32>, tensor<2x1x6x1xf32>, tensor<5x2x3x6xf32>, "
      "tensor<2x1x6xf32>\n");
}

/// Compile-time values, read from the extents of zeros.
std::string extents(llvm::StringRef values, llvm::StringRef before = "") {
  std::string text =
      forwardOf((before + "\nx = zeros([" + values + "])").str());
  llvm::StringRef rest = text;
  return rest.contains("tensor<")
             ? rest.split("tensor<").second.split("xf32>").first.str()
             : text;
}

TEST(Elaborate, CompileTimeArithmetic) {
  EXPECT_EQ(extents("7 // 2, -7 // 2 + 10, 7 % 3, -7 % 3, 7 % -3 + 5"),
            "3x6x1x2x3");
  EXPECT_EQ(extents("2 ** 10, int(9 / 2), int(2.9), int(-2.9) + 5, int(7.5 // "
                    "2), int(-7.5 % 2 * 2)"),
            "1024x4x2x3x3x1");
  EXPECT_EQ(
      extents("len([1, 2] + [3]), len(range(3, 9, 2)), len(range(9, 0, -4)), "
              "range(5)[-1], [4, 5, 6][1:][0], [1, 2, 3, 4][::2][1]"),
      "3x3x3x4x5x3");
  EXPECT_EQ(extents("int(sqrt(16)), maximum(3, n), minimum(3, n), int(log(1)) "
                    "+ 1, int(true)",
                    "dim n = 2"),
            "4x3x2x1x1");
  EXPECT_EQ(
      extents("size(y, -1), shape(y)[0], len(shape(y))", "input y: f32[3, 4]"),
      "4x3x2");
  EXPECT_EQ(
      extents(
          "a, b, c",
          "if dtype(y) == f32 and not (1 > 2) or 1 / 0 > 1 { a = 1 } else { a "
          "= 2 }\n"
          "if y == none { b = 1 } else if \"a\" + \"b\" == \"ab\" { b = 2 }\n"
          "if [1, \"a\"] != [1, \"b\"] { c = 3 }"),
      "2:10 unknown name 'y'\n3:4 unknown name 'y'\n");
  EXPECT_EQ(
      extents(
          "a, b, c",
          "input y: f32[1]\n"
          "if dtype(y) == f32 or 1 / 0 > 1 { a = 1 } else { a = 2 }\n"
          "if y == none { b = 1 } else if \"a\" + \"b\" == \"ab\" { b = 2 }\n"
          "if [1, \"a\"] != [1, \"b\"] { c = 3 }"),
      "1x2x3");
  EXPECT_EQ(extents("a, b", "for a, b in [[1, 2], [3, 4]] { c = a }"), "3x4");
  EXPECT_EQ(extents("s", "s = 0\nrepeat 4 { s = s + 2 }"), "8");
  EXPECT_EQ(extents("f(2), f(2, k = 1)", "dim n = 3\n"
                                         "def f(x, k = n * 2) {\n"
                                         " if x > 1 { return x * k }\n"
                                         " return 1 }"),
            "12x2");
}

TEST(Elaborate, PathsOfParameters) {
  EXPECT_EQ(
      variablesOf("model m {\n"
                  "  input x: f32[2, 4]\n"
                  "  def cell(x, h) { return relu(linear(x, 4, name = \"ih\") "
                  "+ linear(h, 4, name = \"hh\")) }\n"
                  "  def encode(x, h) {\n"
                  "    for t in range(3) { h = cell(x, h, share = \"cell\") }\n"
                  "    return h\n"
                  "  }\n"
                  "  h = encode(x, zeros([2, 4]), name = \"enc\")\n"
                  "  repeat 2 as mix { h = h + linear(h, 4, bias = false) }\n"
                  "  a, b = linear(linear(h, 16), 2), linear(h, 16)\n"
                  "}\n"),
      "amp.variable @enc.cell.ih.weight : tensor<4x4xf32> role parameter init "
      "uniform with [-5.000000e-01, 5.000000e-01] site 0\n"
      "amp.variable @enc.cell.ih.bias : tensor<4xf32> role parameter init "
      "uniform with [-5.000000e-01, 5.000000e-01] site 1\n"
      "amp.variable @enc.cell.hh.weight : tensor<4x4xf32> role parameter init "
      "uniform with [-5.000000e-01, 5.000000e-01] site 2\n"
      "amp.variable @enc.cell.hh.bias : tensor<4xf32> role parameter init "
      "uniform with [-5.000000e-01, 5.000000e-01] site 3\n"
      "amp.variable @mix.0.linear.weight : tensor<4x4xf32> role parameter init "
      "uniform with [-5.000000e-01, 5.000000e-01] site 4\n"
      "amp.variable @mix.1.linear.weight : tensor<4x4xf32> role parameter init "
      "uniform with [-5.000000e-01, 5.000000e-01] site 5\n"
      "amp.variable @linear.weight : tensor<16x4xf32> role parameter init "
      "uniform with [-5.000000e-01, 5.000000e-01] site 6\n"
      "amp.variable @linear.bias : tensor<16xf32> role parameter init uniform "
      "with [-5.000000e-01, 5.000000e-01] site 7\n"
      "amp.variable @linear_1.weight : tensor<2x16xf32> role parameter init "
      "uniform with [-2.500000e-01, 2.500000e-01] site 8\n"
      "amp.variable @linear_1.bias : tensor<2xf32> role parameter init uniform "
      "with [-2.500000e-01, 2.500000e-01] site 9\n"
      "amp.variable @linear_2.weight : tensor<16x4xf32> role parameter init "
      "uniform with [-5.000000e-01, 5.000000e-01] site 10\n"
      "amp.variable @linear_2.bias : tensor<16xf32> role parameter init "
      "uniform with [-5.000000e-01, 5.000000e-01] site 11\n");
}

TEST(Elaborate, ParamsAndTiedWeights) {
  EXPECT_EQ(variablesOf("model m {\n"
                        "  dim n = 4\n"
                        "  input x: f32[2, n]\n"
                        "  param a: f32[n] = 0\n"
                        "  param b: f32[] = 1\n"
                        "  param c: f32[] = 2.5\n"
                        "  param d: f32[n, 2] = normal(std = 0.5)\n"
                        "  param e: f32[] = uniform(-1, 1)\n"
                        "  def g(x) {\n"
                        "    param s: f32[] = 0\n"
                        "    return x * s\n"
                        "  }\n"
                        "  repeat 2 as l { x2 = g(x, name = \"g\") }\n"
                        "  y = linear(x, 5, name = \"tok\", bias = false)\n"
                        "  z = linear(x, weight = tok.weight, bias = false, "
                        "name = \"head\")\n"
                        "}\n"),
            "amp.variable @a : tensor<4xf32> role parameter init zeros\n"
            "amp.variable @b : tensor<f32> role parameter init ones\n"
            "amp.variable @c : tensor<f32> role parameter init constant with "
            "[2.500000e+00]\n"
            "amp.variable @d : tensor<4x2xf32> role parameter init normal with "
            "[0.000000e+00, 5.000000e-01] site 3\n"
            "amp.variable @e : tensor<f32> role parameter init uniform with "
            "[-1.000000e+00, 1.000000e+00] site 4\n"
            "amp.variable @l.0.g.s : tensor<f32> role parameter init zeros\n"
            "amp.variable @l.1.g.s : tensor<f32> role parameter init zeros\n"
            "amp.variable @tok.weight : tensor<5x4xf32> role parameter init "
            "uniform with [-5.000000e-01, 5.000000e-01] site 7 {aliases = "
            "[\"head.weight\"]}\n");
}

/// The names and kinds of the results.
std::string results(llvm::StringRef body) {
  Loaded loaded(("model m {\n" + body + "\n}\n").str());
  if (!loaded.module)
    return loaded.errors();
  std::string text;
  auto func = *loaded.module->getOps<mlir::func::FuncOp>().begin();
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto kind =
        func.getResultAttrOfType<ampc::amp::IoAttr>(i, ampc::amp::kIoAttr);
    text += stringifyIo(kind.getValue()).str() + " " +
            func.getResultAttrOfType<mlir::StringAttr>(i, ampc::amp::kNameAttr)
                .str() +
            "\n";
  }
  return text;
}

TEST(Elaborate, ResultsOfTheModel) {
  EXPECT_EQ(results("input x: f32[2]\na = relu(x)\nb = a + 1\nc = b\nn = 3"),
            "output b\n");
  EXPECT_EQ(
      results(
          "input x: f32[2]\na = relu(x)\nb = a + 1\noutput a\noutput d, e = a"),
      "6:13 expected the end of the statement, found '='\n");
  EXPECT_EQ(
      results(
          "input x: f32[2]\na = relu(x)\nb = a + 1\noutput a, b\noutput c = a"),
      "output a\noutput b\noutput c\n");
  EXPECT_EQ(results("input x: f32[2]\n"
                    "loss = sum(x)\n"
                    "loss q = mean(x)\n"
                    "loss = q * 2\n"
                    "metric sum(x)\n"
                    "metric r = sqrt(q)"),
            "loss loss_1\nloss q\nloss loss_2\nmetric sum\nmetric r\n");
}

TEST(Elaborate, Overrides) {
  const char *text = "model m {\n"
                     "  dim n = 2, k\n"
                     "  const c = n * 10, s = [1]\n"
                     "  input x: f32[n, k, c, len(s)]\n"
                     "}\n"
                     "train { steps = 5 }\n";
  Loaded loaded(text, {{"n", "3"},
                       {"k", "n + 1"},
                       {"s", "[1, 2, 3] + [4]"},
                       {"train.steps", "n"},
                       {"train.seed", "7"},
                       {"n", "4"}});
  ASSERT_TRUE(loaded.module) << loaded.errors();
  auto func = *loaded.module->getOps<mlir::func::FuncOp>().begin();
  EXPECT_EQ(
      llvm::cast<mlir::RankedTensorType>(func.getArgumentTypes()[0]).getShape(),
      llvm::ArrayRef<int64_t>({4, 5, 40, 4}));
  auto train = (*loaded.module)
                   ->getAttrOfType<mlir::DictionaryAttr>(ampc::amp::kTrainAttr);
  EXPECT_EQ(llvm::cast<mlir::IntegerAttr>(train.get("steps")).getInt(), 4);
  EXPECT_EQ(llvm::cast<mlir::IntegerAttr>(train.get("seed")).getInt(), 7);
}

} // namespace

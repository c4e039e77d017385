// Errors of elaboration: their exact texts and places. Bodies stand in `model m
// {` ... `}`, so their first line is line 2.
#include "test/unit/frontend/Load.h"

using namespace ampc::model;

namespace {

TEST(Errors, Names) {
  EXPECT_EQ(errorsOfBody("hidden = 3\nx = hiden + 1"),
            "3:5 unknown name 'hiden'; did you mean 'hidden'?\n");
  EXPECT_EQ(errorsOfBody("x = q"), "2:5 unknown name 'q'\n");
  EXPECT_EQ(errorsOfBody("input x: f32[2]\n"
                         "a = reluu(x)\n"
                         "b = cat([x, x])\n"
                         "c = mse_loss(x, x)\n"
                         "d = view(x, 2)\n"
                         "e = Linear(x, 2)\n"
                         "f = zzzzzz(x)"),
            "3:5 unknown function 'reluu'; did you mean 'relu'?\n"
            "4:5 unknown function 'cat'; did you mean 'concat'?\n"
            "5:5 unknown function 'mse_loss'; did you mean 'mse'?\n"
            "6:5 unknown function 'view'; did you mean 'reshape'?\n"
            "7:5 unknown function 'Linear'; did you mean 'linear'?\n"
            "8:5 unknown function 'zzzzzz'\n");
  EXPECT_EQ(errorsOfBody("a = relu\nx = f\ndef f(y) { return y }"),
            "2:5 unknown name 'relu'\n3:5 unknown name 'f'\n");
}

TEST(Errors, Scopes) {
  EXPECT_EQ(errorsOfBody("h = 3\ndef f(x) { return x + h }\na = f(1)"),
            "3:23 'h' can be rebound and is not visible in a def; pass it as "
            "an argument\n");
  EXPECT_EQ(errorsOfBody("def f(x) { return x + n }\ndim n = 2\na = f(1)"),
            "2:23 unknown name 'n'\n");
  EXPECT_EQ(
      errorsOfBody("def f(x) { return g(x) }\ndef g(x) { return x }\na = f(1)"),
      "2:19 unknown function 'g'\n  3:5 declared after its use\n");
  EXPECT_EQ(errorsOfBody("dim n = 2\n"
                         "def f(n) { return n }\n"
                         "def g(x) { n = x\n"
                         " return n }\n"
                         "a = f(3)\n"
                         "b = g(3)"),
            "4:12 'n' is already declared as dim\n  2:5 declared here\n");
}

TEST(Errors, Declarations) {
  EXPECT_EQ(errorsOfBody("dim n = 2\n"
                         "dim n = 3\n"
                         "n = 4\n"
                         "input x: f32[n]\n"
                         "target x: f32[n]\n"
                         "const c = 1\n"
                         "for c in [1] { }\n"
                         "param p: f32[] = 0\n"
                         "param p: f32[] = 0\n"
                         "def f(x) { return x }\n"
                         "def f(x) { return x }\n"
                         "y = 1\n"
                         "input y: f32[]"),
            "3:5 'n' is already declared as dim\n"
            "  2:5 declared here\n"
            "4:1 'n' is already declared as dim\n"
            "  2:5 declared here\n"
            "6:8 'x' is already declared as input\n"
            "  5:7 declared here\n"
            "8:5 'c' is already declared as const\n"
            "  7:7 declared here\n"
            "10:7 'p' is already declared as param\n"
            "  9:7 declared here\n"
            "12:5 'f' is already declared as def\n"
            "  11:5 declared here\n"
            "14:7 'y' is already a name that was assigned to\n"
            "  13:1 assigned here\n");
}

TEST(Errors, Arguments) {
  EXPECT_EQ(
      errorsOfBody("input x: f32[2]\n"
                   "a = relu(x, 1)\n"
                   "b = linear()\n"
                   "c = sum(x, axis = 0, axis = 0)\n"
                   "d = sum(x, 0, axis = 0)\n"
                   "e = sum(x, axes = 0)\n"
                   "f = sum(x, keepdims = true)\n"
                   "g = relu(x, share = \"s\")\n"
                   "h = linear(x, 2, name = \"a\", share = \"b\")\n"
                   "i = linear(x, 2, name = \"a b\")\n"
                   "j = linear(x, 2, name = 3)\n"
                   "k = relu(x, name = \"a\", name = \"b\")"),
      "3:13 'relu' takes at most 1 arguments, got 2\n"
      "4:5 argument 'x' of 'linear' is missing\n"
      "5:22 argument 'axis' given twice\n"
      "6:15 argument 'axis' given twice\n"
      "7:12 unknown argument 'axes' of 'sum'; did you mean 'axis'?\n"
      "8:12 unknown argument 'keepdims' of 'sum'; did you mean 'keepdim'?\n"
      "9:13 unknown argument 'share' of 'relu'\n"
      "10:30 a call takes 'name' or 'share', not both\n"
      "11:25 'a b' cannot be a path: words of letters, digits and _, joined by "
      "dots\n"
      "12:25 expected a compile-time string, got int\n"
      "13:25 argument 'name' given twice\n");
  EXPECT_EQ(errorsOfBody("def f(x, k = 1) { return x }\n"
                         "a = f()\n"
                         "b = f(1, 2, 3)\n"
                         "c = f(1, q = 2)\n"
                         "d = f(1, x = 2)"),
            "3:5 argument 'x' of 'f' is missing\n"
            "4:13 'f' takes at most 2 arguments, got 3\n"
            "5:10 unknown argument 'q' of 'f'\n"
            "6:10 argument 'x' given twice\n");
}

TEST(Errors, Shapes) {
  EXPECT_EQ(errorsOfBody("input a: f32[4, 2]\ninput b: f32[4, 5]\nc = a + b"),
            "4:7 'add': shapes f32[4, 2] and f32[4, 5] do not match in axis 1 "
            "(2 and 5)\n"
            "  3:7 f32[4, 5] is made here\n");
  EXPECT_EQ(errorsOfBody("dim n = 4, k = 3\n"
                         "input a: f32[n, 2]\n"
                         "input b: f32[k]\n"
                         "c = where(a > 0, a, b)\n"
                         "d = maximum(a, b)"),
            "5:5 'where': shapes f32[n=4, 2] and f32[k=3] do not match in axis "
            "1 (2 and 3)\n"
            "  4:7 f32[k=3] is made here\n"
            "6:5 'maximum': shapes f32[n=4, 2] and f32[k=3] do not match in "
            "axis 1 (2 and 3)\n"
            "  4:7 f32[k=3] is made here\n");
  EXPECT_EQ(errorsOfBody("input a: f32[4, 1]\n"
                         "input b: f32[4, 2]\n"
                         "input c: f32[4]\n"
                         "x = mse(a, b)\n"
                         "y = mse(a, c)"),
            "5:5 'mse': shapes f32[4, 1] and f32[4, 2] do not match in axis 1 "
            "(1 and 2)\n"
            "  3:7 f32[4, 2] is made here\n"
            "6:5 'mse': shapes f32[4, 1] and f32[4] do not match\n"
            "  4:7 f32[4] is made here\n");
  EXPECT_EQ(errorsOfBody("input x: f32[2, 6]\n"
                         "a = reshape(x, [5, 2])\n"
                         "b = reshape(x, [-1, 5])\n"
                         "c = reshape(x, [-1, -1])\n"
                         "d = reshape(x, [-2, 6])\n"
                         "e = sum(x, axis = 2)\n"
                         "f = sum(x, axis = [0, -2])\n"
                         "g = expand(x, [2, 3])\n"
                         "h = unsqueeze(x, 4)\n"
                         "i = flatten(x, 1, 0)\n"
                         "j = linear(x, weight = x, bias = x)\n"
                         "k = linear(x, 2, bias = x)"),
            "3:16 'reshape': f32[2, 6] has 12 elements, f32[5, 2] has 10\n"
            "4:16 'reshape': f32[2, 6] has 12 elements, which do not fill "
            "f32[-1, 5]\n"
            "5:16 'reshape': only one extent can be -1\n"
            "6:16 'reshape': an extent must be at least 0, got -2\n"
            "7:19 'sum': axis 2 is outside f32[2, 6]\n"
            "8:19 'sum': axis 0 is given twice\n"
            "9:15 'expand': f32[2, 6] cannot become f32[2, 3]\n"
            "10:18 'unsqueeze': axis 4 is outside the result of 3 axes\n"
            "11:19 'flatten': the last axis stands before the first\n"
            "12:34 'linear': 'bias' must be [2], got f32[2, 6]\n"
            "  2:7 the bias is made here\n"
            "13:25 'linear': 'bias' must be [2], got f32[2, 6]\n"
            "  2:7 the bias is made here\n");
  EXPECT_EQ(
      errorsOfBody("input x: f32[2, 0]\na = max(x)\nb = sum(x) + mean(x)"),
      "3:5 'max' of no elements: f32[2, 0] has an extent of 0\n");
}

TEST(Errors, Types) {
  EXPECT_EQ(
      errorsOfBody("input x: f32[4]\n"
                   "input i: i32[4]\n"
                   "input b: bool[4]\n"
                   "a = linear(i, 2)\n"
                   "repeat x { }\n"
                   "c = mean(i)\n"
                   "if x { c = 1 }\n"
                   "d = x and true\n"
                   "e = b + b\n"
                   "f = x + \"s\"\n"
                   "g = -b\n"
                   "h = cast(x, 3)\n"
                   "i2 = relu(\"s\")\n"
                   "j = where(x, 1, 2)\n"
                   "k = \"a\" + 1\n"
                   "l = [1] * 2\n"
                   "m2 = sum(3)\n"
                   "n = max(b)\n"
                   "o = i * 3000000000\n"
                   "p = 3[0]"),
      "5:12 'linear': 'x' must be a float tensor, got i32[4]\n"
      "6:8 expected a compile-time int, got tensor f32[4]\n"
      "7:10 'mean': 'x' must be a float tensor, got i32[4]\n"
      "8:4 expected a compile-time bool, got tensor f32[4]\n"
      "9:5 expected a compile-time bool, got tensor f32[4]; use logical_and\n"
      "10:7 'add' takes numbers, got two bool tensors\n"
      "11:7 'add' does not take tensor f32[4] and string\n"
      "12:5 'neg': 'x' must be a tensor of numbers, got bool[4]\n"
      "13:13 expected an element type, got int\n"
      "14:11 expected a compile-time number, got string\n"
      "15:11 'where': 'cond' must be a bool tensor, got f32[4]\n"
      "16:9 '+' does not take string and int\n"
      "17:9 '*' does not take list and int\n"
      "18:10 'sum': 'x' must be a tensor, got int\n"
      "19:9 'max': 'x' must be a tensor of numbers, got bool[4]\n"
      "20:7 'mul': 3000000000 does not fit in i32\n"
      "21:6 expected a list or a tensor before '[', got int\n");
}

TEST(Errors, CompileTimeNumbers) {
  EXPECT_EQ(errorsOfBody("a = 9223372036854775807 + 1\n"
                         "b = 2 ** 63\n"
                         "c = 1 / 0\n"
                         "d = 1 // 0\n"
                         "e = 1 % 0\n"
                         "f = 2.5 % 0\n"
                         "g = 1e308 * 10\n"
                         "h = (-1) ** 0.5\n"
                         "i = 0 ** -1\n"
                         "j = sqrt(-1)\n"
                         "k = int(1e30)\n"
                         "l = -(-9223372036854775807 - 1)\n"
                         "m2 = 9223372036854775808\n"
                         "n = (-9223372036854775807 - 1) // -1"),
            "2:25 the number does not fit in 64 bits\n"
            "3:7 the number does not fit in 64 bits\n"
            "4:7 division by zero\n"
            "5:7 division by zero\n"
            "6:7 division by zero\n"
            "7:9 division by zero\n"
            "8:11 the number does not fit in 64 bits\n"
            "9:10 the result is not a number\n"
            "10:7 division by zero\n"
            "11:5 the result is not a number\n"
            "12:5 the number does not fit in 64 bits\n"
            "13:5 the number does not fit in 64 bits\n"
            "14:6 the number does not fit in 64 bits\n"
            "15:32 the number does not fit in 64 bits\n");
}

TEST(Errors, UnpackingAndIndices) {
  EXPECT_EQ(errorsOfBody("a, b = [1, 2, 3]\n"
                         "c, d = 3\n"
                         "e = [1, 2][2]\n"
                         "f = [1, 2][-3]\n"
                         "g = [1][::0]\n"
                         "h = [1, 2][0, 1]\n"
                         "for i, j in [1] { }\n"
                         "for k in 3 { }\n"
                         "repeat -1 { }\n"
                         "l = [1][\"a\"]"),
            "2:8 2 names but 3 values\n"
            "3:8 expected a list of 2, got int\n"
            "4:12 index 2 is outside the list of length 2\n"
            "5:12 index -3 is outside the list of length 2\n"
            "6:11 the step of a slice must be at least 1, got 0\n"
            "7:11 a list takes one index\n"
            "8:13 expected a list of 2, got int\n"
            "9:10 expected a list, got int\n"
            "10:8 'repeat' takes a count of at least 0, got -1\n"
            "11:9 expected a compile-time int, got string\n");
}

TEST(Errors, Extents) {
  EXPECT_EQ(
      errorsOfBody("dim n = -4\n"
                   "dim k\n"
                   "dim j = 2.0\n"
                   "dim i = 2 ** 50\n"
                   "input x: f32[-1]\n"
                   "input y: f32[\"a\"]\n"
                   "input z: f32[2 ** 30, 2 ** 30]\n"
                   "w = zeros([2 ** 40, 2 ** 40])\n"
                   "v = zeros([-1])"),
      "2:9 dim 'n' must be at least 1, got -4\n"
      "3:5 dim 'k' has no value; give --set k=..\n"
      "4:9 expected a compile-time int, got float\n"
      "5:11 dim 'i' must be below 2^48, got 1125899906842624\n"
      "6:14 an extent must be at least 0, got -1\n"
      "7:14 expected a compile-time int, got string\n"
      "8:10 the shape f32[1073741824, 1073741824] has 2^48 elements or more\n"
      "9:11 the shape f32[1099511627776, 1099511627776] has 2^48 "
      "elements or more\n"
      "10:11 'zeros': an extent must be at least 0, got -1\n");
}

TEST(Errors, LoopsAndDefs) {
  EXPECT_EQ(errorsOfBody("def f(x) { return f(x) }\n"
                         "def g(x) { y = x }\n"
                         "def h(x) {\n"
                         "  if x > 1 { return x }\n"
                         "}\n"
                         "a = f(1)\n"
                         "b = g(1)\n"
                         "c = h(1)\n"
                         "d = h(2)"),
            "2:19 'f' calls itself\n"
            "  2:5 declared here\n"
            "8:5 'g' returns nothing\n"
            "  3:5 declared here\n"
            "9:5 'h' returns nothing\n"
            "  4:5 declared here\n");
  EXPECT_EQ(
      errorsOfBody("input x: f32[2]\nh = x\nrepeat 1000001 { h = relu(h) }"),
      "4:22 loop makes more than 1000000 operations\n");
  EXPECT_EQ(errorsOfBody("repeat 2 ** 60 { }"),
            "2:1 more than 10000000 statements are evaluated\n");
  EXPECT_EQ(
      errorsOfBody("xs = range(1000001)\nys = []\nrepeat 300 { ys = [ys] }"),
      "2:6 a list has at most 1000000 items\n"
      "4:19 nested more than 256 deep\n");
}

TEST(Errors, DeepCalls) {
  std::string body = "def g_0(x) { return x }\n";
  for (int i = 1; i < 300; ++i)
    body += "def g_" + std::to_string(i) + "(x) { return g_" +
            std::to_string(i - 1) + "(x) }\n";
  std::string errors = errorsOfBody(body + "a = g_299(1)");
  EXPECT_NE(errors.find("nested more than 256 deep\n"), std::string::npos)
      << errors;
}

TEST(Errors, Paths) {
  EXPECT_EQ(
      errorsOfBody("input x: f32[2, 4]\n"
                   "a = linear(x, 4, name = \"l\")\n"
                   "b = linear(x, 4, name = \"l\")\n"
                   "c = linear(x, 4, share = \"s\")\n"
                   "d = linear(x, 5, share = \"s\")\n"
                   "e = linear(x, 4, name = \"s\")\n"
                   "f = linear(x, weight = nett.weight)\n"
                   "param forward: f32[] = 0"),
      "4:5 path 'l' is already used; give one a name, or both share\n"
      "  3:5 used here\n"
      "6:5 shared 's.weight' has shape f32[5, 4] here and f32[4, 4] there\n"
      "  5:5 there\n"
      "7:5 path 's' is already used; give one a name, or both share\n"
      "  5:5 used here\n"
      "9:7 'forward' is the name of an entry; give the parameter another\n");
  // Operators have paths as functions do.
  EXPECT_EQ(errorsOfBody("input x: f32[2, 4]\n"
                         "a = linear(x + 1, 4, name = \"add\")\n"
                         "b = linear(x, 4, name = \"neg\")\n"
                         "c = -x\n"
                         "d = linear(x, 4, name = \"index\")\n"
                         "e = x[0]\n"
                         "f = -x"),
            "3:5 path 'add' is already used; give one a name, or both share\n"
            "  3:14 used here\n"
            "5:5 path 'neg' is already used; give one a name, or both share\n"
            "  4:5 used here\n"
            "7:6 path 'index' is already used; give one a name, or both "
            "share\n"
            "  6:5 used here\n");
  EXPECT_EQ(errorsOfBody("input x: f32[2, 4]\n"
                         "a = linear(x, 4, name = \"net\")\n"
                         "f = linear(x, weight = nett.weight)"),
            "4:24 no parameter 'nett.weight'; did you mean 'net.weight'?\n");
}

TEST(Errors, Results) {
  EXPECT_EQ(errorsOfBody("input x: f32[4]\n"
                         "input d: f64[]\n"
                         "loss = x\n"
                         "loss = 3\n"
                         "loss = sum(d)\n"
                         "metric x = x\n"
                         "output a = 3\n"
                         "output q\n"
                         "y = relu(x)\n"
                         "output y\n"
                         "output y"),
            "4:8 a loss must be a scalar, got f32[4]\n"
            "5:8 a loss must be a scalar tensor, got int\n"
            "6:8 a loss must be f32, got f64[]; write cast(.., f32)\n"
            "7:12 a metric must be a scalar, got f32[4]\n"
            "8:12 an output must be a tensor, got int\n"
            "9:8 unknown name 'q'\n"
            "12:8 'y' is already declared as output\n"
            "  11:8 declared here\n");
  // Rows and metrics files have columns of their own.
  EXPECT_EQ(errorsOfBody("input x: f32[4]\n"
                         "metric lr = sum(x)\n"
                         "loss step = sum(x)"),
            "3:8 'lr' is a number that every run reports; a metric needs "
            "another name\n"
            "4:6 'step' is a number that every run reports; a loss needs "
            "another name\n");
}

TEST(Errors, ScaledCasts) {
  EXPECT_EQ(errorsOfBody("input x: f32[4]\n"
                         "input i: i32[4]\n"
                         "a = cast(x, bf16, 2)\n"
                         "b = cast(i, f8e4m3, 2)\n"
                         "c = cast(x, f8e5m2, scale = 0)"),
            "4:19 'scale' is for casts between f8e4m3 or f8e5m2 and wider "
            "floats, got f32[4] to bf16[4]\n"
            "5:21 'scale' is for casts between f8e4m3 or f8e5m2 and wider "
            "floats, got i32[4] to f8e4m3[4]\n"
            "6:29 'scale' must be a normal f32 number above 0, got 0.0\n");
}

TEST(Errors, Params) {
  EXPECT_EQ(errorsOfBody("param a: i32[2] = 0\n"
                         "param b: bf16[2] = 0\n"
                         "param c: f32[2] = \"x\"\n"
                         "param d: f32[2] = normal(std = -1)\n"
                         "param e: f32[2] = uniform(2, 1)\n"
                         "param f: f32[2] = 1e39\n"
                         "param g: f32[2] = normal(std = 1e39)\n"
                         "param h: f32[2] = true\n"
                         "buffer i: f16[2] = 65520\n"
                         "buffer j: f16[2] = 65519"),
            "2:10 a param must have a float type, got i32\n"
            "3:10 a param is f32, which its optimizer updates; got bf16; the "
            "precision policy or cast(.., bf16) narrows it\n"
            "4:19 expected a number or an initialiser, got string\n"
            "5:32 'normal': 'std' must be at least 0, got -1.0\n"
            "6:30 'uniform': 'b' must be at least 'a' (2.0), got 1.0\n"
            "7:19 the number does not fit in f32\n"
            "8:19 the number does not fit in f32\n"
            "9:19 expected a number or an initialiser, got bool\n"
            "10:20 the number does not fit in f16\n");
}

TEST(Errors, NotAvailableYet) {
  EXPECT_EQ(errorsOfBody("input x: f32[4]\n"
                         "h = conv2d(x)\n"
                         "j = h + x"),
            "3:5 'conv2d' is not available yet\n");
  EXPECT_EQ(errorsOf("model m { input x: f32[4]\n"
                     " y = relu(x) }\n"
                     "train {\n"
                     "  ema = 0.999\n"
                     "  optimizer = lion()\n"
                     "}\n"),
            "4:3 'ema' is not available yet\n"
            "5:15 'lion' is not available yet\n");
}

TEST(Errors, OneAStatementAndNoneFromPoison) {
  EXPECT_EQ(errorsOfBody("a = q1 + q2\n"
                         "b = a + 1\n"
                         "repeat 5 { c = q3 + b }\n"
                         "d, e = c\n"
                         "def f(x) {\n"
                         "  y = q4\n"
                         "  return y\n"
                         "}\n"
                         "g = f(1) + f(2)\n"
                         "h = g + a\n"
                         "if a { i = 1 }\n"
                         "j = i\n"
                         "for k in a { l = k }\n"
                         "m2 = k + l\n"
                         "output a\n"
                         "loss = j"),
            "2:5 unknown name 'q1'\n"
            "4:16 unknown name 'q3'\n"
            "7:7 unknown name 'q4'\n");
  // A list may hold what failed.
  EXPECT_EQ(errorsOfBody("a = [q1]\n"
                         "b = a == a\n"
                         "c = [1] == a\n"
                         "d = [[a]] != [[1]]\n"
                         "e, f = q2, 1\n"
                         "g = [e, f] + [f]\n"
                         "h = g == g\n"
                         "i = g[0] + f"),
            "2:6 unknown name 'q1'\n"
            "6:8 unknown name 'q2'\n");
  EXPECT_EQ(errorsOf("model m {\n"
                     "  input x: f32[2\n"
                     "  y = relu(x)\n"
                     "  def f(a { return a }\n"
                     "  z = f(y)\n"
                     "  w = qq\n"
                     "}\n"),
            "3:3 expected ',' or ']', found 'y'\n"
            "  2:15 opened here\n"
            "4:11 expected ',' or ')', found '{'\n"
            "  4:8 opened here\n"
            "6:7 unknown name 'qq'\n");
}

} // namespace

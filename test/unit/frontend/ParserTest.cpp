// The grammar: what is read, in canonical text.
#include "ir/frontend/model/syntax/Parser.h"
#include "ir/frontend/model/syntax/AstPrinter.h"

#include <gtest/gtest.h>

using namespace ampc::model;

namespace {

std::string expr(llvm::StringRef text) {
  Ast ast;
  Diagnostics diagnostics;
  const Expr *value = parseExpression(text, "t", ast, diagnostics);
  return value ? toString(value) : diagnostics.errors().front().text;
}

std::string file(llvm::StringRef text) {
  Diagnostics diagnostics;
  std::unique_ptr<Ast> ast = parseFile(text, "t.amp", diagnostics);
  return diagnostics.failed() ? diagnostics.str() : toString(*ast);
}

/// The body of a model, canonically.
std::string body(llvm::StringRef text) {
  return file(("model m {\n" + text + "\n}").str());
}

TEST(Parser, Precedence) {
  EXPECT_EQ(expr("a + b * c - d"), "((a + (b * c)) - d)");
  EXPECT_EQ(expr("a / b // c % d"), "(((a / b) // c) % d)");
  EXPECT_EQ(expr("-x ** 2"), "(-(x ** 2))");
  EXPECT_EQ(expr("2 ** -x ** 2 * y"), "((2 ** (-(x ** 2))) * y)");
  EXPECT_EQ(expr("a ** b ** c"), "(a ** (b ** c))");
  EXPECT_EQ(expr("-a * -b"), "((-a) * (-b))");
  EXPECT_EQ(expr("- - a + b"), "((-(-a)) + b)");
  EXPECT_EQ(expr("a or b and not c == d"), "(a or (b and (not (c == d))))");
  EXPECT_EQ(expr("not not a and b"), "((not (not a)) and b)");
  EXPECT_EQ(expr("a < b and c >= d + 1"), "((a < b) and (c >= (d + 1)))");
  EXPECT_EQ(expr("(a + b) * c"), "((a + b) * c)");
  EXPECT_EQ(expr("a < b < c"), "expected the end of the comparison "
                               "(comparisons do not chain), found '<'");
  EXPECT_EQ(expr("a + not b"), "expected an expression, found 'not'");
  EXPECT_EQ(expr("- not b"), "expected an expression, found 'not'");
}

TEST(Parser, Atoms) {
  EXPECT_EQ(expr("[1, 0.5, \"s\", true, none, bf16, tok.weight, x,]"),
            "[1, 0.5, \"s\", true, none, bf16, tok.weight, x]");
  EXPECT_EQ(expr("[]"), "[]");
  EXPECT_EQ(expr("f()"), "f()");
  EXPECT_EQ(expr("f(a, axis = -1,)"), "f(a, axis = (-1))");
  EXPECT_EQ(expr("f((a) = 1)"), "expected ',' or ')', found '='");
  EXPECT_EQ(expr("f(a.b = 1)"), "expected ',' or ')', found '='");
  EXPECT_EQ(expr("f(x, dim = 1)"),
            "'dim' is a reserved word; the argument is 'axis'");
  EXPECT_EQ(expr("x[0][1:, :-1, ::2, ..., none, a:b:c]"),
            "x[0][1:, :(-1), ::2, ..., none, a:b:c]");
  EXPECT_EQ(expr("x[1,]"), "x[1]");
  EXPECT_EQ(expr("x[]"), "expected an expression, found ']'");
  EXPECT_EQ(expr("(a, b)"), "expected ')', found ','");
  EXPECT_EQ(expr("a b"), "expected the end of the value, found 'b'");
  EXPECT_EQ(expr("$"), "expected an expression, found '$'");
  EXPECT_EQ(expr("\xC3\xA9"), "expected an expression, found '\xC3\xA9'");
}

TEST(Parser, Statements) {
  EXPECT_EQ(
      body("dim n, m = 2\nconst a = 1, b = \"s\"\ninput x: f32[n, 3]\ntarget "
           "y: i64[]\n"
           "param w: f32[n] = normal(std = 0.1)\nbuffer c: f32[] = 0"),
      "model m {\n  dim n, m = 2\n  const a = 1, b = \"s\"\n  input x: f32[n, "
      "3]\n  target y: i64[]\n"
      "  param w: f32[n] = normal(std = 0.1)\n  buffer c: f32[] = 0\n}\n");
  EXPECT_EQ(
      body("def f(x, k = 2) { return x, k }\na, _ = f(x), 1\noutput a\noutput "
           "a, b\noutput c = a + b\n"
           "loss = a\nloss q = 0.5 * b\nmetric accuracy(a, b)\nmetric r = a"),
      "model m {\n  def f(x, k = 2) {\n    return x, k\n  }\n  a, _ = f(x), "
      "1\n  output a\n  output a, b\n"
      "  output c = (a + b)\n  loss = a\n  loss q = (0.5 * b)\n  metric "
      "accuracy(a, b)\n  metric r = a\n}\n");
  EXPECT_EQ(body("repeat n as block { x = f(x) }\nfor a, b in xs as l { x = a "
                 "}\nfor i in range(3) { x = i }"),
            "model m {\n  repeat n as block {\n    x = f(x)\n  }\n  for a, b "
            "in xs as l {\n    x = a\n  }\n"
            "  for i in range(3) {\n    x = i\n  }\n}\n");
  EXPECT_EQ(body("if a { x = 1 } else if b { x = 2 } else {\n x = "
                 "3\n}\ncheckpoint { y = x }\neval { metric z = y }"),
            "model m {\n  if a {\n    x = 1\n  } else {\n    if b {\n      x = "
            "2\n    } else {\n      x = 3\n    }\n"
            "  }\n  checkpoint {\n    y = x\n  }\n  eval {\n    metric z = y\n "
            " }\n}\n");
}

TEST(Parser, Settings) {
  EXPECT_EQ(
      file("model m { }\ntrain {\n optimizer = adam(lr = 1)\n group "
           "\"*.bias\", \"*n*\" { lr = 2 }\n group = 3\n}\n"
           "data { x, y = npy(\"f\")\n validation { x, y = npy(\"g\") } }\n"
           "init { \"*.w\", \"b\" = 0 }\nprecision { \"a.*\" = f32 }"),
      "model m {\n}\ntrain {\n  optimizer = adam(lr = 1)\n  group \"*.bias\", "
      "\"*n*\":\n  group {\n    lr = 2\n"
      "  }\n  group = 3\n}\ndata {\n  x, y = npy(\"f\")\n  validation {\n    "
      "x, y = npy(\"g\")\n  }\n}\n"
      "init {\n  \"*.w\", \"b\" = 0\n}\nprecision {\n  \"a.*\" = f32\n}\n");
}

TEST(Parser, OneFileOneModel) {
  EXPECT_EQ(file("model a { }\nmodel b { }\n"),
            "t.amp:2:1: error: a file holds one model\nmodel b { }\n^\n"
            "t.amp:1:1: note: the first is here\nmodel a { }\n^\n");
  EXPECT_EQ(file("train { }\ntrain { }\n"),
            "t.amp:2:1: error: a file holds one 'train'\ntrain { }\n^\n"
            "t.amp:1:1: note: the first is here\ntrain { }\n^\n");
  EXPECT_EQ(file("modle a { }\nmodel b { }\n"),
            "t.amp:1:1: error: expected 'model', 'train', 'data', 'init' or "
            "'precision', found 'modle'\nmodle a { "
            "}\n^\n");
}

} // namespace

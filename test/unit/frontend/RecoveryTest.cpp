// Errors of syntax: texts and places, one a statement, and inputs made to
// overwhelm the parser.
#include "ir/frontend/model/syntax/AstPrinter.h"
#include "ir/frontend/model/syntax/Parser.h"

#include <gtest/gtest.h>

using namespace ampc::model;

namespace {

/// The errors of a file as `line:column text`, one a line, in order of place.
std::string errors(llvm::StringRef text) {
  Diagnostics diagnostics;
  parseFile(text, "t.amp", diagnostics);
  std::string result;
  for (const Diagnostic &error : diagnostics.errors()) {
    LineColumn at = diagnostics.sources().resolve(error.loc);
    result += std::to_string(at.line) + ":" + std::to_string(at.column) + " " +
              error.text + "\n";
  }
  return result;
}

TEST(Recovery, OneErrorAStatementAndOnWithTheNext) {
  EXPECT_EQ(errors("model m {\n  a = 1 +\n  ]\n  b = f(1 2 3)\n  c = )\n  d = "
                   "1\n  input y f32[2]\n}\n"),
            "3:3 expected an expression, found ']'\n"
            "4:11 expected ',' or ')', found '2'\n"
            "5:7 expected an expression, found ')'\n"
            "7:11 expected ':', found 'f32'\n");
}

TEST(Recovery, StatementWordsEndOpenBrackets) {
  EXPECT_EQ(errors("model m {\n  a = f(x, (1 + 2\n  input y: f32[2]\n  def "
                   "g(x) { return x }\n  b = [1,\n  output b\n  c = ]\n}\n"),
            "2:18 expected ')', found the end of the line\n"
            "6:3 expected an expression, found 'output'\n"
            "7:7 expected an expression, found ']'\n");
}

TEST(Recovery, BraceEndsOpenBrackets) {
  EXPECT_EQ(errors("model m {\n  repeat 2 { a = f(x }\n  b = $\n}\ntrain { "
                   "steps = ] }\n"),
            "2:22 expected ',' or ')', found '}'\n"
            "3:7 expected an expression, found '$'\n"
            "5:17 expected an expression, found ']'\n");
}

TEST(Recovery, FailedHeaderSkipsItsBlock) {
  EXPECT_EQ(
      errors("model m {\n  repeat 2 3 {\n    a = ]\n  }\n  b = ]\n}\n"),
      "2:12 expected '{', found '3'\n5:7 expected an expression, found ']'\n");
  Diagnostics diagnostics;
  auto ast = parseFile(
      "model m {\n  for a, b in [ { c = 1 }\n  def f( { return z }\n}", "t",
      diagnostics);
  EXPECT_EQ(toString(*ast),
            "model m {\n  <error> a, b, c\n  <error> f, z\n}\n");
}

TEST(Recovery, Places) {
  EXPECT_EQ(errors("model m {\n  if a { b = 1 }\n  else { b = 2 }\n}\n"),
            "3:3 'else' must stand on the line of the '}' before it\n");
  EXPECT_EQ(errors("model m {\n  def f(x) {\n    dim n = 2\n    output x\n    "
                   "metric q = x\n    return x\n  }\n"
                   "  return x\n  repeat 2 {\n    input z: f32[2]\n    def "
                   "g(x) { return x }\n  }\n"
                   "  eval {\n    loss = x\n    param p: f32[] = 0\n  }\n  if "
                   "true { def h(x) { return x } }\n}\n"),
            "3:5 'dim' cannot stand in a def\n"
            "4:5 'output' cannot stand in a def\n"
            "5:5 'metric' cannot stand in a def\n"
            "8:3 'return' cannot stand outside a def\n"
            "10:5 'input' cannot stand in a loop\n"
            "11:5 'def' cannot stand in a loop\n"
            "14:5 'loss' cannot stand in an eval block\n"
            "15:5 'param' cannot stand in an eval block\n"
            "17:13 'def' cannot stand in an if\n");
  EXPECT_EQ(errors("model m {\n  def f(x, name) { return x }\n  def g(x, x) { "
                   "return x }\n}\n"),
            "2:12 'name' cannot be a formal: every call takes it\n"
            "3:12 'x' is already declared as formal\n");
}

TEST(Recovery, SyntaxErrors) {
  EXPECT_EQ(errors("model m {\n  3 = x\n  f(x)\n  a b = 2\n  x: f32[1] = 2\n  "
                   "loss q r = 1\n  metric a b\n"
                   "  output a, b = 3\n  input y: g32[1]\n  a = 1 b = 2\n  dim "
                   "3\n  const c\n}\n"),
            "2:3 expected a statement, found '3'\n"
            "3:4 expected '=', found '('\n"
            "4:5 expected '=', found 'b'\n"
            "5:4 expected '=', found ':'\n"
            "6:10 expected '=', found 'r'\n"
            "7:12 expected '=' or '(', found 'b'\n"
            "8:15 expected the end of the statement, found '='\n"
            "9:12 expected an element type (f32, bf16, i64, ...), found 'g32'\n"
            "10:9 expected the end of the statement, found 'b'\n"
            "11:7 expected a name, found '3'\n"
            "12:10 expected '=', found the end of the line\n");
  EXPECT_EQ(errors("model input { }\n"),
            "1:7 expected the name of the model, found 'input'\n");
  EXPECT_EQ(
      errors("train {\n  group \"a\" = 3\n  = 3\n  \"p\" { }\n  steps\n}\n"),
      "2:13 expected '{', found '='\n3:3 expected a setting, found '='\n4:7 "
      "expected '=', found '{'\n"
      "5:8 expected '=', found the end of the line\n");
}

TEST(Recovery, UnfinishedBlock) {
  EXPECT_EQ(errors("model m {\n  repeat 2 {\n    a = 1\n"),
            "2:12 unfinished block opened here\n");
  EXPECT_EQ(errors("train {\n  steps = 1\n"),
            "1:7 unfinished block opened here\n");
}

TEST(Recovery, ColumnsAreCodePointsAndTabsAreKept) {
  Diagnostics diagnostics;
  parseFile("model m {\n\t\"\xC3\xA9\xC3\xA9\" = 1\n\ta = \"\xC3\xA9\" b\n}\n",
            "t.amp", diagnostics);
  EXPECT_EQ(diagnostics.str(),
            "t.amp:2:2: error: expected a statement, found a "
            "string\n\t\"\xC3\xA9\xC3\xA9\" = 1\n\t^\n"
            "t.amp:3:10: error: expected the end of the statement, found 'b'\n"
            "\ta = \"\xC3\xA9\" b\n\t        ^\n");
}

TEST(Recovery, AtMostTwentyErrors) {
  std::string text = "model m {\n";
  for (int i = 0; i < 50; ++i)
    text += "  a = ]\n";
  Diagnostics diagnostics;
  parseFile(text + "}\n", "t.amp", diagnostics);
  EXPECT_EQ(diagnostics.errors().size(), 20u);
  EXPECT_TRUE(llvm::StringRef(diagnostics.str())
                  .ends_with("note: stopped after 20 errors\n"));
}

TEST(Limits, NotText) {
  EXPECT_EQ(errors(llvm::StringRef("model m { }\0", 12)),
            "1:12 not a text file (byte 0x00 at offset 11)\n");
  EXPECT_EQ(errors("model m { } #\xFF"),
            "1:14 not a text file (byte 0xFF at offset 13)\n");
  EXPECT_EQ(errors("\xC0\x80"),
            "1:1 not a text file (byte 0xC0 at offset 0)\n");
  EXPECT_EQ(errors("\x7F"
                   "ELF\x02\x01\x01"),
            "1:1 expected 'model', 'train', 'data', 'init' or 'precision', "
            "found '\x7F'\n");
}

TEST(Limits, Size) {
  std::string text(kMaxTextBytes, '#');
  EXPECT_EQ(errors(text), "");
  text += '#';
  EXPECT_EQ(errors(text),
            "1:1 the file is larger than 16 MiB (16777217 bytes)\n");
  std::string wide = "model m {\n" + std::string(kMaxTextBytes - 20, 'x');
  EXPECT_EQ(errors(wide).substr(0, 40),
            "2:16777197 expected '=', found the end o");
}

std::string repeated(llvm::StringRef text, unsigned count) {
  std::string result;
  for (unsigned i = 0; i < count; ++i)
    result += text;
  return result;
}

TEST(Limits, Nesting) {
  auto model = [](std::string inner) {
    return "model m {\n  a = " + inner + "\n  b = ]\n}\n";
  };
  std::string deep = repeated("(", 256) + "1" + repeated(")", 256);
  EXPECT_EQ(errors(model(deep)), "3:7 expected an expression, found ']'\n");
  EXPECT_EQ(errors(model("(" + deep + ")")),
            "2:263 nested more than 256 deep\n3:7 expected an expression, "
            "found ']'\n");
  for (std::string bracket : {"(", "[", "f(", "x["}) {
    size_t column = 6 + 257 * bracket.size(); // of the 257th bracket
    EXPECT_EQ(errors(model(repeated(bracket, 200000) + "\n  dim q = 1")),
              "2:" + std::to_string(column) +
                  " nested more than 256 deep\n4:7 expected an expression, "
                  "found ']'\n");
  }
}

TEST(Limits, NestedBlocksAndElseIf) {
  std::string blocks = "model m {\n" + repeated("if true {\n", 200000) +
                       repeated("}\n", 200000) + "a = ]\n}\n";
  EXPECT_EQ(errors(blocks), "258:9 nested more than 256 deep\n400002:5 "
                            "expected an expression, found ']'\n");
  std::string chain = "model m {\nif a { b = 1 }" +
                      repeated(" else if a { b = 1 }", 200000) + "\na = ]\n}\n";
  EXPECT_EQ(
      errors(chain).substr(errors(chain).find(' ')),
      " nested more than 256 deep\n3:5 expected an expression, found ']'\n");
}

TEST(Limits, Operators) {
  auto model = [](std::string inner) {
    return "model m {\n  a = " + inner + "\n}\n";
  };
  EXPECT_EQ(errors(model("1" + repeated(" + 1", 4096))), "");
  EXPECT_EQ(errors(model("1" + repeated(" + 1", 4097))),
            "2:16393 an expression has at most 4096 operators\n");
  for (const char *op : {"-", "not ", "1 ** ", "1 + ", "x and "}) {
    EXPECT_EQ(errors(model(repeated(op, 4096) + "1")), "") << op;
    EXPECT_NE(errors(model(repeated(op, 200000) + "1"))
                  .find("an expression has at most 4096 operators"),
              std::string::npos)
        << op;
  }
  EXPECT_NE(errors(model("x" + repeated("[0]", 200000)))
                .find("at most 4096 operators"),
            std::string::npos);
  // Brackets do not start a new count.
  EXPECT_NE(errors(model("(1" + repeated(" + 1", 3000) + ") + f(1" +
                         repeated(" + 1", 2000) + ")"))
                .find("4096"),
            std::string::npos);
}

TEST(Limits, UnterminatedEverything) {
  for (const char *text : {"",
                           "\n",
                           "model",
                           "model m",
                           "model m {",
                           "model m { a",
                           "model m { a =",
                           "model m { a = (",
                           "model m { a = f(",
                           "model m { a = f(b",
                           "model m { a = f(b =",
                           "model m { a = [",
                           "model m { a = x[",
                           "model m { a = x[:",
                           "model m { a = \"",
                           "model m { a = \"\\",
                           "model m { input",
                           "model m { input x:",
                           "model m { input x: f32",
                           "model m { input x: f32[",
                           "model m { def",
                           "model m { def f(",
                           "model m { def f(x =",
                           "model m { def f(x)",
                           "model m { def f(x) {",
                           "model m { for",
                           "model m { for a in",
                           "model m { repeat",
                           "model m { repeat 2 as",
                           "model m { if",
                           "model m { if a { } else",
                           "model m { if a { } else if",
                           "train",
                           "train {",
                           "train { group \"",
                           "train { group \"a\",",
                           "data { x,",
                           "}",
                           "}}}",
                           ")",
                           "model m { } }"})
    errors(text); // must come back
  EXPECT_EQ(errors("model m { a = f(b"),
            "1:18 expected ',' or ')', found the end of the file\n1:9 "
            "unfinished block opened here\n");
}

} // namespace

// Mutations of valid models: whatever the text, loading comes back with a
// module that verifies or with errors, and the errors can be printed.
// Deterministic.
#include "test/unit/frontend/Load.h"

#include "ir/frontend/model/syntax/AstPrinter.h"
#include "ir/frontend/model/syntax/Parser.h"

#include <random>

using namespace ampc::model;

namespace {

/// Every statement, operator and setting of the grammar.
const std::string kGrammar = R"(model m {
  dim n = 16, k
  const w = [1, 2], s = "a\n"
  input x: f32[n, k]
  def f(x, p = 2 ** -1) {
    return x[..., 1:], x * p
  }
  for a, b in w as l { x = f(x, p = a.b.0)[0] }
  if n > 3 and not (k == 2) { y = 1 } else if n { y = -2 } else { y = 3 }
  output o = x
  loss = mean(x)
  metric accuracy(x, y)
}
train {
  optimizer = adamw(lr = 1e-3)
  group "*.bias" { lr = 0 }
}
data { x, y = npy("f")
 validation { x = npy("g") } }
)";

/// A model that loads.
const std::string kModel = R"(model m {
  dim batch = 4
  const width = 8, layers = 2
  input x: f32[batch, width]
  input mask: bool[batch, 1]
  target y: f32[batch, width]
  def block(x, n, scale = 0.5) {
    h = relu(linear(x, n, name = "up"))
    return linear(h, size(x, 1), bias = false, name = "down") * scale
  }
  h = x
  repeat layers as block { h = h + block(h, 16) }
  def cell(x, h) { return relu(linear(x, 8, name = "ih") + linear(h, 8, name = "hh")) }
  for t in range(3) { h = cell(x, h, share = "cell") }
  param g: f32[width] = normal(std = 0.02)
  q = where(mask, h * g, -1e9)
  a, b = sum(q, axis = [0, -1]), reshape(h, [2, -1])
  w = linear(h, weight = block.0.up.weight, name = "head")
  if width == 8 and not (layers == 3) { f = mean(b, keepdim = true) } else { f = 1 / 0 }
  loss main = mse(h, y, reduction = "sum")
  metric rmse = sqrt(mse(h, y))
}
train { optimizer = sgd(lr = 0.1, momentum = 0.9, nesterov = true)
  steps = 20 }
data { x, y = uniform(3)
  mask = npy("m.npy") }
)";

/// One to `most` random edits.
std::string mutate(std::string text, std::mt19937 &random, unsigned most) {
  static const std::string pieces[] = {"(",
                                       ")",
                                       "[",
                                       "]",
                                       "{",
                                       "}",
                                       "\n",
                                       "\"",
                                       "\\",
                                       "#",
                                       ",",
                                       "=",
                                       ":",
                                       "...",
                                       "**",
                                       "-",
                                       "//",
                                       "not ",
                                       "if ",
                                       "else ",
                                       "def ",
                                       "input ",
                                       "return ",
                                       "1e",
                                       ".",
                                       "0",
                                       "\xC3\xA9",
                                       "9999999999999999999",
                                       "none",
                                       "x",
                                       "share = \"c\"",
                                       "1000000000000"};
  for (unsigned edits = 1 + random() % most; edits > 0; --edits) {
    size_t at = random() % text.size();
    switch (random() % 5) {
    case 0:
      text.erase(at, 1 + random() % 20);
      break;
    case 1:
      text.insert(at, pieces[random() % std::size(pieces)]);
      break;
    case 2:
      text[at] = char(random() % 256);
      break;
    case 3: // one character of another place
      text[at] = text[random() % text.size()];
      break;
    default:
      text.insert(at, text.substr(random() % text.size(), random() % 40));
    }
    if (text.empty())
      text = "m";
  }
  return text;
}

TEST(Fuzz, ParserSurvivesMutations) {
  std::mt19937 random(20240501);
  for (int round = 0; round < 4000; ++round) {
    Diagnostics diagnostics;
    auto ast = parseFile(mutate(kGrammar, random, 4), "t.amp", diagnostics);
    EXPECT_LE(diagnostics.errors().size(), Diagnostics::kMaxErrors);
    std::string printed = toString(*ast), shown = diagnostics.str();
    EXPECT_EQ(shown.empty(), !diagnostics.failed());
  }
}

/// Puts other words in the place of one or two words: the text mostly stays
/// well formed.
std::string exchangeWords(std::string text, std::mt19937 &random) {
  static const std::string words[] = {
      "0",   "-1",       "3",     "0.5",   "none", "true",    "f16",
      "i32", "100",      "\"s\"", "[]",    "x",    "relu(x)", "y > 0",
      "ids", "range(3)", "sum",   "where", "zeros"};
  for (unsigned edits = 1 + random() % 2; edits > 0; --edits) {
    auto wordAt = [&] {
      size_t begin = random() % text.size(), end;
      while (begin < text.size() && !llvm::isAlnum(text[begin]))
        ++begin;
      while (begin > 0 && begin < text.size() && llvm::isAlnum(text[begin - 1]))
        --begin;
      for (end = begin; end < text.size() && llvm::isAlnum(text[end]);)
        ++end;
      return std::pair<size_t, size_t>(begin, end - begin);
    };
    auto [from, fromLength] = wordAt();
    std::string other = random() % 2 ? words[random() % std::size(words)]
                                     : text.substr(from, fromLength);
    auto [at, length] = wordAt();
    text.replace(at, length, other);
  }
  return text;
}

/// Loads a text; false if not even its syntax is right.
bool survives(mlir::MLIRContext &context, llvm::StringRef text) {
  Diagnostics diagnostics;
  auto module = loadModel(context, text, "t.amp", {}, diagnostics);
  EXPECT_EQ(bool(module), !diagnostics.failed()) << text.str();
  // Errors stand in the text: none comes from the verifier.
  for (const Diagnostic &error : diagnostics.errors())
    EXPECT_TRUE(error.loc.valid()) << error.text << "\n" << text.str();
  EXPECT_EQ(diagnostics.str().empty(), bool(module));
  Diagnostics syntax;
  parseFile(text, "t.amp", syntax);
  return !syntax.failed();
}

TEST(Fuzz, ElaboratorSurvivesMutations) {
  ASSERT_TRUE(Loaded(kModel).module) << Loaded(kModel).errors();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round)
    survives(context, mutate(kModel, random, 2));
  unsigned wellFormed = 0;
  for (int round = 0; round < 2000; ++round)
    wellFormed += survives(context, exchangeWords(kModel, random));
  EXPECT_GT(wellFormed, 500u); // they reach past the parser
}

} // namespace

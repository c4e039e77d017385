// The lexer: kinds of tokens, newlines that count, limits of literals.
#include "ir/frontend/model/syntax/Lexer.h"

#include <gtest/gtest.h>

using namespace ampc::model;

namespace {

/// The tokens of a text, joined by blanks; newlines that count as `;`, errors
/// as `!`.
std::string lex(llvm::StringRef text) {
  llvm::BumpPtrAllocator arena;
  Lexer lexer(text, 0, arena);
  std::string result;
  for (Token token = lexer.next(); token.kind != Tok::End;
       token = lexer.next()) {
    if (!result.empty())
      result += ' ';
    result += token.kind == Tok::Newline   ? ";"
              : token.kind == Tok::Invalid ? "!" + token.error.str()
                                           : token.text.str();
  }
  return result;
}

Token first(llvm::StringRef text, llvm::BumpPtrAllocator &arena) {
  return Lexer(text, 0, arena).next();
}

TEST(Sources, APlaceIsFoundAgainByWhatIsShown) {
  Sources sources;
  sources.add("a.amp", "one\n\ntw\xC3\xB6 three\n");
  sources.add("--set", "\xE2\x82\xAC + 1");
  for (uint32_t offset : {0, 2, 3, 4, 5, 7, 9, 14, 15, 16, 17, 20, 23, 24}) {
    LineColumn shown = sources.resolve(Loc{offset});
    EXPECT_EQ(sources.locate(shown).offset, offset)
        << shown.file.str() << ":" << shown.line << ":" << shown.column;
  }
  for (LineColumn nowhere :
       {LineColumn{"b.amp", 1, 1}, LineColumn{"a.amp", 0, 1},
        LineColumn{"a.amp", 9, 1}, LineColumn{"--set", 1, 90}})
    EXPECT_FALSE(sources.locate(nowhere).valid());
}

TEST(Lexer, NewlinesThatCount) {
  EXPECT_EQ(lex("a = 1\nb = 2\n\n\nc"), "a = 1 ; b = 2 ; c");
  EXPECT_EQ(lex("\n\n# only a comment\n\na # more\n"), "a ;");
  EXPECT_EQ(lex("f(a,\nb)\n[1,\n2\n]\nx"), "f ( a , b ) ; [ 1 , 2 ] ; x");
  EXPECT_EQ(lex("a +\nb -\nc *\nd /\ne //\nf %\ng **\nh"),
            "a + b - c * d / e // f % g ** h");
  EXPECT_EQ(lex("a ==\nb !=\nc <\nd <=\ne >\nf >=\ng"),
            "a == b != c < d <= e > f >= g");
  EXPECT_EQ(lex("a =\nb,\nc :\nd {\ne in\nf and\ng or\nh not\ni"),
            "a = b , c : d { e in f and g or h not i");
  EXPECT_EQ(lex("a\n+ b"), "a ; + b");
  EXPECT_EQ(lex("repeat 2 as\nb"), "repeat 2 as ; b");
  EXPECT_EQ(lex("a\r\nb\r\n"), "a ; b ;");
}

TEST(Lexer, Paths) {
  llvm::BumpPtrAllocator arena;
  for (const char *path :
       {"tok.weight", "net.0.bias", "a.b.c", "model.0", "x.input", "dim._"}) {
    Token token = first(path, arena);
    EXPECT_EQ(token.kind, Tok::Path) << path;
    EXPECT_EQ(token.text, path);
  }
  EXPECT_EQ(lex("a .b"), "a ! b");
  EXPECT_EQ(lex("x[...]"), "x [ ... ]");
  EXPECT_EQ(lex("x..."), "x ...");
}

TEST(Lexer, Numbers) {
  llvm::BumpPtrAllocator arena;
  EXPECT_EQ(first("9223372036854775807", arena).intValue, INT64_MAX);
  EXPECT_EQ(first("0000000000000000000000012", arena).intValue, 12);
  EXPECT_EQ(lex("9223372036854775808"), "!the number does not fit in 64 bits");
  EXPECT_EQ(lex("1e999"), "!the number does not fit in 64 bits");
  EXPECT_EQ(first("0.5", arena).floatValue, 0.5);
  EXPECT_EQ(first("1e-4", arena).floatValue, 1e-4);
  EXPECT_EQ(first("2.5E+3", arena).floatValue, 2500.0);
  EXPECT_EQ(first("1e-999", arena).floatValue, 0.0);
  EXPECT_EQ(first("1e5", arena).kind, Tok::Float);
  EXPECT_EQ(lex(".5"), "! 5");
  EXPECT_EQ(lex("1."), "1 !");
  EXPECT_EQ(lex("1e"), "1 e");
  EXPECT_EQ(lex("3x"), "3 x");
  EXPECT_EQ(lex(std::string(5000, '1')), "!the number does not fit in 64 bits");
  EXPECT_EQ(lex("0." + std::string(5000, '1')),
            "!a number is at most 4096 characters long");
}

TEST(Lexer, Strings) {
  EXPECT_EQ(lex(R"("a\"b\\c\n\t")"), "a\"b\\c\n\t");
  EXPECT_EQ(lex("\"abc\nd"), "!expected '\"', found the end of the line ; d");
  EXPECT_EQ(lex("\"abc"), "!expected '\"', found the end of the file");
  EXPECT_EQ(lex(R"("a\q")"), R"(!expected one of \" \\ \n \t, found '\q')");
  EXPECT_EQ(lex("\"" + std::string(65536, 'a') + "\""),
            std::string(65536, 'a'));
  EXPECT_EQ(lex("\"" + std::string(65537, 'a') + "\""),
            "!a string is at most 65536 bytes long");
  EXPECT_EQ(lex("\"# no comment\""), "# no comment");
}

TEST(Lexer, WordsAndTypes) {
  llvm::BumpPtrAllocator arena;
  EXPECT_EQ(first("bf16", arena).kind, Tok::ElemType);
  EXPECT_EQ(first("f8e4m3", arena).elemType, ElemType::F8E4M3);
  EXPECT_EQ(first("bool", arena).elemType, ElemType::Bool);
  EXPECT_EQ(first("train", arena).kind, Tok::Name);
  EXPECT_EQ(first("group", arena).kind, Tok::Name);
  EXPECT_EQ(first("tf32", arena).kind, Tok::Name);
  for (const char *word :
       {"model", "dim",    "const",  "input", "target",     "param",  "buffer",
        "def",   "return", "output", "loss",  "metric",     "repeat", "for",
        "in",    "as",     "if",     "else",  "checkpoint", "eval",   "and",
        "or",    "not",    "true",   "false", "none"})
    EXPECT_TRUE(isReserved(first(word, arena).kind)) << word;
}

TEST(Lexer, StatementWordsAndBracesEndBrackets) {
  EXPECT_EQ(lex("f(a\ninput x\ny"), "f ( a ; input x ; y");
  EXPECT_EQ(lex("f(a,\ndim = 1)\ny"), "f ( a , dim = 1 ) ; y");
  EXPECT_EQ(lex("f(a,\nloss.x)\ny"), "f ( a , loss.x ) ; y");
  EXPECT_EQ(lex("(a }\nb"), "( a } ; b");
}

} // namespace

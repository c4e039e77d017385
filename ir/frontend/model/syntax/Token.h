// The tokens of the language (docs/language.md). Words that the grammar knows
// have kinds of their own; all other words (`train`, `group`, keys, function
// names) are Names.
#pragma once

#include "ir/frontend/model/syntax/Source.h"

namespace ampc::model {

/// Kinds of tokens. Reserved words stand between Model and None, operators
/// between Plus and Ge.
enum class Tok : uint8_t {
  End,
  Newline,
  Invalid,
  Name,
  Path,
  Int,
  Float,
  String,
  ElemType,
  // Reserved words. Those up to Eval only start a statement (or the file's
  // model).
  Model,
  Dim,
  Const,
  Input,
  Target,
  Param,
  Buffer,
  Def,
  Return,
  Output,
  Loss,
  Metric,
  Repeat,
  For,
  If,
  Checkpoint,
  Eval,
  In,
  As,
  Else,
  And,
  Or,
  Not,
  True,
  False,
  None,
  LParen,
  RParen,
  LBracket,
  RBracket,
  LBrace,
  RBrace,
  Comma,
  Colon,
  Assign,
  Ellipsis,
  Plus,
  Minus,
  Star,
  Slash,
  SlashSlash,
  Percent,
  StarStar,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
};

/// Element types, in the order of the fixed words.
enum class ElemType : uint8_t {
  F64,
  F32,
  F16,
  BF16,
  F8E4M3,
  F8E5M2,
  I64,
  I32,
  I8,
  Bool
};

/// The fixed word of an element type.
llvm::StringRef elemTypeName(ElemType type);

/// The kind of a word: a reserved word, ElemType, or Name.
Tok classifyWord(llvm::StringRef word);
/// The element type of a fixed word.
std::optional<ElemType> parseElemType(llvm::StringRef word);

/// True for words that can only start a statement.
inline bool startsStatement(Tok kind) {
  return kind >= Tok::Model && kind <= Tok::Eval;
}
/// True for every reserved word.
inline bool isReserved(Tok kind) {
  return kind >= Tok::Model && kind <= Tok::None;
}

/// The spelling of punctuation and reserved words, quoted as in errors: '('.
std::string spelling(Tok kind);

/// The shortest text that reads back as `value`, with a point or an exponent:
/// 0.1, 2.0, 1e-08.
std::string formatFloat(double value);

/// One token. `text` is the source text, for String the decoded contents.
struct Token {
  Tok kind = Tok::End;
  bool lineStart = false; // the first token of its line
  Loc loc;
  llvm::StringRef text;
  union {
    int64_t intValue = 0;
    double floatValue;
    ElemType elemType;
  };
  /// Invalid only: the error to report (it replaces "expected X, found Y"), and
  /// its place.
  llvm::StringRef error;
  Loc errorLoc;

  /// The token as errors name it: 'x', the end of the line, a string.
  std::string describe() const;
};

} // namespace ampc::model

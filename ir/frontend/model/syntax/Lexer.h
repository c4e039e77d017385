// Text to tokens, one at a time. The lexer decides which newlines count: none
// inside ( ) and [ ], none after a token that asks for more. A brace inside
// brackets, or a word that only starts a statement at the start of a line
// there, ends the brackets, so that one missing ')' does not swallow the file.
#pragma once

#include "ir/frontend/model/syntax/Token.h"

#include "llvm/Support/Allocator.h"

namespace ampc::model {

/// Largest string literal in bytes, and largest number in characters.
inline constexpr size_t kMaxStringBytes = 65536, kMaxNumberChars = 4096;

/// Reads one text. Decoded strings and messages are kept in `arena`.
class Lexer {
public:
  /// `text` has been checked to be text; `base` is the offset of its first byte
  /// among the sources.
  Lexer(llvm::StringRef text, uint32_t base, llvm::BumpPtrAllocator &arena);

  /// The next token; End again and again at the end.
  Token next();

private:
  Token make(Tok kind, size_t begin);
  Token invalid(size_t begin, const llvm::Twine &message, size_t errorAt);
  bool newlineCounts() const;
  bool endsBrackets() const;
  Token lexWord();
  Token lexNumber();
  Token lexString();
  Token lexPunctuation();
  char peek(size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }

  llvm::StringRef text;
  uint32_t base;
  llvm::BumpPtrAllocator &arena;
  size_t at = 0;
  unsigned brackets = 0; // open ( and [
  Tok last = Tok::Newline;
  bool lineStart = true;
};

} // namespace ampc::model

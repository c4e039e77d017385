// Text to tokens.
#include "ir/frontend/model/syntax/Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/StringSaver.h"

#include <cmath>

namespace ampc::model {
namespace {

bool isWordStart(char c) { return llvm::isAlpha(c) || c == '_'; }
bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

/// True after a token that cannot end a statement: a newline after it does not
/// count.
bool asksForMore(Tok kind) {
  switch (kind) {
  case Tok::Newline: // and the start of the text
  case Tok::Comma:
  case Tok::Assign:
  case Tok::Colon:
  case Tok::LBrace:
  case Tok::In:
  case Tok::And:
  case Tok::Or:
  case Tok::Not:
    return true;
  default:
    return kind >= Tok::Plus && kind <= Tok::Ge;
  }
}

/// Number of bytes of the code point that starts with `c`.
size_t codePointBytes(unsigned char c) {
  return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

} // namespace

Lexer::Lexer(llvm::StringRef text, uint32_t base, llvm::BumpPtrAllocator &arena)
    : text(text), base(base), arena(arena) {
  if (text.starts_with("\xEF\xBB\xBF")) // a byte order mark
    at = 3;
}

Token Lexer::make(Tok kind, size_t begin) {
  Token token;
  token.kind = kind;
  token.lineStart = lineStart;
  token.loc = {uint32_t(base + begin)};
  token.text = text.slice(begin, at);
  last = kind;
  lineStart = false;
  return token;
}

Token Lexer::invalid(size_t begin, const llvm::Twine &message, size_t errorAt) {
  Token token = make(Tok::Invalid, begin);
  token.error = llvm::StringSaver(arena).save(message);
  token.errorLoc = {uint32_t(base + errorAt)};
  return token;
}

bool Lexer::newlineCounts() const {
  return brackets == 0 && !asksForMore(last);
}

bool Lexer::endsBrackets() const {
  // Here at the first byte of a line, inside brackets.
  llvm::StringRef word = text.substr(at).take_while(isWord);
  Tok kind = classifyWord(word);
  if (!startsStatement(kind))
    return false;
  char next = text.substr(at + word.size()).ltrim(" \t\r").take_front(1) == ""
                  ? '\0'
                  : text.substr(at + word.size()).ltrim(" \t\r")[0];
  if (next == '.') // a path
    return false;
  // `dim = 0` is an argument written as in PyTorch, `loss = e` a statement.
  return next != '=' || kind == Tok::Loss;
}

Token Lexer::next() {
  size_t newlineAt = llvm::StringRef::npos;
  for (; at < text.size(); ++at) {
    char c = text[at];
    if (c == '#')
      at = std::min(text.find('\n', at), text.size());
    if (at == text.size())
      break;
    c = text[at];
    if (c == '\n') {
      newlineAt = std::min(newlineAt, at);
      lineStart = true;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      break;
    }
  }
  if (brackets && lineStart && endsBrackets())
    brackets = 0;
  if (newlineAt != llvm::StringRef::npos && newlineCounts()) {
    Token token = make(Tok::Newline, newlineAt);
    token.text = "\n";
    lineStart = true;
    return token;
  }
  if (at >= text.size()) {
    at = text.size();
    Token token = make(Tok::End, at);
    token.text = "";
    return token;
  }
  char c = text[at];
  if (isWordStart(c))
    return lexWord();
  if (llvm::isDigit(c))
    return lexNumber();
  if (c == '"')
    return lexString();
  return lexPunctuation();
}

Token Lexer::lexWord() {
  size_t begin = at;
  while (isWord(peek()))
    ++at;
  if (peek() == '.' && isWord(peek(1))) {
    while (peek() == '.' && isWord(peek(1))) {
      ++at;
      while (isWord(peek()))
        ++at;
    }
    return make(Tok::Path, begin);
  }
  llvm::StringRef word = text.slice(begin, at);
  Token token = make(classifyWord(word), begin);
  if (token.kind == Tok::ElemType)
    token.elemType = *parseElemType(word);
  return token;
}

Token Lexer::lexNumber() {
  size_t begin = at;
  bool isFloat = false;
  while (llvm::isDigit(peek()))
    ++at;
  if (peek() == '.' && llvm::isDigit(peek(1))) {
    isFloat = true;
    ++at;
    while (llvm::isDigit(peek()))
      ++at;
  }
  if (peek() == 'e' || peek() == 'E') {
    size_t sign = peek(1) == '+' || peek(1) == '-';
    if (llvm::isDigit(peek(1 + sign))) {
      isFloat = true;
      at += 1 + sign;
      while (llvm::isDigit(peek()))
        ++at;
    }
  }
  llvm::StringRef digits = text.slice(begin, at);
  if (isFloat) {
    double value = 0;
    if (digits.size() > kMaxNumberChars)
      return invalid(begin,
                     "a number is at most " + llvm::Twine(kMaxNumberChars) +
                         " characters long",
                     begin);
    // Rounded to nearest, ties to even, whatever the locale; too small becomes
    // 0.
    if (digits.getAsDouble(value) || !std::isfinite(value))
      return invalid(begin, "the number does not fit in 64 bits", begin);
    Token token = make(Tok::Float, begin);
    token.floatValue = value;
    return token;
  }
  llvm::StringRef significant = digits.ltrim('0');
  uint64_t value = 0;
  if (significant.size() > 19 ||
      (!significant.empty() && significant.getAsInteger(10, value)) ||
      value > uint64_t(INT64_MAX))
    return invalid(begin, "the number does not fit in 64 bits", begin);
  Token token = make(Tok::Int, begin);
  token.intValue = int64_t(value);
  return token;
}

Token Lexer::lexString() {
  size_t begin = at++;
  std::string decoded;
  size_t badEscape = llvm::StringRef::npos;
  for (;;) {
    if (at >= text.size())
      return invalid(begin, "expected '\"', found the end of the file", at);
    if (peek() == '\n')
      return invalid(begin, "expected '\"', found the end of the line", at);
    char c = text[at++];
    if (c == '"')
      break;
    if (c == '\\') {
      char e = peek();
      if (e == 'n' || e == 't' || e == '"' || e == '\\') {
        c = e == 'n' ? '\n' : e == 't' ? '\t' : e;
        ++at;
      } else {
        badEscape = std::min(badEscape, at - 1);
      }
    }
    if (decoded.size() <= kMaxStringBytes)
      decoded.push_back(c);
  }
  if (badEscape != llvm::StringRef::npos) {
    size_t bytes =
        badEscape + 1 < text.size() ? codePointBytes(text[badEscape + 1]) : 0;
    return invalid(begin,
                   "expected one of \\\" \\\\ \\n \\t, found '" +
                       text.substr(badEscape, 1 + bytes) + "'",
                   badEscape);
  }
  if (decoded.size() > kMaxStringBytes)
    return invalid(begin,
                   "a string is at most " + llvm::Twine(kMaxStringBytes) +
                       " bytes long",
                   begin);
  Token token = make(Tok::String, begin);
  token.text = llvm::StringSaver(arena).save(llvm::StringRef(decoded));
  return token;
}

Token Lexer::lexPunctuation() {
  struct Entry {
    const char *text;
    Tok kind;
  };
  // Longest first.
  static constexpr Entry kEntries[] = {
      {"...", Tok::Ellipsis}, {"**", Tok::StarStar}, {"//", Tok::SlashSlash},
      {"==", Tok::Eq},        {"!=", Tok::Ne},       {"<=", Tok::Le},
      {">=", Tok::Ge},        {"(", Tok::LParen},    {")", Tok::RParen},
      {"[", Tok::LBracket},   {"]", Tok::RBracket},  {"{", Tok::LBrace},
      {"}", Tok::RBrace},     {",", Tok::Comma},     {":", Tok::Colon},
      {"=", Tok::Assign},     {"+", Tok::Plus},      {"-", Tok::Minus},
      {"*", Tok::Star},       {"/", Tok::Slash},     {"%", Tok::Percent},
      {"<", Tok::Lt},         {">", Tok::Gt},
  };
  size_t begin = at;
  llvm::StringRef rest = text.substr(at);
  for (const Entry &entry : kEntries) {
    if (!rest.starts_with(entry.text))
      continue;
    at += llvm::StringRef(entry.text).size();
    switch (entry.kind) {
    case Tok::LParen:
    case Tok::LBracket:
      ++brackets;
      break;
    case Tok::RParen:
    case Tok::RBracket:
      brackets -= brackets > 0;
      break;
    case Tok::LBrace:
    case Tok::RBrace:
      brackets = 0;
      break;
    default:
      break;
    }
    return make(entry.kind, begin);
  }
  at += codePointBytes(text[at]);
  return make(Tok::Invalid, begin); // no message: "expected X, found 'c'"
}

} // namespace ampc::model

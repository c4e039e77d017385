// Spellings of tokens.
#include "ir/frontend/model/syntax/Token.h"

#include <charconv>

namespace ampc::model {

llvm::StringRef elemTypeName(ElemType type) {
  static constexpr const char *names[] = {"f64",    "f32",    "f16", "bf16",
                                          "f8e4m3", "f8e5m2", "i64", "i32",
                                          "i8",     "bool"};
  return names[unsigned(type)];
}

std::optional<ElemType> parseElemType(llvm::StringRef word) {
  for (unsigned i = 0; i <= unsigned(ElemType::Bool); ++i)
    if (word == elemTypeName(ElemType(i)))
      return ElemType(i);
  return std::nullopt;
}

namespace {
struct Spelled {
  Tok kind;
  const char *text;
};
constexpr Spelled kWords[] = {
    {Tok::Model, "model"},   {Tok::Dim, "dim"},
    {Tok::Const, "const"},   {Tok::Input, "input"},
    {Tok::Target, "target"}, {Tok::Param, "param"},
    {Tok::Buffer, "buffer"}, {Tok::Def, "def"},
    {Tok::Return, "return"}, {Tok::Output, "output"},
    {Tok::Loss, "loss"},     {Tok::Metric, "metric"},
    {Tok::Repeat, "repeat"}, {Tok::For, "for"},
    {Tok::If, "if"},         {Tok::Eval, "eval"},
    {Tok::In, "in"},         {Tok::Checkpoint, "checkpoint"},
    {Tok::As, "as"},         {Tok::Else, "else"},
    {Tok::And, "and"},       {Tok::Or, "or"},
    {Tok::Not, "not"},       {Tok::True, "true"},
    {Tok::False, "false"},   {Tok::None, "none"},
};
constexpr Spelled kPunctuation[] = {
    {Tok::LParen, "("},   {Tok::RParen, ")"},     {Tok::LBracket, "["},
    {Tok::RBracket, "]"}, {Tok::LBrace, "{"},     {Tok::RBrace, "}"},
    {Tok::Comma, ","},    {Tok::Colon, ":"},      {Tok::Assign, "="},
    {Tok::Plus, "+"},     {Tok::Ellipsis, "..."}, {Tok::Minus, "-"},
    {Tok::Star, "*"},     {Tok::Slash, "/"},      {Tok::SlashSlash, "//"},
    {Tok::Percent, "%"},  {Tok::StarStar, "**"},  {Tok::Eq, "=="},
    {Tok::Ne, "!="},      {Tok::Lt, "<"},         {Tok::Le, "<="},
    {Tok::Gt, ">"},       {Tok::Ge, ">="},
};
} // namespace

Tok classifyWord(llvm::StringRef word) {
  for (const Spelled &entry : kWords)
    if (word == entry.text)
      return entry.kind;
  return parseElemType(word) ? Tok::ElemType : Tok::Name;
}

std::string spelling(Tok kind) {
  for (const Spelled &entry : kWords)
    if (entry.kind == kind)
      return "'" + std::string(entry.text) + "'";
  for (const Spelled &entry : kPunctuation)
    if (entry.kind == kind)
      return "'" + std::string(entry.text) + "'";
  switch (kind) {
  case Tok::Newline:
    return "the end of the line";
  case Tok::Name:
    return "a name";
  case Tok::String:
    return "a string";
  case Tok::ElemType:
    return "an element type";
  default:
    return "the end of the file";
  }
}

std::string formatFloat(double value) {
  char buffer[32];
  auto [end, status] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, end);
  if (text.find_first_not_of("-0123456789") == std::string::npos)
    text += ".0";
  return text;
}

std::string Token::describe() const {
  constexpr size_t kShown = 40;
  switch (kind) {
  case Tok::End:
  case Tok::Newline:
    return spelling(kind);
  case Tok::String:
    return "a string";
  default:
    if (text.size() > kShown)
      return ("'" + text.take_front(kShown) + "...'").str();
    return ("'" + text + "'").str();
  }
}

} // namespace ampc::model

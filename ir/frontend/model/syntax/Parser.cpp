// The file level, tokens, and recovery.
#include "ir/frontend/model/syntax/Parser.h"

#include "llvm/Support/Format.h"

namespace ampc::model {

Parser::Parser(llvm::StringRef text, uint32_t base, Ast &ast,
               Diagnostics &diagnostics)
    : lexer(text, base, ast.arena), ast(ast), diagnostics(diagnostics) {
  advance();
}

bool Parser::accept(Tok kind) {
  if (!at(kind))
    return false;
  advance();
  return true;
}

bool Parser::expect(Tok kind, const llvm::Twine &what) {
  return accept(kind) || failExpected(what);
}

bool Parser::failExpected(const llvm::Twine &what) {
  if (at(Tok::Invalid) && !token.error.empty())
    return failAt(token.errorLoc, token.error);
  return failAt(token.loc, "expected " + what + ", found " + token.describe());
}

bool Parser::failAt(Loc loc, const llvm::Twine &text) {
  diagnostics.error(loc, text);
  return false;
}

bool Parser::parseName(Ident &name, const llvm::Twine &what) {
  if (!at(Tok::Name))
    return failExpected(what);
  name = {token.text, token.loc};
  advance();
  return true;
}

bool Parser::parseNames(llvm::SmallVectorImpl<Ident> &names) {
  do {
    Ident name;
    if (!parseName(name))
      return false;
    names.push_back(name);
    bound.push_back(name);
  } while (accept(Tok::Comma));
  return true;
}

/// Skips to the end of the statement: past the newline at its depth, or to the
/// `}` that closes its block, or to a word at the start of a line that only
/// starts a statement. Names inside blocks that are skipped (with
/// `collectNames` all names) count as bound by the failed statement.
void Parser::skipStatement(bool collectNames) {
  unsigned depth = 0;
  for (;; advance()) {
    switch (token.kind) {
    case Tok::End:
      return;
    case Tok::Newline:
      if (depth == 0) {
        advance();
        return;
      }
      break;
    case Tok::LBrace:
      ++depth;
      break;
    case Tok::RBrace:
      if (depth == 0)
        return;
      --depth;
      break;
    case Tok::Name:
      if (depth > 0 || collectNames)
        bound.push_back({token.text, token.loc});
      break;
    default:
      if (depth == 0 && token.lineStart && startsStatement(token.kind))
        return;
    }
  }
}

bool Parser::endStatement() {
  if (accept(Tok::Newline) || at(Tok::RBrace) || at(Tok::End))
    return true;
  return failExpected("the end of the statement");
}

void Parser::parseFile() {
  auto repeated = [&](llvm::StringRef what, Loc loc, Loc first) {
    diagnostics.error(loc, "a file holds one " + what)
        .note(first, "the first is here");
  };
  while (!at(Tok::End) && !diagnostics.full()) {
    if (accept(Tok::Newline))
      continue;
    Loc loc = token.loc;
    bool ok = false;
    if (at(Tok::Model)) {
      if (ast.model)
        repeated("model", loc, ast.model->loc);
      const ModelDecl *model = parseModel();
      ok = model != nullptr;
      if (!ast.model)
        ast.model = model;
    } else {
      const SettingsBlock **slot = nullptr;
      if (at(Tok::Name))
        slot = token.text == "train"       ? &ast.train
               : token.text == "data"      ? &ast.data
               : token.text == "init"      ? &ast.init
               : token.text == "precision" ? &ast.precision
                                           : nullptr;
      if (slot) {
        Ident name{token.text, token.loc};
        if (*slot)
          repeated(("'" + name.text + "'").str(), loc, (*slot)->name.loc);
        advance();
        const SettingsBlock *settings = parseSettings(name);
        ok = settings != nullptr;
        if (!*slot)
          *slot = settings;
      } else {
        failExpected("'model', 'train', 'data', 'init' or 'precision'");
      }
    }
    if (ok)
      continue;
    nesting = brackets = 0;
    if (token.loc == loc)
      advance();
    skipStatement();
    accept(Tok::RBrace); // one that closes nothing
  }
}

const Expr *Parser::parseWholeExpression() {
  const Expr *value = parseExpr();
  if (value && !at(Tok::End)) {
    failExpected("the end of the value");
    return nullptr;
  }
  return value;
}

namespace {

/// Adds a text to the sources, if it is text of a permitted size.
std::optional<uint32_t> addText(llvm::StringRef text, llvm::StringRef name,
                                Diagnostics &diagnostics) {
  if (text.size() > kMaxTextBytes) {
    Loc start{diagnostics.sources().add(name, "")};
    diagnostics
        .error(start, "the file is larger than 16 MiB (" +
                          llvm::Twine(text.size()) + " bytes)")
        .showLine = false;
    return std::nullopt;
  }
  uint32_t base = diagnostics.sources().add(name, text);
  if (std::optional<size_t> bad = findNonText(text)) {
    std::string byte;
    llvm::raw_string_ostream(byte) << llvm::format_hex(
        static_cast<unsigned char>(text[*bad]), 4, /*Upper=*/true);
    diagnostics
        .error(Loc{uint32_t(base + *bad)}, "not a text file (byte " + byte +
                                               " at offset " +
                                               llvm::Twine(*bad) + ")")
        .showLine = false;
    return std::nullopt;
  }
  return base;
}

} // namespace

std::unique_ptr<Ast> parseFile(llvm::StringRef text, llvm::StringRef fileName,
                               Diagnostics &diagnostics) {
  auto ast = std::make_unique<Ast>();
  if (std::optional<uint32_t> base = addText(text, fileName, diagnostics))
    Parser(diagnostics.sources().text(*base), *base, *ast, diagnostics)
        .parseFile();
  return ast;
}

const Expr *parseExpression(llvm::StringRef text, llvm::StringRef name,
                            Ast &ast, Diagnostics &diagnostics) {
  std::optional<uint32_t> base = addText(text, name, diagnostics);
  if (!base)
    return nullptr;
  return Parser(diagnostics.sources().text(*base), *base, ast, diagnostics)
      .parseWholeExpression();
}

} // namespace ampc::model

// Statements, and the rules on where they may stand.
#include "ir/frontend/model/syntax/Parser.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SaveAndRestore.h"

namespace ampc::model {

llvm::StringRef stmtWord(StmtKind kind) {
  static constexpr const char *words[] = {
      "dim",    "const",  "input",      "target",     "param", "buffer",
      "def",    "return", "assignment", "output",     "loss",  "metric",
      "repeat", "for",    "if",         "checkpoint", "eval",  "statement"};
  return words[unsigned(kind)];
}

const ModelDecl *Parser::parseModel() {
  Loc loc = token.loc;
  advance();
  Ident name;
  Block body;
  if (!parseName(name, "the name of the model") ||
      !parseBlock(body, /*countsAsNesting=*/false))
    return nullptr;
  return ast.make<ModelDecl>(loc, name, body);
}

bool Parser::parseBlock(Block &block, bool countsAsNesting) {
  Loc open = token.loc;
  if (!at(Tok::LBrace))
    return failExpected("'{'");
  if (countsAsNesting && !enter(open))
    return false;
  advance();
  llvm::SmallVector<const Stmt *, 16> stmts;
  while (!at(Tok::RBrace) && !diagnostics.full()) {
    if (accept(Tok::Newline))
      continue;
    if (at(Tok::End)) {
      if (!sawUnfinished)
        failAt(open, "unfinished block opened here");
      sawUnfinished = true;
      break;
    }
    stmts.push_back(parseStmt());
  }
  accept(Tok::RBrace);
  if (countsAsNesting)
    leave();
  block = ast.keep<const Stmt *>(stmts);
  return true;
}

/// Reads one statement and its end; an ErrorStmt if it is wrong.
const Stmt *Parser::parseStmt() {
  Loc loc = token.loc;
  unsigned depth = nesting;
  llvm::SmallVector<Ident, 8> outerBound;
  outerBound.swap(bound);
  boundIsDef = false;
  const Stmt *stmt = parseStmtBody();
  if (!stmt || (stmt->kind != StmtKind::Error && !endStatement())) {
    nesting = depth;
    brackets = 0;
    if (token.loc == loc)
      advance();
    skipStatement();
    stmt = ast.make<ErrorStmt>(loc, ast.keep<Ident>(bound), boundIsDef);
  }
  bound.swap(outerBound);
  return stmt;
}

const Stmt *Parser::parseStmtBody() {
  Loc loc = token.loc;
  Tok word = token.kind;
  if (word == Tok::Name)
    return parseAssign(loc);
  static constexpr std::pair<Tok, StmtKind> kKinds[] = {
      {Tok::Dim, StmtKind::Dim},
      {Tok::Const, StmtKind::Const},
      {Tok::Input, StmtKind::Input},
      {Tok::Target, StmtKind::Target},
      {Tok::Param, StmtKind::Param},
      {Tok::Buffer, StmtKind::Buffer},
      {Tok::Def, StmtKind::Def},
      {Tok::Return, StmtKind::Return},
      {Tok::Output, StmtKind::Output},
      {Tok::Loss, StmtKind::Loss},
      {Tok::Metric, StmtKind::Metric},
      {Tok::Repeat, StmtKind::Repeat},
      {Tok::For, StmtKind::For},
      {Tok::If, StmtKind::If},
      {Tok::Checkpoint, StmtKind::Checkpoint},
      {Tok::Eval, StmtKind::Eval},
  };
  const auto *entry = llvm::find_if(
      kKinds, [&](const auto &pair) { return pair.first == word; });
  if (entry == std::end(kKinds)) {
    if (word == Tok::Else)
      failAt(loc, "'else' must stand on the line of the '}' before it");
    else
      failExpected("a statement");
    return nullptr;
  }
  StmtKind kind = entry->second;
  advance();
  if (!checkPlace(kind, loc)) {
    boundIsDef = kind == StmtKind::Def;
    skipStatement(/*collectNames=*/true);
    return ast.make<ErrorStmt>(loc, ast.keep<Ident>(bound), boundIsDef);
  }
  switch (kind) {
  case StmtKind::Dim:
  case StmtKind::Const:
    return parseDecl(kind, loc);
  case StmtKind::Input:
  case StmtKind::Target:
  case StmtKind::Param:
  case StmtKind::Buffer:
    return parseTyped(kind, loc);
  case StmtKind::Def:
    return parseDef(loc);
  case StmtKind::Return:
    return parseReturn(loc);
  case StmtKind::Output:
    return parseOutput(loc);
  case StmtKind::Loss:
    return parseLoss(loc);
  case StmtKind::Metric:
    return parseMetric(loc);
  case StmtKind::Repeat:
    return parseRepeat(loc);
  case StmtKind::For:
    return parseFor(loc);
  case StmtKind::If:
    return parseIf(loc);
  default: {
    llvm::SaveAndRestore<Place> inner(place);
    (kind == StmtKind::Eval ? place.inEval : place.inCheckpoint) = true;
    Block body;
    return parseBlock(body) ? ast.make<BlockStmt>(kind, loc, body) : nullptr;
  }
  }
}

bool Parser::checkPlace(StmtKind kind, Loc loc) {
  llvm::StringRef where;
  switch (kind) {
  case StmtKind::Def:
  case StmtKind::Dim:
  case StmtKind::Const:
  case StmtKind::Input:
  case StmtKind::Target:
    where = place.inDef                           ? "in a def"
            : place.inEval                        ? "in an eval block"
            : place.inLoop                        ? "in a loop"
            : place.inCheckpoint                  ? "in a checkpoint block"
            : kind == StmtKind::Def && place.inIf ? "in an if"
                                                  : "";
    break;
  case StmtKind::Output:
  case StmtKind::Loss:
    where = place.inDef ? "in a def" : place.inEval ? "in an eval block" : "";
    break;
  case StmtKind::Metric:
    where = place.inDef ? "in a def" : "";
    break;
  case StmtKind::Param:
  case StmtKind::Buffer:
    where = place.inEval ? "in an eval block" : "";
    break;
  case StmtKind::Return:
    where = place.inDef ? "" : "outside a def";
    break;
  default:
    break;
  }
  return where.empty() ||
         failAt(loc, "'" + stmtWord(kind) + "' cannot stand " + where);
}

const Stmt *Parser::parseDecl(StmtKind kind, Loc loc) {
  llvm::SmallVector<NamedValue, 4> decls;
  do {
    NamedValue decl{};
    if (!parseName(decl.name))
      return nullptr;
    bound.push_back(decl.name);
    if (at(Tok::Assign) || kind == StmtKind::Const) {
      if (!expect(Tok::Assign) || !(decl.value = parseExpr()))
        return nullptr;
    }
    decls.push_back(decl);
  } while (accept(Tok::Comma));
  return ast.make<DeclStmt>(kind, loc, ast.keep<NamedValue>(decls));
}

const Stmt *Parser::parseTyped(StmtKind kind, Loc loc) {
  Ident name;
  TypeExpr type;
  if (!parseName(name))
    return nullptr;
  bound.push_back(name);
  if (!expect(Tok::Colon) || !parseType(type))
    return nullptr;
  const Expr *value = nullptr;
  if (kind == StmtKind::Param || kind == StmtKind::Buffer)
    if (!expect(Tok::Assign) || !(value = parseExpr()))
      return nullptr;
  return ast.make<TypedStmt>(kind, loc, name, type, value);
}

bool Parser::parseType(TypeExpr &type) {
  if (!at(Tok::ElemType))
    return failExpected("an element type (f32, bf16, i64, ...)");
  type.loc = token.loc;
  type.element = token.elemType;
  advance();
  Loc open = token.loc;
  if (!expect(Tok::LBracket))
    return false;
  llvm::SmallVector<const Expr *, 4> extents;
  ++brackets;
  operators = 0;
  bool ok = parseExprsUntil(Tok::RBracket, extents) &&
            closeBracket(Tok::RBracket, open);
  --brackets;
  type.extents = ast.keep<const Expr *>(extents);
  return ok;
}

const Stmt *Parser::parseDef(Loc loc) {
  boundIsDef = true;
  Ident name;
  if (!parseName(name, "the name of the def"))
    return nullptr;
  bound.push_back(name);
  Loc open = token.loc;
  if (!expect(Tok::LParen))
    return nullptr;
  llvm::SmallVector<NamedValue, 8> formals;
  llvm::StringSet<> seen;
  ++brackets;
  operators = 0;
  bool ok = true;
  while (ok && !at(Tok::RParen)) {
    NamedValue formal{};
    if (!(ok = parseName(formal.name)))
      break;
    if (formal.name.text == "name" || formal.name.text == "share")
      ok = failAt(formal.name.loc,
                  "'" + formal.name.text +
                      "' cannot be a formal: every call takes it");
    else if (!seen.insert(formal.name.text).second)
      ok = failAt(formal.name.loc,
                  "'" + formal.name.text + "' is already declared as formal");
    if (ok && accept(Tok::Assign))
      ok = (formal.value = parseExpr()) != nullptr;
    formals.push_back(formal);
    if (ok && !accept(Tok::Comma))
      break;
  }
  ok = ok && closeBracket(Tok::RParen, open);
  --brackets;
  if (!ok)
    return nullptr;
  llvm::SaveAndRestore<Place> inner(place, Place());
  place.inDef = true;
  Block body;
  if (!parseBlock(body))
    return nullptr;
  boundIsDef = true; // statements of the body have reset it
  return ast.make<DefStmt>(loc, name, ast.keep<NamedValue>(formals), body);
}

const Stmt *Parser::parseReturn(Loc loc) {
  llvm::SmallVector<const Expr *, 4> values;
  return parseExprs(values)
             ? ast.make<ReturnStmt>(loc, ast.keep<const Expr *>(values))
             : nullptr;
}

const Stmt *Parser::parseAssign(Loc loc) {
  llvm::SmallVector<Ident, 4> names;
  llvm::SmallVector<const Expr *, 4> values;
  if (!parseNames(names) || !expect(Tok::Assign) || !parseExprs(values))
    return nullptr;
  return ast.make<AssignStmt>(StmtKind::Assign, loc, ast.keep<Ident>(names),
                              ast.keep<const Expr *>(values));
}

const Stmt *Parser::parseOutput(Loc loc) {
  llvm::SmallVector<Ident, 4> names;
  llvm::SmallVector<const Expr *, 1> values;
  if (!parseNames(names))
    return nullptr;
  if (names.size() == 1 && accept(Tok::Assign)) {
    const Expr *value = parseExpr();
    if (!value)
      return nullptr;
    values.push_back(value);
  }
  return ast.make<AssignStmt>(StmtKind::Output, loc, ast.keep<Ident>(names),
                              ast.keep<const Expr *>(values));
}

const Stmt *Parser::parseLoss(Loc loc) {
  Ident name;
  if (at(Tok::Name)) {
    parseName(name);
    bound.push_back(name);
    if (!expect(Tok::Assign))
      return nullptr;
  } else if (!expect(Tok::Assign, "a name or '='")) {
    return nullptr;
  }
  const Expr *value = parseExpr();
  return value ? ast.make<ReportStmt>(StmtKind::Loss, loc, name, value)
               : nullptr;
}

const Stmt *Parser::parseMetric(Loc loc) {
  Ident name;
  if (!parseName(name))
    return nullptr;
  const Expr *value = nullptr;
  if (at(Tok::LParen)) {
    value = parseCall(name);
  } else {
    bound.push_back(name);
    if (!expect(Tok::Assign, "'=' or '('"))
      return nullptr;
    value = parseExpr();
  }
  return value ? ast.make<ReportStmt>(StmtKind::Metric, loc, name, value)
               : nullptr;
}

const Stmt *Parser::parseRepeat(Loc loc) {
  const Expr *count = parseExpr();
  Ident label;
  if (!count || (accept(Tok::As) && !parseName(label)))
    return nullptr;
  llvm::SaveAndRestore<Place> inner(place);
  place.inLoop = true;
  Block body;
  if (!parseBlock(body))
    return nullptr;
  return ast.make<LoopStmt>(StmtKind::Repeat, loc, llvm::ArrayRef<Ident>(),
                            count, label, body);
}

const Stmt *Parser::parseFor(Loc loc) {
  llvm::SmallVector<Ident, 4> names;
  Ident label;
  const Expr *range = nullptr;
  if (!parseNames(names) || !expect(Tok::In) || !(range = parseExpr()) ||
      (accept(Tok::As) && !parseName(label)))
    return nullptr;
  llvm::SaveAndRestore<Place> inner(place);
  place.inLoop = true;
  Block body;
  if (!parseBlock(body))
    return nullptr;
  return ast.make<LoopStmt>(StmtKind::For, loc, ast.keep<Ident>(names), range,
                            label, body);
}

const Stmt *Parser::parseIf(Loc loc) {
  const Expr *condition = parseExpr();
  if (!condition)
    return nullptr;
  llvm::SaveAndRestore<Place> inner(place);
  place.inIf = true;
  Block then, otherwise;
  if (!parseBlock(then))
    return nullptr;
  if (accept(Tok::Else)) {
    if (at(Tok::If)) {
      Loc nested = token.loc;
      if (!enter(nested))
        return nullptr;
      advance();
      const Stmt *elseIf = parseIf(nested);
      leave();
      if (!elseIf)
        return nullptr;
      otherwise = ast.keep<const Stmt *>(elseIf);
    } else if (!parseBlock(otherwise)) {
      return nullptr;
    }
  }
  return ast.make<IfStmt>(loc, condition, then, otherwise);
}

} // namespace ampc::model

// Expressions. Operators are read with two explicit stacks (precedence climbing
// without recursion); recursion happens only through brackets, whose nesting is
// limited.
#include "ir/frontend/model/syntax/Parser.h"

namespace ampc::model {
namespace {

/// Binding strength; larger binds tighter. Unary minus stands between `*` and
/// `**`.
enum Strength {
  kNone,
  kOr,
  kAnd,
  kNot,
  kCompare,
  kSum,
  kProduct,
  kMinus,
  kPower
};

Strength binaryStrength(Tok op) {
  switch (op) {
  case Tok::Or:
    return kOr;
  case Tok::And:
    return kAnd;
  case Tok::Eq:
  case Tok::Ne:
  case Tok::Lt:
  case Tok::Le:
  case Tok::Gt:
  case Tok::Ge:
    return kCompare;
  case Tok::Plus:
  case Tok::Minus:
    return kSum;
  case Tok::Star:
  case Tok::Slash:
  case Tok::SlashSlash:
  case Tok::Percent:
    return kProduct;
  case Tok::StarStar:
    return kPower;
  default:
    return kNone;
  }
}

Strength strength(Tok op, bool unary) {
  return !unary ? binaryStrength(op) : op == Tok::Not ? kNot : kMinus;
}

} // namespace

bool Parser::countOperator(Loc loc) {
  if (++operators <= kMaxOperators)
    return true;
  return failAt(loc, "an expression has at most " + llvm::Twine(kMaxOperators) +
                         " operators");
}

bool Parser::enter(Loc loc) {
  if (nesting >= kMaxNesting)
    return failAt(loc,
                  "nested more than " + llvm::Twine(kMaxNesting) + " deep");
  ++nesting;
  return true;
}

const Expr *Parser::parseExpr() {
  // The limit on operators is for the whole expression, brackets included.
  if (brackets == 0)
    operators = 0;
  return parseOperators();
}

const Expr *Parser::parseOperators() {
  llvm::SmallVector<PendingOperator, 8> pending;
  llvm::SmallVector<const Expr *, 8> operands;
  auto reduce = [&] {
    PendingOperator top = pending.pop_back_val();
    const Expr *right = operands.pop_back_val();
    if (top.unary)
      operands.push_back(ast.make<UnaryExpr>(top.loc, top.op, right));
    else
      operands.back() =
          ast.make<BinaryExpr>(top.loc, top.op, operands.back(), right);
  };
  auto topStrength = [&] {
    return pending.empty() ? kNone
                           : strength(pending.back().op, pending.back().unary);
  };

  for (;;) {
    // `not` stands only where a whole comparison may begin.
    while (at(Tok::Minus) || (at(Tok::Not) && topStrength() <= kNot)) {
      if (!countOperator(token.loc))
        return nullptr;
      pending.push_back({token.kind, true, token.loc});
      advance();
    }
    const Expr *operand = parsePostfix();
    if (!operand)
      return nullptr;
    operands.push_back(operand);

    Strength next = binaryStrength(token.kind);
    if (next == kNone)
      break;
    // Left to right, but `**` from the right.
    while (topStrength() > next ||
           (topStrength() == next && next != kPower && next != kCompare))
      reduce();
    if (next == kCompare && topStrength() == kCompare) {
      failExpected("the end of the comparison (comparisons do not chain)");
      return nullptr;
    }
    if (!countOperator(token.loc))
      return nullptr;
    pending.push_back({token.kind, false, token.loc});
    advance();
  }
  while (!pending.empty())
    reduce();
  return operands.front();
}

const Expr *Parser::parsePostfix() {
  const Expr *base = parseAtom();
  while (base && at(Tok::LBracket)) {
    Loc open = token.loc;
    if (!countOperator(open) || !enter(open))
      return nullptr;
    ++brackets;
    advance();
    llvm::SmallVector<IndexItem, 4> items;
    bool ok;
    do {
      if (at(Tok::RBracket) && !items.empty())
        break; // a trailing comma
      IndexItem item{};
      ok = parseIndexItem(item);
      items.push_back(item);
    } while (ok && accept(Tok::Comma));
    ok = ok && closeBracket(Tok::RBracket, open);
    --brackets;
    leave();
    if (!ok)
      return nullptr;
    base = ast.make<IndexExpr>(open, base, ast.keep<IndexItem>(items));
  }
  return base;
}

bool Parser::parseIndexItem(IndexItem &item) {
  item = {IndexItem::Single, token.loc};
  if (accept(Tok::Ellipsis)) {
    item.kind = IndexItem::Ellipsis;
    return true;
  }
  if (!at(Tok::Colon) && !(item.start = parseExpr()))
    return false;
  if (!accept(Tok::Colon))
    return true;
  item.kind = IndexItem::Slice;
  auto ends = [&] { return at(Tok::Comma) || at(Tok::RBracket); };
  if (!ends() && !at(Tok::Colon) && !(item.stop = parseExpr()))
    return false;
  if (accept(Tok::Colon) && !ends() && !(item.step = parseExpr()))
    return false;
  return true;
}

const Expr *Parser::parseAtom() {
  Token first = token;
  switch (first.kind) {
  case Tok::Int:
    advance();
    return ast.make<IntExpr>(first.loc, first.intValue);
  case Tok::Float:
    advance();
    return ast.make<FloatExpr>(first.loc, first.floatValue);
  case Tok::String:
  case Tok::Path:
    advance();
    return ast.make<TextExpr>(first.kind == Tok::Path ? ExprKind::Path
                                                      : ExprKind::String,
                              first.loc, first.text);
  case Tok::True:
  case Tok::False:
    advance();
    return ast.make<BoolExpr>(first.loc, first.kind == Tok::True);
  case Tok::None:
    advance();
    return ast.make<Expr>(ExprKind::None, first.loc);
  case Tok::ElemType:
    advance();
    return ast.make<ElemTypeExpr>(first.loc, first.elemType);
  case Tok::Name:
    advance();
    if (at(Tok::LParen))
      return parseCall({first.text, first.loc});
    return ast.make<TextExpr>(ExprKind::Name, first.loc, first.text);
  case Tok::LParen: {
    if (!enter(first.loc))
      return nullptr;
    ++brackets;
    advance();
    const Expr *inner = parseExpr();
    bool ok = inner && closeBracket(Tok::RParen, first.loc, /*isList=*/false);
    --brackets;
    leave();
    if (!ok)
      return nullptr;
    // Marked so that `(a) = 1` is no argument name. The node is fresh: nothing
    // else refers to it.
    const_cast<Expr *>(inner)->parenthesised = true;
    return inner;
  }
  case Tok::LBracket: {
    if (!enter(first.loc))
      return nullptr;
    ++brackets;
    advance();
    llvm::SmallVector<const Expr *, 8> items;
    bool ok = parseExprsUntil(Tok::RBracket, items) &&
              closeBracket(Tok::RBracket, first.loc);
    --brackets;
    leave();
    return ok ? ast.make<ListExpr>(first.loc, ast.keep<const Expr *>(items))
              : nullptr;
  }
  default:
    failExpected("an expression");
    return nullptr;
  }
}

const Expr *Parser::parseCall(Ident callee) {
  llvm::SmallVector<Arg, 8> args;
  if (!parseArgs(args))
    return nullptr;
  return ast.make<CallExpr>(callee.loc, callee.text, ast.keep<Arg>(args));
}

bool Parser::parseArgs(llvm::SmallVectorImpl<Arg> &args) {
  Loc open = token.loc;
  if (!enter(open))
    return false;
  ++brackets;
  advance();
  bool ok = true;
  while (ok && !at(Tok::RParen)) {
    Arg arg{};
    if (at(Tok::Dim)) {
      ok =
          failAt(token.loc, "'dim' is a reserved word; the argument is 'axis'");
      break;
    }
    arg.value = parseExpr();
    ok = arg.value != nullptr;
    if (ok && at(Tok::Assign)) {
      if (arg.value->kind != ExprKind::Name || arg.value->parenthesised) {
        ok = failExpected("',' or ')'");
        break;
      }
      arg.name = {llvm::cast<TextExpr>(arg.value)->text, arg.value->loc};
      advance();
      arg.value = parseExpr();
      ok = arg.value != nullptr;
    }
    args.push_back(arg);
    if (ok && !accept(Tok::Comma))
      break;
  }
  ok = ok && closeBracket(Tok::RParen, open);
  --brackets;
  leave();
  return ok;
}

bool Parser::closeBracket(Tok close, Loc open, bool isList) {
  if (accept(close))
    return true;
  failExpected((isList ? "',' or " : "") + spelling(close));
  diagnostics.noteLast(open, "opened here");
  return false;
}

bool Parser::parseExprs(llvm::SmallVectorImpl<const Expr *> &list) {
  do {
    const Expr *value = parseExpr();
    if (!value)
      return false;
    list.push_back(value);
  } while (accept(Tok::Comma));
  return true;
}

bool Parser::parseExprsUntil(Tok close,
                             llvm::SmallVectorImpl<const Expr *> &list) {
  while (!at(close)) {
    const Expr *value = parseExpr();
    if (!value)
      return false;
    list.push_back(value);
    if (!accept(Tok::Comma))
      break;
  }
  return true;
}

} // namespace ampc::model

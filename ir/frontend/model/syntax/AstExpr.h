// Expressions as written. Nodes live in the arena of their Ast and are never
// freed one by one. Trees may be 4,096 operators deep: code that walks them
// must not recurse through operators.
#pragma once

#include "ir/frontend/model/syntax/Token.h"

#include "llvm/ADT/ArrayRef.h"

namespace ampc::model {

/// Kinds of expressions.
enum class ExprKind : uint8_t {
  Int,
  Float,
  String,
  Bool,
  None,
  ElemType,
  Path,
  Name,
  Call,
  List,
  Index,
  Unary,
  Binary,
};

/// A name and where it stands.
struct Ident {
  llvm::StringRef text;
  Loc loc;
};

/// Base of all expressions. `loc` is the operator of Unary, Binary and Index
/// (its bracket), else the first token.
struct Expr {
  ExprKind kind;
  bool parenthesised = false;
  Loc loc;

  Expr(ExprKind kind, Loc loc) : kind(kind), loc(loc) {}
};

struct IntExpr : Expr {
  int64_t value;
  IntExpr(Loc loc, int64_t value) : Expr(ExprKind::Int, loc), value(value) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Int; }
};

struct FloatExpr : Expr {
  double value;
  FloatExpr(Loc loc, double value) : Expr(ExprKind::Float, loc), value(value) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Float; }
};

/// String (decoded), Path or Name.
struct TextExpr : Expr {
  llvm::StringRef text;
  TextExpr(ExprKind kind, Loc loc, llvm::StringRef text)
      : Expr(kind, loc), text(text) {}
  static bool classof(const Expr *e) {
    return e->kind == ExprKind::String || e->kind == ExprKind::Path ||
           e->kind == ExprKind::Name;
  }
};

struct BoolExpr : Expr {
  bool value;
  BoolExpr(Loc loc, bool value) : Expr(ExprKind::Bool, loc), value(value) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Bool; }
};

struct ElemTypeExpr : Expr {
  ElemType value;
  ElemTypeExpr(Loc loc, ElemType value)
      : Expr(ExprKind::ElemType, loc), value(value) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::ElemType; }
};

/// One argument; `name.text` is empty for a positional one.
struct Arg {
  Ident name;
  const Expr *value;
};

struct CallExpr : Expr {
  llvm::StringRef callee;
  llvm::ArrayRef<Arg> args;
  CallExpr(Loc loc, llvm::StringRef callee, llvm::ArrayRef<Arg> args)
      : Expr(ExprKind::Call, loc), callee(callee), args(args) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Call; }
};

struct ListExpr : Expr {
  llvm::ArrayRef<const Expr *> items;
  ListExpr(Loc loc, llvm::ArrayRef<const Expr *> items)
      : Expr(ExprKind::List, loc), items(items) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::List; }
};

/// One item between [ ]: `...`, an expression (in `start`), or a slice with its
/// parts or null.
struct IndexItem {
  enum Kind : uint8_t { Ellipsis, Single, Slice } kind;
  Loc loc;
  const Expr *start = nullptr, *stop = nullptr, *step = nullptr;
};

struct IndexExpr : Expr {
  const Expr *base;
  llvm::ArrayRef<IndexItem> items;
  IndexExpr(Loc loc, const Expr *base, llvm::ArrayRef<IndexItem> items)
      : Expr(ExprKind::Index, loc), base(base), items(items) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Index; }
};

/// `-x` or `not x`.
struct UnaryExpr : Expr {
  Tok op;
  const Expr *operand;
  UnaryExpr(Loc loc, Tok op, const Expr *operand)
      : Expr(ExprKind::Unary, loc), op(op), operand(operand) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Unary; }
};

/// Arithmetic, comparison, `and`, `or`.
struct BinaryExpr : Expr {
  Tok op;
  const Expr *left, *right;
  BinaryExpr(Loc loc, Tok op, const Expr *left, const Expr *right)
      : Expr(ExprKind::Binary, loc), op(op), left(left), right(right) {}
  static bool classof(const Expr *e) { return e->kind == ExprKind::Binary; }
};

} // namespace ampc::model

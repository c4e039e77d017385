// Statements of a model, as written.
#pragma once

#include "ir/frontend/model/syntax/AstExpr.h"

namespace ampc::model {

/// Kinds of statements. Error stands for a statement that could not be read.
enum class StmtKind : uint8_t {
  Dim,
  Const,
  Input,
  Target,
  Param,
  Buffer,
  Def,
  Return,
  Assign,
  Output,
  Loss,
  Metric,
  Repeat,
  For,
  If,
  Checkpoint,
  Eval,
  Error,
};

/// The word a statement begins with, as errors name it ("assignment" for
/// Assign).
llvm::StringRef stmtWord(StmtKind kind);

/// Base of all statements; `loc` is the first token.
struct Stmt {
  StmtKind kind;
  Loc loc;
  Stmt(StmtKind kind, Loc loc) : kind(kind), loc(loc) {}
};

/// Statements between braces.
using Block = llvm::ArrayRef<const Stmt *>;

/// `f32[batch, 3]`.
struct TypeExpr {
  Loc loc;
  ElemType element = ElemType::F32;
  llvm::ArrayRef<const Expr *> extents;
};

/// One `NAME = expr` of a dim (the value may be null) or const statement, or a
/// formal of a def.
struct NamedValue {
  Ident name;
  const Expr *value;
};

/// `dim` and `const`.
struct DeclStmt : Stmt {
  llvm::ArrayRef<NamedValue> decls;
  DeclStmt(StmtKind kind, Loc loc, llvm::ArrayRef<NamedValue> decls)
      : Stmt(kind, loc), decls(decls) {}
  static bool classof(const Stmt *s) {
    return s->kind == StmtKind::Dim || s->kind == StmtKind::Const;
  }
};

/// `input`, `target` (no value), `param`, `buffer`.
struct TypedStmt : Stmt {
  Ident name;
  TypeExpr type;
  const Expr *value = nullptr;
  TypedStmt(StmtKind kind, Loc loc, Ident name, TypeExpr type,
            const Expr *value)
      : Stmt(kind, loc), name(name), type(type), value(value) {}
  static bool classof(const Stmt *s) {
    return s->kind >= StmtKind::Input && s->kind <= StmtKind::Buffer;
  }
};

struct DefStmt : Stmt {
  Ident name;
  llvm::ArrayRef<NamedValue> formals;
  Block body;
  DefStmt(Loc loc, Ident name, llvm::ArrayRef<NamedValue> formals, Block body)
      : Stmt(StmtKind::Def, loc), name(name), formals(formals), body(body) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Def; }
};

struct ReturnStmt : Stmt {
  llvm::ArrayRef<const Expr *> values;
  ReturnStmt(Loc loc, llvm::ArrayRef<const Expr *> values)
      : Stmt(StmtKind::Return, loc), values(values) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Return; }
};

/// `names = exprs` and `output names [= expr]` (no values: names alone).
struct AssignStmt : Stmt {
  llvm::ArrayRef<Ident> names;
  llvm::ArrayRef<const Expr *> values;
  AssignStmt(StmtKind kind, Loc loc, llvm::ArrayRef<Ident> names,
             llvm::ArrayRef<const Expr *> values)
      : Stmt(kind, loc), names(names), values(values) {}
  static bool classof(const Stmt *s) {
    return s->kind == StmtKind::Assign || s->kind == StmtKind::Output;
  }
};

/// `loss [a] = e`, `metric a = e`, and `metric f(..)`, where the value is the
/// call and the name is f.
struct ReportStmt : Stmt {
  Ident name; // text "" for `loss = e`
  const Expr *value;
  ReportStmt(StmtKind kind, Loc loc, Ident name, const Expr *value)
      : Stmt(kind, loc), name(name), value(value) {}
  static bool classof(const Stmt *s) {
    return s->kind == StmtKind::Loss || s->kind == StmtKind::Metric;
  }
};

/// `repeat N as b` (no names) and `for a, b in list as c`.
struct LoopStmt : Stmt {
  llvm::ArrayRef<Ident> names;
  const Expr *range; // count or list
  Ident label;       // after `as`; text "" without
  Block body;
  LoopStmt(StmtKind kind, Loc loc, llvm::ArrayRef<Ident> names,
           const Expr *range, Ident label, Block body)
      : Stmt(kind, loc), names(names), range(range), label(label), body(body) {}
  static bool classof(const Stmt *s) {
    return s->kind == StmtKind::Repeat || s->kind == StmtKind::For;
  }
};

/// `if`; an `else if` is an otherwise-block that holds one IfStmt.
struct IfStmt : Stmt {
  const Expr *condition;
  Block then, otherwise;
  IfStmt(Loc loc, const Expr *condition, Block then, Block otherwise)
      : Stmt(StmtKind::If, loc), condition(condition), then(then),
        otherwise(otherwise) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::If; }
};

/// `checkpoint { }`, `eval { }`.
struct BlockStmt : Stmt {
  Block body;
  BlockStmt(StmtKind kind, Loc loc, Block body) : Stmt(kind, loc), body(body) {}
  static bool classof(const Stmt *s) {
    return s->kind == StmtKind::Checkpoint || s->kind == StmtKind::Eval;
  }
};

/// A statement that failed: the names it would have bound raise no further
/// error.
struct ErrorStmt : Stmt {
  llvm::ArrayRef<Ident> names;
  bool isDef; // the names are functions
  ErrorStmt(Loc loc, llvm::ArrayRef<Ident> names, bool isDef)
      : Stmt(StmtKind::Error, loc), names(names), isDef(isDef) {}
  static bool classof(const Stmt *s) { return s->kind == StmtKind::Error; }
};

} // namespace ampc::model

// Ast to text.
#include "ir/frontend/model/syntax/AstPrinter.h"

#include "llvm/ADT/StringExtras.h"

namespace ampc::model {
namespace {

std::string op(Tok kind) {
  return llvm::StringRef(spelling(kind)).drop_front().drop_back().str();
}

/// One class, so that nested blocks share the indentation.
class Printer {
public:
  explicit Printer(llvm::raw_ostream &os) : os(os) {}

  void expr(const Expr *e) {
    switch (e->kind) {
    case ExprKind::Int:
      os << llvm::cast<IntExpr>(e)->value;
      break;
    case ExprKind::Float:
      os << formatFloat(llvm::cast<FloatExpr>(e)->value);
      break;
    case ExprKind::String:
      os << '"';
      os.write_escaped(llvm::cast<TextExpr>(e)->text);
      os << '"';
      break;
    case ExprKind::Bool:
      os << (llvm::cast<BoolExpr>(e)->value ? "true" : "false");
      break;
    case ExprKind::None:
      os << "none";
      break;
    case ExprKind::ElemType:
      os << elemTypeName(llvm::cast<ElemTypeExpr>(e)->value);
      break;
    case ExprKind::Path:
    case ExprKind::Name:
      os << llvm::cast<TextExpr>(e)->text;
      break;
    case ExprKind::Call: {
      const auto *call = llvm::cast<CallExpr>(e);
      os << call->callee << '(';
      llvm::interleaveComma(call->args, os, [&](const Arg &arg) {
        if (!arg.name.text.empty())
          os << arg.name.text << " = ";
        expr(arg.value);
      });
      os << ')';
      break;
    }
    case ExprKind::List:
      os << '[';
      exprs(llvm::cast<ListExpr>(e)->items);
      os << ']';
      break;
    case ExprKind::Index:
      index(llvm::cast<IndexExpr>(e));
      break;
    case ExprKind::Unary: {
      const auto *unary = llvm::cast<UnaryExpr>(e);
      os << (unary->op == Tok::Not ? "(not " : "(-");
      expr(unary->operand);
      os << ')';
      break;
    }
    case ExprKind::Binary: {
      const auto *binary = llvm::cast<BinaryExpr>(e);
      os << '(';
      expr(binary->left);
      os << ' ' << op(binary->op) << ' ';
      expr(binary->right);
      os << ')';
      break;
    }
    }
  }

  void stmt(const Stmt *s) {
    line() << (s->kind == StmtKind::Assign  ? ""
               : s->kind == StmtKind::Error ? "<error>"
                                            : stmtWord(s->kind));
    if (s->kind != StmtKind::Assign)
      os << ' ';
    if (const auto *decl = llvm::dyn_cast<DeclStmt>(s)) {
      namedValues(decl->decls);
    } else if (const auto *typed = llvm::dyn_cast<TypedStmt>(s)) {
      os << typed->name.text << ": " << elemTypeName(typed->type.element)
         << '[';
      exprs(typed->type.extents);
      os << ']';
      if (typed->value) {
        os << " = ";
        expr(typed->value);
      }
    } else if (const auto *def = llvm::dyn_cast<DefStmt>(s)) {
      os << def->name.text << '(';
      namedValues(def->formals);
      os << ") ";
      block(def->body);
    } else if (const auto *ret = llvm::dyn_cast<ReturnStmt>(s)) {
      exprs(ret->values);
    } else if (const auto *assign = llvm::dyn_cast<AssignStmt>(s)) {
      names(assign->names);
      if (!assign->values.empty())
        os << " = ";
      exprs(assign->values);
    } else if (const auto *report = llvm::dyn_cast<ReportStmt>(s)) {
      const auto *call = llvm::dyn_cast<CallExpr>(report->value);
      if (!call || call->loc.offset != report->name.loc.offset)
        os << report->name.text << (report->name.text.empty() ? "= " : " = ");
      expr(report->value);
    } else if (const auto *loop = llvm::dyn_cast<LoopStmt>(s)) {
      names(loop->names);
      if (!loop->names.empty())
        os << " in ";
      expr(loop->range);
      if (!loop->label.text.empty())
        os << " as " << loop->label.text;
      os << ' ';
      block(loop->body);
    } else if (const auto *branch = llvm::dyn_cast<IfStmt>(s)) {
      expr(branch->condition);
      os << ' ';
      block(branch->then);
      if (!branch->otherwise.empty()) {
        os << " else ";
        block(branch->otherwise);
      }
    } else if (const auto *inner = llvm::dyn_cast<BlockStmt>(s)) {
      block(inner->body);
    } else if (const auto *error = llvm::dyn_cast<ErrorStmt>(s)) {
      names(error->names);
    }
    os << '\n';
  }

  void settings(const SettingsBlock *list) {
    line() << list->name.text << " {\n";
    ++depth;
    for (const Setting &setting : list->settings) {
      bool quoted =
          setting.kind == Setting::Pattern || setting.kind == Setting::Group;
      if (setting.kind == Setting::Nested) {
        settings(setting.body);
        continue;
      }
      line() << (setting.kind == Setting::Group ? "group " : "");
      llvm::interleaveComma(setting.names, os, [&](const Ident &name) {
        os << (quoted ? "\"" : "") << name.text << (quoted ? "\"" : "");
      });
      if (setting.body) {
        os << ":\n";
        settings(setting.body);
      } else {
        os << " = ";
        expr(setting.value);
        os << '\n';
      }
    }
    --depth;
    line() << "}\n";
  }

  void block(Block body) {
    os << "{\n";
    ++depth;
    for (const Stmt *s : body)
      stmt(s);
    --depth;
    line() << '}';
  }

private:
  llvm::raw_ostream &line() { return os.indent(2 * depth); }
  void exprs(llvm::ArrayRef<const Expr *> list) {
    llvm::interleaveComma(list, os, [&](const Expr *e) { expr(e); });
  }
  void names(llvm::ArrayRef<Ident> list) {
    llvm::interleaveComma(list, os,
                          [&](const Ident &name) { os << name.text; });
  }
  void namedValues(llvm::ArrayRef<NamedValue> list) {
    llvm::interleaveComma(list, os, [&](const NamedValue &entry) {
      os << entry.name.text;
      if (entry.value) {
        os << " = ";
        expr(entry.value);
      }
    });
  }
  void index(const IndexExpr *e) {
    expr(e->base);
    os << '[';
    llvm::interleaveComma(e->items, os, [&](const IndexItem &item) {
      if (item.kind == IndexItem::Ellipsis) {
        os << "...";
        return;
      }
      if (item.start)
        expr(item.start);
      if (item.kind == IndexItem::Single)
        return;
      os << ':';
      if (item.stop)
        expr(item.stop);
      if (item.step) {
        os << ':';
        expr(item.step);
      }
    });
    os << ']';
  }

  llvm::raw_ostream &os;
  unsigned depth = 0;
};

} // namespace

void printExpr(llvm::raw_ostream &os, const Expr *expr) {
  Printer(os).expr(expr);
}

void printAst(llvm::raw_ostream &os, const Ast &ast) {
  Printer printer(os);
  if (ast.model) {
    os << "model " << ast.model->name.text << ' ';
    printer.block(ast.model->body);
    os << '\n';
  }
  for (const SettingsBlock *block :
       {ast.train, ast.data, ast.init, ast.precision})
    if (block)
      printer.settings(block);
}

std::string toString(const Expr *expr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printExpr(os, expr);
  return text;
}

std::string toString(const Ast &ast) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printAst(os, ast);
  return text;
}

} // namespace ampc::model

// Ast to text, for tests: operators fully parenthesised, one statement a line.
#pragma once

#include "ir/frontend/model/syntax/Ast.h"

#include "llvm/Support/raw_ostream.h"

namespace ampc::model {

/// Prints an expression: `(a + (b * c))`.
void printExpr(llvm::raw_ostream &os, const Expr *expr);
/// Prints a whole file in canonical form.
void printAst(llvm::raw_ostream &os, const Ast &ast);
/// The same as text.
std::string toString(const Expr *expr);
std::string toString(const Ast &ast);

} // namespace ampc::model

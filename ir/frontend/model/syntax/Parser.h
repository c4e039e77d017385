// Text to Ast, by recursive descent with one token of lookahead. Operators are
// parsed with explicit stacks and nesting is limited, so no input overflows the
// call stack. After an error the parser skips to the end of the statement (see
// skipStatement) and goes on: one error a statement.
#pragma once

#include "ir/frontend/model/syntax/Ast.h"
#include "ir/frontend/model/syntax/Diagnostics.h"
#include "ir/frontend/model/syntax/Lexer.h"

#include <memory>

namespace ampc::model {

/// Limits of the grammar, each an error at its place.
inline constexpr unsigned kMaxNesting = 256, kMaxOperators = 4096;

/// Parses a whole file. Always returns an Ast; what could not be read stands in
/// it as ErrorStmt. The text is added to the sources of `diagnostics`.
std::unique_ptr<Ast> parseFile(llvm::StringRef text, llvm::StringRef fileName,
                               Diagnostics &diagnostics);

/// Parses one expression that is all of `text`, the value of `--set KEY=VALUE`;
/// null after an error.
const Expr *parseExpression(llvm::StringRef text, llvm::StringRef name,
                            Ast &ast, Diagnostics &diagnostics);

/// The state of one parse. Functions that return a pointer return null, those
/// that return bool return false, after an error that has been reported.
class Parser {
public:
  Parser(llvm::StringRef text, uint32_t base, Ast &ast,
         Diagnostics &diagnostics);

  /// Reads a whole file into the Ast.
  void parseFile();
  /// Reads one expression that is all of the text.
  const Expr *parseWholeExpression();

private:
  // Tokens.
  void advance() { token = lexer.next(); }
  bool at(Tok kind) const { return token.kind == kind; }
  /// Takes the token if it is of this kind.
  bool accept(Tok kind);
  bool expect(Tok kind, const llvm::Twine &what);
  bool expect(Tok kind) { return expect(kind, spelling(kind)); }
  /// Reports "expected WHAT, found the token"; returns false.
  bool failExpected(const llvm::Twine &what);
  bool failAt(Loc loc, const llvm::Twine &text);
  bool parseName(Ident &name, const llvm::Twine &what = "a name");
  bool parseNames(llvm::SmallVectorImpl<Ident> &names);

  // Recovery.
  /// Skips to the end of the statement after an error.
  void skipStatement(bool collectNames = false);
  /// Takes the newline that ends a statement, or stands before `}`.
  bool endStatement();

  // Expressions (ParseExpr.cpp).
  /// An operator whose right operand is being read.
  struct PendingOperator {
    Tok op;
    bool unary;
    Loc loc;
  };
  const Expr *parseExpr();
  const Expr *parseOperators();
  const Expr *parsePostfix();
  const Expr *parseAtom();
  const Expr *parseCall(Ident callee);
  bool parseArgs(llvm::SmallVectorImpl<Arg> &args);
  bool parseIndexItem(IndexItem &item);
  bool parseExprs(llvm::SmallVectorImpl<const Expr *> &list);
  bool parseExprsUntil(Tok close, llvm::SmallVectorImpl<const Expr *> &list);
  /// Takes a closing bracket; the error shows the opening one.
  bool closeBracket(Tok close, Loc open, bool isList = true);
  /// Counts an operator or index bracket of the expression.
  bool countOperator(Loc loc);
  /// Enters a bracket, block or else-if; an error when too deep.
  bool enter(Loc loc);
  void leave() { --nesting; }

  // Statements (ParseStmt.cpp).
  const ModelDecl *parseModel();
  bool parseBlock(Block &block, bool countsAsNesting = true);
  const Stmt *parseStmt();
  const Stmt *parseStmtBody();
  const Stmt *parseDecl(StmtKind kind, Loc loc);
  const Stmt *parseTyped(StmtKind kind, Loc loc);
  const Stmt *parseDef(Loc loc);
  const Stmt *parseReturn(Loc loc);
  const Stmt *parseAssign(Loc loc);
  const Stmt *parseOutput(Loc loc);
  const Stmt *parseLoss(Loc loc);
  const Stmt *parseMetric(Loc loc);
  const Stmt *parseRepeat(Loc loc);
  const Stmt *parseFor(Loc loc);
  const Stmt *parseIf(Loc loc);
  bool parseType(TypeExpr &type);
  /// Reports a statement that may not stand here.
  bool checkPlace(StmtKind kind, Loc loc);

  // Settings (ParseSettings.cpp).
  const SettingsBlock *parseSettings(Ident name);
  bool parseSetting(Setting &setting);

  // What encloses the statement being read, for the rules on places.
  struct Place {
    bool inDef = false, inLoop = false, inCheckpoint = false, inEval = false,
         inIf = false;
  };

  Lexer lexer;
  Ast &ast;
  Diagnostics &diagnostics;
  Token token;
  unsigned nesting = 0;   // open brackets, blocks, else-ifs
  unsigned brackets = 0;  // of them, brackets of the expression being read
  unsigned operators = 0; // in the expression being read
  bool sawUnfinished = false;
  Place place;
  llvm::SmallVector<Ident, 8> bound; // names of the statement being read
  bool boundIsDef = false;
};

} // namespace ampc::model

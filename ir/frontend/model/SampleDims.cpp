// Which dims of a model say how many samples a batch has.
#include "ir/frontend/model/SampleDims.h"

#include "ir/frontend/model/syntax/Parser.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace ampc::model {

llvm::StringMap<std::string> sampleDims(llvm::StringRef text) {
  llvm::StringMap<std::string> dims;
  Diagnostics diagnostics;
  std::unique_ptr<Ast> ast = parseFile(text, "", diagnostics);
  if (!ast->model || diagnostics.failed())
    return dims;
  llvm::StringSet<> settable;
  for (const Stmt *stmt : ast->model->body) {
    if (const auto *declared = dyn_cast<DeclStmt>(stmt)) {
      for (const NamedValue &value : declared->decls)
        settable.insert(value.name.text);
      continue;
    }
    if (stmt->kind != StmtKind::Input && stmt->kind != StmtKind::Target)
      continue;
    const auto *input = cast<TypedStmt>(stmt);
    if (input->type.extents.empty())
      continue;
    const Expr *extent = input->type.extents.front();
    if (extent->kind != ExprKind::Name)
      continue;
    llvm::StringRef name = cast<TextExpr>(extent)->text;
    if (settable.contains(name))
      dims[input->name.text] = name.str();
  }
  return dims;
}

} // namespace ampc::model

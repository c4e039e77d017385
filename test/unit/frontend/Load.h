// Loads models from text, for tests: the module as text, or the errors one a
// line.
#pragma once

#include "ir/frontend/model/Model.h"

#include "ir/dialect/Dialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace ampc::model {

/// A loaded model or its errors.
struct Loaded {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Diagnostics diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  Loaded(llvm::StringRef text,
         std::vector<std::pair<std::string, std::string>> sets = {},
         llvm::StringRef file = "t.amp") {
    ModelOptions options;
    options.sets = std::move(sets);
    module = loadModel(context, text, file, options, diagnostics);
  }

  /// The errors as `line:column text`, notes indented, in the order of their
  /// places.
  std::string errors() const {
    std::vector<const Diagnostic *> sorted;
    for (const Diagnostic &error : diagnostics.errors())
      sorted.push_back(&error);
    llvm::sort(sorted, [](auto *a, auto *b) { return a->loc < b->loc; });
    std::string result;
    auto add = [&](llvm::StringRef indent, Loc loc, llvm::StringRef text) {
      LineColumn at = diagnostics.sources().resolve(loc);
      result += (indent + llvm::Twine(at.line) + ":" + llvm::Twine(at.column) +
                 " " + text + "\n")
                    .str();
    };
    for (const Diagnostic *error : sorted) {
      add("", error->loc, error->text);
      for (const Note &note : error->notes)
        add("  ", note.loc, note.text);
    }
    return result;
  }
};

/// The errors of a text.
inline std::string
errorsOf(llvm::StringRef text,
         std::vector<std::pair<std::string, std::string>> sets = {}) {
  Loaded loaded(text, std::move(sets));
  EXPECT_EQ(loaded.diagnostics.failed(), !loaded.module);
  return loaded.errors();
}

/// The errors of a model with the given body; its lines start at 2.
inline std::string errorsOfBody(llvm::StringRef body) {
  return errorsOf(("model m {\n" + body + "\n}\n").str());
}

/// Ops of the forward function, one a line, without the function's braces; the
/// errors if there are any.
inline std::string forwardOf(llvm::StringRef body) {
  Loaded loaded(("model m {\n" + body + "\n}\n").str());
  if (!loaded.module)
    return loaded.errors();
  std::string text;
  llvm::raw_string_ostream os(text);
  for (mlir::func::FuncOp func : loaded.module->getOps<mlir::func::FuncOp>()) {
    mlir::AsmState state(func);
    for (mlir::Operation &op : func.front()) {
      op.print(os, state);
      os << '\n';
    }
  }
  return text;
}

/// Variables of a module, one a line; the errors if there are any.
inline std::string variablesOf(llvm::StringRef text) {
  Loaded loaded(text);
  if (!loaded.module)
    return loaded.errors();
  std::string result;
  llvm::raw_string_ostream os(result);
  for (amp::VariableOp variable : loaded.module->getOps<amp::VariableOp>())
    os << variable << '\n';
  return result;
}

} // namespace ampc::model

// The built-in functions: name, formals with defaults, and what elaborates a
// call. A new function is one line in the table of its family (functions/) and
// one handler.
#pragma once

#include "ir/frontend/model/Value.h"
#include "ir/frontend/model/syntax/Ast.h"

#include "llvm/ADT/StringMap.h"

namespace ampc::model {

class Elaborator;
struct Call;

/// Elaborates a call whose arguments are bound. Returns poison after an error.
using Handler = Value (*)(Elaborator &, Call &);

/// A line of a table: "sum(x, axis = none, keepdim = false)".
struct FunctionLine {
  const char *signature;
  Handler handler;
  enum Kind : uint8_t {
    Op,          // makes ops if an argument is a tensor: such a call has a path
    Maker,       // always makes ops
    Layer,       // always makes ops, owns parameters: takes `share`
    CompileTime, // makes none
  } kind;
};

/// A formal; `value` is null for one that must be given.
struct Formal {
  llvm::StringRef name;
  const Expr *value;
};

/// A built-in function.
struct Function {
  llvm::StringRef name;
  llvm::SmallVector<Formal, 8> formals;
  Handler handler;
  FunctionLine::Kind kind;
};

/// All functions of the language by name.
class FunctionTable {
public:
  FunctionTable();

  /// The function, or null if there is none that is available.
  const Function *find(llvm::StringRef name) const;
  /// True for a function of the language that is not available yet.
  bool isReserved(llvm::StringRef name) const;
  /// Calls `f` with every name, available or not.
  void forEachName(llvm::function_ref<void(llvm::StringRef)> f) const;

private:
  void add(llvm::ArrayRef<FunctionLine> lines);

  Ast signatures; // holds the defaults
  llvm::StringMap<Function> functions;
};

// The families (functions/*.cpp).
llvm::ArrayRef<FunctionLine> compileTimeFunctions();
llvm::ArrayRef<FunctionLine> makerFunctions();
llvm::ArrayRef<FunctionLine> rangeFunctions();
llvm::ArrayRef<FunctionLine> randomFunctions();
llvm::ArrayRef<FunctionLine> elementwiseFunctions();
llvm::ArrayRef<FunctionLine> logicFunctions();
llvm::ArrayRef<FunctionLine> activationFunctions();
llvm::ArrayRef<FunctionLine> reductionFunctions();
llvm::ArrayRef<FunctionLine> contractionFunctions();
llvm::ArrayRef<FunctionLine> shapeFunctions();
llvm::ArrayRef<FunctionLine> rearrangementFunctions();
llvm::ArrayRef<FunctionLine> lookupFunctions();
llvm::ArrayRef<FunctionLine> layerFunctions();
llvm::ArrayRef<FunctionLine> normFunctions();
llvm::ArrayRef<FunctionLine> attentionFunctions();
llvm::ArrayRef<FunctionLine> lossFunctions();
llvm::ArrayRef<FunctionLine> classificationFunctions();
llvm::ArrayRef<FunctionLine> initialiserFunctions();

} // namespace ampc::model

// Builds the module: types, locations, constants, casts, broadcasts, variables,
// the forward function. Knows the dialect and no language rule.
#pragma once

#include "ir/dialect/Dialect.h"
#include "ir/frontend/model/Value.h"
#include "ir/frontend/model/syntax/Diagnostics.h"

#include "llvm/ADT/SetVector.h"

namespace ampc::model {

/// One result of the forward function.
struct ForwardResult {
  mlir::Value value;
  std::string name;
  amp::Io kind;
  bool evalOnly = false; // computed in eval_step alone
};

/// One argument of the forward function, as declared.
struct ForwardArgument {
  std::string name;
  amp::Io kind;
};

/// The module under construction. Ops go to the end of `forward`.
class Emitter : private mlir::OpBuilder::Listener {
public:
  Emitter(mlir::MLIRContext &context, const Sources &sources,
          llvm::StringRef modelName, Loc modelLoc);

  mlir::OpBuilder builder;

  /// The element type as MLIR has it.
  mlir::Type elementType(ElemType type);
  mlir::RankedTensorType tensorType(ElemType element,
                                    llvm::ArrayRef<int64_t> shape);

  /// file:line:col of a place, named by `path` if there is one.
  mlir::Location location(Loc loc, llvm::StringRef path = {});

  /// While it lives, the ops made belong to the call `path`, unless their
  /// location has a name. They are given theirs by `nameOperations`: a name of
  /// its own costs more than the op does, and nobody reads it in a model that
  /// is refused.
  class Naming {
  public:
    Naming(Emitter &emitter, std::string path);
    ~Naming() { emitter.namedBy = outer; }
    Naming(const Naming &) = delete;

  private:
    Emitter &emitter;
    std::optional<unsigned> outer;
  };
  void nameOperations();

  /// One number for all elements, or one an element in row-major order. Bool,
  /// integer and float element types; the caller has checked the range.
  mlir::Value constant(mlir::Location loc, ElemType element,
                       llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<Value> numbers);
  /// Element type conversion that no pass moves or folds; `value` itself if it
  /// has the type.
  mlir::Value cast(mlir::Location loc, mlir::Value value, ElemType element);
  /// NumPy's broadcast to `shape`, aligned right; `value` itself if it has the
  /// shape.
  mlir::Value broadcast(mlir::Location loc, mlir::Value value,
                        llvm::ArrayRef<int64_t> shape);
  /// The same elements in `shape`; `value` itself if it has the shape.
  mlir::Value reshape(mlir::Location loc, mlir::Value value,
                      llvm::ArrayRef<int64_t> shape);

  /// Adds an argument to the forward function.
  mlir::Value argument(llvm::StringRef name, amp::Io kind,
                       mlir::RankedTensorType type, mlir::Location loc);
  /// Adds a result; its name is made unique. A loss may have none: it is `loss`
  /// where it is the only one, and else `loss_1`, `loss_2` and so on.
  void result(mlir::Value value, llvm::StringRef name, amp::Io kind,
              bool evalOnly = false);
  const std::vector<ForwardResult> &results() const { return forwardResults; }

  /// Declares a variable before the forward function and reads it at the
  /// current place.
  mlir::Value variable(llvm::StringRef name, mlir::RankedTensorType type,
                       amp::VariableRole role, amp::InitKind init,
                       llvm::ArrayRef<double> initArgs, mlir::Location loc);

  /// All variables, in the order of their declaration.
  llvm::ArrayRef<amp::VariableOp> variableList() const { return declared; }
  /// The element type of a variable.
  ElemType elementOf(amp::VariableOp variable);
  /// Replaces how variable number `index` starts.
  void setStart(size_t index, amp::InitKind init,
                llvm::ArrayRef<double> initArgs);

  /// The stream of the next random op: its ordinal in the model (N17).
  int64_t nextRandomSite() { return randomSites++; }

  /// The variable that `value` was read from, or null.
  amp::VariableOp variableOf(mlir::Value value) const {
    return variables.lookup(value);
  }

  /// Marks the ops made from here on as the inside of a `checkpoint { }` until
  /// `endCheckpoint`; inner blocks belong to the outermost.
  void beginCheckpoint();
  void endCheckpoint();

  /// The names of all calls that made ops, in their order; some stand twice.
  /// Not before `nameOperations`.
  std::vector<llvm::StringRef> callPaths();
  /// The mnemonics of the ops made so far.
  llvm::SetVector<llvm::StringRef> opKinds();

  /// Number of ops made.
  int64_t operations() const { return made; }

  mlir::ModuleOp module() { return *owned; }
  /// Ends the forward function and hands the module over.
  mlir::OwningOpRef<mlir::ModuleOp> finish();

private:
  void nameLosses();
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint) override {
    ++made;
    if (namedBy && !mlir::isa<mlir::NameLoc>(op->getLoc()))
      unnamed.emplace_back(op, *namedBy);
    if (checkpointDepth && !mlir::isa<amp::VariableOp>(op))
      op->setDiscardableAttr(amp::kCheckpointAttr, checkpoint);
  }

  const Sources &sources;
  mlir::OwningOpRef<mlir::ModuleOp> owned;
  mlir::func::FuncOp forward;
  mlir::Block *block;
  std::vector<ForwardArgument> arguments;
  std::vector<ForwardResult> forwardResults;
  llvm::StringMap<unsigned> resultNames;
  std::vector<amp::VariableOp> declared;
  llvm::DenseMap<mlir::Value, amp::VariableOp> variables; // by the value read
  int64_t made = 0, checkpoints = 0, randomSites = 0;
  unsigned checkpointDepth = 0;
  mlir::IntegerAttr checkpoint; // of the ops made now
  llvm::DenseMap<uint32_t, mlir::Location> places;
  std::vector<std::string> namings; // paths of calls
  std::optional<unsigned> namedBy;  // the innermost call, in namings
  std::vector<std::pair<mlir::Operation *, unsigned>> unnamed;
};

} // namespace ampc::model

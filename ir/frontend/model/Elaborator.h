// Elaboration: runs a model's statements once, with compile-time values in C++
// and tensors as ops of the forward function. Split by concern over
// Elaborator.cpp (scopes, errors, limits), Expressions, Operators, Calls,
// Statements, Parameters, InitSettings, TrainSettings, DataSettings and
// functions/.
//
// Errors: a function that fails has reported it and returns poison (or false).
// One error a statement: later ones of the same statement are dropped. What is
// computed from poison is poison, silently.
#pragma once

#include "ir/frontend/model/Arithmetic.h"
#include "ir/frontend/model/Emitter.h"
#include "ir/frontend/model/FunctionTable.h"
#include "ir/frontend/model/Model.h"
#include "ir/frontend/model/Paths.h"
#include "ir/frontend/model/Suggest.h"
#include "ir/frontend/model/syntax/Parser.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace ampc::model {

/// Limits of elaboration (docs/language.md), each an error at its place.
inline constexpr int64_t kMaxListLength = 1000000, kMaxStatements = 10000000,
                         kMaxOperations = 1000000;
/// Items of all lists and bytes of all strings made in one elaboration: bounds
/// memory.
inline constexpr int64_t kMaxListItemsMade = 16000000,
                         kMaxStringBytesMade = 256000000;
/// Expressions evaluated, values of lists that they use and names bound by
/// assignments to several: bounds the time that statements take.
inline constexpr int64_t kMaxWork = 50000000;
/// Characters compared with patterns: bounds the time of settings.
inline constexpr uint64_t kMaxPatternSteps = 300000000;
/// Brackets, blocks and calls of defs under evaluation at one time: bounds the
/// call stack.
inline constexpr unsigned kMaxDynamicNesting = 1024;

/// What a name is, in the order of the words of kindWord.
enum class NameKind : uint8_t {
  Dim,
  Const,
  Input,
  Target,
  Param,
  Buffer,
  Assigned,
  Formal
};

/// A name in a scope.
struct Binding {
  Value value;
  NameKind kind = NameKind::Assigned;
  Loc loc;
  unsigned sequence = 0;       // position in the order of declarations
  const Stmt *owner = nullptr; // the declaring statement

  bool isFixed() const { return kind < NameKind::Assigned; }
};

/// A model's scope or that of one call of a def.
struct Scope {
  llvm::StringMap<Binding> names;
  const DefStmt *def = nullptr; // null for the model's
  unsigned sequence = 0; // of the def: it sees fixed names declared before
  bool returned = false;
  Value result;
};

/// A declared def.
struct DefBinding {
  const DefStmt *def = nullptr; // null: poisoned
  Loc loc;
  unsigned sequence = 0;
};

/// A parameter that exists.
struct Parameter {
  const TensorData *tensor = nullptr;
  Loc loc;
};

/// An argument of a call, bound to its formal.
struct BoundArg {
  Value value;
  Loc loc;
  bool given = false;
};

/// A call of a built-in function under elaboration.
struct Call {
  const CallExpr *expr;
  const Function *function;
  llvm::SmallVector<BoundArg, 8> args; // one a formal
  bool hasName = false, hasShare = false;
  std::string component; // of `name` or `share`
  std::string path;      // set for calls that make ops
  bool again = false;    // repeats an earlier call: parameters are reused

  /// The function's name, as errors quote it.
  llvm::StringRef name() const { return function->name; }
  /// The value of formal number `i`.
  const Value &operator[](size_t i) const { return args[i].value; }
};

/// One elaboration of one file.
class Elaborator {
public:
  /// `ast` has a model; values of --set are parsed into its arena.
  Elaborator(mlir::MLIRContext &context, Ast &ast, const ModelOptions &options,
             Diagnostics &diagnostics);

  /// Runs everything; null after errors.
  mlir::OwningOpRef<mlir::ModuleOp> run();

  // For functions/: arguments. Each reports a wrong argument at its place.
  /// A compile-time int.
  bool intArg(const Call &call, size_t index, int64_t &result);
  /// A compile-time int or float.
  bool floatArg(const Call &call, size_t index, double &result);
  /// A compile-time bool.
  bool boolArg(const Call &call, size_t index, bool &result);
  /// A compile-time string.
  bool stringArg(const Call &call, size_t index, llvm::StringRef &result);
  /// Any tensor.
  bool tensorArg(const Call &call, size_t index, const TensorData *&result);
  /// A tensor of a float type.
  bool floatTensorArg(const Call &call, size_t index,
                      const TensorData *&result);
  /// A list of extents, or one extent; `allowInferred` admits one -1.
  bool shapeArg(const Call &call, size_t index, bool allowInferred,
                llvm::SmallVectorImpl<int64_t> &shape,
                llvm::SmallVectorImpl<llvm::StringRef> &axisNames);
  /// An axis, a list of axes, or none for all; sorted, in range, without
  /// repeats.
  bool axesArg(const Call &call, size_t index, const TensorData &tensor,
               llvm::SmallVectorImpl<int64_t> &axes);
  /// `axis` counted from the front, in the range of `tensor`'s axes.
  bool axisInRange(const Call &call, size_t index, int64_t axis,
                   const TensorData &tensor, int64_t &result);

  // For functions/: results.
  /// Where the call stands; the ops made there are named by its path.
  mlir::Location location(const Call &call) {
    return emitter.location(call.expr->loc);
  }
  /// A tensor value made at `origin`; checks the limit on operations.
  Value tensor(mlir::Value value, ElemType element, Loc origin,
               llvm::ArrayRef<llvm::StringRef> axisNames = {});
  /// A list; checks the limits on length, depth and items made.
  Value list(llvm::ArrayRef<Value> items, Loc loc);
  /// A string, copied; checks the limits.
  Value string(llvm::StringRef text, Loc loc);
  /// What normal(..) and its kin give.
  Value initialiser(const InitialiserData &data);
  /// The value of an outcome, or its error at `loc`.
  Value checked(const Outcome &outcome, Loc loc);
  /// Extents at least 0, fewer than 2^48 elements.
  bool checkShape(llvm::ArrayRef<int64_t> shape, ElemType element, Loc loc);

  // Operators on tensors (Operators.cpp); one operand may be a number.
  /// Two operands of one type and shape.
  struct Operands {
    mlir::Value left, right;
    ElemType element = ElemType::F32;
    std::optional<ElemType>
        narrow; // the result is cast to it: a number left its range
    llvm::SmallVector<int64_t> shape;
    llvm::SmallVector<llvm::StringRef> axisNames;
  };
  /// Promotes and broadcasts two operands. `floats` forces a float type
  /// (division).
  bool prepareOperands(llvm::StringRef function, const Value &left,
                       const Value &right, Loc loc, mlir::Location at,
                       bool floats, Operands &operands);
  /// `left op right` where one is a tensor.
  Value tensorBinary(Tok op, llvm::StringRef function, const Value &left,
                     const Value &right, Loc loc);
  /// `left ** right`, where one is a tensor.
  Value tensorPower(const Value &left, const Value &right, Loc loc,
                    mlir::Location at);
  /// NumPy's common shape and its axis names.
  bool broadcastShapes(llvm::StringRef function, const TensorData &left,
                       const TensorData &right, Loc loc, Operands &operands);
  /// Reports that two shapes differ (`broadcasts`: beyond what broadcasting
  /// permits).
  void shapeMismatch(llvm::StringRef function, const TensorData &left,
                     const TensorData &right, Loc loc, bool broadcasts);

  // Parameters (Parameters.cpp).
  /// How a variable starts.
  struct Start {
    amp::InitKind kind = amp::InitKind::zeros;
    llvm::SmallVector<double, 4> args;
  };
  /// The parameter (or other variable) `name`: declared here, or the existing
  /// one if the call repeats an earlier one.
  Value parameter(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<llvm::StringRef> axisNames, const Start &start,
                  bool again, Loc loc,
                  amp::VariableRole role = amp::VariableRole::parameter,
                  ElemType element = ElemType::F32);
  /// How a variable of this type starts: a number or an initialiser.
  bool startOf(const Value &value, Loc loc, ElemType element,
               llvm::ArrayRef<int64_t> shape, Start &start);
  /// Records that `name` is another name of a tied tensor.
  void alias(llvm::StringRef name, const TensorData &tensor, Loc loc);

  // Errors and limits.
  /// Records an error, unless this statement has one already; takes notes.
  Diagnostic &error(Loc loc, const llvm::Twine &text);
  /// The same; returns poison.
  Value fail(Loc loc, const llvm::Twine &text) {
    error(loc, text);
    return Value::poison();
  }
  /// What the language has and this release does not.
  Value unavailable(Loc loc, llvm::StringRef what) {
    return fail(loc, "'" + what + "' is not available yet");
  }
  /// Counts the walk over a list or string that an expression uses.
  void countWork(const Value &value);
  /// True when work should end: a limit of the whole elaboration, or 20 errors.
  bool stopped() const { return aborted || diagnostics.full(); }
  /// Enters a bracket, block or call; false (an error) when too deep.
  bool enterNesting(Loc loc);
  void leaveNesting() { --nesting; }

  Emitter emitter;
  llvm::BumpPtrAllocator arena;

private:
  // Expressions (Expressions.cpp, Indexing.cpp).
  /// The value of any expression.
  Value eval(const Expr *expr);
  /// Of one that is no operator.
  Value evalAtom(const Expr *expr);
  Value evalName(const TextExpr *expr);
  Value evalPath(const TextExpr *expr);
  Value evalList(const ListExpr *expr);
  Value evalIndex(const IndexExpr *expr);
  /// The parts of an index item; none where there is none.
  struct ItemValues {
    Value start, stop, step;
  };
  /// Items start, start + step, ... of an axis; start is 0 if there is none.
  struct SliceRange {
    int64_t start = 0, size = 0, step = 1;
  };
  bool indexInt(const Value &value, const Expr *where, int64_t fallback,
                int64_t &result);
  bool sliceOf(const IndexItem &item, const ItemValues &values, int64_t length,
               SliceRange &range);
  Value indexTensor(const IndexExpr *expr, const TensorData &x,
                    llvm::ArrayRef<ItemValues> items);
  Value applyUnary(const UnaryExpr *expr, const Value &operand);
  Value applyBinary(const BinaryExpr *expr, const Value &left,
                    const Value &right);
  /// A compile-time bool; false after an error or for poison. `op`: of which
  /// operator it is an operand.
  bool conditionOf(const Value &value, Loc loc, bool &result,
                   Tok op = Tok::End);
  /// Of several, as a list.
  Value evalExprs(llvm::ArrayRef<const Expr *> exprs, Loc loc);

  // Calls (Calls.cpp).
  Value evalCall(const CallExpr *expr);
  Value callFunction(const CallExpr *expr, const Function &function);
  Value callDef(const CallExpr *expr, const DefBinding &binding);
  /// An argument as given; name "" for a positional one.
  struct Given {
    llvm::StringRef name;
    Loc nameLoc;
    Value value;
    Loc loc;
  };
  /// Evaluates arguments left to right; `name` and `share` go to `call`.
  bool evalArgs(const CallExpr *expr, bool takesShare,
                llvm::SmallVectorImpl<Given> &given, Call &call);
  /// Assigns given arguments to formals; those not given stay so.
  bool bindArgs(const CallExpr *expr, llvm::ArrayRef<llvm::StringRef> formals,
                llvm::ArrayRef<Given> given,
                llvm::MutableArrayRef<BoundArg> bound);
  /// Gives a call its path; an error if it is taken.
  bool claimPath(const CallExpr *expr, Call &call, llvm::StringRef function);
  /// Takes `path` for what stands at `loc`; an error if it is taken. `again`
  /// tells that it repeats an earlier call.
  bool claimPath(llvm::StringRef path, Loc loc, bool shared, bool &again);
  /// The path of an operator that stands at `loc`, counted as `function`; none,
  /// after an error, if it is taken.
  std::optional<std::string> operatorPath(llvm::StringRef function, Loc loc);
  /// The def that a name means here.
  const DefBinding *findDef(llvm::StringRef name, bool &declaredLater);
  Value unknownFunction(const CallExpr *expr);

  // Names (Elaborator.cpp).
  Scope &scope() { return *scopes.back(); }
  /// What a name means here, or null; `hiddenOuter`: a def cannot see it.
  Binding *find(llvm::StringRef name, bool &hiddenOuter);
  /// Binds a name in the current scope; an error if it is fixed.
  bool bind(Ident name, Value value, NameKind kind, const Stmt *owner);
  /// A name whose statement failed raises no further error.
  void poison(Ident name);
  /// The place of a name in the current scope, about to be changed.
  Binding &slot(llvm::StringRef name);
  void poisonNames(Block block);
  /// All names that a statement would have bound.
  void poisonNames(const Stmt *stmt);

  // Statements (Statements.cpp).
  void execBlock(Block block);
  void exec(const Stmt *stmt);
  void execDecl(const DeclStmt *stmt);
  void execInput(const TypedStmt *stmt);
  /// `param` and `buffer`.
  void execVariable(const TypedStmt *stmt);
  void execDef(const DefStmt *stmt);
  void execAssign(const AssignStmt *stmt);
  void execOutput(const AssignStmt *stmt);
  void execReport(const ReportStmt *stmt);
  void execLoop(const LoopStmt *stmt);
  void execIf(const IfStmt *stmt);
  void execEval(const BlockStmt *stmt);
  /// `a, b = list`.
  void unpack(llvm::ArrayRef<Ident> names, const Value &value, Loc loc,
              const Stmt *owner);
  /// Extents of a type, with the dims they came from.
  bool evalType(const TypeExpr &type, llvm::SmallVectorImpl<int64_t> &shape,
                llvm::SmallVectorImpl<llvm::StringRef> &axisNames);
  /// Without any output: every top-level tensor that nothing uses.
  void defaultOutputs();

  // --set (Overrides.cpp).
  /// One --set.
  struct Override {
    std::string key;
    const Expr *value = nullptr;
    Loc loc;
    bool used = false;
  };
  void readOverrides(const ModelOptions &options);
  Override *findOverride(llvm::StringRef key);
  void reportUnusedOverrides();

  // Settings (InitSettings.cpp, PrecisionSettings.cpp).
  void elaborateInit();
  void elaboratePrecision();
  /// One entry of the precision block; null after an error.
  mlir::Attribute precisionEntry(llvm::ArrayRef<Ident> patterns,
                                 const Expr *type,
                                 llvm::ArrayRef<llvm::StringRef> calls);
  /// True if a pattern matches a name; false when too much has been compared
  /// (an error).
  bool matches(const Ident &pattern, llvm::StringRef name);
  /// Reports a pattern that matches none of `names`, with the nearest of them.
  void unmatchedPattern(const Ident &pattern,
                        llvm::ArrayRef<llvm::StringRef> names);
  /// A bare word (or string, or element type) that a setting lists; "" for
  /// other expressions.
  std::string wordOf(const Expr *expr);

  // The train block (TrainSettings.cpp, ScheduleSettings.cpp,
  // OptimizerSettings.cpp).
  void elaborateTrain();
  void trainSetting(llvm::StringRef key, Loc keyLoc, const Expr *value);
  void trainInt(llvm::StringRef key, const Expr *value, int64_t least);
  void trainWord(llvm::StringRef key, const Expr *value,
                 llvm::ArrayRef<llvm::StringRef> words);
  void clipNormSetting(const Expr *value);
  /// Why a format is no precision, to end an error; empty: no more to say.
  static std::string noPolicyReason(llvm::StringRef word);
  void lossScaleSetting(const Expr *value);
  void dynamicScaleSetting(const Expr *value);
  void memoryBudgetSetting(const Expr *value);
  void precisionSetting(const Expr *value);
  void scheduleSetting(const Expr *value);
  /// Keeps a key of amp.train.
  void keepTrain(llvm::StringRef key, mlir::Attribute value);
  /// The arguments of an optimizer, a schedule or their kin: those given, then
  /// the defaults of its signature; false after an error.
  bool settingArgs(const Expr *expr, const char *signature,
                   llvm::SmallVectorImpl<llvm::StringRef> &formals,
                   llvm::SmallVectorImpl<BoundArg> &bound);
  /// A number of at least 0 and less than `below`; false after an error.
  bool settingNumber(llvm::StringRef owner, llvm::StringRef key,
                     const BoundArg &arg, double below, double &result);
  /// An int of at least `least`; false after an error.
  bool settingInt(llvm::StringRef owner, llvm::StringRef key,
                  const BoundArg &arg, int64_t least, int64_t &result);
  void optimizerSetting(const Expr *value);
  /// One argument of the optimizer `name`; false after an error.
  bool optimizerArg(llvm::StringRef name, llvm::StringRef key,
                    const BoundArg &arg, mlir::NamedAttrList &attributes);
  /// Nesterov's rule needs a momentum; false after an error.
  bool checkNesterov(mlir::DictionaryAttr optimizer, Loc loc);
  void groupSettings(llvm::ArrayRef<const Setting *> groups);
  /// One group, whose patterns are matched with `parameters`, or, if it is
  /// frozen, with `variables`.
  mlir::Attribute groupSetting(const Setting &group,
                               mlir::DictionaryAttr optimizer,
                               llvm::ArrayRef<llvm::StringRef> parameters,
                               llvm::ArrayRef<llvm::StringRef> variables);

  // The data block (DataSettings.cpp, DataSources.cpp).
  void elaborateData();
  /// `shuffle` and `validation = share`.
  void dataKey(const Ident &key, const Expr *value);
  /// One line of the data block; null after an error.
  mlir::Attribute dataLine(const Setting &setting, llvm::StringMap<Loc> &seen,
                           bool validation);
  /// The SPEC of a source, and its options; false after an error.
  bool dataSource(const Setting &setting,
                  llvm::ArrayRef<const TensorData *> tensors, std::string &spec,
                  mlir::NamedAttrList &options);
  bool dataOption(llvm::StringRef source, llvm::StringRef key,
                  const BoundArg &arg, mlir::NamedAttrList &options);

  Ast &ast;
  Diagnostics &diagnostics;
  FunctionTable functions;
  PathTable paths;
  Scope modelScope;
  llvm::SmallVector<Scope *, 8> scopes;
  llvm::StringMap<DefBinding> defs;
  llvm::StringMap<Parameter> parameters;
  llvm::StringMap<Loc> outputNames;
  std::vector<Ident> assignmentOrder; // first assignments in the model's scope
  std::vector<Override> overrides;
  mlir::NamedAttrList train;

  const void *current = nullptr; // the statement or setting under elaboration
  llvm::DenseSet<const void *> failed;
  Diagnostic muted; // takes errors that are not reported
  /// What names of the scope of an `eval { }` were before it, to be restored.
  struct EvalUndo {
    Scope *scope;
    std::vector<std::pair<std::string, std::optional<Binding>>> names;
  };
  EvalUndo *undo = nullptr; // null outside eval blocks
  unsigned nesting = 0, loops = 0, sequence = 0;
  int64_t statements = 0, work = 0, listItems = 0, stringBytes = 0;
  uint64_t patternSteps = 0;
  bool aborted = false;
};

} // namespace ampc::model

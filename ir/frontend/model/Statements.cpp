// Statements.
#include "ir/frontend/model/Elaborator.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace ampc::model {

void Elaborator::execBlock(Block block) {
  if (block.empty())
    return;
  if (!enterNesting(block.front()->loc)) {
    poisonNames(block);
    return;
  }
  for (const Stmt *stmt : block) {
    if (stopped() || (scope().def && scope().returned))
      break;
    exec(stmt);
  }
  leaveNesting();
}

void Elaborator::exec(const Stmt *stmt) {
  llvm::SaveAndRestore<const void *> statement(current, stmt);
  if (++statements > kMaxStatements || work > kMaxWork) {
    error(stmt->loc, statements > kMaxStatements
                         ? "more than 10000000 statements are evaluated"
                         : "more than 50000000 expressions are evaluated");
    aborted = true;
    return;
  }
  switch (stmt->kind) {
  case StmtKind::Dim:
  case StmtKind::Const:
    return execDecl(cast<DeclStmt>(stmt));
  case StmtKind::Input:
  case StmtKind::Target:
    return execInput(cast<TypedStmt>(stmt));
  case StmtKind::Param:
  case StmtKind::Buffer:
    return execVariable(cast<TypedStmt>(stmt));
  case StmtKind::Def:
    return execDef(cast<DefStmt>(stmt));
  case StmtKind::Return: {
    const auto *ret = cast<ReturnStmt>(stmt);
    Value value = ret->values.size() == 1 ? eval(ret->values[0])
                                          : evalExprs(ret->values, ret->loc);
    scope().result = value;
    scope().returned = true;
    return;
  }
  case StmtKind::Assign:
    return execAssign(cast<AssignStmt>(stmt));
  case StmtKind::Output:
    return execOutput(cast<AssignStmt>(stmt));
  case StmtKind::Loss:
  case StmtKind::Metric:
    return execReport(cast<ReportStmt>(stmt));
  case StmtKind::Repeat:
  case StmtKind::For:
    return execLoop(cast<LoopStmt>(stmt));
  case StmtKind::If:
    return execIf(cast<IfStmt>(stmt));
  case StmtKind::Checkpoint:
    emitter.beginCheckpoint();
    execBlock(cast<BlockStmt>(stmt)->body);
    emitter.endCheckpoint();
    return;
  case StmtKind::Eval:
    return execEval(cast<BlockStmt>(stmt));
  case StmtKind::Error:
    poisonNames(stmt);
    return;
  }
}

void Elaborator::execDecl(const DeclStmt *stmt) {
  bool isDim = stmt->kind == StmtKind::Dim;
  for (const NamedValue &decl : stmt->decls) {
    llvm::StringRef name = decl.name.text;
    Value value;
    Loc valueLoc = decl.name.loc;
    if (Override *set = findOverride(name)) {
      set->used = true;
      valueLoc = set->value ? set->value->loc : set->loc;
      value = set->value ? eval(set->value) : Value::poison();
    } else if (decl.value) {
      valueLoc = decl.value->loc;
      value = eval(decl.value);
    } else {
      value =
          fail(decl.name.loc,
               "dim '" + name + "' has no value; give --set " + name + "=..");
    }
    if (isDim && !value.isPoison()) {
      if (!value.is(ValueKind::Int))
        value = fail(valueLoc,
                     "expected a compile-time int, got " + value.describe());
      else if (value.asInt() < 1)
        value = fail(valueLoc, "dim '" + name + "' must be at least 1, got " +
                                   llvm::Twine(value.asInt()));
      else if (value.asInt() > kMaxElements)
        value = fail(valueLoc, "dim '" + name + "' must be below 2^48, got " +
                                   llvm::Twine(value.asInt()));
      else
        value = Value::of(value.asInt(), name);
    } else if (!isDim && value.holdsTensor()) {
      value = fail(valueLoc,
                   "expected a compile-time value, got " + value.describe());
    }
    if (value.isPoison())
      poison(decl.name);
    else
      bind(decl.name, value, isDim ? NameKind::Dim : NameKind::Const, stmt);
  }
}

bool Elaborator::evalType(const TypeExpr &type,
                          llvm::SmallVectorImpl<int64_t> &shape,
                          llvm::SmallVectorImpl<llvm::StringRef> &axisNames) {
  bool ok = true;
  for (const Expr *expr : type.extents) {
    Value extent = eval(expr);
    if (extent.isPoison()) {
      ok = false;
    } else if (!extent.is(ValueKind::Int)) {
      error(expr->loc, "expected a compile-time int, got " + extent.describe());
      ok = false;
    } else if (extent.asInt() < 0) {
      error(expr->loc,
            "an extent must be at least 0, got " + llvm::Twine(extent.asInt()));
      ok = false;
    } else {
      shape.push_back(extent.asInt());
      axisNames.push_back(extent.dimName());
    }
  }
  return ok && checkShape(shape, type.element, type.loc);
}

void Elaborator::execInput(const TypedStmt *stmt) {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<llvm::StringRef> axisNames;
  if (!evalType(stmt->type, shape, axisNames))
    return poison(stmt->name);
  bool isInput = stmt->kind == StmtKind::Input;
  NameKind kind = isInput ? NameKind::Input : NameKind::Target;
  // Bound first: a second declaration must not add an argument.
  if (!bind(stmt->name, Value::none(), kind, stmt))
    return;
  mlir::Value argument = emitter.argument(
      stmt->name.text, isInput ? amp::Io::input : amp::Io::target,
      emitter.tensorType(stmt->type.element, shape),
      emitter.location(stmt->name.loc, stmt->name.text));
  scope().names[stmt->name.text].value =
      tensor(argument, stmt->type.element, stmt->name.loc, axisNames);
}

void Elaborator::execDef(const DefStmt *stmt) {
  auto [it, fresh] = defs.try_emplace(stmt->name.text);
  if (!fresh && it->second.def) {
    error(stmt->name.loc,
          "'" + stmt->name.text + "' is already declared as def")
        .note(it->second.loc, "declared here");
    return;
  }
  it->second = {stmt, stmt->name.loc, ++sequence};
}

void Elaborator::execAssign(const AssignStmt *stmt) {
  Value value;
  if (stmt->values.size() == 1)
    value = eval(stmt->values[0]);
  else
    value = evalExprs(stmt->values, stmt->values[0]->loc);
  if (stmt->names.size() > 1)
    return unpack(stmt->names, value, stmt->values[0]->loc, stmt);
  if (value.isPoison())
    poison(stmt->names[0]);
  else
    bind(stmt->names[0], value, NameKind::Assigned, stmt);
}

void Elaborator::unpack(llvm::ArrayRef<Ident> names, const Value &value,
                        Loc loc, const Stmt *owner) {
  work += 2 * int64_t(names.size());
  bool fits =
      value.is(ValueKind::List) && value.asList().size() == names.size();
  if (!fits) {
    if (value.is(ValueKind::List))
      error(loc, llvm::Twine(names.size()) + " names but " +
                     llvm::Twine(value.asList().size()) + " values");
    else if (!value.isPoison())
      error(loc, "expected a list of " + llvm::Twine(names.size()) + ", got " +
                     value.describe());
    for (const Ident &name : names)
      poison(name);
    return;
  }
  for (auto [name, item] : llvm::zip(names, value.asList())) {
    if (item.isPoison())
      poison(name);
    else
      bind(name, item, NameKind::Assigned, owner);
  }
}

void Elaborator::execOutput(const AssignStmt *stmt) {
  for (const Ident &name : stmt->names) {
    Value value;
    if (stmt->values.empty()) {
      TextExpr reference(ExprKind::Name, name.loc, name.text);
      value = evalName(&reference);
    } else {
      value = eval(stmt->values[0]);
    }
    if (!value.isPoison() && !value.isTensor())
      value = fail(stmt->values.empty() ? name.loc : stmt->values[0]->loc,
                   "an output must be a tensor, got " + value.describe());
    if (value.isPoison()) {
      poison(name);
      continue;
    }
    auto [it, fresh] = outputNames.try_emplace(name.text, name.loc);
    if (!fresh) {
      error(name.loc, "'" + name.text + "' is already declared as output")
          .note(it->second, "declared here");
      continue;
    }
    if (!stmt->values.empty() && !bind(name, value, NameKind::Assigned, stmt))
      continue;
    emitter.result(value.asTensor().value, name.text, amp::Io::output);
  }
}

/// Without any output, all tensors of the model's scope that nothing uses.
void Elaborator::defaultOutputs() {
  if (!outputNames.empty())
    return;
  llvm::DenseSet<mlir::Value> reported;
  for (const ForwardResult &result : emitter.results())
    reported.insert(result.value);
  for (const Ident &name : assignmentOrder) {
    const Binding &binding = modelScope.names[name.text];
    if (!binding.value.isTensor() || binding.isFixed())
      continue;
    mlir::Value value = binding.value.asTensor().value;
    if (value.use_empty() && value.getDefiningOp() &&
        reported.insert(value).second)
      emitter.result(value, name.text, amp::Io::output);
  }
}

/// Whether rows and metrics files have a column `name` of their own.
static bool isColumn(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"step", "lr", "scale", "skipped", "grad_norm", "samples_per_s",
              "split", "samples", "left_over", "summary"},
             true)
      .Default(false);
}

void Elaborator::execReport(const ReportStmt *stmt) {
  bool isLoss = stmt->kind == StmtKind::Loss;
  std::string what = isLoss ? "a loss" : "a metric";
  const auto *call = dyn_cast<CallExpr>(stmt->value);
  bool bare = !isLoss && call && call->loc == stmt->name.loc; // metric f(..)
  bool binds = !stmt->name.text.empty() && !bare;
  Value value = eval(stmt->value);
  if (isColumn(stmt->name.text))
    value = fail(stmt->name.loc, "'" + stmt->name.text.str() +
                                     "' is a number that every run reports; " +
                                     what + " needs another name");
  if (!value.isPoison()) {
    Loc loc = stmt->value->loc;
    if (!value.isTensor())
      value =
          fail(loc, what + " must be a scalar tensor, got " + value.describe());
    else if (!shapeOf(value.asTensor()).empty())
      value = fail(loc, what + " must be a scalar, got " +
                            typeText(value.asTensor()));
    else if (!isFloat(value.asTensor().element) ||
             value.asTensor().element == ElemType::F64)
      value =
          fail(loc, what + " must be f32, got " + typeText(value.asTensor()) +
                        "; write cast(.., f32)");
  }
  if (value.isPoison()) {
    if (binds)
      poison(stmt->name);
    return;
  }
  llvm::StringRef name = stmt->name.text.empty() ? "loss" : stmt->name.text;
  const TensorData &scalar = value.asTensor();
  mlir::Value result = emitter.cast(emitter.location(stmt->loc, name),
                                    scalar.value, ElemType::F32);
  emitter.result(result, stmt->name.text,
                 isLoss ? amp::Io::loss : amp::Io::metric,
                 /*evalOnly=*/undo != nullptr);
  // The name can be read, unless it is one that the model declares otherwise.
  bool hiddenOuter = false;
  const Binding *known = binds ? find(stmt->name.text, hiddenOuter) : nullptr;
  if (binds && !(known && known->isFixed()))
    bind(stmt->name, tensor(result, ElemType::F32, scalar.origin),
         NameKind::Assigned, stmt);
}

void Elaborator::execIf(const IfStmt *stmt) {
  bool truth = false;
  if (!conditionOf(eval(stmt->condition), stmt->condition->loc, truth)) {
    poisonNames(stmt->then);
    poisonNames(stmt->otherwise);
    return;
  }
  execBlock(truth ? stmt->then : stmt->otherwise);
}

/// `eval { }` sees everything and leaves nothing behind: names that it bound
/// mean again what they meant before.
void Elaborator::execEval(const BlockStmt *stmt) {
  EvalUndo changes{&scope(), {}};
  llvm::SaveAndRestore<EvalUndo *> inner(undo, &changes);
  size_t assigned = assignmentOrder.size();
  execBlock(stmt->body);
  assignmentOrder.resize(std::min(assigned, assignmentOrder.size()), Ident());
  for (auto &[name, before] : llvm::reverse(changes.names)) {
    if (before)
      scope().names[name] = *before;
    else
      scope().names.erase(name);
  }
}

void Elaborator::execLoop(const LoopStmt *stmt) {
  Value range = eval(stmt->range);
  int64_t count = 0;
  Loc loc = stmt->range->loc;
  if (stmt->kind == StmtKind::For) {
    if (!range.isPoison() && !range.is(ValueKind::List))
      range = fail(loc, "expected a list, got " + range.describe());
    if (!range.isPoison())
      count = range.asList().size();
  } else {
    if (!range.isPoison() && !range.is(ValueKind::Int))
      range = fail(loc, "expected a compile-time int, got " + range.describe());
    else if (!range.isPoison() && range.asInt() < 0)
      range = fail(loc, "'repeat' takes a count of at least 0, got " +
                            llvm::Twine(range.asInt()));
    if (!range.isPoison())
      count = range.asInt();
  }
  if (range.isPoison())
    return poisonNames(stmt);
  ++loops;
  for (int64_t i = 0;
       i < count && !stopped() && !(scope().def && scope().returned); ++i) {
    if (stmt->body.empty() && ++statements > kMaxStatements) {
      error(stmt->loc, "more than 10000000 statements are evaluated");
      aborted = true;
    }
    if (stmt->kind == StmtKind::For) {
      const Value &item = range.asList()[i];
      if (stmt->names.size() > 1)
        unpack(stmt->names, item, loc, stmt);
      else if (item.isPoison())
        poison(stmt->names[0]);
      else
        bind(stmt->names[0], item, NameKind::Assigned, stmt);
    }
    size_t length = 0;
    bool labelled = !stmt->label.text.empty();
    if (labelled)
      length = paths.enter((stmt->label.text + "." + llvm::Twine(i)).str());
    execBlock(stmt->body);
    if (labelled)
      paths.leave(length);
  }
  --loops;
}

} // namespace ampc::model

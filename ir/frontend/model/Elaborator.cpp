// Scopes, errors, limits, and the order of an elaboration.
#include "ir/frontend/model/Elaborator.h"

#include "llvm/Support/StringSaver.h"

using namespace mlir;

namespace ampc::model {
namespace {

llvm::StringRef kindWord(NameKind kind) {
  static constexpr const char *words[] = {
      "dim", "const", "input", "target", "param", "buffer", "a name", "formal"};
  return words[unsigned(kind)];
}

} // namespace

Elaborator::Elaborator(MLIRContext &context, Ast &ast,
                       const ModelOptions &options, Diagnostics &diagnostics)
    : emitter(context, diagnostics.sources(), ast.model->name.text,
              ast.model->loc),
      ast(ast), diagnostics(diagnostics) {
  scopes.push_back(&modelScope);
  readOverrides(options);
}

OwningOpRef<ModuleOp> Elaborator::run() {
  execBlock(ast.model->body);
  if (!diagnostics.failed()) {
    emitter.nameOperations();
    defaultOutputs();
  }
  elaborateInit();
  elaboratePrecision();
  elaborateTrain();
  elaborateData();
  if (!diagnostics.failed())
    reportUnusedOverrides();
  OwningOpRef<ModuleOp> module = emitter.finish();
  return diagnostics.failed() ? nullptr : std::move(module);
}

//===----------------------------------------------------------------------===//
// Errors and limits
//===----------------------------------------------------------------------===//

Diagnostic &Elaborator::error(Loc loc, const llvm::Twine &text) {
  // One a statement. Errors outside statements have no such limit.
  if (current && !failed.insert(current).second) {
    muted = Diagnostic();
    return muted;
  }
  return diagnostics.error(loc, text);
}

void Elaborator::countWork(const Value &value) {
  if (value.is(ValueKind::List))
    work += std::min<uint64_t>(value.listData()->values, kMaxListLength);
  else if (value.is(ValueKind::String))
    work += value.asString().size() / 64;
}

bool Elaborator::enterNesting(Loc loc) {
  if (nesting >= kMaxDynamicNesting) {
    error(loc, "nested more than " + llvm::Twine(kMaxDynamicNesting) + " deep");
    return false;
  }
  ++nesting;
  return true;
}

bool Elaborator::checkShape(llvm::ArrayRef<int64_t> shape, ElemType element,
                            Loc loc) {
  for (int64_t extent : shape)
    if (extent < 0) {
      error(loc, "an extent must be at least 0, got " + llvm::Twine(extent));
      return false;
    }
  if (countElements(shape))
    return true;
  error(loc,
        "the shape " + typeText(element, shape) + " has 2^48 elements or more");
  return false;
}

//===----------------------------------------------------------------------===//
// Making values
//===----------------------------------------------------------------------===//

Value Elaborator::tensor(mlir::Value value, ElemType element, Loc origin,
                         llvm::ArrayRef<llvm::StringRef> axisNames) {
  llvm::ArrayRef<llvm::StringRef> kept;
  if (llvm::any_of(axisNames,
                   [](llvm::StringRef name) { return !name.empty(); }))
    kept = axisNames.copy(arena);
  if (emitter.operations() > kMaxOperations && !aborted) {
    error(origin, loops ? "loop makes more than 1000000 operations"
                        : "the model has more than 1000000 operations");
    aborted = true;
  }
  return Value::of(new (arena.Allocate<TensorData>())
                       TensorData{value, element, origin, kept});
}

Value Elaborator::list(llvm::ArrayRef<Value> items, Loc loc) {
  if (int64_t(items.size()) > kMaxListLength)
    return fail(loc, "a list has at most 1000000 items, this one has " +
                         llvm::Twine(items.size()));
  listItems += items.size();
  if (listItems > kMaxListItemsMade) {
    aborted = true;
    return fail(loc, "lists of more than " + llvm::Twine(kMaxListItemsMade) +
                         " items in all are made");
  }
  ListData data{items.copy(arena)};
  for (const Value &item : items) {
    data.holdsTensor |= item.holdsTensor();
    data.holdsPoison |= item.holdsPoison();
    data.values = llvm::SaturatingAdd<uint64_t>(data.values, 1);
    if (!item.is(ValueKind::List))
      continue;
    data.depth = std::max(data.depth, item.listData()->depth + 1);
    data.values = llvm::SaturatingAdd(data.values, item.listData()->values);
  }
  if (data.depth > kMaxNesting)
    return fail(loc, "nested more than 256 deep");
  return Value::of(new (arena.Allocate<ListData>()) ListData(data));
}

Value Elaborator::string(llvm::StringRef text, Loc loc) {
  if (text.size() > kMaxStringBytes)
    return fail(loc, "a string is at most 65536 bytes long");
  stringBytes += text.size();
  if (stringBytes > kMaxStringBytesMade) {
    aborted = true;
    return fail(loc, "strings of more than " +
                         llvm::Twine(kMaxStringBytesMade) +
                         " bytes in all are made");
  }
  return Value::of(llvm::StringSaver(arena).save(text));
}

Value Elaborator::initialiser(const InitialiserData &data) {
  return Value::of(new (arena.Allocate<InitialiserData>())
                       InitialiserData(data));
}

Value Elaborator::checked(const Outcome &outcome, Loc loc) {
  if (!outcome.error.empty())
    return fail(loc, outcome.error);
  if (outcome.value.is(ValueKind::List))
    return list(outcome.joined, loc);
  if (outcome.value.is(ValueKind::String))
    return string(outcome.text, loc);
  return outcome.value;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The binding that `name` means here, or null. `hiddenOuter` tells that a def
/// cannot see it.
Binding *Elaborator::find(llvm::StringRef name, bool &hiddenOuter) {
  hiddenOuter = false;
  if (auto it = scope().names.find(name); it != scope().names.end())
    return &it->second;
  if (!scope().def)
    return nullptr;
  auto it = modelScope.names.find(name);
  if (it == modelScope.names.end())
    return nullptr;
  Binding &outer = it->second;
  if (outer.value.isPoison())
    return &outer;
  if (outer.isFixed())
    return outer.sequence < scope().sequence ? &outer : nullptr;
  hiddenOuter = true;
  return nullptr;
}

/// Binds a name in the current scope. False if it is fixed.
bool Elaborator::bind(Ident name, Value value, NameKind kind,
                      const Stmt *owner) {
  if (name.text == "_" && kind >= NameKind::Assigned)
    return true;
  bool hiddenOuter = false;
  Binding *known = find(name.text, hiddenOuter);
  bool isOuter = known && scope().def && !scope().names.contains(name.text);
  // A formal may hide a fixed outer name. A parameter is declared anew each
  // time its statement runs.
  bool mayHide = isOuter && kind == NameKind::Formal;
  bool fixedNow = kind < NameKind::Assigned;
  if (known && !mayHide && !known->value.isPoison()) {
    bool again = known->kind == kind && known->owner == owner && !isOuter &&
                 (kind == NameKind::Param || kind == NameKind::Buffer);
    bool rebinds = !known->isFixed() && !fixedNow;
    if (!again && !rebinds) {
      if (known->isFixed())
        error(name.loc, "'" + name.text + "' is already declared as " +
                            kindWord(known->kind))
            .note(known->loc, "declared here");
      else
        error(name.loc,
              "'" + name.text + "' is already a name that was assigned to")
            .note(known->loc, "assigned here");
      return false;
    }
  }
  Binding &binding = slot(name.text);
  if (!scope().def && kind == NameKind::Assigned && binding.sequence == 0)
    assignmentOrder.push_back(name);
  binding = {value, kind, name.loc, ++sequence, owner};
  return true;
}

void Elaborator::poison(Ident name) {
  if (name.text.empty() || name.text == "_")
    return;
  bool hiddenOuter = false;
  Binding *known = find(name.text, hiddenOuter);
  if (known && known->isFixed())
    return;
  slot(name.text) = {Value::poison(), NameKind::Assigned, name.loc, ++sequence,
                     nullptr};
}

Binding &Elaborator::slot(llvm::StringRef name) {
  auto [it, fresh] = scope().names.try_emplace(name);
  if (undo && undo->scope == &scope())
    undo->names.emplace_back(name,
                             fresh ? std::nullopt : std::optional(it->second));
  return it->second;
}

void Elaborator::poisonNames(Block block) {
  for (const Stmt *stmt : block)
    poisonNames(stmt);
}

/// Poisons what a statement would have bound. Blocks nest at most 256 deep.
void Elaborator::poisonNames(const Stmt *stmt) {
  // In a loop this may happen often; the error has been reported.
  aborted |= ++statements > kMaxStatements || work > kMaxWork;
  if (stopped())
    return;
  auto all = [&](llvm::ArrayRef<Ident> names) {
    work += names.size();
    for (const Ident &name : names)
      poison(name);
  };
  if (const auto *decl = dyn_cast<DeclStmt>(stmt)) {
    for (const NamedValue &entry : decl->decls)
      poison(entry.name);
  } else if (const auto *typed = dyn_cast<TypedStmt>(stmt)) {
    poison(typed->name);
  } else if (const auto *assign = dyn_cast<AssignStmt>(stmt)) {
    all(assign->names);
  } else if (const auto *report = dyn_cast<ReportStmt>(stmt)) {
    poison(report->name);
  } else if (const auto *loop = dyn_cast<LoopStmt>(stmt)) {
    all(loop->names);
    poisonNames(loop->body);
  } else if (const auto *branch = dyn_cast<IfStmt>(stmt)) {
    poisonNames(branch->then);
    poisonNames(branch->otherwise);
  } else if (const auto *block = dyn_cast<BlockStmt>(stmt)) {
    poisonNames(block->body);
  } else if (const auto *def = dyn_cast<DefStmt>(stmt)) {
    defs[def->name.text] = {nullptr, def->name.loc, ++sequence};
  } else if (const auto *broken = dyn_cast<ErrorStmt>(stmt)) {
    if (!broken->isDef)
      all(broken->names);
    else if (!broken->names.empty())
      defs[broken->names.front().text] = {nullptr, broken->loc, ++sequence};
  } else if (isa<ReturnStmt>(stmt)) {
    scope().returned = true; // of what is not known
    scope().result = Value::poison();
  }
}

} // namespace ampc::model

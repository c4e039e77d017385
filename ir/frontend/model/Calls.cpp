// Calls: arguments, paths, built-in functions and defs.
#include "ir/frontend/model/Elaborator.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace ampc::model {

//===----------------------------------------------------------------------===//
// Which function
//===----------------------------------------------------------------------===//

/// The def a name means here: one declared before the text that calls it.
const DefBinding *Elaborator::findDef(llvm::StringRef name,
                                      bool &declaredLater) {
  declaredLater = false;
  auto it = defs.find(name);
  if (it == defs.end())
    return nullptr;
  // Its own def is visible, so that recursion gets its own message.
  declaredLater =
      scope().def && it->second.def && it->second.sequence > scope().sequence;
  return declaredLater ? nullptr : &it->second;
}

Value Elaborator::evalCall(const CallExpr *expr) {
  bool declaredLater = false;
  if (const DefBinding *def = findDef(expr->callee, declaredLater))
    return def->def ? callDef(expr, *def) : Value::poison();
  if (const Function *function = functions.find(expr->callee))
    return callFunction(expr, *function);
  if (declaredLater) {
    error(expr->loc, "unknown function '" + expr->callee + "'")
        .note(defs[expr->callee].loc, "declared after its use");
    return Value::poison();
  }
  return unknownFunction(expr);
}

Value Elaborator::unknownFunction(const CallExpr *expr) {
  if (functions.isReserved(expr->callee))
    return unavailable(expr->loc, expr->callee);
  std::string text = ("unknown function '" + expr->callee + "'").str();
  if (llvm::StringRef known = fromPyTorchFunction(expr->callee); !known.empty())
    return fail(expr->loc, text + "; did you mean '" + known + "'?");
  Nearest nearest(expr->callee);
  functions.forEachName([&](llvm::StringRef name) { nearest.consider(name); });
  for (const auto &entry : defs)
    nearest.consider(entry.first());
  return fail(expr->loc, text + nearest.hint());
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Evaluates the arguments left to right; `name` and `share` go to `call`.
bool Elaborator::evalArgs(const CallExpr *expr, bool takesShare,
                          llvm::SmallVectorImpl<Given> &given, Call &call) {
  bool ok = true;
  for (const Arg &arg : expr->args) {
    Value value = eval(arg.value);
    bool isName = arg.name.text == "name",
         isShare = arg.name.text == "share" && takesShare;
    if (!isName && !isShare) {
      given.push_back({arg.name.text, arg.name.loc, value, arg.value->loc});
      continue;
    }
    bool &has = isName ? call.hasName : call.hasShare;
    if (has) {
      error(arg.name.loc, "argument '" + arg.name.text + "' given twice");
      return false;
    }
    has = true;
    if (call.hasName && call.hasShare) {
      error(arg.name.loc, "a call takes 'name' or 'share', not both");
      return false;
    }
    if (value.isPoison()) {
      ok = false;
    } else if (!value.is(ValueKind::String)) {
      error(arg.value->loc,
            "expected a compile-time string, got " + value.describe());
      ok = false;
    } else if (!isComponent(value.asString())) {
      error(arg.value->loc, "'" + value.asString() +
                                "' cannot be a path: words of letters, digits "
                                "and _, joined by dots");
      ok = false;
    } else {
      call.component = value.asString().str();
    }
  }
  return ok;
}

/// Assigns given arguments to formals. Those not given stay so.
bool Elaborator::bindArgs(const CallExpr *expr,
                          llvm::ArrayRef<llvm::StringRef> formals,
                          llvm::ArrayRef<Given> given,
                          llvm::MutableArrayRef<BoundArg> bound) {
  llvm::StringRef callee = expr->callee;
  size_t position = 0;
  for (const Given &arg : given) {
    size_t index = position;
    if (arg.name.empty()) {
      if (position++ >= formals.size()) {
        size_t count = llvm::count_if(
            given, [](const Given &g) { return g.name.empty(); });
        error(arg.loc, "'" + callee + "' takes at most " +
                           llvm::Twine(formals.size()) + " arguments, got " +
                           llvm::Twine(std::max(count, given.size())));
        return false;
      }
    } else {
      index = llvm::find(formals, arg.name) - formals.begin();
      if (index == formals.size()) {
        Nearest nearest(arg.name);
        for (llvm::StringRef formal : formals)
          nearest.consider(formal);
        llvm::StringRef known = fromPyTorchArgument(arg.name, formals);
        std::string hint = known.empty()
                               ? nearest.hint()
                               : ("; did you mean '" + known + "'?").str();
        error(arg.nameLoc,
              "unknown argument '" + arg.name + "' of '" + callee + "'" + hint);
        return false;
      }
    }
    if (bound[index].given) {
      error(arg.name.empty() ? arg.loc : arg.nameLoc,
            "argument '" + formals[index] + "' given twice");
      return false;
    }
    bound[index] = {arg.value, arg.loc, true};
  }
  return true;
}

bool Elaborator::claimPath(llvm::StringRef path, Loc loc, bool shared,
                           bool &again) {
  const PathUse *clash = paths.claim(path, loc, shared, again);
  if (!clash)
    return true;
  error(loc,
        "path '" + path + "' is already used; give one a name, or both share")
      .note(clash->loc, "used here");
  return false;
}

/// Gives a call its path.
bool Elaborator::claimPath(const CallExpr *expr, Call &call,
                           llvm::StringRef function) {
  bool named = call.hasName || call.hasShare;
  call.path = named ? paths.join(call.component) : paths.number(function);
  return claimPath(call.path, expr->loc, call.hasShare, call.again);
}

std::optional<std::string> Elaborator::operatorPath(llvm::StringRef function,
                                                    Loc loc) {
  std::string path = paths.number(function);
  bool again = false;
  if (!claimPath(path, loc, /*shared=*/false, again))
    return std::nullopt;
  return path;
}

//===----------------------------------------------------------------------===//
// Built-in functions
//===----------------------------------------------------------------------===//

Value Elaborator::callFunction(const CallExpr *expr, const Function &function) {
  Call call{expr, &function, {}, false, false, {}, {}, false};
  llvm::SmallVector<Given, 8> given;
  if (!evalArgs(expr, function.kind == FunctionLine::Layer, given, call))
    return Value::poison();
  llvm::SmallVector<llvm::StringRef, 8> formals;
  for (const Formal &formal : function.formals)
    formals.push_back(formal.name);
  call.args.resize(formals.size());
  if (!bindArgs(expr, formals, given, call.args))
    return Value::poison();
  bool makesOps = function.kind == FunctionLine::Layer ||
                  function.kind == FunctionLine::Maker;
  for (auto [arg, formal] : llvm::zip(call.args, function.formals)) {
    if (!arg.given) {
      if (!formal.value)
        return fail(expr->loc, "argument '" + formal.name + "' of '" +
                                   function.name + "' is missing");
      arg.value = eval(formal.value);
      arg.loc = expr->loc;
    }
    if (arg.value.isPoison())
      return Value::poison();
    countWork(arg.value);
    makesOps |= function.kind == FunctionLine::Op && arg.value.holdsTensor();
  }
  if ((makesOps || call.hasName) && !claimPath(expr, call, function.name))
    return Value::poison();
  Emitter::Naming naming(emitter, call.path);
  if (!call.hasShare)
    return function.handler(*this, call);
  unsigned outer = paths.beginShare(call.path, call.again);
  Value result = function.handler(*this, call);
  paths.endShare(outer, call.again);
  return result;
}

//===----------------------------------------------------------------------===//
// Defs
//===----------------------------------------------------------------------===//

Value Elaborator::callDef(const CallExpr *expr, const DefBinding &binding) {
  const DefStmt *def = binding.def;
  if (llvm::any_of(scopes, [&](Scope *s) { return s->def == def; })) {
    error(expr->loc, "'" + def->name.text + "' calls itself")
        .note(def->name.loc, "declared here");
    return Value::poison();
  }
  Call call{expr, nullptr, {}, false, false, {}, {}, false};
  llvm::SmallVector<Given, 8> given;
  if (!evalArgs(expr, /*takesShare=*/true, given, call))
    return Value::poison();
  llvm::SmallVector<llvm::StringRef, 8> formals;
  for (const NamedValue &formal : def->formals)
    formals.push_back(formal.name.text);
  llvm::SmallVector<BoundArg, 8> bound(formals.size());
  if (!bindArgs(expr, formals, given, bound))
    return Value::poison();
  for (auto [arg, formal] : llvm::zip(bound, def->formals))
    if (!arg.given && !formal.value)
      return fail(expr->loc, "argument '" + formal.name.text + "' of '" +
                                 def->name.text + "' is missing");
  bool named = call.hasName || call.hasShare;
  if (named && !claimPath(expr, call, def->name.text))
    return Value::poison();
  if (scopes.size() > kMaxNesting)
    return fail(expr->loc, "nested more than 256 deep");

  auto frame = std::make_unique<Scope>();
  frame->def = def;
  frame->sequence = binding.sequence;
  scopes.push_back(frame.get());
  size_t scopeLength = named ? paths.enter(call.component) : 0;
  unsigned outerEpoch =
      call.hasShare ? paths.beginShare(call.path, call.again) : 0;
  {
    // Errors in the body belong to its statements.
    llvm::SaveAndRestore<const void *> statement(current);
    for (auto [arg, formal] : llvm::zip(bound, def->formals))
      if (arg.given)
        bind(formal.name, arg.value, NameKind::Formal, def);
    for (auto [arg, formal] : llvm::zip(bound, def->formals))
      if (!arg.given)
        bind(formal.name, eval(formal.value), NameKind::Formal, def);
    llvm::SaveAndRestore<unsigned> outerLoops(loops);
    execBlock(def->body);
  }
  if (call.hasShare)
    paths.endShare(outerEpoch, call.again);
  if (named)
    paths.leave(scopeLength);
  scopes.pop_back();
  if (frame->returned)
    return frame->result;
  // A failed statement may have been the return.
  bool bodyFailed = llvm::any_of(def->body, [&](const Stmt *s) {
    return failed.contains(s) || isa<ErrorStmt>(s);
  });
  if (!bodyFailed && !stopped())
    error(expr->loc, "'" + def->name.text + "' returns nothing")
        .note(def->name.loc, "declared here");
  return Value::poison();
}

} // namespace ampc::model

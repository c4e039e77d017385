// `optimizer = adam(lr = 1e-3)` and `group "P" { lr = 1e-4 }`: names, defaults
// and ranges are PyTorch's.
#include "ir/frontend/model/Elaborator.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace ampc::model {
namespace {

/// An optimizer that is available: its signature and the op that updates a
/// parameter.
struct OptimizerLine {
  llvm::StringLiteral name;
  const char *signature;
  llvm::StringLiteral op;
};
constexpr OptimizerLine kOptimizers[] = {
    {"sgd",
     "sgd(lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0, nesterov = "
     "false)",
     "amp.sgd"},
    {"adam",
     "adam(lr = 1e-3, betas = [0.9, 0.999], eps = 1e-8, weight_decay = 0)",
     "amp.adam"},
    {"adamw",
     "adamw(lr = 1e-3, betas = [0.9, 0.999], eps = 1e-8, weight_decay = 0.01)",
     "amp.adam"},
};

double numberOf(DictionaryAttr attributes, llvm::StringRef key) {
  auto number = attributes.getAs<FloatAttr>(key);
  return number ? number.getValueAsDouble() : 0;
}

} // namespace

bool Elaborator::optimizerArg(llvm::StringRef name, llvm::StringRef key,
                              const BoundArg &arg, NamedAttrList &attributes) {
  Builder &builder = emitter.builder;
  double number = 0;
  if (key == "nesterov") {
    bool nesterov = false;
    if (!conditionOf(arg.value, arg.loc, nesterov))
      return false;
    // The op has a unit; false is written where it stands against a true.
    attributes.set(key, nesterov ? Attribute(builder.getUnitAttr())
                                 : builder.getBoolAttr(false));
    return true;
  }
  if (key != "betas") {
    if (!settingNumber(name, key, arg, INFINITY, number))
      return false;
    attributes.set(key, builder.getF64FloatAttr(number));
    return true;
  }
  if (!arg.value.is(ValueKind::List) || arg.value.asList().size() != 2) {
    error(arg.loc, "'" + name +
                       "': 'betas' must be a list of two numbers, got " +
                       arg.value.describe());
    return false;
  }
  for (size_t i : {0, 1}) {
    llvm::StringRef beta = i == 0 ? "beta1" : "beta2";
    BoundArg item{arg.value.asList()[i], arg.loc, true};
    if (!settingNumber(name, beta, item, 1, number))
      return false;
    attributes.set(beta, builder.getF64FloatAttr(number));
  }
  return true;
}

bool Elaborator::checkNesterov(DictionaryAttr optimizer, Loc loc) {
  if (!optimizer.getAs<UnitAttr>("nesterov") ||
      (numberOf(optimizer, "momentum") != 0 &&
       numberOf(optimizer, "dampening") == 0))
    return true;
  error(loc, "'sgd': 'nesterov' needs a momentum above 0 and no dampening");
  return false;
}

void Elaborator::optimizerSetting(const Expr *expr) {
  const auto *call = dyn_cast<CallExpr>(expr);
  std::string name = call                           ? call->callee.str()
                     : expr->kind == ExprKind::Name ? wordOf(expr)
                                                    : "";
  const auto *line = llvm::find_if(
      kOptimizers, [&](const OptimizerLine &l) { return name == l.name; });
  if (line == std::end(kOptimizers)) {
    for (llvm::StringRef later : {"rmsprop", "adagrad", "lion", "lamb"})
      if (name == later) {
        unavailable(expr->loc, name);
        return;
      }
    Nearest nearest(llvm::StringRef(name).lower());
    for (const OptimizerLine &known : kOptimizers)
      nearest.consider(known.name);
    error(expr->loc,
          name.empty()
              ? std::string("expected an optimizer, as in adam(lr = 1e-3)")
              : "unknown optimizer '" + name + "'" + nearest.hint());
    return;
  }
  llvm::SmallVector<llvm::StringRef, 8> formals;
  llvm::SmallVector<BoundArg, 8> bound;
  if (!settingArgs(expr, line->signature, formals, bound))
    return;
  Builder &builder = emitter.builder;
  NamedAttrList attributes;
  attributes.set("op", builder.getStringAttr(line->op));
  for (auto [arg, key] : llvm::zip(bound, formals))
    if (!optimizerArg(name, key, arg, attributes))
      return;
  if (line->name == "adamw")
    attributes.set("decoupled", builder.getUnitAttr());
  DictionaryAttr given = attributes.getDictionary(builder.getContext());
  if (!given.getAs<UnitAttr>("nesterov"))
    attributes.erase("nesterov");
  else if (!checkNesterov(given, bound.back().loc))
    return;
  keepTrain("optimizer", attributes.getDictionary(builder.getContext()));
}

void Elaborator::groupSettings(llvm::ArrayRef<const Setting *> groups) {
  if (groups.empty())
    return;
  auto optimizer = dyn_cast_or_null<DictionaryAttr>(train.get("optimizer"));
  if (!optimizer) {
    // One that could not be read has its error.
    if (!diagnostics.failed())
      error(groups[0]->loc, "a group needs an 'optimizer' in 'train'");
    return;
  }
  std::vector<llvm::StringRef> parameters, variables;
  for (amp::VariableOp variable : emitter.variableList()) {
    variables.push_back(variable.getSymName());
    if (variable.getRole() == amp::VariableRole::parameter)
      parameters.push_back(variables.back());
  }
  llvm::SmallVector<Attribute> entries;
  for (const Setting *group : groups) {
    llvm::SaveAndRestore<const void *> statement(current, group);
    if (Attribute entry =
            groupSetting(*group, optimizer, parameters, variables))
      entries.push_back(entry);
  }
  keepTrain("groups", emitter.builder.getArrayAttr(entries));
}

Attribute Elaborator::groupSetting(const Setting &group,
                                   DictionaryAttr optimizer,
                                   llvm::ArrayRef<llvm::StringRef> parameters,
                                   llvm::ArrayRef<llvm::StringRef> variables) {
  Builder &builder = emitter.builder;
  llvm::StringRef op = optimizer.getAs<StringAttr>("op").getValue();
  llvm::StringRef name = op == "amp.sgd"              ? "sgd"
                         : optimizer.get("decoupled") ? "adamw"
                                                      : "adam";
  const auto *line = llvm::find_if(
      kOptimizers, [&](const OptimizerLine &l) { return name == l.name; });
  Diagnostics none;
  const auto *signature = cast<CallExpr>(
      Parser(line->signature, 0, ast, none).parseWholeExpression());
  NamedAttrList attributes;
  llvm::StringMap<Loc> seen;
  for (const Setting &entry : group.body->settings) {
    llvm::SaveAndRestore<const void *> statement(current, &entry);
    if (entry.kind != Setting::Assign || entry.names.size() != 1) {
      error(entry.loc, "expected an argument of '" + name + "' or 'frozen'");
      return {};
    }
    const Ident &key = entry.names[0];
    auto [it, fresh] = seen.try_emplace(key.text, key.loc);
    if (!fresh) {
      error(key.loc, "'" + key.text + "' given twice")
          .note(it->second, "the first is here");
      return {};
    }
    BoundArg arg{eval(entry.value), entry.value->loc, true};
    if (arg.value.isPoison())
      return {};
    if (key.text == "frozen") {
      bool frozen = false;
      if (!conditionOf(arg.value, arg.loc, frozen))
        return {};
      attributes.set(key.text, builder.getBoolAttr(frozen));
      continue;
    }
    Nearest nearest(key.text);
    nearest.consider("frozen");
    bool known = false;
    for (const Arg &formal : signature->args) {
      nearest.consider(formal.name.text);
      known |= formal.name.text == key.text;
    }
    if (!known) {
      error(key.loc, "unknown argument '" + key.text + "' of '" + name + "'" +
                         nearest.hint());
      return {};
    }
    if (!optimizerArg(name, key.text, arg, attributes))
      return {};
  }

  // Statistics are never updated, but a frozen one is used as it is.
  bool frozen = attributes.get("frozen") == builder.getBoolAttr(true);
  llvm::ArrayRef<llvm::StringRef> candidates = frozen ? variables : parameters;
  llvm::SmallVector<llvm::StringRef> patterns, matched;
  llvm::BitVector isMatched(candidates.size());
  for (const Ident &pattern : group.names) {
    patterns.push_back(pattern.text);
    bool any = false;
    for (auto [index, candidate] : llvm::enumerate(candidates))
      if (matches(pattern, candidate)) {
        isMatched.set(index);
        any = true;
      }
    if (!any && !diagnostics.failed())
      unmatchedPattern(pattern, candidates);
  }
  for (unsigned index : isMatched.set_bits())
    matched.push_back(candidates[index]);
  NamedAttrList merged(optimizer);
  for (NamedAttribute attribute : attributes)
    merged.set(attribute.getName(), attribute.getValue());
  if (!checkNesterov(merged.getDictionary(builder.getContext()), group.loc))
    return {};
  attributes.set("loc", LocationAttr(emitter.location(group.loc)));
  attributes.set("patterns", builder.getStrArrayAttr(patterns));
  attributes.set("names", builder.getStrArrayAttr(matched));
  return attributes.getDictionary(builder.getContext());
}

} // namespace ampc::model

// `optimizer = adam(lr = 1e-3)`: names, defaults and ranges are PyTorch's.
#include "ir/frontend/model/Elaborator.h"

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

} // namespace

DictionaryAttr Elaborator::optimizerSettings(const Expr *expr) {
  const auto *call = dyn_cast<CallExpr>(expr);
  llvm::StringRef name;
  if (call)
    name = call->callee;
  else if (const auto *word = dyn_cast<TextExpr>(expr);
           word && word->kind == ExprKind::Name)
    name = word->text;
  const auto *line = llvm::find_if(
      kOptimizers, [&](const OptimizerLine &l) { return name == l.name; });
  if (line == std::end(kOptimizers)) {
    if (llvm::is_contained({"rmsprop", "adagrad", "lion", "lamb"}, name)) {
      unavailable(expr->loc, name);
      return {};
    }
    Nearest nearest(name.lower());
    for (const OptimizerLine &known : kOptimizers)
      nearest.consider(known.name);
    error(expr->loc,
          name.empty()
              ? std::string("expected an optimizer, as in adam(lr = 1e-3)")
              : ("unknown optimizer '" + name + "'").str() + nearest.hint());
    return {};
  }

  // The defaults are read as the language reads them.
  Diagnostics none;
  const auto *signature = cast<CallExpr>(
      Parser(line->signature, 0, ast, none).parseWholeExpression());
  llvm::SmallVector<llvm::StringRef, 8> formals;
  for (const Arg &formal : signature->args)
    formals.push_back(formal.name.text);
  llvm::SmallVector<Given, 8> given;
  llvm::SmallVector<BoundArg, 8> bound(formals.size());
  if (call) {
    for (const Arg &arg : call->args)
      given.push_back(
          {arg.name.text, arg.name.loc, eval(arg.value), arg.value->loc});
    if (!bindArgs(call, formals, given, bound))
      return {};
  }
  for (auto [arg, formal] : llvm::zip(bound, signature->args)) {
    if (!arg.given)
      arg = {eval(formal.value), expr->loc, false};
    if (arg.value.isPoison())
      return {};
  }

  Builder &builder = emitter.builder;
  llvm::SmallVector<NamedAttribute> attributes{
      builder.getNamedAttr("op", builder.getStringAttr(line->op))};
  llvm::StringMap<double> numbers;
  auto addNumber = [&](llvm::StringRef key, const Value &value, Loc loc,
                       double below) {
    if (!value.isNumber()) {
      error(loc, "expected a compile-time number, got " + value.describe());
      return false;
    }
    double number = value.asFloat();
    if (number < 0 || number >= below) {
      error(loc,
            "'" + name + "': '" + key + "' must be at least 0" +
                (std::isfinite(below) ? " and less than " + formatFloat(below)
                                      : "") +
                ", got " + formatFloat(number));
      return false;
    }
    numbers[key] = number;
    attributes.push_back(
        builder.getNamedAttr(key, builder.getF64FloatAttr(number)));
    return true;
  };
  const double unbounded = INFINITY;
  for (auto [arg, key] : llvm::zip(bound, formals)) {
    if (key == "betas") {
      if (!arg.value.is(ValueKind::List) || arg.value.asList().size() != 2) {
        error(arg.loc, "'" + name +
                           "': 'betas' must be a list of two numbers, got " +
                           arg.value.describe());
        return {};
      }
      if (!addNumber("beta1", arg.value.asList()[0], arg.loc, 1) ||
          !addNumber("beta2", arg.value.asList()[1], arg.loc, 1))
        return {};
    } else if (key == "nesterov") {
      bool nesterov = false;
      if (!conditionOf(arg.value, arg.loc, nesterov))
        return {};
      if (nesterov && (numbers["momentum"] == 0 || numbers["dampening"] != 0)) {
        error(arg.loc,
              "'sgd': 'nesterov' needs a momentum above 0 and no dampening");
        return {};
      }
      if (nesterov)
        attributes.push_back(builder.getNamedAttr(key, builder.getUnitAttr()));
    } else if (!addNumber(key, arg.value, arg.loc, unbounded)) {
      return {};
    }
  }
  if (line->name == "adamw")
    attributes.push_back(
        builder.getNamedAttr("decoupled", builder.getUnitAttr()));
  return builder.getDictionaryAttr(attributes);
}

} // namespace ampc::model

// `schedule = cosine(warmup = 100)`, and the arguments that schedules,
// optimizers and their kin share.
#include "ir/frontend/model/Elaborator.h"

using namespace mlir;

namespace ampc::model {
namespace {

struct ScheduleLine {
  llvm::StringLiteral name;
  const char *signature;
};
constexpr ScheduleLine kSchedules[] = {
    {"constant", "constant(warmup = 0)"},
    {"step", "step(every = none, gamma = 0.1, milestones = none, warmup = 0)"},
    {"linear", "linear(final = 0, warmup = 0)"},
    {"cosine", "cosine(final = 0, warmup = 0)"},
};

} // namespace

bool Elaborator::settingArgs(const Expr *expr, const char *signature,
                             llvm::SmallVectorImpl<llvm::StringRef> &formals,
                             llvm::SmallVectorImpl<BoundArg> &bound) {
  // The defaults are read as the language reads them.
  Diagnostics none;
  const auto *defaults =
      cast<CallExpr>(Parser(signature, 0, ast, none).parseWholeExpression());
  for (const Arg &formal : defaults->args)
    formals.push_back(formal.name.text);
  bound.resize(formals.size());
  if (const auto *call = dyn_cast<CallExpr>(expr)) {
    llvm::SmallVector<Given, 8> given;
    for (const Arg &arg : call->args)
      given.push_back(
          {arg.name.text, arg.name.loc, eval(arg.value), arg.value->loc});
    if (!bindArgs(call, formals, given, bound))
      return false;
  }
  for (auto [arg, formal] : llvm::zip(bound, defaults->args)) {
    if (!arg.given)
      arg = {eval(formal.value), expr->loc, false};
    if (arg.value.isPoison())
      return false;
  }
  return true;
}

bool Elaborator::settingNumber(llvm::StringRef owner, llvm::StringRef key,
                               const BoundArg &arg, double below,
                               double &result) {
  if (!arg.value.isNumber()) {
    error(arg.loc,
          "expected a compile-time number, got " + arg.value.describe());
    return false;
  }
  result = arg.value.asFloat();
  if (result >= 0 && result < below) {
    if (amp::fitsF32(result))
      return true;
    error(arg.loc, "'" + owner + "': '" + key +
                       "' must be an f32 number, got " + formatFloat(result));
    return false;
  }
  error(
      arg.loc,
      "'" + owner + "': '" + key + "' must be at least 0" +
          (std::isfinite(below) ? " and less than " + formatFloat(below) : "") +
          ", got " + formatFloat(result));
  return false;
}

bool Elaborator::settingInt(llvm::StringRef owner, llvm::StringRef key,
                            const BoundArg &arg, int64_t least,
                            int64_t &result) {
  if (!arg.value.is(ValueKind::Int)) {
    error(arg.loc, "expected a compile-time int, got " + arg.value.describe());
    return false;
  }
  result = arg.value.asInt();
  if (result >= least)
    return true;
  error(arg.loc, "'" + owner + "': '" + key + "' must be at least " +
                     llvm::Twine(least) + ", got " + llvm::Twine(result));
  return false;
}

void Elaborator::scheduleSetting(const Expr *expr) {
  const auto *call = dyn_cast<CallExpr>(expr);
  std::string word = call ? call->callee.str() : wordOf(expr);
  const auto *line = llvm::find_if(
      kSchedules, [&](const ScheduleLine &l) { return word == l.name; });
  if (line == std::end(kSchedules)) {
    Nearest nearest(word);
    for (const ScheduleLine &known : kSchedules)
      nearest.consider(known.name);
    error(expr->loc,
          word.empty()
              ? std::string("expected a schedule, as in cosine(warmup = 100)")
              : "unknown schedule '" + word + "'" + nearest.hint());
    return;
  }
  llvm::SmallVector<llvm::StringRef, 8> formals;
  llvm::SmallVector<BoundArg, 8> bound;
  if (!settingArgs(expr, line->signature, formals, bound))
    return;
  Builder &builder = emitter.builder;
  NamedAttrList attributes;
  attributes.set("kind", builder.getStringAttr(word));
  for (auto [key, arg] : llvm::zip(formals, bound)) {
    int64_t count = 0;
    double number = 0;
    if (key == "warmup") {
      if (!settingInt(word, key, arg, 0, count))
        return;
      attributes.set(key, builder.getI64IntegerAttr(count));
    } else if (key == "gamma" || key == "final") {
      if (!settingNumber(word, key, arg, INFINITY, number))
        return;
      if (key == "gamma" && number == 0) {
        error(arg.loc, "'step': 'gamma' must be above 0, got 0.0");
        return;
      }
      attributes.set(key, builder.getF64FloatAttr(number));
    } else if (arg.value.isNone()) {
      continue;
    } else if (key == "every") {
      if (!settingInt(word, key, arg, 1, count))
        return;
      attributes.set(key, builder.getI64IntegerAttr(count));
    } else { // milestones
      llvm::SmallVector<int64_t> milestones;
      if (!arg.value.is(ValueKind::List)) {
        error(arg.loc, "expected a list, got " + arg.value.describe());
        return;
      }
      if (arg.value.asList().empty()) {
        error(arg.loc, "'step': 'milestones' must hold at least one update");
        return;
      }
      for (const Value &item : arg.value.asList()) {
        if (!settingInt(word, key, {item, arg.loc, true}, 1, count))
          return;
        if (!milestones.empty() && count <= milestones.back()) {
          error(arg.loc, "'step': 'milestones' must rise, got " +
                             llvm::Twine(count) + " after " +
                             llvm::Twine(milestones.back()));
          return;
        }
        milestones.push_back(count);
      }
      attributes.set(key, builder.getDenseI64ArrayAttr(milestones));
    }
  }
  if (word == "step" &&
      !attributes.get("every") == !attributes.get("milestones")) {
    error(expr->loc, "'step' takes 'every' or 'milestones'");
    return;
  }
  keepTrain("schedule", attributes.getDictionary(builder.getContext()));
}

} // namespace ampc::model

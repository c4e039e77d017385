// `loss_scale` of the train block: off, a number, or dynamic with its constants
// (N24), kept as "off", a float or a dictionary.
#include "ir/frontend/model/Elaborator.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace ampc::model {

static constexpr const char *kDynamic =
    "dynamic(init = 65536, growth = 2, backoff = 0.5, interval = 2000, "
    "floor = 2 ** -14, hysteresis = 1)";

/// Steps are counted in i32.
static constexpr int64_t kMostSteps = std::numeric_limits<int32_t>::max();

/// A scale is a positive normal number of f32: its inverse is finite.
static bool isScale(double value) {
  return value >= std::numeric_limits<float>::min() && amp::fitsF32(value);
}

void Elaborator::lossScaleSetting(const Expr *expr) {
  Builder &builder = emitter.builder;
  if (wordOf(expr) == "off")
    return keepTrain("loss_scale", builder.getStringAttr("off"));
  const auto *call = dyn_cast<CallExpr>(expr);
  if (wordOf(expr) == "dynamic" || (call && call->callee == "dynamic"))
    return dynamicScaleSetting(expr);
  if (expr->kind == ExprKind::Name) {
    error(expr->loc, "'loss_scale' must be off, a number or dynamic, got '" +
                         wordOf(expr) + "'");
    return;
  }
  Value value = eval(expr);
  if (value.isPoison())
    return;
  if (!value.isNumber() || !isScale(value.asFloat())) {
    error(expr->loc, "'loss_scale' must be off, a normal f32 number above 0 or "
                     "dynamic, got " +
                         (value.isNumber() ? formatFloat(value.asFloat())
                                           : value.describe()));
    return;
  }
  keepTrain("loss_scale", builder.getF64FloatAttr(value.asFloat()));
}

void Elaborator::dynamicScaleSetting(const Expr *expr) {
  Builder &builder = emitter.builder;
  llvm::SmallVector<llvm::StringRef, 8> formals;
  llvm::SmallVector<BoundArg, 8> bound;
  if (!settingArgs(expr, kDynamic, formals, bound))
    return;
  NamedAttrList attributes;
  llvm::StringMap<double> numbers;
  for (auto [key, arg] : llvm::zip(formals, bound)) {
    if (key == "interval" || key == "hysteresis") {
      int64_t count = 0;
      if (!settingInt("dynamic", key, arg, 1, count))
        return;
      if (count > kMostSteps) {
        error(arg.loc, llvm::Twine("'dynamic': '") + key +
                           "' must be at most " + llvm::Twine(kMostSteps) +
                           ", got " + llvm::Twine(count));
        return;
      }
      attributes.set(key, builder.getI64IntegerAttr(count));
      continue;
    }
    double number = 0;
    if (!settingNumber("dynamic", key, arg, INFINITY, number))
      return;
    bool fits = key == "growth"    ? number >= 1 && isScale(number)
                : key == "backoff" ? number > 0 && number < 1
                                   : isScale(number);
    if (!fits) {
      error(arg.loc,
            llvm::Twine("'dynamic': '") + key + "' must be " +
                (key == "growth"    ? "at least 1"
                 : key == "backoff" ? "above 0 and less than 1"
                                    : "above 0 and a normal f32 number") +
                ", got " + formatFloat(number));
      return;
    }
    numbers[key] = number;
    attributes.set(key, builder.getF64FloatAttr(number));
  }
  if (numbers["floor"] > numbers["init"]) {
    error(expr->loc, "'dynamic': 'floor' must be at most 'init', got " +
                         formatFloat(numbers["floor"]) + " and " +
                         formatFloat(numbers["init"]));
    return;
  }
  keepTrain("loss_scale", attributes.getDictionary(builder.getContext()));
}

} // namespace ampc::model

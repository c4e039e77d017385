// The train block and `--set train.KEY`: the module attribute amp.train.
#include "ir/frontend/model/Elaborator.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace ampc::model {
namespace {

constexpr llvm::StringLiteral kKeys[] = {
    "optimizer",  "schedule",   "steps",     "precision",   "clip_norm",
    "accumulate", "loss_scale", "nonfinite", "max_skipped", "memory_budget",
    "ema",        "seed",       "log_every", "save_every",  "validate_every",
    "base_batch", "last"};

/// The position in a window takes 16 bits of a random op's counter (N17).
constexpr int64_t kMostMicroBatches = 1 << 16;

/// Bytes of "2GiB", "512 MiB", "1000"; none if the text is no size.
std::optional<int64_t> parseBytes(llvm::StringRef text) {
  text = text.trim();
  llvm::StringRef digits = text.take_while(llvm::isDigit);
  llvm::StringRef unit = text.drop_front(digits.size()).ltrim();
  int64_t count = 0;
  if (digits.empty() || digits.getAsInteger(10, count))
    return std::nullopt;
  unsigned shift = llvm::StringSwitch<unsigned>(unit)
                       .Cases({"", "B"}, 0)
                       .Case("KiB", 10)
                       .Case("MiB", 20)
                       .Case("GiB", 30)
                       .Case("TiB", 40)
                       .Default(64);
  if (shift == 64 || count < 1 || count > INT64_MAX >> shift)
    return std::nullopt;
  return count << shift;
}

} // namespace

void Elaborator::keepTrain(llvm::StringRef key, Attribute value) {
  train.set(key, value);
}

void Elaborator::elaborateTrain() {
  Builder &builder = emitter.builder;
  llvm::StringMap<Loc> seen;
  llvm::SmallVector<const Setting *> groups;
  if (ast.train) {
    for (const Setting &setting : ast.train->settings) {
      llvm::SaveAndRestore<const void *> statement(current, &setting);
      if (setting.kind == Setting::Group) {
        groups.push_back(&setting);
        continue;
      }
      if (setting.kind != Setting::Assign || setting.names.size() != 1) {
        error(setting.loc,
              "expected a key of 'train', found " +
                  llvm::StringRef(setting.kind == Setting::Nested ? "a block"
                                  : setting.kind == Setting::Pattern
                                      ? "a pattern"
                                      : "several names"));
        continue;
      }
      const Ident &key = setting.names[0];
      auto [it, fresh] = seen.try_emplace(key.text, key.loc);
      if (!fresh) {
        error(key.loc, "'" + key.text + "' given twice")
            .note(it->second, "the first is here");
        continue;
      }
      Override *set = findOverride(("train." + key.text).str());
      if (set)
        set->used = true;
      if (!set)
        trainSetting(key.text, key.loc, setting.value);
      else if (set->value)
        trainSetting(key.text, set->loc, set->value);
    }
  }
  for (Override &set : overrides) {
    llvm::StringRef key = set.key;
    if (set.used || !key.consume_front("train."))
      continue;
    set.used = true;
    llvm::SaveAndRestore<const void *> statement(current, &set);
    if (set.value)
      trainSetting(key, set.loc, set.value);
  }
  groupSettings(groups);
  auto addDefault = [&](llvm::StringRef key, Attribute value) {
    if (!train.get(key))
      keepTrain(key, value);
  };
  for (auto [key, value] : {std::pair("steps", 1000),
                            {"seed", 0},
                            {"log_every", 10},
                            {"save_every", 0},
                            {"validate_every", 0},
                            {"max_skipped", 100},
                            {"accumulate", 1}})
    addDefault(key, builder.getI64IntegerAttr(value));
  addDefault("precision", builder.getStringAttr("f32"));
  addDefault("nonfinite", builder.getStringAttr("skip"));
  addDefault("last", builder.getStringAttr("drop"));
  addDefault(
      "schedule",
      builder.getDictionaryAttr(
          {builder.getNamedAttr("kind", builder.getStringAttr("constant")),
           builder.getNamedAttr("warmup", builder.getI64IntegerAttr(0))}));
  if (ast.train)
    keepTrain("loc", LocationAttr(emitter.location(ast.train->name.loc)));
  emitter.module()->setAttr(amp::kTrainAttr,
                            train.getDictionary(builder.getContext()));
}

void Elaborator::trainSetting(llvm::StringRef key, Loc keyLoc,
                              const Expr *value) {
  if (key == "steps" || key == "max_skipped" || key == "accumulate")
    return trainInt(key, value, 1);
  if (key == "seed" || key == "log_every" || key == "save_every" ||
      key == "validate_every")
    return trainInt(key, value, 0);
  if (key == "base_batch") {
    if (value->kind != ExprKind::None)
      trainInt(key, value, 1);
    return;
  }
  if (key == "nonfinite")
    return trainWord(key, value, {"skip", "error", "ignore"});
  if (key == "last")
    return trainWord(key, value, {"drop", "wrap"});
  if (key == "clip_norm")
    return clipNormSetting(value);
  if (key == "loss_scale")
    return lossScaleSetting(value);
  if (key == "memory_budget")
    return memoryBudgetSetting(value);
  if (key == "schedule")
    return scheduleSetting(value);
  if (key == "precision")
    return precisionSetting(value);
  if (key == "optimizer")
    return optimizerSetting(value);
  if (key == "ema") {
    if (value->kind != ExprKind::None)
      unavailable(keyLoc, key);
    return;
  }
  Nearest nearest(key);
  for (llvm::StringRef known : kKeys)
    nearest.consider(known);
  error(keyLoc, "unknown key '" + key + "' of 'train'" + nearest.hint());
}

void Elaborator::trainInt(llvm::StringRef key, const Expr *expr,
                          int64_t least) {
  Value value = eval(expr);
  if (value.isPoison())
    return;
  if (!value.is(ValueKind::Int)) {
    error(expr->loc, "expected a compile-time int, got " + value.describe());
    return;
  }
  if (value.asInt() < least) {
    error(expr->loc, "'" + key + "' must be at least " + llvm::Twine(least) +
                         ", got " + llvm::Twine(value.asInt()));
    return;
  }
  if (key == "accumulate" && value.asInt() > kMostMicroBatches) {
    error(expr->loc, "'accumulate' must be at most " +
                         llvm::Twine(kMostMicroBatches) + ", got " +
                         llvm::Twine(value.asInt()));
    return;
  }
  keepTrain(key, emitter.builder.getI64IntegerAttr(value.asInt()));
}

void Elaborator::trainWord(llvm::StringRef key, const Expr *expr,
                           llvm::ArrayRef<llvm::StringRef> words) {
  std::string word = wordOf(expr);
  if (llvm::is_contained(words, word))
    return keepTrain(key, emitter.builder.getStringAttr(word));
  error(expr->loc, "'" + key + "' must be one of " + llvm::join(words, ", ") +
                       (word.empty() ? "" : ", got '" + word + "'"));
}

void Elaborator::clipNormSetting(const Expr *expr) {
  Value value = eval(expr);
  if (value.isPoison() || value.isNone())
    return;
  if (!value.isNumber()) {
    error(expr->loc, "expected a compile-time number, got " + value.describe());
    return;
  }
  if (value.asFloat() <= 0) {
    error(expr->loc,
          "'clip_norm' must be above 0, got " + formatFloat(value.asFloat()));
    return;
  }
  keepTrain("clip_norm", emitter.builder.getF64FloatAttr(value.asFloat()));
}

void Elaborator::memoryBudgetSetting(const Expr *expr) {
  Value value = eval(expr);
  if (value.isPoison() || value.isNone())
    return;
  std::optional<int64_t> bytes;
  if (value.is(ValueKind::String))
    bytes = parseBytes(value.asString());
  else if (value.is(ValueKind::Int) && value.asInt() > 0)
    bytes = value.asInt();
  if (!bytes)
    error(expr->loc,
          "'memory_budget' must be a number of bytes or a size as "
          "\"2GiB\", got " +
              (value.is(ValueKind::String)
                   ? "\"" + value.asString().str() + "\""
               : value.is(ValueKind::Int) ? std::to_string(value.asInt())
                                          : value.describe()));
  else
    keepTrain("memory_budget", emitter.builder.getI64IntegerAttr(*bytes));
}

void Elaborator::precisionSetting(const Expr *expr) {
  std::string word = wordOf(expr);
  if (word == "auto" || word == "f32" || word == "tf32" || word == "bf16" ||
      word == "f16")
    return keepTrain("precision", emitter.builder.getStringAttr(word));
  error(expr->loc, "'precision' must be one of auto, f32, tf32, bf16, f16" +
                       (word.empty() ? "" : ", got '" + word + "'") +
                       noPolicyReason(word));
}

} // namespace ampc::model

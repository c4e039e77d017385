// The train block and `--set train.KEY`: the module attribute amp.train.
#include "ir/frontend/model/Elaborator.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace ampc::model {
namespace {

/// Keys that the language has and that nothing implements yet.
constexpr llvm::StringLiteral kReservedKeys[] = {
    "clip_norm",   "accumulate",    "loss_scale", "nonfinite",
    "max_skipped", "memory_budget", "ema",        "validate_every",
    "base_batch",  "last"};
constexpr llvm::StringLiteral kKeys[] = {"optimizer", "schedule", "steps",
                                         "precision", "seed",     "log_every",
                                         "save_every"};

} // namespace

void Elaborator::elaborateTrain() {
  Builder &builder = emitter.builder;
  llvm::StringMap<Loc> seen;
  if (ast.train) {
    for (const Setting &setting : ast.train->settings) {
      llvm::SaveAndRestore<const void *> statement(current, &setting);
      if (setting.kind == Setting::Group) {
        unavailable(setting.loc, "group");
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
  auto addDefault = [&](llvm::StringRef key, Attribute value) {
    if (llvm::none_of(train, [&](NamedAttribute entry) {
          return entry.getName() == key;
        }))
      train.push_back(builder.getNamedAttr(key, value));
  };
  addDefault("steps", builder.getI64IntegerAttr(1000));
  addDefault("seed", builder.getI64IntegerAttr(0));
  addDefault("log_every", builder.getI64IntegerAttr(10));
  addDefault("save_every", builder.getI64IntegerAttr(0));
  addDefault("precision", builder.getStringAttr("f32"));
  addDefault("schedule", builder.getStringAttr("constant"));
  emitter.module()->setAttr(amp::kTrainAttr, builder.getDictionaryAttr(train));
}

void Elaborator::trainSetting(llvm::StringRef key, Loc keyLoc,
                              const Expr *value) {
  if (key == "steps")
    return trainInt(key, value, 1);
  if (key == "seed" || key == "log_every" || key == "save_every")
    return trainInt(key, value, 0);
  if (key == "schedule")
    return scheduleSetting(value);
  if (key == "precision")
    return precisionSetting(value);
  if (key == "optimizer") {
    if (DictionaryAttr optimizer = optimizerSettings(value))
      train.push_back(emitter.builder.getNamedAttr(key, optimizer));
    return;
  }
  if (llvm::is_contained(kReservedKeys, key)) {
    unavailable(keyLoc, key);
    return;
  }
  Nearest nearest(key);
  for (llvm::StringRef known : kKeys)
    nearest.consider(known);
  for (llvm::StringRef known : kReservedKeys)
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
  train.push_back(emitter.builder.getNamedAttr(
      key, emitter.builder.getI64IntegerAttr(value.asInt())));
}

void Elaborator::precisionSetting(const Expr *expr) {
  std::string word;
  if (const auto *type = dyn_cast<ElemTypeExpr>(expr))
    word = elemTypeName(type->value).str();
  else if (const auto *name = dyn_cast<TextExpr>(expr))
    word = name->text.str();
  if (word == "f32") {
    train.push_back(emitter.builder.getNamedAttr(
        "precision", emitter.builder.getStringAttr(word)));
    return;
  }
  if (word == "auto" || word == "tf32" || word == "bf16" || word == "f16") {
    unavailable(expr->loc, "precision = " + word);
    return;
  }
  error(expr->loc, "'precision' must be one of auto, f32, tf32, bf16, f16" +
                       (word.empty() ? "" : ", got '" + word + "'"));
}

void Elaborator::scheduleSetting(const Expr *expr) {
  llvm::StringRef word;
  const auto *call = dyn_cast<CallExpr>(expr);
  if (call)
    word = call->callee;
  else if (const auto *name = dyn_cast<TextExpr>(expr))
    word = name->text;
  if (word == "step" || word == "linear" || word == "cosine") {
    unavailable(expr->loc, word);
    return;
  }
  if (word != "constant") {
    Nearest nearest(word);
    for (llvm::StringRef known : {"constant", "step", "linear", "cosine"})
      nearest.consider(known);
    error(expr->loc, word.empty() ? std::string("expected a schedule")
                                  : ("unknown schedule '" + word + "'").str() +
                                        nearest.hint());
    return;
  }
  for (const Arg &arg : call ? call->args : llvm::ArrayRef<Arg>()) {
    if (arg.name.text != "warmup") {
      error(arg.value->loc,
            arg.name.text.empty()
                ? std::string("'constant' takes at most 0 arguments, got 1")
                : ("unknown argument '" + arg.name.text + "' of 'constant'")
                      .str());
      return;
    }
    Value warmup = eval(arg.value);
    if (warmup.isPoison())
      return;
    if (!warmup.is(ValueKind::Int)) {
      error(arg.value->loc,
            "expected a compile-time int, got " + warmup.describe());
      return;
    }
    if (warmup.asInt() != 0) {
      unavailable(arg.name.loc, "warmup");
      return;
    }
  }
  train.push_back(emitter.builder.getNamedAttr(
      "schedule", emitter.builder.getStringAttr("constant")));
}

} // namespace ampc::model

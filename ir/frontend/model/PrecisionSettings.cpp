// The precision block: the element type of the calls whose path matches, kept
// on the module as amp.precision. `precision` of the train block is in
// TrainSettings.cpp.
#include "ir/frontend/model/Elaborator.h"

#include "ir/dialect/NamePatterns.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace ampc::model {

std::string Elaborator::wordOf(const Expr *expr) {
  if (const auto *type = dyn_cast<ElemTypeExpr>(expr))
    return elemTypeName(type->value).str();
  if (expr->kind == ExprKind::Name || expr->kind == ExprKind::String)
    return cast<TextExpr>(expr)->text.str();
  return "";
}

bool Elaborator::matches(const Ident &pattern, llvm::StringRef name) {
  if (stopped())
    return false;
  if (++patternSteps > kMaxPatternSteps) {
    error(pattern.loc, "the patterns are compared with too many names");
    aborted = true;
    return false;
  }
  bool matched = amp::matchesPattern(pattern.text, name, patternSteps);
  patternSteps += matched ? 64 : 0; // what follows costs more than a character
  return matched;
}

void Elaborator::unmatchedPattern(const Ident &pattern,
                                  llvm::ArrayRef<llvm::StringRef> names) {
  llvm::StringRef nearest;
  unsigned distance = UINT_MAX;
  for (llvm::StringRef name : names.take_front(10000)) {
    unsigned d = pattern.text.take_front(64).edit_distance(
        name.take_front(64), /*AllowReplacements=*/true, distance);
    if (d < distance) {
      distance = d;
      nearest = name;
    }
  }
  std::string text = ("pattern '" + pattern.text + "' matches nothing").str();
  error(pattern.loc,
        nearest.empty() ? text : text + "; nearest is '" + nearest.str() + "'");
}

std::string Elaborator::noPolicyReason(llvm::StringRef word) {
  return word.starts_with("f8")
             ? "; no target multiplies 8-bit floats, they are types to cast to"
             : "";
}

Attribute Elaborator::precisionEntry(llvm::ArrayRef<Ident> patterns,
                                     const Expr *type,
                                     llvm::ArrayRef<llvm::StringRef> calls) {
  Builder &builder = emitter.builder;
  std::string word = wordOf(type);
  Type element = llvm::StringSwitch<Type>(word)
                     .Case("f32", builder.getF32Type())
                     .Case("tf32", builder.getTF32Type())
                     .Case("bf16", builder.getBF16Type())
                     .Case("f16", builder.getF16Type())
                     .Default(Type());
  if (!element) {
    error(type->loc, "a call's precision must be one of f32, tf32, bf16, f16" +
                         (word.empty() ? "" : ", got '" + word + "'") +
                         noPolicyReason(word));
    return {};
  }
  llvm::SmallVector<llvm::StringRef> texts;
  for (const Ident &pattern : patterns) {
    texts.push_back(pattern.text);
    bool matched = llvm::any_of(
        calls, [&](llvm::StringRef path) { return matches(pattern, path); });
    if (!matched && !diagnostics.failed())
      unmatchedPattern(pattern, calls);
  }
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("patterns", builder.getStrArrayAttr(texts)),
       builder.getNamedAttr("type", TypeAttr::get(element))});
}

void Elaborator::elaboratePrecision() {
  llvm::SmallVector<Attribute> entries;
  std::vector<llvm::StringRef> calls;
  llvm::StringSet<> kinds; // `op:softmax`: every op of a kind
  auto add = [&](llvm::ArrayRef<Ident> patterns, const Expr *type) {
    if (calls.empty())
      calls = emitter.callPaths();
    if (kinds.empty())
      for (llvm::StringRef kind : emitter.opKinds())
        calls.push_back(kinds.insert(("op:" + kind).str()).first->getKey());
    if (Attribute entry = precisionEntry(patterns, type, calls))
      entries.push_back(entry);
  };
  for (const Setting &setting :
       ast.precision ? ast.precision->settings : llvm::ArrayRef<Setting>()) {
    llvm::SaveAndRestore<const void *> statement(current, &setting);
    if (setting.kind == Setting::Pattern)
      add(setting.names, setting.value);
    else
      error(setting.loc,
            "expected a pattern in quotes, as in \"blocks.*.attn.*\" = f32");
  }
  // Those of the command line come last: they win.
  for (Override &set : overrides) {
    llvm::StringRef pattern = set.key;
    if (!pattern.consume_front("precision."))
      continue;
    set.used = true;
    llvm::SaveAndRestore<const void *> statement(current, &set);
    if (set.value)
      add(Ident{pattern, set.loc}, set.value);
  }
  if (!entries.empty())
    emitter.module()->setAttr(amp::kPrecisionAttr,
                              emitter.builder.getArrayAttr(entries));
}

} // namespace ampc::model

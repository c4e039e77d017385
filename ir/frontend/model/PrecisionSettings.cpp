// The precision block: the element type of the calls whose path matches, kept
// on the module as amp.precision. `precision` of the train block is in
// TrainSettings.cpp.
#include "ir/frontend/model/Elaborator.h"
#include "ir/frontend/model/Patterns.h"

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
  return matchesPattern(pattern.text, name, patternSteps);
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

void Elaborator::elaboratePrecision() {
  if (!ast.precision)
    return;
  Builder &builder = emitter.builder;
  llvm::SmallVector<Attribute> entries;
  std::vector<llvm::StringRef> calls = emitter.callPaths();
  for (const Setting &setting : ast.precision->settings) {
    llvm::SaveAndRestore<const void *> statement(current, &setting);
    if (setting.kind != Setting::Pattern) {
      error(setting.loc,
            "expected a pattern in quotes, as in \"blocks.*.attn.*\" = f32");
      continue;
    }
    std::string word = wordOf(setting.value);
    if (word == "bf16" || word == "f16" || word == "tf32") {
      unavailable(setting.value->loc, "precision = " + word);
      continue;
    }
    if (word != "f32") {
      error(setting.value->loc,
            "a call's precision must be one of f32, tf32, bf16, f16" +
                (word.empty() ? "" : ", got '" + word + "'"));
      continue;
    }
    llvm::SmallVector<llvm::StringRef> patterns;
    for (const Ident &pattern : setting.names) {
      patterns.push_back(pattern.text);
      bool matched = llvm::any_of(
          calls, [&](llvm::StringRef path) { return matches(pattern, path); });
      if (!matched && !diagnostics.failed())
        unmatchedPattern(pattern, calls);
    }
    entries.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("patterns", builder.getStrArrayAttr(patterns)),
         builder.getNamedAttr("type", TypeAttr::get(builder.getF32Type()))}));
  }
  emitter.module()->setAttr(amp::kPrecisionAttr, builder.getArrayAttr(entries));
}

} // namespace ampc::model

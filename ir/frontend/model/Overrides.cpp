// `--set KEY=VALUE`: replaces dims, consts and train keys.
#include "ir/frontend/model/Elaborator.h"

using namespace mlir;

namespace ampc::model {

void Elaborator::readOverrides(const ModelOptions &options) {
  for (const auto &[key, text] : options.sets) {
    Override set;
    set.key = key;
    set.value = parseExpression(text, "--set " + key, ast, diagnostics);
    set.loc = set.value ? set.value->loc : Loc();
    // The last of several values of one key wins.
    if (Override *known = findOverride(key))
      *known = std::move(set);
    else
      overrides.push_back(std::move(set));
  }
}

Elaborator::Override *Elaborator::findOverride(llvm::StringRef key) {
  for (Override &set : overrides)
    if (set.key == key)
      return &set;
  return nullptr;
}

void Elaborator::reportUnusedOverrides() {
  for (const Override &set : overrides) {
    if (set.used)
      continue;
    Nearest nearest(set.key);
    for (const auto &entry : modelScope.names)
      if (entry.second.kind <= NameKind::Const)
        nearest.consider(entry.first());
    error(set.loc, "no dim or const '" + set.key + "'" + nearest.hint());
  }
}

} // namespace ampc::model

// The init block: replaces the initialisers of the parameters that match.
#include "ir/frontend/model/Elaborator.h"
#include "ir/frontend/model/Patterns.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace ampc::model {

void Elaborator::elaborateInit() {
  for (const Setting &setting :
       ast.init ? ast.init->settings : llvm::ArrayRef<Setting>()) {
    llvm::SaveAndRestore<const void *> statement(current, &setting);
    if (setting.kind != Setting::Pattern) {
      error(setting.loc, "expected a pattern in quotes, as in \"*.weight\" = "
                         "normal(std = 0.02)");
      continue;
    }
    Start start;
    Value value = eval(setting.value);
    if (value.isPoison() || !startOf(value, setting.value->loc, start))
      continue;
    // Later entries win: each replaces what stands there.
    for (const Ident &pattern : setting.names) {
      bool matched = false;
      for (auto [index, declared] : llvm::enumerate(emitter.variableList()))
        if (matchesPattern(pattern.text,
                           amp::VariableOp(declared).getSymName())) {
          matched = true;
          emitter.setStart(index, start.kind, start.args);
        }
      // After errors the parameter that is missing may be one that could not be
      // made.
      if (!matched && !diagnostics.failed())
        unmatchedPattern(pattern);
    }
  }
}

void Elaborator::unmatchedPattern(const Ident &pattern) {
  llvm::StringRef nearest;
  unsigned distance = UINT_MAX;
  for (amp::VariableOp variable : emitter.variableList()) {
    unsigned d = pattern.text.take_front(128).edit_distance(
        variable.getSymName().take_front(128));
    if (d < distance) {
      distance = d;
      nearest = variable.getSymName();
    }
  }
  std::string text = ("pattern '" + pattern.text + "' matches nothing").str();
  error(pattern.loc,
        nearest.empty() ? text : text + "; nearest is '" + nearest.str() + "'");
}

} // namespace ampc::model

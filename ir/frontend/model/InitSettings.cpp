// The init block: replaces the initialisers of the parameters that match.
#include "ir/frontend/model/Elaborator.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace ampc::model {

void Elaborator::elaborateInit() {
  std::vector<llvm::StringRef> names;
  for (amp::VariableOp variable : emitter.variableList())
    names.push_back(variable.getSymName());
  for (const Setting &setting :
       ast.init ? ast.init->settings : llvm::ArrayRef<Setting>()) {
    llvm::SaveAndRestore<const void *> statement(current, &setting);
    if (setting.kind != Setting::Pattern) {
      error(setting.loc, "expected a pattern in quotes, as in \"*.weight\" = "
                         "normal(std = 0.02)");
      continue;
    }
    Value value = eval(setting.value);
    if (value.isPoison())
      continue;
    // Later entries win: each replaces what stands there.
    for (const Ident &pattern : setting.names) {
      bool matched = false;
      for (auto [index, name] : llvm::enumerate(names)) {
        if (!matches(pattern, name))
          continue;
        matched = true;
        amp::VariableOp variable = emitter.variableList()[index];
        Start start;
        if (!startOf(value, setting.value->loc, emitter.elementOf(variable),
                     variable.tensorType().getShape(), start))
          break;
        emitter.setStart(index, start.kind, start.args);
      }
      // After errors the parameter that is missing may be one that could not be
      // made.
      if (!matched && !diagnostics.failed())
        unmatchedPattern(pattern, names);
    }
  }
}

} // namespace ampc::model

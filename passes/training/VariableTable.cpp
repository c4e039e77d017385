// The variables of a module by name; see VariableTable.h.
#include "passes/training/VariableTable.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

VariableTable::VariableTable(ModuleOp module)
    : module(module), end(module.getContext()) {
  end.setInsertionPointToStart(module.getBody());
  for (auto variable : module.getOps<VariableOp>()) {
    byName[variable.getSymName()] = variable;
    end.setInsertionPointAfter(variable);
  }
}

VariableOp VariableTable::append(Location loc, StringRef name,
                                 RankedTensorType type, VariableRole role,
                                 InitKind init, DenseF64ArrayAttr initArgs) {
  auto variable = VariableOp::create(end, loc, name, type, role, init, initArgs,
                                     IntegerAttr(), ElementsAttr());
  byName[name] = variable;
  return variable;
}

VariableOp VariableTable::ensureCounter(StringRef name) {
  if (VariableOp variable = lookup(name))
    return variable;
  return append(module.getLoc(), name,
                RankedTensorType::get({}, end.getI64Type()),
                VariableRole::counter, InitKind::zeros);
}

VariableOp VariableTable::ensureLearningRate(double rate) {
  if (VariableOp variable = lookup(kLearningRateVariable))
    return variable;
  return append(module.getLoc(), kLearningRateVariable,
                RankedTensorType::get({}, end.getF32Type()), VariableRole::rate,
                InitKind::constant, end.getDenseF64ArrayAttr({rate}));
}

} // namespace ampc

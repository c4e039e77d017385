// The variables of a module by name; see VariableTable.h.
#include "passes/training/VariableTable.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

VariableTable::VariableTable(ModuleOp module)
    : module(module), builder(module.getContext()) {
  for (auto variable : module.getOps<VariableOp>())
    byName[variable.getSymName()] = last = variable;
}

VariableOp VariableTable::append(Location loc, StringRef name,
                                 RankedTensorType type, VariableRole role,
                                 InitKind init, DenseF64ArrayAttr initArgs) {
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(module.getBody());
  auto variable =
      VariableOp::create(builder, loc, name, type, role, init, initArgs,
                         IntegerAttr(), ElementsAttr(), FlatSymbolRefAttr());
  byName[name] = last = variable;
  return variable;
}

VariableOp VariableTable::ensureCounter(StringRef name) {
  if (VariableOp variable = lookup(name))
    return variable;
  return append(module.getLoc(), name,
                RankedTensorType::get({}, builder.getI64Type()),
                VariableRole::counter, InitKind::zeros);
}

VariableOp VariableTable::ensureLearningRate(double rate) {
  if (VariableOp variable = lookup(kLearningRateVariable))
    return variable;
  return append(module.getLoc(), kLearningRateVariable,
                RankedTensorType::get({}, builder.getF32Type()),
                VariableRole::rate, InitKind::constant,
                builder.getDenseF64ArrayAttr({rate}));
}

VariableOp VariableTable::appendScaler(StringRef name,
                                       std::optional<double> start) {
  if (!start)
    return append(module.getLoc(), name,
                  RankedTensorType::get({}, builder.getI32Type()),
                  VariableRole::scaler, InitKind::zeros);
  return append(module.getLoc(), name,
                RankedTensorType::get({}, builder.getF32Type()),
                VariableRole::scaler, InitKind::constant,
                builder.getDenseF64ArrayAttr({*start}));
}

} // namespace ampc

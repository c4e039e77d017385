// The variables that hold a session's state; see StateVariables.h.
#include "passes/training/StateVariables.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

VariableOp appendVariable(ModuleOp module, Location loc, StringRef name,
                          RankedTensorType type, VariableRole role,
                          InitKind init, DenseF64ArrayAttr initArgs) {
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToStart(module.getBody());
  for (auto variable : module.getOps<VariableOp>())
    builder.setInsertionPointAfter(variable);
  return VariableOp::create(builder, loc, name, type, role, init, initArgs,
                            IntegerAttr(), ElementsAttr());
}

VariableOp ensureStateVariable(ModuleOp module, StringRef name, double rate) {
  if (auto variable = module.lookupSymbol<VariableOp>(name))
    return variable;
  Builder builder(module.getContext());
  if (name == kLearningRateVariable)
    return appendVariable(module, module.getLoc(), name,
                          RankedTensorType::get({}, builder.getF32Type()),
                          VariableRole::rate, InitKind::constant,
                          builder.getDenseF64ArrayAttr({rate}));
  return appendVariable(module, module.getLoc(), name,
                        RankedTensorType::get({}, builder.getI64Type()),
                        VariableRole::counter, InitKind::zeros);
}

} // namespace ampc

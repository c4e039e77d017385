// Which values are gradients; see GradientValues.h.
#include "tools/libampc/GradientValues.h"

#include "passes/memory/LiveRanges.h"

using namespace mlir;
using namespace ampc::amp;

namespace ampc {

StringRef ownerOf(StringRef variable) {
  auto [group, owner] = variable.split('/');
  return group.starts_with("ampc.") && group != "ampc.state" ? owner : variable;
}

/// The operands of `group` that its result `number` is computed from element by
/// element: by ops that keep the shape.
static SmallVector<Value> elementwiseSources(GroupOp group, unsigned number) {
  Block &body = group.getBody().front();
  Value yielded = body.getTerminator()->getOperand(number);
  ArrayRef<int64_t> shape = tensorType(yielded).getShape();
  SmallVector<Value> sources, open{yielded};
  llvm::DenseSet<Value> seen{yielded};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      sources.push_back(group->getOperand(argument.getArgNumber()));
      continue;
    }
    if (isa<MatmulOp>(value.getDefiningOp()))
      continue;
    for (Value operand : value.getDefiningOp()->getOperands())
      if (tensorType(operand).getShape() == shape &&
          seen.insert(operand).second)
        open.push_back(operand);
  }
  return sources;
}

llvm::DenseMap<Value, StringRef> gradientsOf(ModuleOp module,
                                             func::FuncOp func) {
  llvm::StringMap<VariableRole> roles;
  for (auto variable : module.getOps<VariableOp>())
    roles.try_emplace(variable.getSymName(), variable.getRole());
  auto isParameter = [&](StringRef name) {
    auto role = roles.find(name);
    return role != roles.end() && (role->second == VariableRole::parameter ||
                                   role->second == VariableRole::master);
  };
  llvm::DenseMap<Value, StringRef> gradients;
  for (auto write : func.front().getOps<WriteOp>()) {
    StringRef name = write.getVariable(), owner = ownerOf(name);
    auto role = roles.find(name);
    bool isSum =
        role != roles.end() && role->second == VariableRole::accumulator;
    auto result = dyn_cast<OpResult>(storageRoot(write.getInput()));
    auto group = result ? dyn_cast<GroupOp>(result.getOwner()) : GroupOp();
    if (!group || !isParameter(owner) || !(isSum || isParameter(name)))
      continue;
    for (Value source : elementwiseSources(group, result.getResultNumber()))
      gradients.try_emplace(storageRoot(source), owner);
  }
  return gradients;
}

} // namespace ampc
